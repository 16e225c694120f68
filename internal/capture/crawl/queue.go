package crawl

import (
	"slices"
	"time"
)

// A queue is the URLs that may be asked now, in their order.
type queue struct {
	first, others []int32
	later         []delayed
}

// A delayed URL is one that failed, and is asked again.
type delayed struct {
	index int32
	at    time.Time
}

// lookAhead is how many waiting URLs are looked at for one whose host can be asked now.
const lookAhead = 100

func (q *queue) len() int { return len(q.first) + len(q.others) + len(q.later) }

func (q *queue) push(index int32, first bool) {
	if first {
		q.first = append(q.first, index)
	} else {
		q.others = append(q.others, index)
	}
}

// again lets a URL wait until a time.
func (q *queue) again(index int32, at time.Time) { q.later = append(q.later, delayed{index, at}) }

// remove takes a URL out.
func (q *queue) remove(index int32) {
	is := func(i int32) bool { return i == index }
	q.first, q.others = slices.DeleteFunc(q.first, is), slices.DeleteFunc(q.others, is)
	q.later = slices.DeleteFunc(q.later, func(d delayed) bool { return d.index == index })
}

// next takes the next URL that is free, or returns -1.
func (q *queue) next(free func(index int32) bool) int32 {
	now := time.Now()
	for i, d := range q.later {
		if !d.at.After(now) {
			q.later = slices.Delete(q.later, i, i+1)
			return d.index
		}
	}
	for _, lane := range []*[]int32{&q.first, &q.others} {
		for i, index := range (*lane)[:min(len(*lane), lookAhead)] {
			if free(index) {
				copy((*lane)[1:], (*lane)[:i])
				*lane = (*lane)[1:]
				return index
			}
		}
	}
	return -1
}
