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
	to      *url.URL // the URL that replaces it
	leads   *webpage.Leads
	earlier earlierLinks // its links, if it has not changed
	digest  *[16]byte
	links   []int32 // for the journal; nil: they were not added
	alias   int32   // the page with the same content, or the canonical page
	bytes   int64
	retry   bool // a later request may succeed
}

// judge sets the state of a page that must not be kept.
func (l *ledger) judge(n node, u *url.URL, o *outcome) {
	switch {
	case l.replaces(n, u, o.leads.Canonical):
		o.State, o.to = Canonical, o.leads.Canonical
	case o.leads.NoIndex || !n.old && !l.boundary.Wants(u): // the start is requested even if the globs exclude it
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
		l.frontier.push(index) // so it counts as waiting
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
	records := []record(nil)
	first := index == 0 || l.stats.Pages == 0 && l.frontier.nodes[index].parent < 0 && l.frontier.nodes[index].hops > 0
	if first && o.to != nil && o.State == Redirect && !l.boundary.has(o.to) {
		l.boundary = l.options.Scope.from(o.to) // the site has moved there
		records = append(records, record{Base: o.to.String()})
	}
	alias := o.alias
	if o.to != nil {
		to, requeued, found := l.follow(index, o)
		records = append(records, found...)
		if requeued {
			if first && len(found) > 0 && found[0].Renamed != "" { // such as https for http
				if base, err := url.Parse(found[0].Renamed); err == nil {
					l.boundary = l.options.Scope.from(base)
					records = append(records, record{Base: base.String()})
				}
			}
			l.log(records...)
			return
		}
		if alias = to; o.State == Canonical { // it is requested again after the other
			l.frontier.nodes[index].alias = to
			l.frontier.push(index)
			l.log(append(records, record{Number: &index, State: string(Waiting), Alias: to + 1})...)
			return
		}
	}
	if o.leads != nil && (o.State == Kept || o.State == NoIndex || o.State == Duplicate) {
		records = l.addLinks(index, u, o, records)
	} else if o.Unchanged && o.State == Kept && l.followed(&l.frontier.nodes[index]) {
		o.links, records = l.leads(index, o.earlier.leads(), records)
	}
	n := &l.frontier.nodes[index]
	n.state, n.alias, o.Depth = o.State, alias, n.depth
	if alias >= 0 {
		o.Alias = l.frontier.nodes[alias].url
	}
	switch o.State {
	case Kept:
		l.stats.Pages++
	case Canonical:
		l.stats.leaveOut(o.URL+", kept as "+o.Alias, "another page that they name as canonical has their words")
	}
	r := record{Number: &index, State: string(o.State), Alias: alias + 1, Bytes: o.bytes}
	if !n.ignoreCanonical { // otherwise the next crawl looks at its canonical URL again
		r.Links = o.links
	}
	if o.digest != nil && o.State == Kept {
		r.Digest = hex.EncodeToString(o.digest[:])
	}
	if o.Err != nil {
		r.Error = fmt.Sprintf("%.1000s", o.Err.Error())
	}
	l.log(append(records, r)...)
	if n.parent >= 0 {
		o.From = l.frontier.nodes[n.parent].url
	}
	if l.options.Done != nil {
		l.options.Done(o.Result)
	}
}

// addLinks adds the links of a page that was read.
func (l *ledger) addLinks(index int32, u *url.URL, o *outcome, records []record) []record {
	if o.leads.Title != "" && !l.options.OnlySitemap {
		l.reportFound(u, o.leads.Title)
	}
	if l.followed(&l.frontier.nodes[index]) {
		o.links, records = l.leads(index, o.leads, records)
	}
	return records
}

// follow finds the node of the URL that replaces a URL. If that is only another spelling, the URL is queued again
// under it.
func (l *ledger) follow(index int32, o *outcome) (to int32, requeued bool, records []record) {
	f := l.frontier
	n := &f.nodes[index]
	target, err := Clean(o.to, l.options.IgnoreQuery)
	if err != nil {
		o.State, o.Err = Failed, err
		return -1, false, nil
	}
	hops := n.hops
	if o.State == Redirect {
		if hops++; hops > maxHops {
			o.State, o.Err = Failed, fmt.Errorf("%s: redirects more than %d times", n.url, maxHops)
			return -1, false, nil
		}
	}
	if known, ok := f.byKey[Key(target)]; ok && known == index {
		if target.String() == n.url { // to its cleaned form, or really to itself
			o.State, o.Err = Failed, fmt.Errorf("%s: redirects to itself", n.url)
			return -1, false, nil
		}
		n.url, n.hops = target.String(), hops
		f.push(index)
		return -1, true, []record{{Number: &index, Renamed: n.url, Hops: hops}}
	}
	to, fresh := l.found(target, node{parent: n.parent, depth: n.depth, hops: hops, first: n.first})
	if fresh {
		records = []record{l.foundRecord(to)}
	}
	if to < 0 {
		o.State, o.Err = Other, fmt.Errorf("%s: leads to %s, which is outside the scope", f.nodes[index].url, target)
		return -1, false, nil
	}
	if f.resolve(to) == index {
		if o.State == Canonical { // two pages name each other as canonical, and were processed at the same time
			n := &f.nodes[index]
			n.ignoreCanonical = true
			f.push(index)
			return -1, true, append(records, record{Number: &index, State: string(Waiting)})
		}
		o.State, o.Err = Failed, fmt.Errorf("%s: redirects in a circle, as sites do that wait for a cookie", f.nodes[index].url)
		return -1, false, records
	}
	return to, false, records
}

// leads adds the links of a page, and returns their nodes; nil: they are unknown.
func (l *ledger) leads(index int32, leads *webpage.Leads, records []record) ([]int32, []record) {
	if leads == nil {
		return nil, records
	}
	depth := l.frontier.nodes[index].depth + 1
	numbers := []int32{}
	for _, lead := range leads.Links {
		if leads.NoFollow {
			break
		}
		link, err := Clean(lead.URL, l.options.IgnoreQuery)
		if err != nil {
			continue
		}
		number, fresh := l.found(link, node{parent: index, depth: depth})
		if fresh {
			records = append(records, l.foundRecord(number))
		}
		if number >= 0 {
			numbers = append(numbers, number)
			if fresh || lead.Text != "" {
				l.reportFound(link, lead.Text)
			}
		}
	}
	return numbers, records
}
