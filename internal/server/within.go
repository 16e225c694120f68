package server

import (
	"context"
	"fmt"
	"runtime/debug"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// within returns what f returns, which may wait for a disk that never answers, if that comes in the time that a read has. What
// comes later is given to late. A system call cannot be interrupted: f is left behind.
func within[T any](ctx context.Context, s *Server, f func() T, late func(T)) (T, error) {
	ctx, stop := context.WithTimeout(ctx, readTimeout)
	defer stop()
	ended := make(chan T, 1)
	failed := make(chan struct{})
	go func() {
		defer func() {
			if p := recover(); p != nil {
				s.logger.Error("a request failed", "panic", p, "stack", string(debug.Stack()))
				close(failed)
			}
		}()
		ended <- f()
	}()
	var none T
	select {
	case v := <-ended:
		return v, nil
	case <-failed:
		return none, errInternal
	case <-ctx.Done():
	}
	go func() {
		select {
		case v := <-ended:
			late(v)
		case <-failed:
		}
	}()
	if ctx.Err() == context.DeadlineExceeded {
		return none, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: fmt.Sprintf("a file of the list cannot be looked at: it took more than %v", readTimeout)}
	}
	return none, ctx.Err()
}
