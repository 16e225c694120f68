package store

import "container/heap"

// A queue is a heap of entries.
type queue struct {
	entries []*entry
	before  func(a, b *entry) bool
	place   func(*entry) *int // the field with the index of an entry; negative: the entry is not in the queue
}

// newUses returns a queue whose first entry is the least recently used one.
func newUses() *queue {
	return &queue{place: func(e *entry) *int { return &e.order }, before: func(a, b *entry) bool {
		if !a.used.Equal(b.used) {
			return a.used.Before(b.used)
		}
		return a.capture.version < b.capture.version
	}}
}

// newExpiries returns a queue whose first entry expires next.
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

// moved restores the order after a change of an entry. Here and in remove, the entry need not be in
// the queue.
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
