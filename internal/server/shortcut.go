package server

import (
	"bytes"
	"context"
	"encoding/json"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcp-docs-server/mcp-docs-server/internal/jsonwire"
	"github.com/mcp-docs-server/mcp-docs-server/internal/stdio"
)

// A shortcut answers reads and lists of resources of one session before the SDK sees them. Whatever the SDK would refuse, or
// has to take part in, is left to it: the answers are the same either way.
type shortcut struct {
	server     *Server
	session    atomic.Pointer[mcp.ServerSession] // nil until the session has begun
	serverInfo []byte                            // JSON

	// What the SDK has no objection to, as it was sent last: a client sends the same each time. For take only, which is called
	// by one reader.
	clientInfo, capabilities string // JSON
}

func (s *Server) newShortcut() *shortcut {
	info, err := json.Marshal(s.implementation)
	if err != nil {
		info = []byte("{}") // strings can always be encoded
	}
	return &shortcut{server: s, serverInfo: info}
}

// take is a [stdio.Shortcut].
func (c *shortcut) take(req *jsonrpc.Request, version string) func(ctx context.Context) (stdio.Result, error) {
	if req.Method != "resources/read" && req.Method != "resources/list" {
		return nil
	}
	p, ok := c.readParams(req.Params)
	session := c.session.Load()
	if !ok || session == nil {
		return nil
	}
	if p.era == handshake && version == "" || p.era == stateless && session.InitializeParams() == nil {
		return nil // the SDK has to know how the session began
	}
	var answer func(ctx context.Context) (*reply, error)
	switch {
	case req.Method == "resources/list":
		answer = func(ctx context.Context) (*reply, error) {
			return c.server.listResources(ctx, p.cursor, p.era, session)
		}
	case p.uri == "":
		return nil
	default:
		answer = func(ctx context.Context) (*reply, error) { return c.server.readResource(ctx, p.uri, p.era) }
	}
	method := req.Method
	return func(ctx context.Context) (res stdio.Result, err error) {
		defer c.server.recovered(method, func(failure error) { res, err = nil, failure })
		r, err := answer(ctx)
		if err != nil {
			return nil, c.server.clientError(method, err)
		}
		if p.era == stateless {
			r.serverInfo = c.serverInfo
		}
		return r, nil
	}
}

// plainParams are what the requests have that take the shortcut.
type plainParams struct {
	uri, cursor string
	era         era
}

// readParams reads parameters, and reports false if there is anything about them that the SDK might refuse.
func (c *shortcut) readParams(raw json.RawMessage) (p plainParams, ok bool) {
	if len(raw) == 0 || raw[0] != '{' {
		return p, len(raw) == 0
	}
	ok = true
	seen := false
	jsonwire.Members(raw, func(key string, val []byte) {
		good := true
		switch key {
		case "uri":
			p.uri, good = jsonwire.Unquote(val)
		case "cursor":
			p.cursor, good = jsonwire.Unquote(val)
		case "_meta":
			good = !seen // the SDK joins them
			seen = true
			if good {
				p.era, good = c.eraOf(val)
			}
		case "inputResponses", "requestState": // of a call that is tried again
			good = false
		}
		ok = ok && good
	})
	return p, ok
}

// eraOf returns the era that the _meta of a request chooses, and false if the SDK might refuse it.
func (c *shortcut) eraOf(meta []byte) (era, bool) {
	if meta[0] != '{' {
		return handshake, false
	}
	var version string
	ok, capable := true, false
	jsonwire.Members(meta, func(key string, val []byte) {
		good := true
		switch key {
		case mcp.MetaKeyProtocolVersion:
			version, good = jsonwire.Unquote(val)
		case mcp.MetaKeyClientCapabilities:
			good = plain[mcp.ClientCapabilities](&c.capabilities, val)
			capable = true
		case mcp.MetaKeyClientInfo:
			good = plain[mcp.Implementation](&c.clientInfo, val)
		default:
			good = simple(val)
		}
		ok = ok && good
	})
	if version < statelessVersion {
		return handshake, ok
	}
	return stateless, ok && capable && version == statelessVersion
}

// simple reports whether a value can be decoded whatever it is decoded as.
func simple(val []byte) bool {
	switch val[0] {
	case '{', '[':
		return false
	case '"', 't', 'f', 'n':
		return true
	}
	return len(val) < 16 && !bytes.ContainsAny(val, "eE") // else it may be a number that is too large
}

// plain reports whether an object can be decoded as a T. known is one that can.
func plain[T any](known *string, object []byte) bool {
	if string(object) == *known {
		return true
	}
	if object[0] != '{' || json.Unmarshal(object, new(T)) != nil {
		return false
	}
	*known = string(object)
	return true
}
