package stdio

import (
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
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

	// maxBatchBytes is how many bytes of results a batch may collect while it
	// waits for its last answer. Nothing else on this transport keeps results
	// that the client could already have.
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

	running   bool // with the SDK, or taken over
	taken     bool // it is taken over, or will be
	cancelled bool
	stop      func() // ends a call that is taken over
}

// owed reports whether the end of the session waits for the answer.
func (c *call) owed() bool { return !c.listen && !c.cancelled }

// batch collects the answers to one array.
type batch struct {
	answers []frame // nil where an answer is missing or not wanted
	open    int     // calls whose answer is missing
	bytes   int
}

// frame joins the answers to an array, or returns nil if there are none.
func (b *batch) frame() frame {
	var f frame
	for _, a := range b.answers {
		switch {
		case a == nil:
			continue
		case f == nil:
			f = append(f, []byte("["))
		default:
			f = append(f, []byte(","))
		}
		f = append(f, a...)
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

// ready reports whether calls may start. Those that a client sends before
// initialize is answered wait for that answer, and so come after it.
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
		if !c.taken {
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

// cancel marks the call with that id as one that gets no answer. It returns the
// call, nil if there is none to cancel, and the frame of its batch if that is
// complete now. Calls that are not with the SDK count only if held is true; such
// a call is gone.
//
// The initialize request cannot be cancelled (MCP, Cancellation).
func (l *ledger) cancel(id jsonrpc.ID, held bool) (*call, frame) {
	l.mu.Lock()
	defer l.mu.Unlock()
	c := l.calls[id]
	if c == nil || c.cancelled || c.initialize || !c.running && !held {
		return nil, nil
	}
	if c.owed() {
		l.owing--
	}
	c.cancelled = true
	if !c.running {
		delete(l.calls, id)
	}
	l.signal()
	if c.batch == nil {
		return c, nil
	}
	return c, c.batch.close(c.place, nil)
}

// onCancel has stop called when c, which runs, is cancelled.
func (l *ledger) onCancel(c *call, stop func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	c.stop = stop
}

// finish takes the call with that id off the ledger, since its answer is about
// to be written; nil if there is none. Every finish of a call is followed by
// one written.
func (l *ledger) finish(id jsonrpc.ID) *call {
	l.mu.Lock()
	defer l.mu.Unlock()
	c := l.calls[id]
	if c == nil {
		return nil
	}
	delete(l.calls, id)
	if c.owed() {
		l.owing--
	}
	l.writing++
	return c
}

// written ends what finish began. The slot becomes free only now, so that a
// client that does not read cannot pile up answers.
func (l *ledger) written(c *call) {
	l.mu.Lock()
	l.writing--
	if c.initialize {
		l.initializing = false
	}
	if c.running && !c.listen {
		if !c.taken {
			l.withSDK--
		}
		l.running--
		l.bytes -= c.size
	}
	l.mu.Unlock()
	l.signal()
}

// answer puts the answer f of c into its batch and returns the frame of the
// batch if that is complete, else nil.
func (l *ledger) answer(c *call, f frame) frame {
	l.mu.Lock()
	defer l.mu.Unlock()
	if c.batch.bytes+f.size() > maxBatchBytes {
		f = errorFrame(c.raw, &jsonrpc.Error{
			Code:    jsonrpc.CodeInternalError,
			Message: "the results of this batch are too large together; ask for them one at a time",
		})
	}
	c.batch.bytes += f.size()
	return c.batch.close(c.place, f)
}

// close settles one place of the batch; the last one returns the frame. The
// lock of the ledger is held.
func (b *batch) close(place int, f frame) frame {
	b.answers[place] = f
	b.open--
	if b.open > 0 {
		return nil
	}
	return b.frame()
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
	return l.version < noBatches
}
