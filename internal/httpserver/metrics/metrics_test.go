package metrics

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/given"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/internal/httpserver/serverlog"
)

func newMetrics(t testing.TB, change func(*Options)) *Metrics {
	t.Helper()
	o := Options{Version: "1.2.3", Methods: []string{"resources/read", "tools/call", "listen"}, Streams: []string{"listen"}, Open: true}
	if change != nil {
		change(&o)
	}
	return must.Get(New(o))(t)
}

func ask(h http.Handler, method, target string, header ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, target, nil)
	for i := 0; i < len(header); i += 2 {
		r.Header.Add(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// lines returns the lines of the Prometheus text that begin with a prefix.
func lines(t testing.TB, m *Metrics, prefix string) string {
	t.Helper()
	w := ask(m.Handler(), "GET", "/metrics")
	if w.Code != http.StatusOK || !strings.HasPrefix(w.Header().Get("Content-Type"), "text/plain; version=0.0.4") {
		t.Fatalf("%d %q\n%s", w.Code, w.Header(), w.Body)
	}
	var found strings.Builder
	for line := range strings.Lines(w.Body.String()) {
		if strings.HasPrefix(line, prefix) {
			found.WriteString(line)
		}
	}
	return found.String()
}

func read(took time.Duration) serverlog.Call {
	return serverlog.Call{Method: "resources/read", Outcome: OK, Bytes: 100, Duration: took}
}

func TestPrometheus(t *testing.T) {
	m := newMetrics(t, nil)
	m.Answered(read(300 * time.Microsecond))
	m.Answered(read(20 * time.Second))
	m.Answered(serverlog.Call{Method: "resources/read", Outcome: "-32002", Bytes: 50})
	m.Answered(serverlog.Call{Method: "tools/call", Outcome: "tool_error"})
	m.Answered(serverlog.Call{Method: "listen", Outcome: OK, Duration: time.Hour})
	m.Responded(200, 10)
	m.Responded(404, 5)
	m.Responded(0, 0)
	m.Sessions(func() (int, int) { return 3, 2 })
	m.Cache("pages", func() CacheCounts { return CacheCounts{Hits: 7, Misses: 4, Entries: 2, Bytes: 1000} })
	p := m.Project("a \"b\"\n\xff", []Gauge{{"resources", "Resources.", func() float64 { return 12 }}, {"watched_folders", "Folders.", func() float64 { return 5 }}})
	p.Scanned(20*time.Millisecond, 40)
	p.Scanned(20*time.Millisecond, 2)
	p.Notified("notifications/resources/updated")

	for _, c := range given.Cases(t, "prometheus.txt") {
		must.Equal(t, strings.ReplaceAll(c.Text, "$PROJECT", `a \"b\"\n`+"\uFFFD")+"\n", lines(t, m, c.Name), c.Name)
	}
	for _, prefix := range []string{"go_goroutines ", "go_memstats_heap_alloc_bytes ", "mcp_docs_build_info{"} {
		if lines(t, m, prefix) == "" {
			t.Errorf("%s is missing", prefix)
		}
	}

	problems, err := promlint.New(bytes.NewReader(ask(m.Handler(), "GET", "/metrics").Body.Bytes())).Lint()
	if err != nil || len(problems) > 0 {
		t.Errorf("promlint: %v, %v", problems, err)
	}
}

// The metrics of a replica say which one it is.
func TestInstance(t *testing.T) {
	m, err := New(Options{Version: "1.0.0", Methods: []string{"ping"}, Open: true, Instance: "web-1:3060\xff", Gauges: []Gauge{{"store_reachable", "Whether.", func() float64 { return 1 }}}})
	must.Do(t, err)
	m.Project("docs", []Gauge{{"resources", "Resources.", func() float64 { return 12 }}})
	for line := range strings.Lines(lines(t, m, "")) {
		if !strings.HasPrefix(line, "#") && !strings.Contains(line, "instance=\"web-1:3060\uFFFD\"") {
			t.Errorf("no instance: %s", line)
		}
	}
	if got := lines(t, m, "mcp_docs_store_reachable"); !strings.HasSuffix(got, "} 1\n") {
		t.Errorf("%s", got)
	}
	if got := lines(t, newMetrics(t, nil), ""); strings.Contains(got, "instance=") {
		t.Error("a single server has the metrics of a replica")
	}
}

// TestHostileLabels checks that clients cannot make labels.
func TestHostileLabels(t *testing.T) {
	m := newMetrics(t, nil)
	before := strings.Count(lines(t, m, "mcp_docs_"), "\n")
	for i := range 1000 {
		m.Answered(serverlog.Call{Method: fmt.Sprintf("m%d\xff\n", i), Outcome: "-32601"})
		m.Answered(serverlog.Call{Method: "Resources/Read", Outcome: OK})
		m.Answered(serverlog.Call{Method: "", Outcome: "-32601", Bytes: -5, Duration: -time.Hour})
		m.Responded(-100, -1)
		m.Responded(1000+i, 0)
	}
	if got := strings.Count(lines(t, m, "mcp_docs_"), "\n") - before; got != 1 {
		t.Errorf("clients made %d series, not 1:\n%s", got, lines(t, m, "mcp_docs_requests_total"))
	}
	want := `mcp_docs_requests_total{method="other",outcome="-32601"} 2000
mcp_docs_requests_total{method="other",outcome="ok"} 1000
`
	must.Equal(t, want, lines(t, m, `mcp_docs_requests_total{method="other"`))
}

func TestSummaryAndReset(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var cache CacheCounts
		m := newMetrics(t, nil)
		m.Cache("pages", func() CacheCounts { return cache })
		cache = CacheCounts{Hits: 5, Misses: 3}
		m.Answered(read(time.Millisecond))
		m.Answered(serverlog.Call{Method: "tools/call", Outcome: "tool_error", Duration: time.Second})
		m.Answered(serverlog.Call{Method: "nonsense", Outcome: "-32601", Duration: time.Millisecond})
		time.Sleep(90*time.Second + 600*time.Millisecond)
		check := func(method, target, want string) {
			t.Helper()
			if w := ask(m.Handler(), method, target); w.Code != http.StatusOK || w.Body.String() != want+"\n" {
				t.Errorf("%s: %d %s, not %s", target, w.Code, w.Body, want)
			}
		}
		check("GET", "/metrics/json", `{"totalRequests":3,"successful":1,"failed":2,"cacheHits":5,"cacheMisses":3,"uptime":90}`)
		check("GET", "/metrics?format=text", "Total Requests: 3\nSuccessful: 1\nFailed: 2\nCache Hits: 5\nCache Misses: 3")
		check("POST", "/metrics/reset", `{"success":true,"message":"Metrics reset successfully"}`)
		cache.Hits++
		m.Answered(read(0))
		check("GET", "/metrics/json", `{"totalRequests":1,"successful":1,"failed":0,"cacheHits":1,"cacheMisses":0,"uptime":90}`)
		if got := lines(t, m, `mcp_docs_requests_total{method="resources/read",outcome="ok"}`); !strings.HasSuffix(got, " 2\n") {
			t.Errorf("the counters of Prometheus were reset: %s", got)
		}
	})
}

func TestKey(t *testing.T) {
	const key = "correct horse/battery+staple"
	withKey := func(open bool) func(*Options) {
		return func(o *Options) { o.Open = open; k := key; o.Key = &k }
	}
	for _, target := range []struct{ method, path string }{
		{"GET", "/metrics"}, {"GET", "/metrics?format=text"}, {"GET", "/metrics/json"}, {"POST", "/metrics/reset"},
		{"DELETE", "/metrics"}, {"GET", "/metrics/nonsense"},
	} {
		sep := "?"
		if strings.Contains(target.path, "?") {
			sep = "&"
		}
		served := map[string]int{"DELETE/metrics": 405, "GET/metrics/nonsense": 404}[target.method+target.path]
		if served == 0 {
			served = 200
		}
		for _, test := range []struct {
			name    string
			options func(*Options)
			query   string
			header  []string
			want    int
		}{
			{"open", nil, "", nil, served},
			{"closed", func(o *Options) { o.Open = false }, "", nil, 404},
			{"closed, with a key", func(o *Options) { o.Open = false }, "key=", []string{"X-Metrics-Key", ""}, 404},
			{"no key", withKey(true), "", nil, 401},
			{"empty key", withKey(false), "key=", nil, 401},
			{"empty header", withKey(false), "key=correct+horse/battery%2Bstaple", []string{"X-Metrics-Key", ""}, 401},
			{"wrong key", withKey(false), "key=correct", nil, 401},
			{"wrong header", withKey(false), "", []string{"X-Metrics-Key", key + "x"}, 401},
			{"bearer", withKey(false), "", []string{"Authorization", "bearer " + key}, served},
			{"wrong bearer", withKey(false), "", []string{"Authorization", "Bearer " + key + "x"}, 401},
			{"another scheme", withKey(false), "", []string{"Authorization", "Basic " + key}, 401},
			{"header and bearer", withKey(false), "", []string{"Authorization", "Bearer " + key, "X-Metrics-Key", "x"}, 401},
			{"header", withKey(false), "", []string{"x-metrics-key", key}, served},
			{"query", withKey(false), "key=correct+horse/battery%2Bstaple", nil, served},
		} {
			m := newMetrics(t, test.options)
			path := target.path
			if test.query != "" {
				path += sep + test.query
			}
			w := ask(m.Handler(), target.method, path, test.header...)
			must.Equal(t, test.want, w.Code, target.method, ", ", path, ", ", test.name)
			if w.Code == 401 && w.Header().Get("WWW-Authenticate") == "" {
				t.Errorf("%s: 401 without WWW-Authenticate", test.name)
			}
			if got := w.Header().Get("Cache-Control"); got != "no-store" {
				t.Errorf("%s: Cache-Control %q", test.name, got)
			}
		}
	}

	// A request without the key has no effect.
	m := newMetrics(t, withKey(false))
	m.Answered(read(0))
	ask(m.Handler(), "POST", "/metrics/reset")
	if got := m.summary().TotalRequests; got != 1 {
		t.Errorf("%d requests", got)
	}
	for _, bad := range []string{"", " ", "key\n"} {
		if _, err := New(Options{Key: &bad}); err == nil || !strings.Contains(err.Error(), KeyVariable) {
			t.Errorf("key %q: %v", bad, err)
		}
	}
}
