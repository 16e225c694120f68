package crawl

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/outbound"
	"github.com/mcp-docs-server/mcp-docs-server/internal/webpage"
)

// An outcome is what a visit found, before it becomes known to all.
type outcome struct {
	Result
	to       *url.URL // what stands for it
	leads    *webpage.Leads
	digest   *[16]byte
	alias    int32 // of Duplicate
	bytes    int64
	again    bool // it may be another answer later
	likeness uint64
	twin     bool // it differs from its alias by a token in the path only
}

// visit asks for a URL, which was taken, and records what became of it. When ctx has ended, it
// records nothing.
func (c *Crawl) visit(ctx context.Context, index int32) Result {
	c.mu.Lock()
	n := c.frontier.nodes[index]
	c.mu.Unlock()
	o := outcome{Result: Result{URL: n.url, Old: n.old}, alias: -1}
	u, err := url.Parse(n.url)
	if err == nil {
		err = c.fetch(ctx, index, n, u, &o)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.atWork--
	if host := hostOf(n.url); c.hosts[host] == 1 {
		delete(c.hosts, host)
	} else {
		c.hosts[host]--
	}
	if fatal, ok := errors.AsType[*Fatal](err); ok {
		c.stop(fatal.Err)
	}
	if ctx.Err() != nil || c.stopped != nil && err != nil {
		if o.digest != nil {
			c.release(*o.digest, index)
		}
		return o.Result
	}
	if err != nil {
		o.State, o.Err = Failed, err
	}
	if o.State != Kept && o.digest != nil {
		c.release(*o.digest, index)
	}
	c.stats.Requests++
	c.stats.Bytes += o.bytes
	live := &c.frontier.nodes[index]
	if o.State == Failed && o.again && int(live.tries)+1 < maxTries {
		live.tries++
		c.frontier.later = append(c.frontier.later, delayed{index, time.Now().Add(c.options.Retry * time.Duration(live.tries))})
		return o.Result
	}
	c.settle(index, u, &o)
	if c.stats.Bytes >= c.options.Bytes {
		c.leave(fmt.Sprintf("the answers had %d bytes, which is the limit", c.options.Bytes))
		c.stop(errLimit)
	}
	return o.Result
}

// release gives back what a page claimed that is not kept. c.mu is held.
func (c *Crawl) release(digest [16]byte, index int32) {
	if c.digests[digest] == index {
		delete(c.digests, digest)
	}
}

// settle makes known what became of a URL. c.mu is held.
func (c *Crawl) settle(index int32, u *url.URL, o *outcome) {
	records := []record(nil)
	first := index == 0 || c.stats.Pages == 0 && c.frontier.nodes[index].parent < 0 && c.frontier.nodes[index].hops > 0
	if first && o.to != nil && o.State == Redirect && !c.boundary.has(o.to) {
		c.boundary = c.options.Scope.from(o.to) // this is where the site is
		records = append(records, record{Base: o.to.String()})
	}
	n := &c.frontier.nodes[index]
	alias := o.alias
	if o.to != nil {
		to, renamed, found := c.follow(index, o)
		records = append(records, found...)
		if renamed {
			if first && len(found) > 0 && found[0].Renamed != "" { // such as https for http
				if base, err := url.Parse(found[0].Renamed); err == nil {
					c.boundary = c.options.Scope.from(base)
					records = append(records, record{Base: base.String()})
				}
			}
			c.log(records...)
			return
		}
		n = &c.frontier.nodes[index] // nodes may have moved
		alias = to
	}
	if o.leads != nil && (o.State == Kept || o.State == NoIndex || o.State == Duplicate && !o.twin) {
		records = append(records, c.leads(index, u, o)...)
		n = &c.frontier.nodes[index]
	}
	n.state, n.alias = o.State, alias
	if alias >= 0 {
		o.Alias = c.frontier.nodes[alias].url
	}
	switch o.State {
	case Kept:
		c.stats.Pages++
	case Failed:
		c.stats.Failed++
	case Trapped:
		c.traps.report(shapeOf(u).pattern, alikeWithoutEnd)
	case Duplicate:
		if o.twin {
			c.traps.report(shapeOf(u).pattern, sessionInPath)
		}
	}
	r := record{Number: &index, State: string(o.State), Alias: alias + 1, Like: n.like, Run: n.run, Chain: n.chain, Bytes: o.bytes}
	if o.digest != nil && o.State == Kept {
		r.Digest = hex.EncodeToString(o.digest[:])
	}
	if o.Err != nil {
		r.Error = fmt.Sprintf("%.1000s", o.Err.Error())
	}
	c.log(append(records, r)...)
	if c.options.Done != nil {
		c.options.Done(o.Result)
	}
}

// follow finds the node of what stands for a URL. If that is the URL itself in another spelling, it
// is asked for by that. c.mu is held.
func (c *Crawl) follow(index int32, o *outcome) (to int32, renamed bool, found []record) {
	f := c.frontier
	n := &f.nodes[index]
	target, err := Clean(o.to, c.options.IgnoreQuery)
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
	if own, known := f.byKey[key(target)]; known && own == index {
		if target.String() == n.url { // it redirects to what was cleaned, or says so itself
			o.State, o.Err = Failed, fmt.Errorf("%s: redirects to itself", n.url)
			return -1, false, nil
		}
		n.url, n.hops = target.String(), hops
		f.push(index)
		return -1, true, []record{{Number: &index, Renamed: n.url, Hops: hops}}
	}
	to, found = c.found(target, node{parent: n.parent, depth: n.depth, hops: hops, first: n.first})
	if to < 0 {
		o.State, o.Err = Other, fmt.Errorf("%s: leads to %s, which is not in the scope", n.url, target)
		return -1, false, nil
	}
	if f.resolve(to) == index {
		o.State, o.Err = Failed, fmt.Errorf("%s: redirects in a circle", f.nodes[index].url)
		return -1, false, found
	}
	return to, false, found
}

// leads adds the links of a page, and looks for traps. c.mu is held.
func (c *Crawl) leads(index int32, u *url.URL, o *outcome) (records []record) {
	sh := shapeOf(u)
	n := &c.frontier.nodes[index]
	var parent *node
	if n.parent >= 0 {
		parent = &c.frontier.nodes[n.parent]
	}
	if c.traps.seen(n, parent, u, o.likeness) {
		c.traps.report(sh.pattern, alikeWithoutEnd)
	}
	if sh.tokenless != 0 {
		if _, there := c.traps.first[sh.tokenless]; !there {
			c.traps.first[sh.tokenless] = index
		}
	}
	if o.leads.Title != "" {
		c.named(u, o.leads.Title)
	}
	if o.leads.NoFollow || c.options.OnlySitemap || c.options.Depth > 0 && int(n.depth) >= c.options.Depth {
		return nil
	}
	depth := n.depth + 1
	if depth == 0 {
		return nil
	}
	for _, lead := range o.leads.Links {
		if link, err := Clean(lead.URL, c.options.IgnoreQuery); err == nil {
			at, more := c.found(link, node{parent: index, depth: depth})
			records = append(records, more...)
			if at >= 0 && (len(more) > 0 || lead.Text != "") {
				c.named(link, lead.Text)
			}
		}
	}
	return records
}

// found returns the node of a URL, which it adds if the URL is one to ask; else -1. c.mu is held.
func (c *Crawl) found(u *url.URL, n node) (index int32, records []record) {
	if host := c.boundary.start; u.Hostname() == host.Hostname() && u.Port() == "" && host.Port() == "" {
		u.Scheme = host.Scheme
	}
	if index, known := c.frontier.byKey[key(u)]; known {
		return index, nil
	}
	if !c.boundary.has(u) || !page(u.Path) {
		return -1, nil
	}
	sh := shapeOf(u)
	if why := c.traps.refuses(u, sh); why != "" {
		pattern := sh.pattern
		if endless(u) != "" {
			pattern = u.Host + firstSegments(u.EscapedPath(), 3)
		}
		c.traps.report(pattern, why)
		return -1, nil
	}
	n.shape = sh.of
	index, ok := c.frontier.add(u, n)
	if !ok {
		return -1, nil
	}
	return index, []record{c.foundRecord(index)}
}

// firstSegments returns the beginning of a path.
func firstSegments(p string, n int) string {
	for i := 1; i < len(p); i++ {
		if p[i] == '/' {
			if n--; n == 0 {
				return p[:i] + "/…"
			}
		}
	}
	return p[:min(len(p), 100)]
}

// fetch asks for a URL, and has the page kept.
func (c *Crawl) fetch(ctx context.Context, index int32, n node, u *url.URL, o *outcome) error {
	if n.shape != 0 && index != 0 && c.closed(n.shape) {
		o.State = Trapped
		return nil
	}
	visit, err := c.options.Keeper.Open(u)
	if err != nil {
		return err
	}
	known, fetched := visit.Known()
	c.mu.Lock()
	modified, says := c.modified[index]
	c.mu.Unlock()
	if says && !c.options.Fresh && known.URL != "" && !fetched.IsZero() && modified.Before(fetched) {
		o.State, o.Unchanged = Kept, true
		return nil
	}
	request := outbound.Request{URL: u, Known: known, Accept: accepted, Every: c.options.Delay, Caller: c.options.Caller, Patient: c.options.Patient, Stay: true}
	if c.options.Header != nil && sameOrigin(u, c.options.Start) {
		request.Header = c.options.Header
	}
	response, err := c.site.Get(ctx, request)
	if redirect, ok := errors.AsType[*outbound.RedirectError](err); ok {
		o.State, o.to = Redirect, redirect.To
		return nil
	}
	if status, ok := errors.AsType[*outbound.StatusError](err); ok {
		o.again = status.Status >= 500 || status.Status == http.StatusTooManyRequests || status.Status == http.StatusRequestTimeout
		if status.Status == http.StatusNotFound || status.Status == http.StatusGone {
			o.State, o.Err = Gone, err
			return nil
		}
		return err
	}
	if errors.Is(err, outbound.ErrRobots) {
		o.State, o.Err = Forbidden, err
		return nil
	}
	if err != nil {
		_, large := errors.AsType[*outbound.SizeError](err)
		o.again = !large && !errors.Is(err, outbound.ErrRefused)
		return err
	}
	o.bytes = int64(len(response.Body))
	p := &Page{URL: u, Depth: int(n.depth), Old: n.old, Response: response}
	if response.NotModified {
		o.Unchanged = true
		p.Claim = func([16]byte) bool { return true }
		return c.keep(ctx, visit, p, o)
	}
	if p.Leads, err = webpage.ReadLeads(ctx, webpage.Source{URL: response.URL, ContentType: response.ContentType, Body: response.Body}, response.Header, Agent); err != nil {
		return err
	}
	o.leads, o.likeness = p.Leads, p.Leads.Likeness
	if p.Leads.Refresh != nil && key(p.Leads.Refresh) != key(u) {
		o.State, o.to = Redirect, p.Leads.Refresh
		return nil
	}
	if c.standsFor(n, u, p.Leads.Canonical) {
		o.State, o.to = Canonical, p.Leads.Canonical
		return nil
	}
	if p.Leads.NoIndex || !c.wanted(u) {
		o.State = NoIndex
		return nil
	}
	if alias := c.twin(index, u, p.Leads.Likeness); alias >= 0 {
		o.State, o.alias, o.twin = Duplicate, alias, true
		return nil
	}
	p.Claim = func(digest [16]byte) bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		if first, there := c.digests[digest]; there && first != index {
			o.alias = first
			return false
		}
		c.digests[digest] = index
		o.digest = &digest
		return true
	}
	return c.keep(ctx, visit, p, o)
}

// wanted reports whether the globs take a URL: the start is asked even if they do not.
func (c *Crawl) wanted(u *url.URL) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.boundary.wanted(u)
}

func (c *Crawl) closed(shape uint64) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.traps.closed[shape]
}

func (c *Crawl) twin(index int32, u *url.URL, likeness uint64) int32 {
	sh := shapeOf(u)
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.traps.twin(index, sh, likeness)
}

// keep has a page kept.
func (c *Crawl) keep(ctx context.Context, visit Visit, p *Page, o *outcome) error {
	switch err := visit.Keep(ctx, p); {
	case err == nil:
		o.State = Kept
	case errors.Is(err, ErrElsewhere):
		o.State = Duplicate
	case errors.Is(err, ErrNoPage):
		o.State, o.Err = Other, err
	default:
		return err
	}
	return nil
}

// standsFor reports whether a canonical URL stands for a page: it is another one, and of the scope.
// A canonical URL elsewhere is that of another version of the site.
func (c *Crawl) standsFor(n node, u, canonical *url.URL) bool {
	if canonical == nil || n.stubborn {
		return false
	}
	target, err := Clean(canonical, c.options.IgnoreQuery)
	if err != nil || key(target) == key(u) {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.boundary.has(target) || !page(target.Path) {
		return false
	}
	if index, known := c.frontier.byKey[key(target)]; known {
		if to := c.frontier.resolve(index); to >= 0 && c.frontier.nodes[to].url == n.url { // each says that the other stands for it
			return false
		}
	}
	return true
}

func sameOrigin(a, b *url.URL) bool { return a.Scheme == b.Scheme && a.Host == b.Host }
