package store

import "container/heap"

// A queue is a heap of entries.
type queue struct {
	entries []*entry
	before  func(a, b *entry) bool
	place   func(*entry) *int // where an entry keeps its index in entries, which is negative if it is in none
}

// newUses returns a queue whose first entry is the one that was not used for the longest time.
func newUses() *queue {
	return &queue{place: func(e *entry) *int { return &e.order }, before: func(a, b *entry) bool {
		if !a.used.Equal(b.used) {
			return a.used.Before(b.used)
		}
		return a.capture.version < b.capture.version
	}}
}

// newExpiries returns a queue whose first entry is the one that expires next.
func newExpiries() *queue {
	return &queue{place: func(e *entry) *int { return &e.expiry }, before: func(a, b *entry) bool {
		return a.capture.Meta.Expires().Before(b.capture.Meta.Expires())
	}}
}

// first returns the first entry, or nil.
func (q *queue) first() *entry {
	if len(q.entries) == 0 {
		return nil
	}
	return q.entries[0]
}

func (q *queue) add(e *entry) { heap.Push(q, e) }

// moved puts an entry where it belongs after a change. Here and in remove, it may be in no queue.
func (q *queue) moved(e *entry) {
	if i := *q.place(e); i >= 0 {
		heap.Fix(q, i)
	}
}

func (q *queue) remove(e *entry) {
	if i := *q.place(e); i >= 0 {
		heap.Remove(q, i)
	}
}

// The methods of [heap.Interface].

func (q *queue) Len() int           { return len(q.entries) }
func (q *queue) Less(i, j int) bool { return q.before(q.entries[i], q.entries[j]) }

func (q *queue) Swap(i, j int) {
	a, b := q.entries[i], q.entries[j]
	q.entries[i], q.entries[j] = b, a
	*q.place(a), *q.place(b) = j, i
}

func (q *queue) Push(x any) {
	e := x.(*entry)
	*q.place(e) = len(q.entries)
	q.entries = append(q.entries, e)
}

func (q *queue) Pop() any {
	last := len(q.entries) - 1
	e := q.entries[last]
	*q.place(e) = -1
	q.entries[last] = nil
	q.entries = q.entries[:last]
	return e
}
