package webclient

import (
	"fmt"
	"net/http"
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
