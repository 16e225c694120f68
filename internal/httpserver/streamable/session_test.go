package streamable

import (
	"testing"

	"github.com/mcp-docs-server/mcp-docs-server/internal/httpserver/auth"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol/notify"
)

// When a session ends, its calls end: those that are running, and one that begins
// meanwhile.
func TestEndOfSessionEndsCalls(t *testing.T) {
	h := New(Options{Server: opener{hub: notify.New(nil)}})
	s := h.options.Shared.sessions
	if !s.quota.Take("") {
		t.Fatal("the quota is used up")
	}
	n := s.open(h, auth.Caller{}, "2025-11-25")
	before, end, ok := n.begin(t.Context(), "1")
	if !ok || before.Err() != nil {
		t.Fatal("a call cannot begin")
	}
	defer end()
	if _, _, ok := n.begin(t.Context(), "1"); ok {
		t.Error("two calls have one id")
	}
	s.close(n)
	if before.Err() == nil {
		t.Error("the running call continues")
	}
	after, end, ok := n.begin(t.Context(), "2")
	if !ok || after.Err() == nil {
		t.Error("a call begins in a session that has ended")
	}
	end()
}

// An opener is a server of sessions without calls.
type opener struct {
	Server
	hub *notify.Hub
}

func (o opener) Open(caller string) *notify.Subscriber { return o.hub.Open(caller) }
