package webclient

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// A StatusError is an answer that is no page.
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

// retryAfter reads the value of Retry-After: seconds or a date (RFC 9110, 10.2.3). A time that is
// over is one nanosecond: it may be asked again. 0: there is none.
func retryAfter(value string, now time.Time) time.Duration {
	value = strings.TrimSpace(value)
	if value == "" {
		return 0
	}
	if seconds, err := strconv.ParseUint(value, 10, 31); err == nil {
		return max(1, time.Duration(seconds)*time.Second)
	}
	if at, err := http.ParseTime(value); err == nil {
		return max(1, at.Sub(now))
	}
	return 0
}
