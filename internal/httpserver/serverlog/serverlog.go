// Package serverlog writes the log of an HTTP server to standard error: lines about the server, and
// an access line for each request.
//
// [Handler] must be in front of all other handlers. It gives each request an id and sends it in
// X-Request-Id: the request's own X-Request-Id if it is short and plain, or else a random one.
// Other handlers add what they learn about a request with [Answered] and [SetCaller]. When the
// response has ended, the line is written at level info, or for the paths that probes ask at level debug if all is well:
//
//	time=… level=INFO msg=request id=6c1f0a77d3b1e25a caller=alice http=POST path=/mcp method=resources/read uri=config://app.json
//	  outcome=ok status=200 bytes=4211 duration_ms=0.412 traceparent=00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
//
// The line of a stream is written when the stream ends. Status 0 means that no response was sent.
// The line of a request with several calls has the first call and their number, calls.
//
// A line never has a query, not even the one of a resource's URI, nor a header or a body, because
// they may contain tokens. Texts from clients are cut to a length and quoted by slog, so that they
// cannot look like another line. traceparent is included only if it is valid
// (https://www.w3.org/TR/trace-context/#traceparent-header).
package serverlog

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/lazyregexp"
)

// Maximum lengths in bytes. The beginnings of longer URIs usually still differ.
const (
	longestName = 128 // of a method, caller, tool or prompt
	longestURI  = 512
)

// Options describe what the handler does with requests.
type Options struct {
	Logger *slog.Logger // nil: no lines
	// returns the caller if no other name is known
	ClientAddr func(*http.Request) netip.Addr
	// called after each response but those to probes; may be nil
	Responded func(status int, bytes int64)
}

// A Call is an answered JSON-RPC call.
type Call struct {
	Method string // as the client wrote it
	// the URI of a resource, or the name of a tool or prompt; "" for others
	Subject string
	Caller  string // its name; "": unknown
	// "ok", "tool_error" (a result with isError), "cut" (sent incompletely), or the code of the error, such as "-32602"
	Outcome  string
	Bytes    int64 // of the answer
	Duration time.Duration
}

// A request is an HTTP request that is being answered.
type request struct {
	response
	id [1]string // as a header value

	mu    sync.Mutex // guards all fields below
	calls int
	call  Call // the first one
}

// requestKey is the key of a request in its context.
type requestKey struct{}

// probes are the paths that machines ask every few seconds. They are not counted. Their lines have the level debug, or warn if the answer is an error.
var probes = []string{"/health", "/ready", "/metrics"}

// level returns the level of the line about a response.
func level(path string, status int) slog.Level {
	switch {
	case !slices.Contains(probes, path):
		return slog.LevelInfo
	case status >= 400:
		return slog.LevelWarn
	}
	return slog.LevelDebug
}

// Handler passes requests to next, and writes a line about each: at level info, or as level says for [probes].
func Handler(o Options, next http.Handler) http.Handler {
	o.Logger = cmp.Or(o.Logger, slog.New(slog.DiscardHandler))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began := time.Now()
		q := &request{response: response{inner: w}}
		q.id[0] = requestID(r.Header["X-Request-Id"])
		w.Header()["X-Request-Id"] = q.id[:]
		inner := r
		if o.Logger.Enabled(r.Context(), level(r.URL.Path, http.StatusBadRequest)) {
			inner = r.WithContext(context.WithValue(r.Context(), requestKey{}, q))
		}
		defer func() { // also runs if next panics, for example with http.ErrAbortHandler
			if r.Method == http.MethodHead {
				q.bytes = 0 // the body of a HEAD response is not sent
			}
			if o.Responded != nil && !slices.Contains(probes, r.URL.Path) {
				o.Responded(q.status, q.bytes)
			}
			if l := level(r.URL.Path, q.status); o.Logger.Enabled(r.Context(), l) {
				q.log(l, &o, r, time.Since(began))
			}
		}()
		next.ServeHTTP(&q.response, inner)
		q.status = cmp.Or(q.status, http.StatusOK) // net/http sends this status
	})
}

// log writes the line. It uses only those fields of r that do not change while a request is
// answered.
func (q *request) log(level slog.Level, o *Options, r *http.Request, took time.Duration) {
	q.mu.Lock()
	call, calls := q.call, q.calls
	q.mu.Unlock()
	if call.Caller == "" {
		if a := o.ClientAddr(r); a.IsValid() {
			call.Caller = a.String()
		}
	}
	var attrs [14]slog.Attr
	a := append(attrs[:0],
		slog.String("id", q.id[0]),
		slog.String("caller", excerpt.Ellipsis(call.Caller, longestName)),
		slog.String("http", excerpt.Ellipsis(r.Method, longestName)),
		slog.String("path", excerpt.Ellipsis(withoutPackage(r.URL.Path), longestURI)))
	if calls > 0 {
		a = append(a, slog.String("method", excerpt.Ellipsis(call.Method, longestName)))
		if call.Subject != "" {
			if strings.HasPrefix(call.Method, "resources/") {
				a = append(a, slog.String("uri", excerpt.Ellipsis(withoutPackage(withoutQuery(call.Subject)), longestURI)))
			} else {
				a = append(a, slog.String("name", excerpt.Ellipsis(call.Subject, longestName)))
			}
		}
		a = append(a, slog.String("outcome", excerpt.Ellipsis(call.Outcome, longestName)))
	}
	if calls > 1 {
		a = append(a, slog.Int("calls", calls))
	}
	a = append(a, slog.Int("status", q.status), slog.Int64("bytes", q.bytes),
		slog.Float64("duration_ms", float64(took.Round(time.Microsecond))/float64(time.Millisecond)))
	if trace := r.Header["Traceparent"]; len(trace) == 1 && traces().MatchString(trace[0]) {
		a = append(a, slog.String("traceparent", trace[0]))
	}
	// The source position of a record would take as long to find as the rest takes to write, so it is 0.
	record := slog.NewRecord(time.Now(), level, "request", 0)
	record.AddAttrs(a...)
	_ = o.Logger.Handler().Handle(r.Context(), record) // Logger ignores this error too
}

// withoutPackage returns a path of the web UI or a URI without the name of a dependency, which may be the name of a
// private package.
func withoutPackage(place string) string {
	lower := strings.ToLower(place)
	for _, prefix := range []string{"deps:", "/r/deps/", "/raw/deps/"} {
		if i := strings.Index(lower, prefix); i >= 0 && len(lower) == len(place) {
			return place[:i+len(prefix)] + "…"
		}
	}
	return place
}

// Answered adds a call to the line of the request with the context ctx. It has no effect if no line
// is written.
func Answered(ctx context.Context, c Call) {
	if q, ok := ctx.Value(requestKey{}).(*request); ok {
		q.mu.Lock()
		defer q.mu.Unlock()
		if q.calls++; q.calls == 1 {
			c.Caller = cmp.Or(c.Caller, q.call.Caller)
			q.call = c
		}
	}
}

// SetCaller adds the name of the caller to the line of the request with the context ctx, unless a
// call has named one.
func SetCaller(ctx context.Context, name string) {
	if q, ok := ctx.Value(requestKey{}).(*request); ok {
		q.mu.Lock()
		defer q.mu.Unlock()
		q.call.Caller = cmp.Or(q.call.Caller, name)
	}
}

// requestID returns the id that a client chose, or a random one.
func requestID(values []string) string {
	if len(values) == 1 && ids().MatchString(values[0]) {
		return values[0]
	}
	return fmt.Sprintf("%016x", rand.Uint64())
}

var (
	// ids can be used unchanged in a line and a header.
	ids = lazyregexp.New(`^[A-Za-z0-9._-]{1,64}$`)
	// traces are traceparents of version 00: the ids of a trace and a span, and flags.
	traces = lazyregexp.New(`^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$`)
)

// withoutQuery returns a URI without query and fragment. In canonical URIs of files, both
// characters are escaped.
func withoutQuery(uri string) string {
	if i := strings.IndexAny(uri, "?#"); i >= 0 {
		return uri[:i]
	}
	return uri
}

// A response counts what is written through it. Other features of the writer, such as deadlines,
// are found through Unwrap.
type response struct {
	inner  http.ResponseWriter
	status int // 0: nothing has been sent
	bytes  int64
}

func (r *response) Unwrap() http.ResponseWriter { return r.inner }

func (r *response) Header() http.Header { return r.inner.Header() }

func (r *response) WriteHeader(status int) {
	if r.status == 0 && (status >= 200 || status == http.StatusSwitchingProtocols) {
		r.status = status // an informational status is not the one of the response
	}
	r.inner.WriteHeader(status)
}

// begin records that the status 200 is sent if none was set.
func (r *response) begin() {
	r.status = cmp.Or(r.status, http.StatusOK)
}

func (r *response) Write(p []byte) (int, error) {
	r.begin()
	n, err := r.inner.Write(p)
	r.bytes += int64(n)
	return n, err
}

// Flush implements [http.Flusher], and FlushError is for [http.ResponseController].
func (r *response) Flush() { r.FlushError() }

func (r *response) FlushError() error {
	r.begin()
	return http.NewResponseController(r.inner).Flush()
}
