package notify

import (
	"context"
	"slices"

	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol/view"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/jsonwire"
)

// A stream holds what a session up to 2025-11-25, or one listen, wants and what it must still be
// sent. The mutex of its subscriber guards it.
type stream struct {
	id    []byte // id of the listen, JSON; nil up to 2025-11-25
	wants Lists
	// keys of resources in the hub, by URI as the client spelled it
	uris map[string]string
	all  bool // it wants all resources, because its subscriptions were lost
	// params of the acknowledgement, which is sent before anything else
	ack     []byte
	changes map[change]*state
}

// A change is a kind of notification; uri is empty except for an updated resource.
type change struct{ method, uri string }

// A state says when a change was last made, and whether the client has been notified since.
type state struct {
	number uint64
	sent   bool
}

func newStream(id []byte) *stream {
	return &stream{id: id, uris: make(map[string]string), changes: make(map[change]*state)}
}

// Wants are the notifications that a listen asks for, or the notifications that the server grants (MCP
// 2026-07-28, "subscriptions/listen").
type Wants struct {
	ToolsListChanged      bool     `json:"toolsListChanged,omitempty"`
	PromptsListChanged    bool     `json:"promptsListChanged,omitempty"`
	ResourcesListChanged  bool     `json:"resourcesListChanged,omitempty"`
	ResourceSubscriptions []string `json:"resourceSubscriptions,omitempty"`
}

// Listen handles a call of subscriptions/listen; id is the JSON id of the call. The first
// notification is the acknowledgement, which names the existing resources among wants; the
// notifications that the client asked for follow. Listen returns nil when the hub or the session
// ends, and the error of ctx if ctx ends first.
func (s *Subscriber) Listen(ctx context.Context, v view.View, id []byte, wants Wants) error {
	if n := len(wants.ResourceSubscriptions); n > MaxURIs {
		return limitf("a listen may name %d resources, not %d; use several", MaxURIs, n)
	}
	st := newStream(id)
	st.wants = Lists{wants.ResourcesListChanged, wants.ToolsListChanged, wants.PromptsListChanged}
	granted := wants
	granted.ResourceSubscriptions = nil
	added := false
	defer func() {
		if !added || s.remove(st) {
			s.hub.releaseAll(st)
		}
	}()
	for _, uri := range wants.ResourceSubscriptions {
		if _, has := st.uris[uri]; has {
			continue
		}
		key, err := s.hub.acquire(v, uri)
		if err != nil {
			return err
		}
		if key == "" {
			continue // resources that do not exist are not granted
		}
		st.uris[uri] = key
		granted.ResourceSubscriptions = append(granted.ResourceSubscriptions, uri)
	}
	list, err := jsonwire.Encode(granted)
	if err != nil {
		return err
	}
	st.ack = slices.Concat([]byte(metaSubscription), id, []byte(`},"notifications":`), list, []byte("}"))
	s.mu.Lock()
	listens := 0
	for _, other := range s.streams {
		if other.id != nil {
			listens++
		}
	}
	if listens >= maxListens {
		s.mu.Unlock()
		return limitf("a session may have %d listens at a time; cancel one first", maxListens)
	}
	if added = !s.ended; added {
		s.streams = append(s.streams, st)
	}
	s.mu.Unlock()
	s.signal()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-s.hub.ending:
	case <-s.closed:
	}
	return nil
}

// remove removes a stream and reports whether the session had it.
func (s *Subscriber) remove(st *stream) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, other := range s.streams {
		if other == st {
			s.streams = append(s.streams[:i:i], s.streams[i+1:]...)
			return true
		}
	}
	return false
}

// params returns the parameters of a notification.
func (st *stream) params(c change) []byte {
	var b []byte
	if st.id != nil {
		b = append(append(append(b, metaSubscription...), st.id...), '}')
	} else {
		b = append(b, '{')
	}
	if c.uri != "" {
		if st.id != nil {
			b = append(b, ',')
		}
		b = jsonwire.AppendString(append(b, `"uri":`...), c.uri)
	}
	return append(b, '}')
}
