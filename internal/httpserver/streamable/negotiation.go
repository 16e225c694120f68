package streamable

import (
	"iter"
	"mime"
	"net/http"
	"slices"
	"strings"
)

// accepted yields what a header says that a client accepts, in lower case, without what has the quality zero (RFC 9110 section 12.5.1).
func accepted(r *http.Request, header string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for item := range strings.SplitSeq(strings.ToLower(strings.Join(r.Header.Values(header), ",")), ",") {
			kind, params, _ := strings.Cut(strings.ReplaceAll(item, " ", ""), ";")
			if q, ok := strings.CutPrefix(params, "q="); ok && q != "" && strings.Trim(q, "0.") == "" {
				continue
			}
			if !yield(kind) {
				return
			}
		}
	}
}

// accepts reports which of the two media types a client accepts. Without an Accept header it accepts both.
func accepts(r *http.Request) (json, events bool) {
	if len(r.Header["Accept"]) == 0 {
		return true, true
	}
	for kind := range accepted(r, "Accept") {
		json = json || kind == "*/*" || kind == "application/*" || kind == "application/json"
		events = events || kind == "*/*" || kind == "text/*" || kind == "text/event-stream"
	}
	return json, events
}

// acceptsGzip reports whether a client accepts a gzip encoding.
func acceptsGzip(r *http.Request) bool {
	return slices.Contains(slices.Collect(accepted(r, "Accept-Encoding")), "gzip")
}

// sendsJSON reports whether the body of a request is declared as JSON, with the charset UTF-8 if
// one is named.
func sendsJSON(r *http.Request) bool {
	value := r.Header.Get("Content-Type")
	if value == "application/json" {
		return true
	}
	kind, params, err := mime.ParseMediaType(value)
	charset := params["charset"]
	return err == nil && kind == "application/json" && (charset == "" || strings.EqualFold(charset, "utf-8"))
}
