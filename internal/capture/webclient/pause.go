package webclient

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Pause waits for a time, or until ctx ends. It returns the cause if ctx has ended.
func Pause(ctx context.Context, d time.Duration) error {
	if d <= 0 || ctx.Err() != nil {
		return context.Cause(ctx)
	}
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// RetryAfter reads the value of Retry-After: seconds or a date (RFC 9110, 10.2.3). A time in the past becomes one
// nanosecond, so that the request is repeated. 0: no valid value.
func RetryAfter(value string, now time.Time) time.Duration {
	value = strings.TrimSpace(value)
	if seconds, err := strconv.ParseUint(value, 10, 31); err == nil {
		return max(1, time.Duration(seconds)*time.Second)
	}
	if date, err := http.ParseTime(value); err == nil {
		return max(1, date.Sub(now))
	}
	return 0
}
