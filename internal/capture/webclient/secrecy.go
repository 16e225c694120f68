package webclient

import (
	"net/http"
	"strings"
)

// Secrecy says who may keep a page, as Cache-Control does (RFC 9111, 5.2.2). The strictest of all
// redirects and the answer counts: a private redirect makes the page private.
type Secrecy struct {
	NoStore bool // nobody may keep it
	Private bool // only the caller of the request may keep it
}

// SecrecyOf reads the header of one answer. A directive that restricts only some fields, such as
// private="set-cookie", restricts the whole page.
func SecrecyOf(h http.Header) (s Secrecy) {
	for _, value := range h.Values("Cache-Control") {
		for directive := range strings.SplitSeq(value, ",") {
			name, _, _ := strings.Cut(strings.TrimSpace(directive), "=")
			s.NoStore = s.NoStore || strings.EqualFold(name, "no-store")
			s.Private = s.Private || strings.EqualFold(name, "private")
		}
	}
	return s
}

// And returns the stricter of both.
func (s Secrecy) And(other Secrecy) Secrecy {
	return Secrecy{s.NoStore || other.NoStore, s.Private || other.Private}
}
