package server

import (
	"context"
	"encoding/json"
	"log/slog"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/jsonwire"
)

// startSDK makes the server of the SDK, which negotiates the version of sessions that begin with
// initialize. It declares every capability whatever the tree holds now, for the tree may change.
func (s *Server) startSDK(opts Options) {
	implementation := &mcp.Implementation{Name: opts.Name, Title: opts.Name + " Documentation Server", Version: opts.Version}
	capabilities := &mcp.ServerCapabilities{
		Completions: &mcp.CompletionCapabilities{},
		Prompts:     &mcp.PromptCapabilities{ListChanged: true},
		Resources:   &mcp.ResourceCapabilities{ListChanged: true, Subscribe: true},
		Tools:       &mcp.ToolCapabilities{ListChanged: true},
		Extensions:  map[string]any{skillsExtension: map[string]any{"directoryRead": true}},
	}
	s.serverInfo, s.capabilities = mustEncode(implementation), mustEncode(capabilities)
	s.sdk = mcp.NewServer(implementation, &mcp.ServerOptions{Logger: quiet(opts.Logger), Capabilities: capabilities})
	s.sdk.AddReceivingMiddleware(s.initialize)
}

// mustEncode encodes a value of the SDK that holds strings and booleans only, which never fails.
func mustEncode(v any) json.RawMessage {
	data, err := jsonwire.Encode(v)
	if err != nil {
		panic(err)
	}
	return data
}

// Run has the SDK serve a session over a transport, which hands all calls that are not the SDK's
// to the server, until the client ends it or ctx does.
func (s *Server) Run(ctx context.Context, t mcp.Transport) error {
	session, err := s.sdk.Connect(ctx, t, nil)
	if err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- session.Wait() }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
		session.Close()
		<-ended
		return ctx.Err()
	}
}

// initialize is the middleware around what the SDK answers.
func (s *Server) initialize(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (res mcp.Result, err error) {
		defer s.recovered(method, func(failure error) { res, err = nil, failure })
		if req, ok := req.(*mcp.ServerRequest[*mcp.InitializeParams]); ok {
			if req.Session.InitializeParams() != nil {
				return nil, protocol.InvalidRequest("initialize: the session has begun already")
			}
			// The handshake cannot agree on a version of the stateless era; a session that asks for
			// one gets the latest it can, and must be remembered as such.
			if req.Params.ProtocolVersion >= protocol.FirstStateless {
				req.Params.ProtocolVersion = protocol.LastHandshake
			}
		}
		res, err = next(ctx, method, req)
		if err != nil {
			return nil, s.clientError(method, err) // res may be a nil pointer of the SDK's
		}
		if res, ok := res.(*mcp.InitializeResult); ok {
			res.Instructions = s.instructions()
		}
		return res, nil
	}
}

// quiet is a logger for the SDK, which reports each step of a session.
func quiet(l *slog.Logger) *slog.Logger { return slog.New(atLeastError{l.Handler()}) }

type atLeastError struct{ slog.Handler }

func (h atLeastError) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= slog.LevelError && h.Handler.Enabled(ctx, slog.LevelError)
}
