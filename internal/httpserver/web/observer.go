package web

import (
	"net/http"

	"github.com/mcp-docs-server/mcp-docs-server/internal/httpserver/metrics"
	"github.com/mcp-docs-server/mcp-docs-server/internal/httpserver/serverlog"
	"github.com/mcp-docs-server/mcp-docs-server/internal/httpserver/streamable"
)

// observe counts an answered call and adds it to the access line of its request.
func (s *server) observe(r *http.Request, o streamable.Observation) {
	if s.options.Metrics != nil {
		s.options.Metrics.Answered(metrics.Call{Method: o.Method, Outcome: o.Outcome, Bytes: o.Bytes, Duration: o.Duration})
	}
	serverlog.Answered(r.Context(), serverlog.Call{Method: o.Method, Subject: o.Subject, Caller: o.Caller, Outcome: o.Outcome})
}
