package server

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// A listen is a subscriptions/listen request on its way.
type listen struct {
	outbox *outbox
	stream *stream
	added  bool // the outbox has the stream; whoever takes it out releases it
	agreed mcp.NotificationSubscriptions
}

// listenKey is where a request's context holds its listen.
type listenKey struct{}

// listen answers subscriptions/listen: it lasts until the client cancels it or the session ends. The SDK is asked to
// acknowledge a listen for nothing, which it keeps no books of; acknowledge puts in what was agreed to.
func (h *hub) listen(ctx context.Context, method string, req *mcp.SubscriptionsListenRequest, catalog *loader.Catalog, next mcp.MethodHandler) (mcp.Result, error) {
	want := req.Params.Notifications
	if want == nil {
		return nil, invalidParams("notifications is missing")
	}
	if n := len(want.ResourceSubscriptions); n > maxListenURIs {
		return nil, invalidParams("a listen may name %d resources, not %d; use several", maxListenURIs, n)
	}
	l := &listen{
		outbox: h.outbox(req.Session),
		stream: &stream{wants: lists{want.ResourcesListChanged, want.ToolsListChanged, want.PromptsListChanged}, uris: make(map[string]string)},
		agreed: mcp.NotificationSubscriptions{
			ResourcesListChanged: want.ResourcesListChanged, ToolsListChanged: want.ToolsListChanged, PromptsListChanged: want.PromptsListChanged,
		},
	}
	defer func() {
		if !l.added || l.outbox.remove(l.stream) {
			h.release(l.stream)
		}
	}()
	for _, uri := range want.ResourceSubscriptions {
		if _, has := l.stream.uris[uri]; has {
			continue
		}
		canonical, err := h.acquire(catalog, uri)
		if err != nil {
			return nil, err
		}
		if canonical == "" {
			continue // what is unknown is not agreed to
		}
		l.stream.uris[uri] = canonical
		l.agreed.ResourceSubscriptions = append(l.agreed.ResourceSubscriptions, uri)
	}
	if l.outbox.listens() >= maxListens {
		return nil, invalidParams("a session may have %d listens at a time", maxListens)
	}
	asked := *req.Params
	asked.Notifications = &mcp.NotificationSubscriptions{}
	res, err := next(context.WithValue(ctx, listenKey{}, l), method, &mcp.SubscriptionsListenRequest{Session: req.Session, Params: &asked, Extra: req.Extra})
	if err != nil {
		return nil, err
	}
	select {
	case <-ctx.Done():
	case <-l.outbox.ended:
	}
	return res, nil
}

// acknowledge sends the acknowledgement of a listen, from which it takes the listen's id. From then on the listen is
// told of changes; those that come meanwhile wait until the acknowledgement is out.
func (h *hub) acknowledge(l *listen, params *mcp.SubscriptionsAcknowledgedParams, send func() (mcp.Result, error)) (mcp.Result, error) {
	params.Notifications = l.agreed
	l.stream.id = params.Meta[mcp.MetaKeySubscriptionID]
	l.added = l.outbox.add(l.stream)
	res, err := send()
	if err == nil {
		l.outbox.acknowledge(l.stream)
	}
	return res, err
}

// listens returns how many listens the session has.
func (o *outbox) listens() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.streams)
}

func (o *outbox) acknowledge(st *stream) {
	o.mu.Lock()
	st.acknowledged = true
	o.mu.Unlock()
	o.signal()
}
