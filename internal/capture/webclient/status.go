package webclient

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// refuse returns an error that wraps [ErrRefused] without its text.
func refuse(format string, args ...any) error {
	return &failure{"", fmt.Sprintf(format, args...), ErrRefused}
}

// A failure is an error with another text.
type failure struct {
	url    string // "": the reason names it, or it is not known
	reason string
	err    error
}

func (f *failure) Error() string {
	if f.url == "" {
		return f.reason
	}
	return f.url + ": " + f.reason
}

func (f *failure) Unwrap() error { return f.err }

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

// ErrExhausted is wrapped by the error of an answer that is too large, and of a [Proxy] if its page loaded too much.
var ErrExhausted = errors.New("loads too much")

// TooLarge returns the error of an answer with more bytes than a limit.
func TooLarge(u *url.URL, limit int64) error {
	return &failure{show(u), fmt.Sprintf("has more than %d bytes, which is the limit", limit), ErrExhausted}
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
