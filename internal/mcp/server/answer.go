package server

import (
	"context"
	"encoding/json"
	"log/slog"
	"maps"
	"runtime/debug"
	"slices"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol/notify"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol/view"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/jsonwire"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/lazyregexp"
)

// A request is a call whose era is known.
type request struct {
	*protocol.Call
	era protocol.Era
	// the resources that the caller sees; only for a method that is made with seen
	view.View
}

// A method is the implementation of one method of MCP.
type method struct {
	eras   eras
	params bool // params are required
	answer answer
}

type answer func(*Server, context.Context, request) (*reply, error)

// decoded returns the answer to a method whose parameters have the type P.
func decoded[P any](answer func(*Server, context.Context, request, *P) (*reply, error)) answer {
	return func(s *Server, ctx context.Context, r request) (*reply, error) {
		params := new(P)
		if err := protocol.Decode(r.Params, params); err != nil {
			return nil, err
		}
		return answer(s, ctx, r, params)
	}
}

// seen is decoded for a method that needs the resources.
func seen[P any](answer func(*Server, context.Context, request, *P) (*reply, error)) answer {
	return decoded(func(s *Server, ctx context.Context, r request, params *P) (_ *reply, err error) {
		if r.View, err = s.views.Load(ctx, r.Caller); err != nil {
			return nil, err
		}
		return answer(s, ctx, r, params)
	})
}

// Parameters of several methods.
type (
	uriParams struct {
		URI string `json:"uri"`
	}
	// pageParams are the parameters of a list.
	pageParams struct {
		Cursor string `json:"cursor"`
	}
)

// eras says in which protocol eras a method exists.
type eras int

const (
	inBoth eras = iota
	inHandshake
	inStateless
)

// methods are all methods that clients can call. init sets it because the answers refer to it.
var methods map[string]method

func init() {
	methods = map[string]method{
		protocol.MethodInitialize:  {inHandshake, true, decoded((*Server).initialize)},
		"resources/list":           {inBoth, false, seen((*Server).listResources)},
		"resources/templates/list": {inBoth, false, seen((*Server).listTemplates)},
		"resources/read":           {inBoth, true, decoded((*Server).readResource)},
		protocol.MethodSubscribe:   {inHandshake, true, decoded((*Server).subscribe)},
		protocol.MethodUnsubscribe: {inHandshake, true, decoded((*Server).unsubscribe)},
		"resources/directory/read": {inBoth, true, seen((*Server).readDirectory)},
		"skills/list":              {inBoth, false, seen((*Server).listSkills)},
		"skills/get":               {inBoth, true, seen((*Server).getSkill)},
		"tools/list":               {inBoth, false, decoded((*Server).listTools)},
		"tools/call":               {inBoth, true, decoded((*Server).callTool)},
		"prompts/list":             {inBoth, false, decoded((*Server).listPrompts)},
		"prompts/get":              {inBoth, true, decoded((*Server).getPrompt)},
		"completion/complete":      {inBoth, true, decoded((*Server).complete)},
		protocol.MethodPing:        {inHandshake, false, func(*Server, context.Context, request) (*reply, error) { return empty(), nil }},
		"server/discover":          {inStateless, false, (*Server).discover},
		protocol.MethodListen:      {inStateless, true, decoded((*Server).listen)},
	}
}

// Methods returns the names of all methods that a client can call, sorted.
func Methods() []string {
	return slices.Sorted(maps.Keys(methods))
}

// Open returns the subscriber of a new session of a caller.
func (s *Server) Open(caller string) *notify.Subscriber { return s.hub.Open(caller) }

// Answer answers a call. The error is a [*protocol.Error] for clients to read.
func (s *Server) Answer(ctx context.Context, c *protocol.Call) (res protocol.Result, err error) {
	began := time.Now()
	s.busy()
	if c.Method != protocol.MethodInitialize {
		s.called()
	}
	defer s.called()
	ctx, leave, err := s.enter(ctx, c)
	if err != nil {
		err = s.clientError(c.Method, err)
		s.audited(c, began, 0, err)
		return nil, err
	}
	defer func() {
		if err != nil {
			res = nil
			leave()
			s.audited(c, began, 0, err)
		}
	}()
	defer s.recovered(c.Method, func(failure error) { err = failure })
	r, err := s.dispatch(ctx, c)
	if err != nil {
		return nil, s.clientError(c.Method, err)
	}
	r.panicked = func(p any) error { return s.panicked(c.Method, p) }
	r.released = func(bytes int64, err error) {
		s.busy()
		leave()
		s.audited(c, began, bytes, err)
	}
	return r, nil
}

// enter waits until the caller may run another call. A listen, which only waits, needs no place.
// Neither do initialize and ping, which hold no memory and with which a client finds out whether
// the server works.
func (s *Server) enter(ctx context.Context, c *protocol.Call) (entered context.Context, leave func(), err error) {
	switch c.Method {
	case protocol.MethodListen, protocol.MethodPing, protocol.MethodInitialize:
		return ctx, func() {}, nil
	}
	if !c.Shared {
		return ctx, func() {}, nil
	}
	return s.options.Memory.Enter(ctx, c.Caller)
}

func (s *Server) dispatch(ctx context.Context, c *protocol.Call) (*reply, error) {
	m, known := methods[c.Method]
	era, err := protocol.EraOf(c)
	switch {
	case err != nil && (era == protocol.Stateless || known && m.eras != inStateless):
		return nil, err
	case era == protocol.Stateless && (!known || c.Method == protocol.MethodInitialize):
		return nil, protocol.MethodNotFound("there is no method %s in protocol version %s", protocol.Shown(c.Method), protocol.FirstStateless)
	case era == protocol.Handshake && m.eras == inStateless:
		if c.Method == protocol.MethodListen {
			return nil, protocol.MethodNotFound("%s needs protocol version %s; use resources/subscribe", c.Method, protocol.FirstStateless)
		}
		return nil, protocol.MethodNotFound("%s needs protocol version %s", c.Method, protocol.FirstStateless)
	case era == protocol.Stateless && m.eras == inHandshake:
		return nil, protocol.MethodNotFound("there is no method %s in protocol version %s; use subscriptions/listen", c.Method, protocol.FirstStateless)
	case era == protocol.Handshake && c.Version == "" && c.Method != protocol.MethodPing && c.Method != protocol.MethodInitialize:
		return nil, protocol.InvalidRequest("%s: the session begins with initialize", c.Method)
	case !known:
		return nil, protocol.MethodNotFound("there is no method %s", protocol.Shown(c.Method))
	// Clients in PHP write [] for {}.
	case len(c.Params) == 0 || string(c.Params) == "null" || c.Params[0] == '[' && len(c.Params) == jsonwire.Space(c.Params, 1)+1:
		if m.params {
			return nil, protocol.InvalidRequest("%s: params are missing", c.Method)
		}
	case c.Params[0] != '{':
		return nil, protocol.InvalidParams("%s: params must be an object", c.Method)
	}
	r, err := m.answer(s, ctx, request{Call: c, era: era})
	if err != nil {
		return nil, err
	}
	if era == protocol.Stateless {
		r.serverInfo = s.serverInfo
	}
	return r, nil
}

// recovered passes the error for a panic to fail.
func (s *Server) recovered(method string, fail func(error)) {
	if p := recover(); p != nil {
		fail(s.panicked(method, p))
	}
}

// panicked logs a panic and returns the error for the client.
func (s *Server) panicked(method string, p any) error {
	s.options.Logger.Error("a request failed", "method", method, "panic", p, "stack", string(debug.Stack()))
	return errInternal
}

// audited writes the audit line of an answered call, except for initialize.
func (s *Server) audited(c *protocol.Call, began time.Time, bytes int64, err error) {
	if s.options.Audit == nil || c.Method == protocol.MethodInitialize {
		return
	}
	outcome := "ok"
	if err != nil {
		outcome = err.Error()
	}
	name, uri := subjectOf(c)
	s.options.Audit.LogAttrs(context.Background(), slog.LevelInfo, "call",
		slog.String("caller", c.Caller), slog.String("method", audible(c.Method)), slog.String("name", audible(name)),
		slog.String("uri", audible(uri)), slog.Int64("bytes", bytes), slog.Duration("took", time.Since(began)), slog.String("outcome", outcome))
}

// audible limits a text from a client in an audit line. The URIs of a project are shorter.
func audible(s string) string { return excerpt.Cut(s, 4<<10) }

// subjectOf returns the subject of a call: the name of a tool or prompt, and the URI that is read.
// The URI may also be an argument of a tool, called "id" by fetch and "url" by tools for the web.
func subjectOf(c *protocol.Call) (name, uri string) {
	jsonwire.Members(c.Params, func(key string, val []byte) {
		switch key {
		case "name":
			name, _ = jsonwire.Unquote(val)
		case "uri":
			uri, _ = jsonwire.Unquote(val)
		case "arguments":
			if c.Method != "tools/call" {
				return
			}
			jsonwire.Members(val, func(key string, val []byte) {
				switch key {
				case "uri", "id":
					uri, _ = jsonwire.Unquote(val)
				case "url":
					uri, _ = jsonwire.Unquote(val)
					uri = userInfo().ReplaceAllString(uri, "${1}xxxxx@")
				}
			})
		}
	})
	return name, uri
}

// userInfo matches a URL up to the end of its user name and password. Such a URL is not fetched, but a log would keep it.
var userInfo = lazyregexp.New(`^(.*?//)?[^/?#\\]*@`)

// discover answers server/discover (MCP 2026-07-28, "Discovery").
func (s *Server) discover(ctx context.Context, r request) (*reply, error) {
	body, err := encoded(struct {
		Versions     []string        `json:"supportedVersions"`
		Capabilities json.RawMessage `json:"capabilities"`
		Instructions string          `json:"instructions,omitempty"`
	}{protocol.VersionsFrom(r.Oldest), s.capabilities, s.options.Instructions(ctx)})
	if err == nil {
		body.ttl = readTTL
	}
	return body, err
}

// subscribe answers resources/subscribe.
func (s *Server) subscribe(ctx context.Context, r request, p *uriParams) (*reply, error) {
	if s.options.Replicated {
		return nil, protocol.MethodNotFound("%s is not offered, because the server has replicas; use subscriptions/listen of protocol version %s", r.Method, protocol.FirstStateless)
	}
	v, err := s.views.Load(ctx, r.Caller)
	if err != nil {
		return nil, err
	}
	if _, ok := v.Lookup(p.URI); !ok {
		if _, ok := v.Files.LookupFolder(p.URI); ok {
			return nil, protocol.InvalidParams("%s is a folder: subscribe to its files", protocol.Shown(p.URI))
		}
		return nil, notFound(v, p.URI, r.era)
	}
	if r.Session == nil {
		return nil, protocol.InvalidRequest("%s: this connection cannot be notified", r.Method)
	}
	if err := r.Session.Subscribe(v, p.URI); err != nil {
		return nil, err
	}
	return empty(), nil
}

// unsubscribe answers resources/unsubscribe.
func (s *Server) unsubscribe(_ context.Context, r request, p *uriParams) (*reply, error) {
	if r.Session != nil {
		r.Session.Unsubscribe(p.URI)
	}
	return empty(), nil
}

type listenParams struct {
	Notifications *notify.Wants `json:"notifications"`
}

// listen answers subscriptions/listen when it ends.
func (s *Server) listen(ctx context.Context, r request, params *listenParams) (*reply, error) {
	r.Params = nil // they may be large, and the call lasts
	if params.Notifications == nil {
		return nil, protocol.InvalidParams("notifications is missing")
	}
	if r.Session == nil {
		return nil, protocol.InvalidRequest("%s: this connection cannot be notified", r.Method)
	}
	v, err := s.views.Load(ctx, r.Caller)
	if err != nil {
		return nil, err
	}
	if err := r.Session.Listen(ctx, v, r.ID, *params.Notifications); err != nil {
		return nil, err
	}
	ended := empty()
	ended.meta = append(append([]byte(`"io.modelcontextprotocol/subscriptionId":`), r.ID...), ',')
	return ended, nil
}
