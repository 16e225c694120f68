package server

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol"
)

// A list that nobody waits for any more ends.
func TestListResourcesIsCancelled(t *testing.T) {
	f := start(t, protocol.Handshake, files("x/h/a"), "[]")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	f.server.SetFeatures(Features{ResourceTools: true})
	if content, isError := f.use("list_resources", map[string]any{"glob": strings.Repeat("{a,a}", 26)}); !isError {
		t.Errorf("a list with very many alternatives is %v", content)
	}
	if _, err := f.server.callListResources(ctx, json.RawMessage(`{"glob":"{a,b}"}`)); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}
