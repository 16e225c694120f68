package webclient

import (
	"fmt"
	"net/http"
	"strings"
	"time"
)

// A StatusError is an answer with a status that is not one of success.
type StatusError struct {
	URL        string
	Status     int
	RetryAfter time.Duration // 0: the answer does not say
}

func (e *StatusError) Error() string {
	s := fmt.Sprintf("%s: answers %d %s", e.URL, e.Status, http.StatusText(e.Status))
	if e.RetryAfter >= time.Second {
		s += fmt.Sprintf(" and asks to come back in %v", e.RetryAfter.Round(time.Second))
	}
	return s
}

// A SizeError is an answer that is too large.
type SizeError struct {
	URL   string
	Limit int64 // in bytes
}

func (e *SizeError) Error() string {
	return fmt.Sprintf("%s: has more than %d bytes, which is the limit", e.URL, e.Limit)
}

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
