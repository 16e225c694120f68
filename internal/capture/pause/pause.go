// Package pause waits for a time.
package pause

import (
	"context"
	"time"
)

// For waits for a time, or until ctx ends, and then returns the cause of that end.
func For(ctx context.Context, d time.Duration) error {
	if d <= 0 || ctx.Err() != nil {
		return context.Cause(ctx)
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
