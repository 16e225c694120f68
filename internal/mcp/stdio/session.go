package stdio

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol/notify"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/jsonwire"
)

const (
	// drainTimeout is how long the end of the input waits for answers. Clients close our input,
	// wait some seconds and then kill the process (MCP, Lifecycle, Shutdown), so nobody would read
	// later answers.
	drainTimeout = 5 * time.Second

	// closeGrace is how long the end of a session waits for goroutines whose streams it has closed,
	// and for answers to be released. A written answer is released, and audited, within
	// microseconds. An answer to a client that does not read takes longer.
	closeGrace = 250 * time.Millisecond

	// maxRunning is how many calls are handled at a time. A client that reads a whole tree at once
	// keeps the disk busy with far fewer.
	maxRunning = 32

	// maxAheadBytes is how many bytes of unanswered messages may be read. Each message counts as at
	// least leastBytes, so there are at most 96 of them.
	maxAheadBytes = 96 << 20
	leastBytes    = 1 << 20
)

// errClosed is the cause of the end of a session whose input has ended.
var errClosed = errors.New("stdio: the session is closed")

// A session is one run of a Transport.
type session struct {
	*Transport
	limit      int
	writer     *frameWriter
	subscriber *notify.Subscriber
	// of all calls; its cause is the reason why the session ends
	ctx context.Context
	end context.CancelCauseFunc

	ahead    *semaphore.Weighted // bytes of unanswered messages
	running  *semaphore.Weighted // calls that are handled
	batching *semaphore.Weighted // one batch at a time
	work     sync.WaitGroup      // goroutines that the end of the input waits for
	rest     sync.WaitGroup      // listens and notifications

	calls protocol.Calls

	mu      sync.Mutex // guards all fields below
	over    bool       // no more goroutines may be added to work and rest
	version string     // that initialize agreed on, or ""
}

func newSession(ctx context.Context, t *Transport) *session {
	s := &session{
		Transport:  t,
		limit:      cmp.Or(t.MaxFrameBytes, defaultMaxFrameBytes),
		subscriber: t.Handler.Open(""),
		ahead:      semaphore.NewWeighted(maxAheadBytes),
		running:    semaphore.NewWeighted(maxRunning),
		batching:   semaphore.NewWeighted(1),
	}
	s.ctx, s.end = context.WithCancelCause(ctx)
	s.writer = newFrameWriter(t.Out)
	return s
}

// wait waits for the end of the session: the input has ended, which read reports, and the calls are
// answered, or the session was ended early.
func (s *session) wait(read <-chan error) error {
	var end error
	select {
	case end = <-read:
	case <-s.ctx.Done():
		return context.Cause(s.ctx)
	}
	select {
	case <-waited(&s.work):
	case <-time.After(drainTimeout):
	case <-s.ctx.Done():
		return context.Cause(s.ctx)
	}
	return end
}

// close ends the rest of the session.
func (s *session) close() {
	s.mu.Lock()
	s.over = true
	s.mu.Unlock()
	s.end(errClosed)
	s.subscriber.Close()
	for _, stream := range []any{s.In, s.Out} {
		if closer, ok := stream.(io.Closer); ok && stream != any(os.Stdin) && stream != any(os.Stdout) {
			_ = closer.Close() // an error changes nothing, because the session is over
		}
	}
	grace := time.NewTimer(closeGrace)
	defer grace.Stop()
	for _, group := range []*sync.WaitGroup{&s.work, &s.rest} {
		select {
		case <-waited(group):
		case <-grace.C:
			return
		}
	}
}

// waited returns a channel that is closed when a group has ended.
func waited(group *sync.WaitGroup) <-chan struct{} {
	done := make(chan struct{})
	go func() {
		defer close(done)
		group.Wait()
	}()
	return done
}

// read handles the input line by line. It returns nil at the end of the input.
func (s *session) read() error {
	buf := bufio.NewReaderSize(s.In, readBuffer)
	for s.ctx.Err() == nil {
		line, tooLong, err := readLine(buf, s.limit)
		s.handle(line, tooLong)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("stdio: read: %w", err)
		}
	}
	return context.Cause(s.ctx)
}

// handle handles one line.
func (s *session) handle(line []byte, tooLong bool) {
	switch {
	case tooLong:
		s.refuse(nil, protocol.InvalidRequest("invalid request: more than %d bytes in one line", s.limit))
		return
	case jsonwire.Space(line, 0) == len(line):
		return
	}
	if fault := protocol.SyntaxFault(line); fault != "" {
		s.refuse(nil, protocol.ParseError(fault))
		return
	}
	if line[jsonwire.Space(line, 0)] == '[' {
		s.start(len(line), func() { s.answerBatch(line) })
		return
	}
	m := protocol.ReadMessage(line)
	switch {
	case m.Response:
	case m.Fault != "":
		s.refuse(m.ID, protocol.InvalidRequest("%s", m.Fault))
	case !m.IsCall():
		s.receive(m)
	default:
		c, fault := s.enter(m)
		if fault != nil {
			s.refuse(m.ID, fault)
			return
		}
		switch m.Method {
		case protocol.MethodInitialize: // the lines after it wait
			s.answer(c)
		case protocol.MethodListen:
			s.run(&s.rest, func() { s.answer(c) })
		default:
			s.start(len(line), func() { s.answer(c) })
		}
	}
}

// receive handles a notification of the client.
func (s *session) receive(m protocol.Message) {
	switch m.Method {
	case protocol.MethodInitialized:
		if s.negotiated() != "" {
			s.subscriber.Initialized()
		}
	case protocol.MethodCancelled:
		s.calls.Cancel(m.Params)
	}
}

// answerBatch answers an array of messages. It holds the answers in memory, because others are
// written meanwhile.
func (s *session) answerBatch(data []byte) {
	if s.batching.Acquire(s.ctx, 1) != nil {
		return
	}
	defer s.batching.Release(1)
	messages, fault := protocol.ReadBatch(data, s.negotiated())
	if fault != nil {
		s.refuse(nil, fault)
		return
	}
	var array bytes.Buffer
	answers := jsonwire.NewWriter(&array)
	if err := errors.Join(protocol.AnswerBatch(answers, messages, s.entry), answers.Flush()); err != nil {
		s.end(err) // an incomplete answer to a single call ends the session too
		return
	}
	_ = s.write(s.ctx, func(json *jsonwire.Writer) error {
		if array.Len() == 0 {
			return errNoFrame
		}
		json.Raw(array.Bytes())
		return nil
	})
}

// entry answers an entry of a batch. A call that is cancelled, and a notification, has no answer.
func (s *session) entry(m protocol.Message) (protocol.Result, error) {
	if !m.IsCall() {
		s.receive(m)
		return nil, nil
	}
	c, fault := s.enter(m)
	if fault != nil {
		return nil, fault
	}
	defer c.end()
	result, err := s.ask(c)
	if !c.finish() {
		if result != nil {
			result.Release()
		}
		return nil, nil
	}
	return result, err
}

// start runs f for a message of size bytes. It waits while too many messages are unanswered.
func (s *session) start(size int, f func()) {
	bytes := int64(min(max(size, leastBytes), maxAheadBytes))
	if s.ahead.Acquire(s.ctx, bytes) != nil {
		return
	}
	s.run(&s.work, func() {
		defer s.ahead.Release(bytes)
		f()
	})
}

// run runs f in a goroutine of a group, unless the session is over.
func (s *session) run(group *sync.WaitGroup, f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.over {
		group.Go(f)
	}
}

// notify writes the notifications of the session until it ends.
func (s *session) notify() {
	for {
		n, err := s.subscriber.Next(s.ctx, nil, nil)
		if err != nil {
			return
		}
		if s.write(s.ctx, func(json *jsonwire.Writer) error {
			writeNotification(json, n)
			return nil
		}) != nil {
			return
		}
	}
}

func (s *session) refuse(id []byte, e *protocol.Error) {
	_ = s.write(s.ctx, func(json *jsonwire.Writer) error {
		json.Raw(protocol.ErrorFrame(id, e))
		return nil
	})
}

// write writes a frame. An error of the output ends the session.
func (s *session) write(ctx context.Context, frame func(json *jsonwire.Writer) error) error {
	err := s.writer.put(ctx, frame)
	if err != nil && err != errNoFrame {
		s.end(fmt.Errorf("stdio: write: %w", err))
	}
	return err
}

// A call is a request with an id, between its arrival and its answer.
type call struct {
	protocol.Call
	ctx context.Context // ends when the call is cancelled or the session ends
	end context.CancelFunc
	// called when its answer is about to be written; false: the call was cancelled
	finish func() bool
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
					// only when it can be written; otherwise the answer takes it
					n, ok := latest.Take()
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
