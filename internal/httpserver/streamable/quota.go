package streamable

import "sync"

// A quota counts what callers have, and bounds it for each of them and for all.
type quota struct {
	limits Limits

	mu     sync.Mutex // guards all fields below
	of     map[string]int
	amount int
}

func newQuota(l Limits) *quota { return &quota{limits: l, of: make(map[string]int)} }

// take counts one more of a caller, or returns false if that would be too many.
func (q *quota) take(caller string) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.amount >= q.limits.OverallTotal || q.of[caller] >= q.limits.CallerTotal {
		return false
	}
	q.amount++
	q.of[caller]++
	return true
}

// give counts one less.
func (q *quota) give(caller string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.amount--
	if q.of[caller]--; q.of[caller] == 0 {
		delete(q.of, caller)
	}
}

func (q *quota) count() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.amount
}
