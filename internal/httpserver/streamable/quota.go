package streamable

import (
	"net/http"
	"sync"

	"github.com/mcp-docs-server/mcp-docs-server/internal/httpserver/hosts"
)

// A quota limits how many sessions or streams each caller, and all callers, have at a time.
type quota struct {
	limits Limits

	mu       sync.Mutex // guards all fields below
	byCaller map[string]int
	total    int
}

// newQuota returns a quota with the totals of l.
func newQuota(l Limits) *quota { return &quota{limits: l, byCaller: make(map[string]int)} }

// take counts one more for a caller. It returns false if that would be too many.
func (q *quota) take(caller string) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.total >= q.limits.OverallTotal || q.byCaller[caller] >= q.limits.CallerTotal {
		return false
	}
	q.total++
	q.byCaller[caller]++
	return true
}

// give counts one less for a caller.
func (q *quota) give(caller string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.total--
	if q.byCaller[caller]--; q.byCaller[caller] == 0 {
		delete(q.byCaller, caller)
	}
}

func (q *quota) count() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.total
}

// full reports whether a caller has as many as one may have.
func (q *quota) full(caller string) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.byCaller[caller] >= q.limits.CallerTotal
}

// tooMany refuses a session or stream beyond the limit of the caller or the server.
func tooMany(w http.ResponseWriter, what string) {
	w.Header().Set("Retry-After", "60")
	hosts.Refuse(w, http.StatusServiceUnavailable, "too many "+what+"; end some, or try again in a minute")
}
