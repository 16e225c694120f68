package streamable

import (
	"testing"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/httpserver/auth"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol/notify"
)

// When a session ends, its calls end: those that are running, and one that begins
// meanwhile.
func TestEndOfSessionEndsCalls(t *testing.T) {
	h := New(Options{Server: opener{hub: notify.New(nil)}, Shared: NewShared(DefaultLimits, NewKeys(time.Hour), nil)})
	s := h.options.Shared.sessions
	if !s.room(auth.Caller{}) {
		t.Fatal("the quota is used up")
	}
	n := s.known(digest(s.open(h, auth.Caller{}, "2025-11-25")))
	before, end, fault := n.begin(t.Context(), protocol.Message{Key: "1"})
	if fault != nil || before.Err() != nil {
		t.Fatal("a call cannot begin")
	}
	defer end()
	if _, _, fault := n.begin(t.Context(), protocol.Message{Key: "1"}); fault == nil {
		t.Error("two calls have one id")
	}
	s.close(n)
	<-before.Done()
	after, end, fault := n.begin(t.Context(), protocol.Message{Key: "2"})
	if fault != nil {
		t.Fatal("a call cannot begin")
	}
	<-after.Done()
	end()
}

// An opener is a server of sessions without calls.
type opener struct {
	Server
	hub *notify.Hub
}

func (o opener) Open(caller string) *notify.Subscriber { return o.hub.Open(caller) }
