package metrics_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/httpserver/gate"
	"github.com/mcp-docs-server/mcp-docs-server/internal/httpserver/metrics"
	"github.com/mcp-docs-server/mcp-docs-server/internal/httpserver/serverlog"
)

// A server combines its handlers like this: the metrics are behind the gate, and the access log
// is in front of all.
func Example() {
	logger, err := serverlog.New(io.Discard, "text", "info")
	if err != nil {
		fmt.Println(err)
		return
	}
	m, err := metrics.New(metrics.Options{Version: "1.0.0", Methods: []string{"ping"}, Open: true, Logger: logger})
	if err != nil {
		fmt.Println(err)
		return
	}
	g, err := gate.New(gate.Options{Listen: "127.0.0.1:8080", Logger: logger})
	if err != nil {
		fmt.Println(err)
		return
	}
	answered := func(r *http.Request) { // for each JSON-RPC call
		m.Answered(metrics.Call{Method: "ping", Outcome: metrics.OK, Bytes: 36, Duration: time.Millisecond})
		serverlog.Answered(r.Context(), serverlog.Call{Method: "ping", Caller: "alice", Outcome: metrics.OK})
	}

	mux := http.NewServeMux()
	mux.Handle("/metrics", g.Handler(m.Handler()))
	mux.Handle("/metrics/", g.Handler(m.Handler()))
	mux.Handle("/mcp", g.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { answered(r) })))
	h := serverlog.Handler(serverlog.Options{Logger: logger, ClientAddr: g.ClientAddr, Responded: m.Responded}, mux)

	ask := func(method, url string) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(method, url, nil))
		return w
	}
	fmt.Println(ask("POST", "http://localhost:8080/mcp").Code)
	fmt.Println(ask("GET", "http://evil.example/metrics").Code)
	for line := range strings.Lines(ask("GET", "http://localhost:8080/metrics").Body.String()) {
		if strings.HasPrefix(line, "mcp_docs_requests_total{method=\"ping\"") || strings.Contains(line, "4xx") {
			fmt.Print(line)
		}
	}
	// Output:
	// 200
	// 403
	// mcp_docs_http_responses_total{class="4xx"} 1
	// mcp_docs_requests_total{method="ping",outcome="ok"} 1
}
