// Package crawl finds the pages of a site, beginning at one URL. It is pure of where pages go: a
// [Keeper] gets each of them.
//
// [Crawl.Run] does this:
//
//  1. It asks for the URL itself. The [Scope] begins where that redirects to.
//  2. It reads llms.txt and the sitemaps of the site. What llms.txt names is asked first.
//  3. It asks for each URL that is found, by way of a [Site], which is [outbound.Client]: robots.txt,
//     addresses and the pace of hosts are its business. Several pages are at work at a time, but
//     those of one host only as many as that takes.
//  4. The links of a page, in all of it, lead to further URLs, unless the page or a link says
//     "nofollow". A page is kept unless it says "noindex", or another URL of the scope stands for
//     it: a redirect, also one of HTML, or a canonical link. If what stands for it turns out to be
//     no page, it is kept after all.
//
// URLs that differ in tracking parameters, sessions, the order of parameters, the scheme or a slash
// at the end are one page; see [Clean]. Pages of the same content are kept once. A page that
// answers with an error of the server is asked three times.
//
// A site may have no end, by design or not. So the pages, links from the start, bytes, time and
// known URLs are bounded; and these are left out, and reported as a [Trap]: paths that repeat
// segments or get deeper and deeper, more and more parameters, sessions in paths, and URLs of one
// shape that are found one on the other, such as the months of a calendar, if their pages have the
// same words but for numbers and dates. Pages that only have numbers in common are no trap.
//
// Everything that becomes known goes into a journal, a line of JSON each, before the next page is
// asked for; pages go to the [Keeper] before that. So a crawl that was killed goes on where it was:
// only what was being asked is asked again. The frontier has some 200 bytes for each URL, and no
// page stays in memory.
package crawl

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/outbound"
	"github.com/mcp-docs-server/mcp-docs-server/internal/webpage"
)

// Agent is the name of the program in rules for robots.
const Agent = "mcp-docs-server"

// Defaults of [Options].
const (
	DefaultLimit   = 100
	DefaultWorkers = 4
	DefaultBytes   = 4 << 30
)

const (
	perHost  = 3 // pages of a host at work: two that are asked for, and one that is converted
	maxHops  = 10
	maxTries = 3
	accepted = "text/html, application/xhtml+xml, text/markdown;q=0.9, text/plain;q=0.8, */*;q=0.5"
)

// A Site fetches. [outbound.Client] is one.
type Site interface {
	Get(context.Context, outbound.Request) (*outbound.Response, error)
	Sitemaps(context.Context, *url.URL) ([]string, error)
}

// A Keeper keeps pages. Its methods are called by several goroutines.
type Keeper interface {
	// Open is called before a page is asked for.
	Open(*url.URL) (Visit, error)
}

// A Visit is to one page.
type Visit interface {
	// Known says what is there already, and when it was fetched.
	Known() (outbound.Validators, time.Time)
	// Keep keeps a page. Its response may say that nothing has changed. [ErrElsewhere] reports that
	// [Page.Claim] was false, [ErrNoPage] that there is no text; any other error is that of the
	// page, and a [Fatal] one ends the crawl.
	Keep(context.Context, *Page) error
}

// Errors of [Visit.Keep].
var (
	ErrElsewhere = errors.New("another page has the same content")
	ErrNoPage    = errors.New("is no text")
)

// A Fatal error ends a crawl: there is no place for more pages.
type Fatal struct{ Err error }

func (f *Fatal) Error() string { return f.Err.Error() }
func (f *Fatal) Unwrap() error { return f.Err }

// A Page is one that was fetched.
type Page struct {
	URL      *url.URL
	Depth    int
	Old      bool // an earlier crawl kept it
	Response *outbound.Response
	Leads    *webpage.Leads
	// Claim reports whether this is the first page with a content, of which it gets a digest.
	Claim func(digest [16]byte) bool
}

// A Result says what became of a URL.
type Result struct {
	URL       string
	State     State
	Unchanged bool   // it was kept before, and has not changed
	Old       bool   // an earlier crawl had it
	Alias     string // the URL that stands for it
	Err       error
}

// A Trap is a set of URLs without an end.
type Trap struct {
	Pattern string `json:"pattern"` // with a star for what varies
	Why     string `json:"why"`
	Left    int    `json:"left"` // URLs that were left out
}

// Options say what is crawled.
type Options struct {
	Start *url.URL
	Scope
	Depth       int           // links from the start; 0: any number
	Limit       int           // pages
	Delay       time.Duration // between two requests to a host; it may want more
	IgnoreQuery bool          // parameters do not make a page
	NoSitemaps  bool          // neither sitemaps nor llms.txt are read
	OnlySitemap bool          // the links of pages lead nowhere
	Known       int           // URLs that may be known; 0: half a million
	Workers     int
	Caller      string        // for whom the pages are
	Patient     bool          // nobody waits for them
	Bytes       int64         // of all answers
	Time        time.Duration // of one run; 0: any
	Header      http.Header   // for the origin of Start
	Fresh       bool          // what sitemaps say of times does not keep a page from being asked

	Keeper  Keeper
	Journal io.Writer // gets what becomes known; nil: nothing
	// Done is called for each URL, by one goroutine at a time; and again for a page whose canonical
	// URL is no page. It may be nil.
	Done func(Result)
	// Found is called for each URL when it becomes known, and again with a title; by one goroutine
	// at a time. It may be nil.
	Found func(u *url.URL, title string)
	// Retry is the time before a page that failed is asked again; 0: two seconds.
	Retry time.Duration
}

// digest is equal for options with which a crawl may go on.
func (o Options) digest() string {
	h := sha256.New()
	fmt.Fprintln(h, o.Start, o.EntireDomain, o.Subdomains, o.External, o.Depth, o.IgnoreQuery, o.NoSitemaps)
	for _, globs := range [][]fmt.Stringer{stringers(o.Include), stringers(o.Exclude)} {
		fmt.Fprintln(h, len(globs))
		for _, g := range globs {
			fmt.Fprintf(h, "%q\n", g.String())
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

func stringers[T fmt.Stringer](list []T) []fmt.Stringer {
	out := make([]fmt.Stringer, len(list))
	for i, s := range list {
		out[i] = s
	}
	return out
}

// Stats say how far a crawl has come.
type Stats struct {
	Pages, Failed, Waiting, Known int
	Limit                         int
	Bytes                         int64
	Requests                      int
	Traps                         []Trap
	// Sitemaps says what was not read of sitemaps, and why.
	Sitemaps []string
	// Left says why the crawl ended before all URLs were asked; "" if it did not.
	Left string
}

// A Crawl is one of a site. Its methods may be called by several goroutines.
type Crawl struct {
	options Options
	site    Site

	mu       sync.Mutex // guards all fields below
	frontier *frontier
	traps    *traps
	boundary *boundary
	digests  map[[16]byte]int32
	modified map[int32]time.Time // what sitemaps say, of nodes that an earlier crawl kept
	stats    Stats
	atWork   int            // pages
	hosts    map[string]int // pages at work, by host
	old      int            // nodes that an earlier crawl kept
	listed   bool           // llms.txt and sitemaps have been read
	ended    bool
	stopped  error // why nothing more is asked
	cancel   context.CancelFunc
	wake     chan struct{} // has an element when something changed
}

// New returns a crawl.
func New(site Site, o Options) (*Crawl, error) {
	o.Limit = cmp.Or(o.Limit, DefaultLimit)
	o.Workers = cmp.Or(o.Workers, DefaultWorkers)
	o.Bytes = cmp.Or(o.Bytes, DefaultBytes)
	o.Retry = cmp.Or(o.Retry, 2*time.Second)
	start, err := Clean(o.Start, false)
	if err != nil {
		return nil, err
	}
	o.Start = start
	return &Crawl{
		options: o, site: site, frontier: newFrontier(o.Known), traps: newTraps(), digests: make(map[[16]byte]int32),
		modified: make(map[int32]time.Time), hosts: make(map[string]int), wake: make(chan struct{}, 1), stats: Stats{Limit: o.Limit}, cancel: func() {},
	}, nil
}

// Resume makes a crawl go on that was ended, as its journal says. It is called before Run.
func (c *Crawl) Resume(journal io.Reader) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.replay(journal); err != nil {
		return err
	}
	if c.ended {
		return errors.New("the crawl has ended")
	}
	if c.options.Journal != nil { // behind what was written last, whole or not
		if _, err := c.options.Journal.Write([]byte("\n")); err != nil {
			return err
		}
	}
	return nil
}

// Seed adds a page that an earlier crawl kept, to be asked again. It is called before Run.
func (c *Crawl) Seed(u *url.URL, past PastPage) {
	c.mu.Lock()
	defer c.mu.Unlock()
	u, err := Clean(u, c.options.IgnoreQuery)
	if err != nil {
		return
	}
	c.begin()
	index, known := c.frontier.byKey[key(u)]
	if known && c.frontier.nodes[index].old {
		return
	}
	if !known { // it is not the start
		var ok bool
		if index, ok = c.frontier.add(u, node{parent: -1, depth: uint16(min(past.Depth, 1<<16-1)), shape: shapeOf(u).of, old: true}); !ok {
			return
		}
		r := c.foundRecord(index)
		if past.Digest != [16]byte{} {
			r.Digest = hex.EncodeToString(past.Digest[:])
		}
		c.log(r)
	}
	c.frontier.nodes[index].old = true
	c.remember(true)
	if past.Digest != [16]byte{} {
		c.digests[past.Digest] = index
	}
}

// Old calls visit with each page that an earlier crawl kept, and what became of it. It is called
// after Run.
func (c *Crawl) Old(visit func(url string, state State)) {
	for _, n := range c.frontier.nodes {
		if n.old {
			visit(n.url, n.state)
		}
	}
}

// Pages calls visit with the URL of each page that is kept. It is called after Run.
func (c *Crawl) Pages(visit func(url string)) {
	for _, n := range c.frontier.nodes {
		if n.state == Kept {
			visit(n.url)
		}
	}
}

// Key returns what is equal for the URLs of one page, which were made by [Clean].
func Key(u *url.URL) string { return key(u) }

// begin adds the start, which is the first node. c.mu is held.
func (c *Crawl) begin() {
	if len(c.frontier.nodes) > 0 {
		return
	}
	c.log(record{Version: journalVersion, Options: c.options.digest()})
	if index, ok := c.frontier.add(c.options.Start, node{parent: -1, first: true, shape: shapeOf(c.options.Start).of}); ok {
		c.log(c.foundRecord(index))
		c.named(c.options.Start, "")
	}
}

// named reports a URL. c.mu is held.
func (c *Crawl) named(u *url.URL, title string) {
	if c.options.Found != nil {
		c.options.Found(u, title)
	}
}

func (c *Crawl) foundRecord(index int32) record {
	n := &c.frontier.nodes[index]
	return record{URL: n.url, Parent: n.parent + 1, Depth: n.depth, Hops: n.hops, First: n.first, Old: n.old}
}

// Stats returns how far the crawl has come.
func (c *Crawl) Stats() Stats {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.stats
	s.Waiting = c.frontier.waiting() + c.atWork
	s.Known = len(c.frontier.nodes)
	s.Traps = append([]Trap(nil), c.traps.found...)
	s.Sitemaps = slices.Clone(s.Sitemaps)
	return s
}

// Resolve returns the URL that stands for a link, if the crawl knows that it is a page.
func (c *Crawl) Resolve(link *url.URL) (string, bool) {
	u, err := Clean(link, c.options.IgnoreQuery)
	if err != nil {
		return "", false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	index, known := c.frontier.byKey[key(u)]
	if !known {
		return "", false
	}
	if index = c.frontier.resolve(index); index < 0 {
		return "", false
	}
	n := &c.frontier.nodes[index]
	return n.url, n.state == Kept
}

// Run crawls until there is nothing left to ask, a bound is reached or ctx ends. The error is that
// of ctx, of the start, or of the keeper or the journal if they ended the crawl. A bound is no
// error: see [Stats.Left].
func (c *Crawl) Run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if c.options.Time > 0 {
		defer time.AfterFunc(c.options.Time, func() {
			c.mu.Lock()
			defer c.mu.Unlock()
			c.leave(fmt.Sprintf("it took %v, which is the limit", c.options.Time))
			c.stop(errLimit)
		}).Stop()
	}
	c.mu.Lock()
	c.cancel = cancel
	if c.boundary == nil {
		c.boundary = c.options.Scope.from(c.options.Start)
	}
	c.begin()
	c.mu.Unlock()
	var workers sync.WaitGroup
	err := c.start(ctx)
	if err == nil {
		for range c.options.Workers {
			workers.Go(func() { c.work(ctx) })
		}
		workers.Wait()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.stopped == errLimit:
		return nil
	case c.stopped != nil:
		return c.stopped
	case ctx.Err() != nil:
		return context.Cause(ctx)
	}
	// One whose start failed has ended too: nothing is left to go on with, so the next one asks again.
	c.log(record{Ended: true})
	if err != nil {
		return err
	}
	c.ended = true
	return nil
}

// errLimit is why a crawl stopped that has a bound.
var errLimit = errors.New("a bound was reached")

// leave says why not all is asked. c.mu is held.
func (c *Crawl) leave(why string) {
	if c.stats.Left == "" {
		c.stats.Left = why
	}
}

// stop ends everything. c.mu is held.
func (c *Crawl) stop(err error) {
	if c.stopped == nil {
		c.stopped = err
		c.cancel()
	}
}

// start asks for the start, by itself, and then reads the lists of URLs.
func (c *Crawl) start(ctx context.Context) error {
	for {
		c.mu.Lock()
		n := &c.frontier.nodes[0]
		if n.state != Waiting {
			c.mu.Unlock()
			break
		}
		q := &c.frontier.queues[0]
		for i, index := range *q {
			if index == 0 {
				*q = append((*q)[:i], (*q)[i+1:]...)
				break
			}
		}
		c.frontier.later = nil
		tries := n.tries
		c.take(0)
		c.mu.Unlock()
		if err := pause(ctx, c.options.Retry*time.Duration(tries)); err != nil {
			return err
		}
		result := c.visit(ctx, 0)
		if ctx.Err() != nil {
			return c.why(ctx)
		}
		if result.State == Failed || result.State == Forbidden || result.State == Gone {
			if !result.Old && c.lone() {
				return result.Err
			}
		}
	}
	return c.lists(ctx)
}

// lone reports whether nothing but the start is known.
func (c *Crawl) lone() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.frontier.waiting() == 0 && c.stats.Pages == 0
}

// why returns why everything ended.
func (c *Crawl) why(ctx context.Context) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.stopped != nil {
		return c.stopped
	}
	return context.Cause(ctx)
}

func pause(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// take counts a node as at work. c.mu is held.
func (c *Crawl) take(index int32) {
	c.atWork++
	c.hosts[hostOf(c.frontier.nodes[index].url)]++
}

// work asks for one URL after the other.
func (c *Crawl) work(ctx context.Context) {
	for {
		index, wait, ok := c.next()
		switch {
		case !ok:
			c.notify()
			return
		case index >= 0:
			c.visit(ctx, index)
			c.notify()
			if ctx.Err() != nil {
				return
			}
		default:
			var soon <-chan time.Time
			var timer *time.Timer
			if wait > 0 {
				timer = time.NewTimer(wait)
				soon = timer.C
			}
			select {
			case <-c.wake:
			case <-soon:
			case <-ctx.Done():
			}
			if timer != nil {
				timer.Stop()
			}
			if ctx.Err() != nil {
				c.notify()
				return
			}
		}
	}
}

func (c *Crawl) notify() {
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// next takes a URL. If there is none at the moment, it returns -1 and how long to wait at most; ok
// is false if there will be none.
func (c *Crawl) next() (index int32, wait time.Duration, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.stopped != nil {
		return 0, 0, false
	}
	if c.stats.Pages+c.atWork >= c.options.Limit {
		if c.atWork > 0 {
			return -1, 0, true
		}
		if c.frontier.waiting() > 0 {
			c.leave(fmt.Sprintf("there are more than %d pages, which is the limit", c.options.Limit))
			c.log(record{Ended: true, Limited: c.options.Limit})
			c.stop(errLimit)
		}
		return 0, 0, false
	}
	index, waiting := c.frontier.next(func(n *node) bool { return c.hosts[hostOf(n.url)] < perHost })
	if index >= 0 {
		c.take(index)
		c.notify() // there may be one for another worker
		return index, 0, true
	}
	if waiting == 0 && c.atWork == 0 {
		if c.reconsider() {
			c.notify()
			return -1, time.Millisecond, true
		}
		if c.frontier.full {
			c.leave(fmt.Sprintf("more than %d URLs were found", c.frontier.most))
		}
		return 0, 0, false
	}
	if c.atWork == 0 || len(c.frontier.later) > 0 {
		wait = 50 * time.Millisecond
	}
	return -1, wait, true
}

// reconsider lets pages wait again whose canonical URL is no page after all. c.mu is held.
func (c *Crawl) reconsider() bool {
	f := c.frontier
	again := false
	for i := range f.nodes {
		n := &f.nodes[i]
		if n.state != Canonical || n.stubborn {
			continue
		}
		if to := f.resolve(int32(i)); to >= 0 && f.nodes[to].state == Kept {
			continue
		}
		n.state, n.alias, n.stubborn = Waiting, -1, true
		index := int32(i)
		c.log(record{Number: &index, State: string(Waiting)})
		f.push(index)
		again = true
	}
	return again
}

// hostOf returns the host and port of a URL that [Clean] made.
func hostOf(text string) string {
	_, rest, _ := strings.Cut(text, "://")
	if end := strings.IndexAny(rest, "/?"); end >= 0 {
		rest = rest[:end]
	}
	return rest
}
