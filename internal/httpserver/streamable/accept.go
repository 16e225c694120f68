package streamable

import (
	"mime"
	"net/http"
	"strings"
)

// accepts reports which of the two media types a client accepts. Without an Accept header it
// accepts both (RFC 9110 section 12.5.1). A type with quality zero is not accepted.
func accepts(r *http.Request) (json, events bool) {
	values := r.Header.Values("Accept")
	if len(values) == 0 {
		return true, true
	}
	for _, value := range values {
		for item := range strings.SplitSeq(value, ",") {
			kind, params, _ := strings.Cut(item, ";")
			if weightless(params) {
				continue
			}
			switch strings.ToLower(strings.TrimSpace(kind)) {
			case "*/*":
				json, events = true, true
			case "application/json", "application/*":
				json = true
			case "text/event-stream", "text/*":
				events = true
			}
		}
	}
	return json, events
}

// weightless reports whether the parameters of a media type have a quality of zero.
func weightless(params string) bool {
	for p := range strings.SplitSeq(params, ";") {
		if q, ok := strings.CutPrefix(strings.ToLower(strings.TrimSpace(p)), "q="); ok {
			return strings.Trim(q, "0.") == "" && q != ""
		}
	}
	return false
}

// acceptsGzip reports whether a client accepts a gzip encoding.
func acceptsGzip(r *http.Request) bool {
	for _, value := range r.Header.Values("Accept-Encoding") {
		for item := range strings.SplitSeq(value, ",") {
			kind, params, _ := strings.Cut(item, ";")
			if strings.EqualFold(strings.TrimSpace(kind), "gzip") && !weightless(params) {
				return true
			}
		}
	}
	return false
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
