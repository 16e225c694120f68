package hosts

import (
	"container/list"
	"encoding/json"
	"net/http"
	"net/netip"
	"strconv"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol"
)

// Answer answers with a small value as JSON, which nobody may keep.
func Answer(w http.ResponseWriter, status int, value any) {
	body, err := json.Marshal(value)
	if err != nil {
		status = http.StatusInternalServerError
	}
	send(w, status, body)
}

// sendTime is how long a client may take to read a refusal or a small answer.
const sendTime = 30 * time.Second

func send(w http.ResponseWriter, status int, body []byte) {
	// The deadline of the request may have passed while a call waited for the disk.
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(sendTime))
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	_, _ = w.Write(append(body, '\n')) // the client may be gone
}

// codeServer is the code of errors of the transport without a code of their own.
const codeServer = -32000

// Refuse answers with a status and a JSON-RPC error that explains the reason, for a request whose id is not known
// (JSON-RPC 2.0, 5; https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#security-warning).
func Refuse(w http.ResponseWriter, status int, message string) {
	RefuseCall(w, status, nil, &protocol.Error{Code: codeServer, Message: message})
}

// RefuseCall answers the call with an id, or nil, with a status and an error.
func RefuseCall(w http.ResponseWriter, status int, id []byte, e *protocol.Error) {
	send(w, status, protocol.ErrorFrame(id, e))
}

// NotAllowed refuses a method (RFC 9110 section 15.5.6).
func NotAllowed(w http.ResponseWriter, allow, message string) {
	w.Header().Set("Allow", allow)
	Refuse(w, http.StatusMethodNotAllowed, message)
}

// TooMany answers a request of a caller that must wait.
func TooMany(w http.ResponseWriter, wait time.Duration) {
	seconds := strconv.Itoa(int(max(1, (wait+time.Second-1)/time.Second)))
	w.Header().Set("Retry-After", seconds)
	Refuse(w, http.StatusTooManyRequests, "too many requests; try again in "+seconds+" s")
}

// mostCallers is how many callers a limiter remembers, which takes some 3 MB. Beyond that, it
// forgets the callers that have been inactive longest: they may then begin with a full burst again,
// as after a pause.
const mostCallers = 10_000

// A Limiter limits the rate of requests of each caller. It is safe for concurrent use.
type Limiter struct {
	limit rate.Limit
	burst int
	most  int

	mu      sync.Mutex // guards all fields below
	callers map[string]*list.Element
	order   list.List // of *caller; the one with the latest request is at the front
}

type caller struct {
	key    string
	bucket *rate.Limiter
}

// NewLimiter returns a limiter that allows each caller limit requests per second, and burst at
// once.
func NewLimiter(limit rate.Limit, burst int) *Limiter {
	return &Limiter{limit: limit, burst: max(burst, 1), most: mostCallers, callers: map[string]*list.Element{}}
}

// Allow counts a request of a caller. If there are too many, it returns false and the time until
// the next one is allowed.
func (l *Limiter) Allow(key string) (wait time.Duration, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	e, known := l.callers[key]
	if known {
		l.order.MoveToFront(e)
	} else {
		e = l.order.PushFront(&caller{key, rate.NewLimiter(l.limit, l.burst)})
		l.callers[key] = e
		if l.order.Len() > l.most {
			delete(l.callers, l.order.Remove(l.order.Back()).(*caller).key)
		}
	}
	now := time.Now()
	r := e.Value.(*caller).bucket.ReserveN(now, 1)
	if wait = r.DelayFrom(now); wait > 0 {
		r.CancelAt(now) // a refused request does not count
		return wait, false
	}
	return 0, true
}

// AddrKey returns the key of an address for a limiter. For an IPv6 address it is the /64 network,
// because one client can have all addresses in it.
func AddrKey(a netip.Addr) string {
	switch {
	case !a.IsValid():
		return "address:unknown"
	case a.Is6():
		p, _ := a.WithZone("").Prefix(64)
		return "address:" + p.String()
	}
	return "address:" + a.String()
}
