package stdio

import (
	"context"
	"sync"

	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol/notify"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/jsonwire"
)

// A call is a request with an id, between its arrival and its answer.
type call struct {
	protocol.Call
	ctx    context.Context // ends when the call is cancelled or the session ends
	end    context.CancelFunc
	finish func() bool // called when its answer is about to be written; false: the call was cancelled
}

// enter registers a call as in flight. It fails if its id is in use.
func (s *session) enter(m protocol.Message) (c *call, fault *protocol.Error) {
	c = &call{Call: protocol.Call{ID: m.ID, Method: m.Method, Params: m.Params, Session: s.subscriber}}
	c.ctx, c.end, c.finish, fault = s.calls.Begin(s.ctx, m)
	return c, fault
}

func (s *session) negotiated() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.version
}

// ask calls the handler.
func (s *session) ask(c *call) (protocol.Result, error) {
	c.Version = s.negotiated()
	result, err := s.Handler.Answer(c.ctx, &c.Call)
	if agreed := protocol.Agreed(result); agreed != "" {
		s.mu.Lock()
		s.version = agreed
		s.mu.Unlock()
	}
	return result, err
}

// answer answers a call.
func (s *session) answer(c *call) {
	var reporting sync.WaitGroup
	defer reporting.Wait()
	defer c.end()
	if c.Method != protocol.MethodListen && c.Method != protocol.MethodInitialize {
		if s.running.Acquire(c.ctx, 1) != nil {
			return
		}
		defer s.running.Release(1)
	}
	progress := s.reporting(c, &reporting)
	result, err := s.ask(c)
	if result != nil {
		defer result.Release()
	}
	_ = s.write(c.ctx, func(json *jsonwire.Writer) error {
		if !c.finish() { // it can be cancelled until the first byte of its answer
			return errNoFrame
		}
		if n, ok := progress.Take(); ok {
			writeNotification(json, n)
			json.RawString("\n")
		}
		if err != nil {
			json.Raw(protocol.ErrorFrame(c.ID, protocol.WireError(err)))
			return nil
		}
		_, err := protocol.WriteResult(json, c.ID, result)
		return err
	})
}

// reporting writes the notifications that belong to a call, in a goroutine of group, until the
// call's context ends.
func (s *session) reporting(c *call, group *sync.WaitGroup) *notify.Latest {
	latest := notify.NewLatest()
	begin := sync.OnceFunc(func() {
		group.Go(func() {
			for {
				select {
				case <-latest.Wake():
				case <-c.ctx.Done():
					return
				}
				_ = s.write(c.ctx, func(json *jsonwire.Writer) error {
					n, ok := latest.Take() // only when it can be written; otherwise the answer takes it
					if !ok {
						return errNoFrame
					}
					writeNotification(json, n)
					return nil
				})
			}
		})
	})
	c.Notify = func(n notify.Notification) {
		latest.Put(n)
		begin()
	}
	return latest
}

func writeNotification(json *jsonwire.Writer, n notify.Notification) {
	json.RawString(`{"jsonrpc":"2.0","method":"` + n.Method + `","params":`)
	json.Raw(n.Params)
	json.RawString("}")
}
