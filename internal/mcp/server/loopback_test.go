package server

import (
	"strings"
	"testing"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/given"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol"
)

func TestClient(t *testing.T) {
	s := start(t, protocol.Handshake, given.Resources("x/h/a=1"), "[]").server
	s.SetFeatures(Features{Connector: true})
	for _, test := range []struct {
		client *Client
		method string
		params any
		want   string
		failed bool
		err    string
	}{
		{NewClient(s), "ping", nil, "{}", false, ""},
		{NewClient(s), "tools/call", map[string]string{"name": "fetch"}, `"isError":true`, true, ""},
		{NewClient(s), "wrong", nil, "", false, "there is no method"},
		{ClientOf(s, "ann", 100), "resources/read", map[string]string{"uri": "x://h/a"}, `"text":"1"`, false, ""},
		{ClientOf(s, "ann", 10), "resources/read", map[string]string{"uri": "x://h/a"}, "", false, "resources/read: the answer is too large"},
	} {
		out, failed, err := test.client.Call(t.Context(), test.method, test.params)
		if !strings.Contains(string(out), test.want) || failed != test.failed || (err == nil) != (test.err == "") || err != nil && !strings.Contains(err.Error(), test.err) {
			t.Errorf("%s: %s, %t, %v", test.method, out, failed, err)
		}
	}
	if out, err := NewClient(s).Discover(t.Context()); err != nil || !strings.Contains(string(out), `"supportedVersions":["2026-07-28"`) {
		t.Errorf("%s, %v", out, err)
	}
}
