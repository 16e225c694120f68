package server

import (
	"cmp"
	"context"
	"encoding/json"
	"log/slog"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/jsonwire"
)

// startSDK makes the server of the SDK, which negotiates the version of sessions that begin with
// initialize. It declares every capability, whatever the tree contains now, because the tree may
// change.
func (s *Server) startSDK(opts Options) {
	name := cmp.Or(excerpt.Name(opts.Name), "mcp-docs-server")
	implementation := &mcp.Implementation{Name: name, Title: name + " Documentation Server", Version: cmp.Or(excerpt.Name(opts.Version), "0.0.0")}
	capabilities := &mcp.ServerCapabilities{
		Completions: &mcp.CompletionCapabilities{},
		Prompts:     &mcp.PromptCapabilities{ListChanged: true},
		Resources:   &mcp.ResourceCapabilities{ListChanged: true, Subscribe: true},
		Tools:       &mcp.ToolCapabilities{ListChanged: true},
		Extensions:  map[string]any{skillsExtension: map[string]any{"directoryRead": true}},
	}
	s.serverInfo, s.capabilities = mustEncode(implementation), mustEncode(capabilities)
	capabilities.Resources.Subscribe = !s.options.Replicated
	s.sdk = mcp.NewServer(implementation, &mcp.ServerOptions{Logger: slog.New(slog.DiscardHandler), Capabilities: capabilities})
	s.sdk.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		s.negotiate = next
		return next
	})
}

// mustEncode encodes a value of the SDK that has only strings and booleans, which never fails.
func mustEncode(v any) json.RawMessage {
	data, err := jsonwire.Encode(v)
	if err != nil {
		panic(err)
	}
	return data
}

// initialize answers initialize (MCP 2025-11-25, "Lifecycle"). The SDK keeps what it negotiates in
// a session. This session ends with the answer, because the transport knows the version from then
// on.
func (s *Server) initialize(ctx context.Context, r request, params *mcp.InitializeParams) (*reply, error) {
	if r.Version != "" {
		return nil, protocol.InvalidRequest("initialize: the session has begun already")
	}
	params.ProtocolVersion = max(params.ProtocolVersion, r.Oldest)
	_, transport := mcp.NewInMemoryTransports()
	session, err := s.sdk.Connect(ctx, transport, nil)
	if err != nil {
		return nil, err
	}
	defer session.Close()
	answer, err := s.negotiate(ctx, r.Method, &mcp.ServerRequest[*mcp.InitializeParams]{Session: session, Params: params})
	if err != nil {
		return nil, err
	}
	result := answer.(*mcp.InitializeResult)
	result.Instructions = s.instructions(ctx)
	body, err := encoded(protocol.Outcome{}, result)
	if err != nil {
		return nil, err
	}
	body.agreed = result.ProtocolVersion
	return body, nil
}

// instructions returns the text for the model.
func (s *Server) instructions(ctx context.Context) string {
	if s.options.Instructions == nil {
		return ""
	}
	return s.options.Instructions(ctx)
}
