package crawl

import (
	"slices"
	"time"
)

// A queue is the URLs that may be requested now, in order.
type queue struct {
	first, others []int32
	unlinked      []int32 // pages of an earlier crawl, requested last if no link leads to them
	moved         int     // number of URLs that are in unlinked and in another list
	later         []delayed
}

// A delayed URL has failed, and is requested again later.
type delayed struct {
	index int32
	due   time.Time
}

// lookAhead is how many waiting URLs are considered to find one whose host has a free turn.
const lookAhead = 100

func (q *queue) len() int {
	return len(q.first) + len(q.others) + len(q.unlinked) - q.moved + len(q.later)
}

func (q *queue) push(index int32, first, unlinked bool) {
	switch {
	case unlinked:
		q.unlinked = append(q.unlinked, index)
	case first:
		q.first = append(q.first, index)
	default:
		q.others = append(q.others, index)
	}
}

// pushLater adds a URL that is requested again at a time.
func (q *queue) pushLater(index int32, due time.Time) { q.later = append(q.later, delayed{index, due}) }

// remove removes a URL.
func (q *queue) remove(index int32) {
	is := func(i int32) bool { return i == index }
	q.first, q.others = slices.DeleteFunc(q.first, is), slices.DeleteFunc(q.others, is)
	q.later = slices.DeleteFunc(q.later, func(d delayed) bool { return d.index == index })
}

// next removes and returns the next URL that is free, or returns -1. linked reports whether a link leads to a URL.
func (q *queue) next(free, linked func(index int32) bool) int32 {
	now := time.Now()
	for i, d := range q.later {
		if !d.due.After(now) {
			q.later = slices.Delete(q.later, i, i+1)
			return d.index
		}
	}
	for len(q.unlinked) > 0 && linked(q.unlinked[0]) {
		q.unlinked = q.unlinked[1:]
		q.moved--
	}
	for _, lane := range []*[]int32{&q.first, &q.others, &q.unlinked} {
		for i, index := range (*lane)[:min(len(*lane), lookAhead)] {
			if free(index) && (lane != &q.unlinked || !linked(index)) {
				copy((*lane)[1:], (*lane)[:i])
				*lane = (*lane)[1:]
				return index
			}
		}
	}
	return -1
}
