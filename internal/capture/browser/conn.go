package browser

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"sync"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/target"
)

const (
	// maxMessage is the maximum length of a message from the browser. Pages can cause longer ones, which are dropped.
	maxMessage = 32 << 20
	// maxWaiting is how many messages may wait for the browser to read them.
	maxWaiting = 10_000
)

// A conn is a connection to a browser with the Chrome DevTools Protocol. It sends calls and receives events for
// several sessions; the session with an empty id is the browser itself.
//
// It is small on purpose. A page could fill the memory of a client that copies what the page shows, or that queues
// all events; this one drops unwanted messages at once.
type conn struct {
	pipe     *pipe // one goroutine reads and one writes
	ctx      context.Context
	end      context.CancelCauseFunc
	outgoing chan []byte

	mu       sync.Mutex // guards all fields below
	last     int64
	calls    map[int64]chan<- message
	sessions map[target.SessionID]*session
}

// A session is a connection to a page, a frame in another process, or the browser. It is a
// [cdp.Session].
type session struct {
	conn *conn
	id   target.SessionID
	// on is called with each event, one after the other, by the reading goroutine. It must not block.
	on func(method string, params jsonv2.Value)
}

type message struct {
	ID        int64            `json:"id,omitzero"`
	SessionID target.SessionID `json:"sessionId,omitzero"`
	Method    string           `json:"method,omitzero"`
	Params    jsonv2.Value     `json:"params,omitzero"`
	Result    jsonv2.Value     `json:"result,omitzero"`
	Error     *protocolError   `json:"error,omitzero"`

	large bool // it is not read
}

// A protocolError is the browser's answer to a call that failed.
type protocolError struct {
	Code    int64  `json:"code"`
	Message string `json:"message"`
	Data    string `json:"data,omitzero"`
}

func (e *protocolError) Error() string {
	if e.Data != "" {
		return e.Message + ": " + e.Data
	}
	return e.Message
}

// errLarge is the error for an answer that is longer than maxMessage.
var errLarge = errors.New("the answer of the browser is too large")

// newConn starts a connection, which ends with ctx, and calls end if the browser ends. on gets the events of the browser itself.
func newConn(ctx context.Context, end context.CancelCauseFunc, p *pipe, on func(*session, string, jsonv2.Value)) (*conn, *session) {
	c := &conn{pipe: p, ctx: ctx, end: end, outgoing: make(chan []byte, maxWaiting), calls: make(map[int64]chan<- message), sessions: make(map[target.SessionID]*session)}
	root := &session{conn: c}
	root.on = func(method string, params jsonv2.Value) { on(root, method, params) }
	c.sessions[""] = root
	go c.read()
	go c.write()
	context.AfterFunc(ctx, func() { _ = p.close() }) // it may wait for a write
	return c, root
}

// open starts a session that the browser has attached. It is called before the next message is read, so no event is
// lost.
func (c *conn) open(id target.SessionID, on func(*session, string, jsonv2.Value)) *session {
	s := &session{conn: c, id: id}
	s.on = func(method string, params jsonv2.Value) { on(s, method, params) }
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sessions[id] = s
	return s
}

// forget ends a session. Its pending calls get no answer, and end with their contexts.
func (c *conn) forget(id target.SessionID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.sessions, id)
}

func (c *conn) read() {
	for {
		data, whole, err := c.pipe.read()
		if err != nil {
			c.end(fmt.Errorf("the browser has ended: %w", err))
			return
		}
		var m message
		if !whole {
			if m.ID = idOf(data); m.ID != 0 {
				c.answer(message{ID: m.ID, large: true})
			}
			continue
		}
		if err := unmarshal(data, &m); err != nil {
			c.end(fmt.Errorf("the browser sends an invalid message: %w", err))
			return
		}
		if m.ID != 0 {
			c.answer(m)
			continue
		}
		c.mu.Lock()
		s := c.sessions[m.SessionID]
		c.mu.Unlock()
		if s != nil {
			s.on(m.Method, m.Params)
		}
	}
}

// idOf returns the id at the beginning of an answer, or 0.
func idOf(data []byte) (id int64) {
	_, _ = fmt.Sscanf(string(data[:min(len(data), 30)]), `{"id":%d,`, &id)
	return id
}

func (c *conn) answer(m message) {
	c.mu.Lock()
	answer := c.calls[m.ID]
	delete(c.calls, m.ID)
	c.mu.Unlock()
	if answer != nil {
		answer <- m // has room
	}
}

func (c *conn) write() {
	for {
		select {
		case data := <-c.outgoing:
			if err := c.pipe.write(data); err != nil {
				c.end(fmt.Errorf("the browser has ended: %w", err))
			}
		case <-c.ctx.Done():
			return
		}
	}
}

// send queues a message. answer may be nil.
func (c *conn) send(id target.SessionID, method string, params any, answer chan<- message) (int64, error) {
	m := message{SessionID: id, Method: method}
	if params != nil {
		data, err := jsonv2.Marshal(params, lenient())
		if err != nil {
			return 0, fmt.Errorf("%s: %w", method, err)
		}
		m.Params = data
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ctx.Err() != nil {
		return 0, context.Cause(c.ctx)
	}
	c.last++
	m.ID = c.last
	data, err := jsonv2.Marshal(m, lenient())
	if err != nil {
		return 0, fmt.Errorf("%s: %w", method, err)
	}
	select {
	case c.outgoing <- data:
	default:
		return 0, fmt.Errorf("%s: the browser reads nothing", method)
	}
	if answer != nil {
		c.calls[m.ID] = answer
	}
	return m.ID, nil
}

// Call sends a command and waits for the answer.
func (s *session) Call(ctx context.Context, method string, params, result any) error {
	answer := make(chan message, 1)
	id, err := s.conn.send(s.id, method, params, answer)
	if err != nil {
		return err
	}
	select {
	case m := <-answer:
		if m.large {
			return fmt.Errorf("%s: %w", method, errLarge)
		}
		if m.Error != nil {
			return fmt.Errorf("%s: %w", method, m.Error)
		}
		if result == nil {
			return nil
		}
		if err := unmarshal(m.Result, result); err != nil {
			return fmt.Errorf("%s: %w", method, err)
		}
		return nil
	case <-s.conn.ctx.Done():
		return context.Cause(s.conn.ctx)
	case <-ctx.Done():
		s.conn.mu.Lock()
		delete(s.conn.calls, id)
		s.conn.mu.Unlock()
		return context.Cause(ctx)
	}
}

// Subscribe implements [cdp.Session]. It is not used: events go to on.
func (s *session) Subscribe(string) (<-chan jsonv2.Value, func()) {
	none := make(chan jsonv2.Value)
	close(none)
	return none, func() {}
}

// do sends a command with an empty result, and waits for it.
func do[P any](ctx context.Context, s *session, c cdp.Command[P, cdp.Empty], params P) error {
	_, err := cdp.Call(ctx, s, c, params)
	return err
}

// post sends a command without waiting. The reading goroutine may call it.
func post[P, R any](s *session, c cdp.Command[P, R], params P) {
	// if it fails, its user reaches a time limit
	_, _ = s.conn.send(s.id, c.Method, params, nil)
}

// onEvent calls f with the parameters of an event, if they are valid. Pages control some of their values.
func onEvent[E any](_ cdp.Event[E], params jsonv2.Value, f func(E)) {
	var event E
	if unmarshal(params, &event) == nil {
		f(event)
	}
}

func unmarshal(data []byte, v any) error { return jsonv2.Unmarshal(data, v, lenient()) }

// lenient accepts invalid UTF-8, which strings of pages may contain.
func lenient() jsonv2.Options { return jsonv2.AllowInvalidUTF8(true) }

// A pipe carries messages to and from a browser with --remote-debugging-pipe: two pipes, in which each message ends with a
// zero byte. Other programs cannot connect to it, unlike to a port. The browser ends when the pipe is closed, so it
// ends with this program.
type pipe struct {
	in  *os.File
	out *os.File
	r   *bufio.Reader
}

func newPipe(in, out *os.File) *pipe { return &pipe{in, out, bufio.NewReaderSize(in, 64<<10)} }

// read returns the next message. If it is longer than maxMessage, whole is false and message is its beginning.
func (p *pipe) read() (message []byte, whole bool, err error) {
	whole = true
	for {
		part, err := p.r.ReadSlice(0)
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return nil, false, err
		}
		if whole = whole && len(message)+len(part) <= maxMessage; whole || len(message) == 0 {
			message = append(message, part...)
		} else if len(message) > 1<<10 {
			message = append([]byte(nil), message[:1<<10]...)
		}
		if err == nil {
			return message[:max(0, len(message)-1)], whole, nil
		}
	}
}

func (p *pipe) write(message []byte) error {
	_, err := p.out.Write(append(message[:len(message):len(message)], 0))
	return err
}

func (p *pipe) close() error { return errors.Join(p.in.Close(), p.out.Close()) }
