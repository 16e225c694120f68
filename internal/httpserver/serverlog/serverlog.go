// Package serverlog writes what a server over HTTP has to say to standard error: lines about
// itself, and an access line for each request.
//
// [Handler] stands before all other handlers. It gives each request an id, which the response has
// in X-Request-Id: that of the request's own X-Request-Id if it is short and plain, and a random
// one otherwise. What a handler learns of a request, it adds with [Answered] and [SetCaller]. When
// the response has ended, the line is written, at level info:
//
//	time=… level=INFO msg=request id=6c1f0a77d3b1e25a caller=alice http=POST path=/mcp method=resources/read uri=config://app.json
//	  outcome=ok status=200 bytes=4211 duration_ms=0.412 traceparent=00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
//
// The line of a stream comes when the stream ends. A status of 0 says that no response was sent. A
// request with several calls has the first of them and their number, calls.
//
// A line never has a query, also not that of a resource's URI, nor a header or a body: tokens are
// there. What a client chose is cut to a length, and slog quotes it, so that it cannot look like
// another line. traceparent is there only if it is one
// (https://www.w3.org/TR/trace-context/#traceparent-header).
package serverlog

import (
	"fmt"
	"io"
	"log/slog"
	"strings"
)

// Formats of lines, and names of levels.
var (
	Formats = []string{"text", "json"}
	Levels  = []string{"debug", "info", "warn", "error"}
)

// New returns a logger that writes lines of a level or above. Format and level are of [Formats] and
// [Levels].
func New(w io.Writer, format, level string) (*slog.Logger, error) {
	var options slog.HandlerOptions
	switch level {
	case "debug":
		options.Level = slog.LevelDebug
	case "info":
		options.Level = slog.LevelInfo
	case "warn":
		options.Level = slog.LevelWarn
	case "error":
		options.Level = slog.LevelError
	default:
		return nil, fmt.Errorf("--log-level %q: it must be one of %s", level, strings.Join(Levels, ", "))
	}
	switch format {
	case "text":
		return slog.New(slog.NewTextHandler(w, &options)), nil
	case "json":
		return slog.New(slog.NewJSONHandler(w, &options)), nil
	}
	return nil, fmt.Errorf("--log-format %q: it must be one of %s", format, strings.Join(Formats, ", "))
}
