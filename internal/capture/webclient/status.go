package webclient

import (
	"fmt"
	"net/http"
	"strconv"
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

// retryAfter reads the value of Retry-After: seconds or a date (RFC 9110, 10.2.3). A time in the past
// becomes one nanosecond, so that the request is repeated. 0: no valid value.
func retryAfter(value string, now time.Time) time.Duration {
	value = strings.TrimSpace(value)
	if value == "" {
		return 0
	}
	if seconds, err := strconv.ParseUint(value, 10, 31); err == nil {
		return max(1, time.Duration(seconds)*time.Second)
	}
	if date, err := http.ParseTime(value); err == nil {
		return max(1, date.Sub(now))
	}
	return 0
}
