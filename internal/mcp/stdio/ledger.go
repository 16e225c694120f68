package stdio

import (
	"context"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol"
)

const (
	// maxRunning is how many calls are worked on at a time. A client that reads
	// a whole tree at once keeps the disk busy with far fewer.
	maxRunning = 32

	// maxWithSDK is how many of them the SDK may have. It keeps each result
	// several times, as large as a frame, until the client has read it.
	maxWithSDK = 8

	// maxRunningBytes is how many bytes of such calls there are at a time: a
	// single one may be as large as a frame.
	maxRunningBytes = 64 << 20

	// maxBatch is how many entries a batch may have. Each can cost an answer
	// of a hundred bytes for two of its own.
	maxBatch = 1000

	// maxBatchBytes is how many bytes of results of the SDK a batch may collect
	// while it waits for the last of them.
	maxBatchBytes = 64 << 20
)

// call is a request with an id, from when it is read until it is answered.
type call struct {
	id         jsonrpc.ID
	raw        []byte // id as the client wrote it
	size       int
	initialize bool
	listen     bool // subscriptions/listen, which ends when the client says so

	batch *batch // nil if it came alone
	place int    // of its answer in the batch

	own *protocol.Call  // for the handler; nil if the call is the SDK's
	ctx context.Context // of own
	end func()          // ends ctx

	running   bool // with the SDK or the handler
	cancelled bool
}

// owed reports whether the end of the session waits for the answer.
func (c *call) owed() bool { return !c.listen && !c.cancelled }

// batch collects the answers to one array.
type batch struct {
	entries []entry
	open    int // calls that the SDK has not answered
	bytes   int // of answers
	started bool
	over    bool // it is answered, or about to be
}

// An entry is a place in the array of answers. It has an answer, or a call that
// is to be answered, or neither if that was cancelled.
type entry struct {
	answer protocol.Frame
	call   *call
}

// own returns the first call of the handler, or nil.
func (b *batch) own() *call {
	for _, e := range b.entries {
		if e.call != nil && e.call.own != nil {
			return e.call
		}
	}
	return nil
}

// frame joins the answers to an array, or returns nil if there are none.
func (b *batch) frame() protocol.Frame {
	var f protocol.Frame
	for _, e := range b.entries {
		switch {
		case e.answer == nil:
			continue
		case f == nil:
			f = append(f, []byte("["))
		default:
			f = append(f, []byte(","))
		}
		f = append(f, e.answer...)
	}
	if f == nil {
		return nil
	}
	return append(f, []byte("]"))
}

// ledger knows the calls in flight and the negotiated protocol version.
type ledger struct {
	// changed receives, with room for one, when a slot may have become free or
	// the last answer been written.
	changed chan struct{}

	mu      sync.Mutex
	calls   map[jsonrpc.ID]*call
	running int // calls that run, listens not counted
	withSDK int // of those
	bytes   int // of those that run
	owing   int // calls that are owed
	writing int // answers on their way out
	version string

	initializing bool // initialize is not answered yet
}

func newLedger() *ledger {
	return &ledger{changed: make(chan struct{}, 1), calls: make(map[jsonrpc.ID]*call)}
}

func (l *ledger) signal() {
	select {
	case l.changed <- struct{}{}:
	default:
	}
}

// add enters c, or returns false if its id is in flight.
func (l *ledger) add(c *call) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.calls[c.id] != nil {
		return false
	}
	l.calls[c.id] = c
	if c.owed() {
		l.owing++
	}
	return true
}

// ready reports whether calls may start. What a client sends before initialize
// is answered waits for that answer, and so comes after it: notifications too,
// as initialized means nothing before.
func (l *ledger) ready() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return !l.initializing
}

// start enters that c runs, or returns false if there is no room for it. A call
// alone has room whatever its size.
func (l *ledger) start(c *call) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !c.listen {
		if l.running > 0 && (l.running >= maxRunning || l.bytes+c.size > maxRunningBytes) {
			return false
		}
		if c.own == nil {
			if l.withSDK >= maxWithSDK {
				return false
			}
			l.withSDK++
		}
		l.running++
		l.bytes += c.size
	}
	c.running = true
	l.initializing = c.initialize
	return true
}

// startBatch enters that the handler's calls of a batch are answered, one after
// the other, or returns false if there is no room for one more call. Their array
// is on its way until endBatch, which is later than the last of them.
func (l *ledger) startBatch(b *batch) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.running >= maxRunning {
		return false
	}
	l.running++
	l.writing++
	b.started = true
	return true
}

// endBatch ends what startBatch began.
func (l *ledger) endBatch() {
	l.mu.Lock()
	l.running--
	l.writing--
	l.mu.Unlock()
	l.signal()
}

// complete reports, once, that the SDK has answered its calls of a batch and
// that the handler may answer its own.
func (l *ledger) complete(b *batch) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if b.open > 0 || b.over || !b.started && b.own() != nil {
		return false
	}
	b.over = true
	return true
}

// begin enters that the handler answers a call of a batch. It returns false if
// the call was cancelled.
func (l *ledger) begin(c *call) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if c.cancelled { // whoever cancelled it may be reading what it was
		return false
	}
	c.running = true
	return true
}

// cancel marks the call with that id as one that gets no answer. It returns the
// call, or nil if there is none to cancel. Calls that do not run yet count only
// if held is true; such a call is gone.
//
// The initialize request cannot be cancelled (MCP, Cancellation).
func (l *ledger) cancel(id jsonrpc.ID, held bool) *call {
	l.mu.Lock()
	defer l.mu.Unlock()
	c := l.calls[id]
	if c == nil || c.cancelled || c.initialize || !c.running && !held {
		return nil
	}
	if c.owed() {
		l.owing--
	}
	c.cancelled = true
	if !c.running {
		delete(l.calls, id)
	}
	l.signal()
	if c.batch != nil && c.own == nil {
		c.batch.open--
		c.batch.entries[c.place].call = nil
	}
	return c
}

// finish takes the call with that id off the ledger, since its answer is about
// to be written; nil if there is none. Every finish of a call is followed by
// one written.
func (l *ledger) finish(id jsonrpc.ID) *call {
	l.mu.Lock()
	defer l.mu.Unlock()
	c := l.calls[id]
	if c != nil {
		l.take(c)
	}
	return c
}

// finishCall is finish for a call that may be off the ledger already. It reports
// whether it was not.
func (l *ledger) finishCall(c *call) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.calls[c.id] != c {
		return false
	}
	l.take(c)
	return true
}

// take takes a call off the ledger, whose lock is held.
func (l *ledger) take(c *call) {
	delete(l.calls, c.id)
	if c.owed() {
		l.owing--
	}
	l.writing++
}

// written ends what finish began. The slot becomes free only now, so that a
// client that does not read cannot pile up answers.
func (l *ledger) written(c *call) {
	l.mu.Lock()
	l.writing--
	if c.initialize {
		l.initializing = false
	}
	if c.running && !c.listen && (c.own == nil || c.batch == nil) {
		if c.own == nil {
			l.withSDK--
		}
		l.running--
		l.bytes -= c.size
	}
	l.mu.Unlock()
	l.signal()
}

// answer puts the answer f of c, a call of the SDK, into its batch.
func (l *ledger) answer(c *call, f protocol.Frame) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if c.batch.bytes+f.Size() > maxBatchBytes {
		f = protocol.ErrorFrame(c.raw, &jsonrpc.Error{
			Code:    jsonrpc.CodeInternalError,
			Message: "the results of this batch are too large together; ask for them one at a time",
		})
	}
	c.batch.bytes += f.Size()
	c.batch.open--
	c.batch.entries[c.place] = entry{answer: f}
}

// drained reports whether no answer is owed or on its way.
func (l *ledger) drained() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.owing == 0 && l.writing == 0
}

// negotiate records the protocol version that initialize was answered with.
func (l *ledger) negotiate(version string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.version = version
}

// negotiated returns that version, or "" while there is none.
func (l *ledger) negotiated() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.version
}

// batches reports whether the session may send arrays.
func (l *ledger) batches() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.version < protocol.NoBatches
}
