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
	key   string          // key of its id
	ctx   context.Context // ends when the call is cancelled or the session ends
	end   context.CancelFunc
	begun <-chan struct{} // closed once the previous initialize is answered
	done  func()          // called after the answer; for initialize, it closes begun of the calls that follow
}

// enter registers a call as in flight. It fails if its id is in use.
func (s *session) enter(m protocol.Message) (*call, *protocol.Error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.calls[m.Key] != nil {
		return nil, protocol.InvalidRequest("invalid request: id %s is in use by a call in flight", m.ID)
	}
	c := &call{Call: protocol.Call{ID: m.ID, Method: m.Method, Params: m.Params, Session: s.subscriber}, key: m.Key, begun: s.begun, done: func() {}}
	c.ctx, c.end = context.WithCancel(s.ctx)
	if m.Method == protocol.MethodInitialize {
		begun := make(chan struct{})
		s.begun, c.done = begun, func() { close(begun) }
	}
	s.calls[m.Key] = c
	return c, nil
}

// cancel ends the call with a key, which gets no answer. The initialize request cannot be cancelled
// (MCP, Cancellation).
func (s *session) cancel(key string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.calls[key]; c != nil && c.Method != protocol.MethodInitialize {
		delete(s.calls, key)
		c.end()
	}
}

// finish ends the registration of a call whose answer is about to be written. It returns false if
// the call was cancelled.
func (s *session) finish(c *call) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.calls[c.key] != c {
		return false
	}
	delete(s.calls, c.key)
	return true
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
	defer c.done()
	var reporting sync.WaitGroup
	defer reporting.Wait()
	defer c.end()
	if !after(c.ctx, c.begun) {
		return
	}
	if c.Method != protocol.MethodListen {
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
		if !s.finish(c) { // it can be cancelled until the first byte of its answer
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
