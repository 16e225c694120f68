// Package crawl finds the pages of a site, beginning at one URL. It is pure of where pages go: a
// [Keeper] gets each of them.
//
// [Crawl.Run] does this:
//
//  1. It asks for the URL itself. The [Scope] begins where that redirects to.
//  2. It reads llms.txt and the sitemaps of the site. What llms.txt names is asked first.
//  3. It asks for each URL that is found, by way of a [Site], which is [webclient.Client]: robots.txt,
//     addresses and the pace of hosts are its business. Several pages are at work at a time, but
//     those of one host only as many as that takes.
//  4. The links of a page, in all of it, lead to further URLs, unless the page or a link says
//     "nofollow". A page is kept unless it says "noindex", or another URL of the scope stands for
//     it: a redirect, also one of HTML, or a canonical link. If what stands for it turns out to be
//     no page, it is kept after all.
//
// With a greatest depth, all URLs of a depth are asked before the first of the next one is, also
// those that are asked again or stand for others. So the depth of a page is final when it is asked:
// it is that of breadth-first search, however long the site takes for each answer, and no page is
// asked twice because a shorter way to it is found later. Pages of lists have depth 1. Without a
// greatest depth, nothing waits for that.
//
// A page of an earlier crawl that has not changed leads where it did, as the journal of that says;
// if the journal does not know, because the crawl had another scope, the page is asked as a new one.
// A page of an earlier crawl to which nothing leads any more is asked last.
//
// URLs that differ in tracking parameters, sessions, the order of parameters, the scheme or a slash
// at the end are one page; see [Clean]. Pages of the same content are kept once. A page that
// answers with an error of the server is asked three times.
//
// A site may have no end, by design or not. So the pages, links from the start, bytes, time and
// known URLs are bounded; and paths that repeat segments or get deeper and deeper, and URLs with more
// and more parameters, are left out and reported as a [Trap].
//
// Everything that becomes known goes into a journal, a line of JSON each, before the next page is
// asked for; pages go to the [Keeper] before that. So a crawl that was killed goes on where it was:
// only what was being asked is asked again. The frontier has some 200 bytes for each URL, and no
// page stays in memory.
//
// What goroutines share is a [ledger], which only [guarded.use] and [ask] give, to one of them at a
// time. The ledger says which URL is next ([ledger.next]) and takes what became of it
// ([ledger.settle]); between the two, [Crawl.visit] asks the site.
package crawl

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"sync"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/pause"
)

// Agent is the name of the program in rules for robots.
const Agent = "mcp-docs-server"

// A Crawl is one of a site. Its methods may be called by several goroutines.
type Crawl struct {
	options Options
	site    Site
	ledger  guarded
	wake    chan struct{} // has an element when something changed
	lanes   sync.Map      // from hosts to lanes
}

// New returns a crawl.
func New(site Site, o Options) (*Crawl, error) {
	o, err := o.complete()
	if err != nil {
		return nil, err
	}
	return &Crawl{options: o, site: site, ledger: guarded{ledger: newLedger(o)}, wake: make(chan struct{}, 1)}, nil
}

// Resume makes a crawl go on that was ended, as its journal says. It is called before Run.
func (c *Crawl) Resume(journal io.Reader) error {
	return ask(&c.ledger, func(l *ledger) error {
		if err := l.replay(journal); err != nil {
			return err
		}
		if l.ended {
			return errors.New("the crawl has ended")
		}
		if c.options.Journal != nil { // behind what was written last, whole or not
			if _, err := c.options.Journal.Write([]byte("\n")); err != nil {
				return err
			}
		}
		return nil
	})
}

// Seed adds a page that an earlier crawl kept, to be asked again. It is called before Run.
func (c *Crawl) Seed(u *url.URL, past PastPage) {
	if u, err := Clean(u, c.options.IgnoreQuery); err == nil {
		c.ledger.use(func(l *ledger) { l.seed(u, past) })
	}
}

// Old calls visit with each page that an earlier crawl kept, and what became of it. It is called
// after Run.
func (c *Crawl) Old(visit func(url string, state State)) {
	for _, n := range c.nodes() {
		if n.old {
			visit(n.url, n.state)
		}
	}
}

// Pages calls visit with the URL of each page that is kept. It is called after Run.
func (c *Crawl) Pages(visit func(url string)) {
	for _, n := range c.nodes() {
		if n.state == Kept {
			visit(n.url)
		}
	}
}

func (c *Crawl) nodes() []node {
	return ask(&c.ledger, func(l *ledger) []node { return l.frontier.nodes })
}

// Stats returns how far the crawl has come.
func (c *Crawl) Stats() Stats { return ask(&c.ledger, (*ledger).progress) }

// Resolve returns the URL that stands for a link, if the crawl knows that it is a page.
func (c *Crawl) Resolve(link *url.URL) (page string, kept bool) {
	if u, err := Clean(link, c.options.IgnoreQuery); err == nil {
		c.ledger.use(func(l *ledger) { page, kept = l.resolve(u) })
	}
	return page, kept
}

// Run crawls until there is nothing left to ask, a bound is reached or ctx ends. The error is that
// of ctx, of the start, or of the keeper or the journal if they ended the crawl. A bound is no
// error: see [Stats.Left].
func (c *Crawl) Run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if c.options.Time > 0 {
		defer time.AfterFunc(c.options.Time, func() {
			c.ledger.use(func(l *ledger) {
				l.leave(fmt.Sprintf("it took %v, which is the limit", c.options.Time))
				l.stop(errLimit)
			})
		}).Stop()
	}
	c.ledger.use(func(l *ledger) {
		l.cancel = cancel
		if l.boundary == nil {
			l.boundary = c.options.Scope.from(c.options.Start)
		}
		l.begin()
		if l.frontier.levels != nil { // what was killed may have been about to do this
			l.reconsider()
		}
	})
	err := c.start(ctx)
	if err == nil {
		err = c.lists(ctx)
	}
	if err == nil {
		var workers sync.WaitGroup
		for range c.options.Workers {
			workers.Go(func() { c.work(ctx) })
		}
		workers.Wait()
	}
	return ask(&c.ledger, func(l *ledger) error {
		switch {
		case l.stopped == errLimit:
			return nil
		case l.stopped != nil:
			return l.stopped
		case ctx.Err() != nil:
			return context.Cause(ctx)
		}
		// One whose start failed has ended too: nothing is left to go on with, so the next one asks again.
		l.log(record{Ended: true})
		l.ended = err == nil
		return err
	})
}

// start asks for the start, by itself.
func (c *Crawl) start(ctx context.Context) error {
	for {
		var tries uint8
		var waits bool
		c.ledger.use(func(l *ledger) { tries, waits = l.takeStart() })
		if !waits {
			return nil
		}
		if err := pause.For(ctx, c.options.Retry*time.Duration(tries)); err != nil {
			return err
		}
		result := c.visit(ctx, 0)
		if ctx.Err() != nil {
			return c.why(ctx)
		}
		if result.State == Failed || result.State == Forbidden || result.State == Gone {
			lone := ask(&c.ledger, func(l *ledger) bool { return l.frontier.waiting() == 0 && l.stats.Pages == 0 })
			if !result.Old && lone {
				return result.Err
			}
		}
	}
}

// work asks for one URL after the other.
func (c *Crawl) work(ctx context.Context) {
	defer c.notify()
	for ctx.Err() == nil {
		t := ask(&c.ledger, (*ledger).next)
		switch {
		case t.over:
			return
		case t.index >= 0:
			c.notify() // there may be one for another worker
			c.visit(ctx, t.index)
			c.notify()
		default:
			c.wait(ctx, t.wait)
		}
	}
}

// wait waits until something changed, or a time has passed unless it is 0.
func (c *Crawl) wait(ctx context.Context, most time.Duration) {
	var soon <-chan time.Time
	if most > 0 {
		timer := time.NewTimer(most)
		defer timer.Stop()
		soon = timer.C
	}
	select {
	case <-c.wake:
	case <-soon:
	case <-ctx.Done():
	}
}

func (c *Crawl) notify() {
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// why returns why everything ended.
func (c *Crawl) why(ctx context.Context) error {
	if err := ask(&c.ledger, func(l *ledger) error { return l.stopped }); err != nil {
		return err
	}
	return context.Cause(ctx)
}
