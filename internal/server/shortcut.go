package server

import (
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
	p, ok := readPlainParams(req.Params)
	session := c.session.Load()
	if !ok || session == nil || p.era == handshake && version == "" {
		return nil
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

// readPlainParams reads parameters, and reports false if there is anything about them that the SDK might refuse.
func readPlainParams(raw json.RawMessage) (p plainParams, ok bool) {
	if len(raw) == 0 || raw[0] != '{' {
		return p, len(raw) == 0
	}
	ok = true
	text := func(dst *string, val []byte) {
		var good bool
		*dst, good = jsonwire.Unquote(val)
		ok = ok && good
	}
	jsonwire.Members(raw, func(key string, val []byte) {
		switch key {
		case "uri":
			text(&p.uri, val)
		case "cursor":
			text(&p.cursor, val)
		case "_meta":
			var good bool
			p.era, good = eraOfMeta(val)
			ok = ok && good
		}
	})
	return p, ok
}

// eraOfMeta returns the era that the _meta of a request chooses, and false if the SDK might not take it.
func eraOfMeta(meta []byte) (era, bool) {
	if len(meta) == 0 || meta[0] != '{' {
		return handshake, false
	}
	var version string
	capable, good := false, true
	jsonwire.Members(meta, func(key string, val []byte) {
		switch key {
		case mcp.MetaKeyProtocolVersion:
			var ok bool
			version, ok = jsonwire.Unquote(val)
			good = good && ok
		case mcp.MetaKeyClientCapabilities:
			capable = val[0] == '{'
		case mcp.MetaKeyClientInfo:
			good = good && val[0] == '{'
		}
	})
	switch {
	case !good:
		return handshake, false
	case version < statelessVersion:
		return handshake, true
	}
	return stateless, capable && version == statelessVersion
}
