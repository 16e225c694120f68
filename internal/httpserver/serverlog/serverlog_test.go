package serverlog

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

func newLogger(t *testing.T, w io.Writer, format, level string) *slog.Logger {
	o := &slog.HandlerOptions{Level: new(slog.LevelVar)}
	must.Do(t, o.Level.(*slog.LevelVar).UnmarshalText([]byte(level)))
	if format == "text" {
		return slog.New(slog.NewTextHandler(w, o))
	}
	return slog.New(slog.NewJSONHandler(w, o))
}

func peer(*http.Request) netip.Addr { return netip.MustParseAddr("192.0.2.1") }

// A record is a line of the log as JSON.
type record = map[string]any

// logged serves a request and returns its line.
func logged(t *testing.T, r *http.Request, next http.HandlerFunc) (record, http.Header) {
	t.Helper()
	var out bytes.Buffer
	logger := newLogger(t, &out, "json", "info")
	w := httptest.NewRecorder()
	Handler(Options{Logger: logger, ClientAddr: peer}, next).ServeHTTP(w, r)
	if n := strings.Count(out.String(), "\n"); n != 1 {
		t.Fatalf("%d lines:\n%s", n, out.String())
	}
	var line record
	must.Do(t, json.Unmarshal(out.Bytes(), &line))
	return line, w.Header()
}

func TestLine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := httptest.NewRequest("POST", "/mcp?token=secret", strings.NewReader("secret"))
		r.Header.Set("Authorization", "Bearer secret")
		r.Header.Set("X-Request-Id", "from-Client_1.2")
		r.Header.Set("Traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
		line, header := logged(t, r, func(w http.ResponseWriter, r *http.Request) {
			time.Sleep(1234567 * time.Nanosecond)
			SetCaller(r.Context(), "alice")
			ctx, cancel := context.WithCancel(r.Context())
			defer cancel()
			Answered(ctx, Call{Method: "resources/read", Subject: "config://app.json?key=secret#secret", Outcome: "ok"})
			w.WriteHeader(http.StatusAccepted)
			io.WriteString(w, "hello")
			w.Write([]byte(", you"))
		})
		want := record{
			"time": "2000-01-01T00:00:00.001234567Z", "level": "INFO", "msg": "request",
			"id": "from-Client_1.2", "caller": "alice", "http": "POST", "path": "/mcp",
			"method": "resources/read", "uri": "config://app.json", "outcome": "ok",
			"status": 202.0, "bytes": 10.0, "duration_ms": 1.235,
			"traceparent": "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
		}
		must.Equal(t, want, line)
		if got := header["X-Request-Id"]; len(got) != 1 || got[0] != "from-Client_1.2" {
			t.Errorf("X-Request-Id: %q", got)
		}
	})
}

func TestBatch(t *testing.T) {
	line, _ := logged(t, httptest.NewRequest("POST", "/mcp", nil), func(w http.ResponseWriter, r *http.Request) {
		Answered(r.Context(), Call{Method: "tools/call", Subject: "search", Caller: "bob", Outcome: "tool_error"})
		Answered(r.Context(), Call{Method: "ping", Caller: "eve", Outcome: "ok"})
	})
	for key, want := range map[string]any{"method": "tools/call", "name": "search", "caller": "bob", "outcome": "tool_error", "calls": 2.0} {
		must.Equal(t, want, line[key], key)
	}
}

// Only a valid traceparent is in the line.
func TestTraceparent(t *testing.T) {
	const trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00"
	for given, want := range map[string]any{trace: trace, "nonsense": nil, strings.ToUpper(trace): nil, trace + "-": nil, trace + "\n": nil, "01" + trace[2:]: nil} {
		r := httptest.NewRequest("POST", "/mcp", nil)
		r.Header.Set("Traceparent", given)
		line, _ := logged(t, r, func(w http.ResponseWriter, r *http.Request) { Answered(r.Context(), Call{Method: "ping"}) })
		must.Equal(t, want, line["traceparent"], given)
	}
}

var random = regexp.MustCompile(`^[0-9a-f]{16}$`)

func TestRequestID(t *testing.T) {
	seen := map[string]bool{}
	for _, given := range [][]string{
		nil, nil, {""}, {"a b"}, {"a\nb"}, {`a"b`}, {"a=b"}, {"ä"}, {"\x00"}, {strings.Repeat("a", 65)}, {"one", "two"},
	} {
		id := requestID(given)
		if !random.MatchString(id) || seen[id] {
			t.Errorf("%q: %q", given, id)
		}
		seen[id] = true
	}
	if long := strings.Repeat("a", 64); requestID([]string{long}) != long {
		t.Error("64 characters are refused")
	}
}

// Probes come every few seconds: they are not counted, and their lines are shown only at level debug, or if something is wrong.
func TestProbes(t *testing.T) {
	for _, test := range []struct {
		path   string
		status int
		level  string
		want   string // level of the line; "": none
	}{
		{"/health", 200, "info", ""}, {"/ready", 200, "info", ""}, {"/metrics", 200, "info", ""},
		{"/health", 200, "debug", "DEBUG"}, {"/ready", 503, "warn", "WARN"}, {"/metrics", 401, "info", "WARN"},
		{"/mcp", 503, "info", "INFO"}, {"/health/x", 200, "info", "INFO"}, {"/health", 503, "error", ""},
	} {
		var out bytes.Buffer
		logger := newLogger(t, &out, "json", test.level)
		counted := false
		Handler(Options{Logger: logger, ClientAddr: peer, Responded: func(int, int64) { counted = true }},
			http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(test.status) })).
			ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", test.path, nil))
		var line struct{ Level string }
		_ = json.Unmarshal(out.Bytes(), &line) // "" without a line
		if probe := !strings.HasPrefix(test.path, "/mcp") && test.path != "/health/x"; line.Level != test.want || counted == probe {
			t.Errorf("%v: a line at level %q, counted: %v", test, line.Level, counted)
		}
	}
}

// TestHostileText checks that a client cannot cause a second line, or a long one, in either
// format.
func TestHostileText(t *testing.T) {
	for _, format := range []string{"text", "json"} {
		var out bytes.Buffer
		logger := newLogger(t, &out, format, "info")
		evil := "a\nlevel=ERROR msg=\"x\"\r\x1b[2J\u2028\xff" + strings.Repeat("é", 5000)
		r := httptest.NewRequest("POST", "/", nil)
		r.URL.Path, r.Method = "/"+evil, "P"+evil
		Handler(Options{Logger: logger, ClientAddr: peer}, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			Answered(r.Context(), Call{Method: evil, Subject: evil, Caller: evil, Outcome: evil})
		})).ServeHTTP(httptest.NewRecorder(), r)
		line := out.String()
		if strings.Count(line, "\n") != 1 || strings.ContainsAny(line, "\r\x1b\u2028") || !utf8.ValidString(line) || len(line) > 4000 {
			t.Errorf("%s: %d bytes: %q", format, len(line), line)
		}
	}
}

func TestLevel(t *testing.T) {
	for _, test := range []struct {
		level string
		lines int
	}{{"debug", 1}, {"info", 1}, {"warn", 0}, {"error", 0}} {
		var out bytes.Buffer
		logger := newLogger(t, &out, "text", test.level)
		var status int
		var sent int64
		h := Handler(Options{
			Logger:     logger,
			ClientAddr: func(*http.Request) netip.Addr { return netip.MustParseAddr("198.51.100.7") },
			Responded:  func(s int, b int64) { status, sent = s, b },
		}, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			Answered(r.Context(), Call{Method: "ping", Outcome: "ok"})
			SetCaller(r.Context(), "")
			http.Error(w, "no", http.StatusTeapot)
		}))
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
		if got := strings.Count(out.String(), "\n"); got != test.lines {
			t.Errorf("%s: %d lines", test.level, got)
		}
		if test.lines > 0 && !strings.Contains(out.String(), " caller=198.51.100.7 ") {
			t.Error(out.String())
		}
		if status != http.StatusTeapot || sent != 3 || !random.MatchString(w.Header().Get("X-Request-Id")) {
			t.Errorf("%s: status %d, %d bytes, %q", test.level, status, sent, w.Header())
		}
	}
}

// A server serves a handler over a real connection. Its lines come after the responses, so tests
// wait for them.
func newServer(t *testing.T, next http.HandlerFunc) (url string, lines <-chan record) {
	t.Helper()
	in, out := io.Pipe()
	records := make(chan record, 10)
	var reading sync.WaitGroup
	reading.Go(func() {
		defer close(records)
		for d := json.NewDecoder(in); ; {
			var line record
			if d.Decode(&line) != nil {
				return
			}
			records <- line
		}
	})
	logger := newLogger(t, out, "json", "info")
	s := httptest.NewUnstartedServer(Handler(Options{Logger: logger, ClientAddr: peer}, next))
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.Start()
	t.Cleanup(func() { s.Close(); out.Close(); reading.Wait() })
	return s.URL, records
}

func TestStream(t *testing.T) {
	next := make(chan struct{})
	url, lines := newServer(t, func(w http.ResponseWriter, r *http.Request) {
		if _, ok := w.(http.Flusher); !ok {
			t.Error("the writer is not a Flusher")
		}
		c := http.NewResponseController(w)
		if err := c.SetWriteDeadline(time.Now().Add(time.Hour)); err != nil {
			t.Error(err)
		}
		io.WriteString(w, "data: 1\n\n")
		if err := c.Flush(); err != nil {
			t.Error(err)
		}
		<-next
		io.WriteString(w, "data: 2\n\n")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	})
	res := must.Get(http.Get(url))(t)
	in := bufio.NewReader(res.Body)
	for _, want := range []string{"data: 1\n", "\n", "data: 2\n", "\n"} {
		if got, err := in.ReadString('\n'); err != nil || got != want {
			t.Fatalf("%q, %v", got, err)
		}
		if want == "data: 1\n" {
			next <- struct{}{}
		}
	}
	select {
	case line := <-lines:
		t.Errorf("a line before the end of the stream: %v", line)
	default:
	}
	res.Body.Close() // ends the connection, so the context ends
	if line := <-lines; line["status"] != 200.0 || line["bytes"] != 18.0 {
		t.Error(line)
	}
}

// TestDeadline checks that the deadline of a write reaches the connection.
func TestDeadline(t *testing.T) {
	url, lines := newServer(t, func(w http.ResponseWriter, r *http.Request) {
		c := http.NewResponseController(w)
		if err := c.SetWriteDeadline(time.Unix(1, 0)); err != nil {
			t.Error(err)
		}
		io.WriteString(w, "late")
		if err := c.Flush(); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("flush: %v", err)
		}
	})
	if res, err := http.Get(url); err == nil {
		res.Body.Close()
		t.Error("there is a response")
	}
	<-lines
}

func TestAborted(t *testing.T) {
	for _, begun := range []bool{false, true} {
		url, lines := newServer(t, func(w http.ResponseWriter, r *http.Request) {
			if begun {
				w.WriteHeader(http.StatusEarlyHints)
				w.WriteHeader(http.StatusCreated)
				w.(http.Flusher).Flush()
			}
			panic(http.ErrAbortHandler)
		})
		if res, err := http.Get(url); err == nil {
			res.Body.Close()
		}
		want := 0.0
		if begun {
			want = http.StatusCreated
		}
		if line := <-lines; line["status"] != want {
			t.Errorf("begun: %t: %v", begun, line)
		}
	}
}

func TestWithoutPackage(t *testing.T) {
	for place, want := range map[string]string{
		"deps://npm/@acme/private@1.0.0/README.md":         "deps:…",
		"DEPS://npm/@acme/private@1.0.0/README.md":         "DEPS:…",
		"/acme/r/deps/npm/@acme/private@1.0.0/README.md":   "/acme/r/deps/…",
		"/raw/deps/npm/@acme/private@1.0.0/docs/README.md": "/raw/deps/…",
		"/r/config/deps.json":                              "/r/config/deps.json",
		"docs://acme/deps/README.md":                       "docs://acme/deps/README.md",
	} {
		if got := withoutPackage(place); got != want {
			t.Errorf("%s is logged as %s, want %s", place, got, want)
		}
	}
}
