package notify

import (
	"maps"
	"time"
)

// Announcements are paced. The first change after a quiet time is announced at once. Later changes
// are announced after quietTime without another change, or after ceiling at the latest. So t
// seconds of changes cost at most burst+t announcements.
const (
	quietTime = 100 * time.Millisecond
	ceiling   = time.Second
	burst     = 2
)

// An announcement says what has changed: which lists, and which resources by key.
type announcement struct {
	Lists
	owners  map[string]bool // callers whose own resources changed in lists
	updated map[string]bool
}

// listsOf returns the lists that have changed for a caller.
func (a announcement) listsOf(caller string) Lists {
	l := a.Lists
	l.Resources = l.Resources || a.owners[caller]
	return l
}

// Lists names some of the lists that clients have.
type Lists struct{ Resources, Tools, Prompts bool }

func (l Lists) or(m Lists) Lists {
	return Lists{l.Resources || m.Resources, l.Tools || m.Tools, l.Prompts || m.Prompts}
}

func (l Lists) and(m Lists) Lists {
	return Lists{l.Resources && m.Resources, l.Tools && m.Tools, l.Prompts && m.Prompts}
}

func (a announcement) empty() bool {
	return a.Lists == Lists{} && len(a.owners) == 0 && len(a.updated) == 0
}

// A pacer collects announcements and decides when to make them. Its owner guards it.
type pacer struct {
	pending announcement
	since   time.Time // time of the first pending change
	timer   *time.Timer
	tokens  float64 // announcements that could be made at once, at the time last
	last    time.Time
}

// wait returns how long it is until the next announcement is free.
func (p *pacer) wait(now time.Time) time.Duration {
	return time.Duration((1 - p.granted(now)) * float64(ceiling))
}

func (p *pacer) granted(now time.Time) float64 {
	if p.last.IsZero() {
		return burst
	}
	return min(burst, p.tokens+now.Sub(p.last).Seconds()/ceiling.Seconds())
}

// add adds a change to the pending announcement. It returns the announcement to make now, if any;
// otherwise flush is called when it is time.
func (p *pacer) add(a announcement, now time.Time, flush func()) announcement {
	if p.pending.empty() {
		p.since = now
	}
	p.pending.Lists = p.pending.or(a.Lists)
	p.pending.owners = united(p.pending.owners, a.owners)
	p.pending.updated = united(p.pending.updated, a.updated)
	if p.timer == nil && now.Sub(p.last) > quietTime && p.wait(now) <= 0 {
		return p.take(now)
	}
	in := max(p.wait(now), min(quietTime, p.since.Add(ceiling).Sub(now)))
	if p.timer != nil {
		p.timer.Stop()
	}
	p.timer = time.AfterFunc(max(0, in), flush)
	return announcement{}
}

// united adds b to a.
func united(a, b map[string]bool) map[string]bool {
	if a == nil {
		return b
	}
	maps.Copy(a, b)
	return a
}

// due returns the announcement to make when flush is called, if it is time.
func (p *pacer) due(now time.Time, flush func()) announcement {
	p.timer = nil
	if p.pending.empty() {
		return announcement{}
	}
	if in := p.wait(now); in > 0 {
		p.timer = time.AfterFunc(in, flush)
		return announcement{}
	}
	return p.take(now)
}

// take removes and returns the pending announcement, which costs a token.
func (p *pacer) take(now time.Time) announcement {
	a := p.pending
	p.pending = announcement{}
	p.tokens, p.last = max(0, p.granted(now)-1), now
	return a
}
