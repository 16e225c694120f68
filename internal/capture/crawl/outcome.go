package crawl

import (
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/webpage"
)

const (
	maxHops  = 10
	maxTries = 3
)

// An outcome is the result of a visit, before it is recorded.
type outcome struct {
	Result
	to      *url.URL
	leads   *webpage.Leads
	earlier earlierLinks
	digest  *[16]byte
	note    *string
	alias   int32 // the canonical page, or the first with the content
	bytes   int64
	retry   bool
}

// judge sets the state of a page that must not be kept.
func (l *ledger) judge(n node, u *url.URL, o *outcome) {
	switch {
	case l.replaces(n, u, o.leads.Canonical):
		o.State, o.to = Canonical, o.leads.Canonical
	// Globs may exclude the start, which is requested in any case.
	case o.leads.NoIndex || !n.old && !l.boundary.Wants(u):
		o.State = NoIndex
	}
}

// end ends the turn of a URL and records its outcome.
func (l *ledger) end(index int32, u *url.URL, o *outcome, err error, cancelled bool) {
	l.turns.end(index, hostOf(o.URL))
	if fatal, ok := errors.AsType[*Fatal](err); ok {
		l.stop(fatal.Err)
	}
	if cancelled || l.stopped != nil && err != nil {
		l.release(o.digest, index)
		l.frontier.push(index)
		return
	}
	if err != nil {
		o.State, o.Err = Failed, err
	}
	if o.State != Kept {
		l.release(o.digest, index)
	}
	if n := &l.frontier.nodes[index]; o.State == Failed && o.retry && int(n.tries)+1 < maxTries {
		l.stats.Bytes += o.bytes
		n.tries++
		l.frontier.queue.pushLater(index, time.Now().Add(l.options.Retry*time.Duration(n.tries)))
		return
	}
	l.settle(index, u, o)
	l.spend(o.bytes)
}

// settle records the outcome of a URL.
func (l *ledger) settle(index int32, u *url.URL, o *outcome) {
	if o.to != nil {
		to, again := l.follow(index, o)
		if again {
			return
		}
		o.alias = to
	}
	leads := o.leads
	switch {
	case o.Unchanged && o.State == Kept:
		leads = o.earlier.leads()
	case o.State != Kept && o.State != NoIndex && o.State != Duplicate:
		leads = nil
	case leads != nil && leads.Title != "" && !l.options.OnlySitemap:
		l.reportFound(u, leads.Title)
	}
	var links []int32 // nil: they were not added, or are unknown
	if leads != nil && l.followed(&l.frontier.nodes[index]) {
		links = l.addLinks(index, leads)
	}
	n := &l.frontier.nodes[index]
	n.state, n.alias, o.Depth = o.State, o.alias, n.depth
	r := record{Number: &index, State: string(o.State), Alias: o.alias + 1, Bytes: o.bytes, Note: o.note}
	switch o.State {
	case Kept:
		if l.stats.Pages++; o.digest != nil {
			r.Digest = hex.EncodeToString(o.digest[:])
		}
	case Canonical:
		l.stats.leaveOut(o.URL+", kept as "+l.frontier.nodes[o.alias].url, "another page that they name as canonical has their words")
	}
	if !n.ignoreCanonical { // otherwise the next crawl looks again
		r.Links = links
	}
	if o.Err != nil {
		r.Error = fmt.Sprintf("%.1000s", o.Err.Error())
	}
	l.log(r)
	if l.options.Done != nil {
		l.options.Done(o.Result)
	}
}

// rebase begins the scope at another URL: the site has moved there.
func (l *ledger) rebase(u *url.URL) {
	l.boundary = l.options.Scope.from(u)
	l.log(record{Base: u.String()})
}

// follow finds the node of the URL that replaces a URL. again reports that the URL has been queued again: under another spelling, or
// until the page that it names as canonical has been requested.
func (l *ledger) follow(index int32, o *outcome) (to int32, again bool) {
	f := l.frontier
	n := f.nodes[index]
	fail := func(format string, args ...any) (int32, bool) {
		o.State, o.Err = Failed, fmt.Errorf("%s: "+format, append([]any{n.url}, args...)...)
		return -1, false
	}
	queue := func(r record) (int32, bool) {
		r.Number = &index
		l.log(r)
		f.push(index)
		return -1, true
	}
	first := index == 0 || l.stats.Pages == 0 && n.parent < 0 && n.hops > 0
	if first && o.State == Redirect && !l.boundary.has(o.to) {
		l.rebase(o.to)
	}
	target, err := Clean(o.to, l.options.IgnoreQuery)
	if err != nil {
		return fail("%w", err)
	}
	hops := n.hops
	if o.State == Redirect {
		if hops++; hops > maxHops {
			return fail("redirects more than %d times", maxHops)
		}
	}
	if known, ok := f.byKey[Key(target)]; ok && known == index {
		if target.String() == n.url { // its own cleaned form
			return fail("redirects to itself")
		}
		if f.nodes[index].url, f.nodes[index].hops = target.String(), hops; first {
			l.rebase(target)
		}
		return queue(record{Renamed: target.String(), Hops: hops})
	}
	to, _ = l.found(target, node{parent: n.parent, depth: n.depth, hops: hops, first: n.first})
	switch circle := to >= 0 && f.resolve(to) == index; {
	case to < 0:
		fail("leads to %s, which is outside the scope", target)
		o.State = Other
	case circle && o.State == Canonical: // two pages name each other
		f.nodes[index].ignoreCanonical = true
		return queue(record{State: string(Waiting)})
	case circle:
		return fail("redirects in a circle, as sites do that wait for a cookie")
	case o.State == Canonical:
		f.nodes[index].alias = to
		return queue(record{State: string(Waiting), Alias: to + 1})
	}
	return to, false
}

// addLinks adds the links of a page, and returns their nodes.
func (l *ledger) addLinks(index int32, leads *webpage.Leads) []int32 {
	numbers := []int32{}
	for _, lead := range leads.Links {
		link, err := Clean(lead.URL, l.options.IgnoreQuery)
		if err != nil || leads.NoFollow {
			continue
		}
		number, fresh := l.found(link, node{parent: index, depth: l.frontier.nodes[index].depth + 1})
		if number < 0 {
			continue
		}
		if numbers = append(numbers, number); fresh || lead.Text != "" {
			l.reportFound(link, lead.Text)
		}
	}
	return numbers
}
