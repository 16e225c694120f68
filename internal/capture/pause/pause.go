// Package pause waits until a time has passed or a context ends.
package pause

import (
	"context"
	"time"
)

// For waits for a time, or until ctx ends. It returns the cause if ctx has ended.
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
