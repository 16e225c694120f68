package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol"
)

// A countedFS counts the resources that are opened.
type countedFS struct {
	fstest.MapFS
	opened  int
	opening func()
}

func (c *countedFS) Open(name string) (fs.File, error) {
	if strings.HasPrefix(name, "resources/x/h/") {
		c.opened++
		c.opening()
	}
	return c.MapFS.Open(name)
}

// manyLinks is a project with a prompt whose text names n resources of some bytes.
func manyLinks(n, bytes int) *countedFS {
	return &countedFS{fstest.MapFS{
		"prompts/many.md":     &fstest.MapFile{Data: []byte(strings.Repeat("[it](x://h/a.txt)\n", n))},
		"resources/x/h/a.txt": &fstest.MapFile{Data: []byte(strings.Repeat("a", bytes))},
	}, 0, func() {}}
}

func TestPromptsHaveBounds(t *testing.T) {
	for _, test := range []struct{ links, bytes, want int }{
		{maxEmbedded + 10, 1, maxEmbedded}, // by their number
		{100, 10_000, 9},                   // by the bytes of the answer
		{100, 100_001, 0},                  // each is too large by itself
	} {
		tree := manyLinks(test.links, test.bytes)
		f := withDocs(t, protocol.Handshake, tree)
		f.server.SetLimits(Limits{ReadBytes: 1 << 20, FrameBytes: 100_000, PageItems: 10})
		tree.opened = 0
		res, err := json.Marshal(f.must("prompts/get", map[string]any{"name": "many"}))
		if err != nil {
			t.Fatal(err)
		}
		n, lines := strings.Count(string(res), `"resource":{`), strings.Count(string(res), "[it](x://h/a.txt)")
		if n != test.want || n+lines != test.links || tree.opened > n+10 {
			t.Errorf("%d links to %d bytes are %d resources and %d lines, with %d reads", test.links, test.bytes, n, lines, tree.opened)
		}
	}
}

// Resources that turn out not to fit are not read repeatedly.
func TestPromptsDoNotReadAgain(t *testing.T) {
	tree := manyLinks(100, 20_000)
	tree.MapFS["resources/x/h/a.txt"].Data = []byte(strings.Repeat("\x01", 20_000)) // six bytes each in JSON
	f := withDocs(t, protocol.Handshake, tree)
	f.server.SetLimits(Limits{ReadBytes: 1 << 20, FrameBytes: 100_000, PageItems: 10})
	tree.opened = 0
	f.must("prompts/get", map[string]any{"name": "many"})
	if tree.opened > 5 {
		t.Errorf("%d reads of 20,000 bytes for an answer of 100,000", tree.opened)
	}
}

func TestPromptIsCancelled(t *testing.T) {
	tree := manyLinks(100, 1)
	f := withDocs(t, protocol.Handshake, tree)
	ctx, cancel := context.WithCancel(t.Context())
	tree.opened, tree.opening = 0, cancel
	_, err := f.server.getPrompt(ctx, request{&protocol.Call{Params: []byte(`{"name":"many"}`)}, protocol.Handshake})
	if !errors.Is(err, context.Canceled) || tree.opened > 1 {
		t.Errorf("%v after %d reads", fmt.Sprint(err), tree.opened)
	}
}
