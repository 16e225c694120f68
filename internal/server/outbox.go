package server

import (
	"context"
	"slices"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// An outbox is what a session is still to be told.
type outbox struct {
	session *mcp.ServerSession
	send    mcp.MethodHandler
	ended   <-chan struct{}
	wake    chan struct{} // has room for one

	mu      sync.Mutex
	closed  bool
	streams []*stream
}

// A stream is what a session of the handshake era, or one listen, wants to hear of and has not been told yet. It is
// guarded by its outbox.
type stream struct {
	id           any // of the listen; nil in the handshake era
	wants        lists
	uris         map[string]string // as spelled → canonical
	acknowledged bool              // nothing is sent before that

	changed lists
	updated map[string]bool
}

// add puts a stream into the outbox. It reports false when the session has ended.
func (o *outbox) add(st *stream) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed {
		return false
	}
	o.streams = append(o.streams, st)
	return true
}

// remove takes a stream out and reports whether it was in.
func (o *outbox) remove(st *stream) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	for i, s := range o.streams {
		if s == st {
			o.streams = append(o.streams[:i:i], o.streams[i+1:]...)
			return true
		}
	}
	return false
}

// takeStreams empties the outbox for good.
func (o *outbox) takeStreams() []*stream {
	o.mu.Lock()
	defer o.mu.Unlock()
	streams := o.streams
	o.streams, o.closed = nil, true
	return streams
}

// handshake returns the stream of a session of the handshake era, made if need be.
func (o *outbox) handshake() *stream {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, st := range o.streams {
		if st.id == nil && st.acknowledged {
			return st
		}
	}
	st := &stream{acknowledged: true}
	if !o.closed {
		o.streams = append(o.streams, st)
	}
	return st
}

// has reports whether a stream wants a URI, and how many it wants.
func (o *outbox) has(st *stream, uri string) (bool, int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	_, has := st.uris[uri]
	return has, len(st.uris)
}

// want adds a URI to a stream and reports whether it was new.
func (o *outbox) want(st *stream, uri, canonical string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if _, has := st.uris[uri]; has || o.closed || canonical == "" {
		return false
	}
	if st.uris == nil {
		st.uris = make(map[string]string)
	}
	st.uris[uri] = canonical
	return true
}

// unwant takes a URI from a stream and returns the canonical one, or "" if it was not there.
func (o *outbox) unwant(st *stream, uri string) (canonical string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	canonical = st.uris[uri]
	delete(st.uris, uri)
	delete(st.updated, uri)
	return canonical
}

// covers reports whether one of the streams hears of something. One that is not acknowledged yet will be told as well.
func (o *outbox) covers(hears func(*stream) bool) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.ContainsFunc(o.streams, hears)
}

// mark notes what is to be told. It never waits.
func (o *outbox) mark(a announcement) {
	o.mu.Lock()
	for _, st := range o.streams {
		st.changed = st.changed.or(a.and(st.wants))
		for uri, canonical := range st.uris {
			if a.updated[canonical] {
				if st.updated == nil {
					st.updated = make(map[string]bool)
				}
				st.updated[uri] = true
			}
		}
	}
	o.mu.Unlock()
	o.signal()
}

func (o *outbox) signal() {
	select {
	case o.wake <- struct{}{}:
	default: // it is to wake up already
	}
}

// run sends until ctx ends. It is the only one to wait for the client.
func (o *outbox) run(ctx context.Context) {
	for {
		for {
			method, req := o.next()
			if req == nil {
				break
			}
			if _, err := o.send(ctx, method, req); err != nil {
				return // the session has ended
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-o.wake:
		}
	}
}

// next takes one notification out, as it stands now: a client that was slow hears of the latest only.
func (o *outbox) next() (string, mcp.Request) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, st := range o.streams {
		if !st.acknowledged {
			continue
		}
		switch {
		case st.changed.resources:
			st.changed.resources = false
			return "notifications/resources/list_changed",
				&mcp.ServerRequest[*mcp.ResourceListChangedParams]{Session: o.session, Params: &mcp.ResourceListChangedParams{Meta: st.meta()}}
		case st.changed.tools:
			st.changed.tools = false
			return "notifications/tools/list_changed",
				&mcp.ServerRequest[*mcp.ToolListChangedParams]{Session: o.session, Params: &mcp.ToolListChangedParams{Meta: st.meta()}}
		case st.changed.prompts:
			st.changed.prompts = false
			return "notifications/prompts/list_changed",
				&mcp.ServerRequest[*mcp.PromptListChangedParams]{Session: o.session, Params: &mcp.PromptListChangedParams{Meta: st.meta()}}
		}
		for uri := range st.updated {
			delete(st.updated, uri)
			return "notifications/resources/updated",
				&mcp.ServerRequest[*mcp.ResourceUpdatedNotificationParams]{Session: o.session, Params: &mcp.ResourceUpdatedNotificationParams{Meta: st.meta(), URI: uri}}
		}
	}
	return "", nil
}

// meta says which listen a notification belongs to.
func (st *stream) meta() mcp.Meta {
	if st.id == nil {
		return nil
	}
	return mcp.Meta{mcp.MetaKeySubscriptionID: st.id}
}
