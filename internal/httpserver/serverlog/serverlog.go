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
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
)

var (
	// Formats are the formats of lines, and Levels the names of levels.
	Formats = []string{"text", "json"}
	Levels  = []string{"debug", "info", "warn", "error"}
)

// New returns a logger that writes lines of a level or above. format must be one of [Formats] and
// level one of [Levels].
func New(w io.Writer, format, level string) (*slog.Logger, error) {
	if !slices.Contains(Levels, level) {
		return nil, fmt.Errorf("--log-level %q: it must be one of %s", level, strings.Join(Levels, ", "))
	}
	var lowest slog.Level
	_ = lowest.UnmarshalText([]byte(level)) // slog has the same names
	options := &slog.HandlerOptions{Level: lowest}
	switch format {
	case "text":
		return slog.New(slog.NewTextHandler(w, options)), nil
	case "json":
		return slog.New(slog.NewJSONHandler(w, options)), nil
	}
	return nil, fmt.Errorf("--log-format %q: it must be one of %s", format, strings.Join(Formats, ", "))
}
