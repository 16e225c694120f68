// Package crawl finds the pages of a site, starting from one URL, and gives each of them to a [Keeper].
//
// [Crawl.Run] does this:
//
//  1. It requests the start URL. If that redirects, the [Scope] starts at its target.
//  2. It reads llms.txt and the sitemaps of the site. URLs in llms.txt are requested first.
//  3. It requests each URL that it finds through a [Site], normally [webclient.Client], which enforces robots.txt,
//     the rules for addresses and the pace of each host. Several pages are processed at a time, but of one host only
//     as many as its pace allows.
//  4. It follows all links of a page, unless the page or the link says "nofollow". It keeps a page unless the page
//     says "noindex", or another URL of the scope replaces it: by a redirect, also one in HTML, or by a canonical
//     link. A canonical link is believed only if its URL is a page with nine tenths of the words, because many sites name their
//     home page on every page. So a page is requested again after the page that it names as canonical.
//
// URLs are requested in the order in which they were found, after the pages of an earlier crawl. The depth of a page counts the links
// of the shortest way that is known when it is requested, so it may be too large if a page answers slowly; pages in lists have depth
// 1, and pages of an earlier crawl begin with the depth that they had.
//
// A page of an earlier crawl that has not changed leads to the same links, which are in the journal of that crawl. If
// the journal does not have them, because the scope was different, the page is requested as a new one.
//
// URLs that differ only in tracking parameters, sessions, the order of parameters, the scheme or a trailing slash are
// one page; see [Clean]. Pages with the same content are kept once. A page whose server answers with an error is
// requested up to three times.
//
// A site may have infinitely many URLs. So pages, depth, bytes, time and known URLs are bounded; and paths that
// repeat segments or become ever deeper, and URLs with ever more parameters, are left out and reported as [LeftOut].
//
// The crawl records each event in a journal, a line of JSON each, before it requests the next page; pages go to the
// [Keeper] before that. So a crawl that was killed can continue: it repeats only the requests that were in progress.
// The frontier takes about 200 bytes for each URL, and pages do not stay in memory.
//
// Goroutines share one [ledger], which [lockedLedger.use] and [ask] lend to one of them at a time. The ledger says which
// URL is next ([ledger.next]) and records its outcome ([ledger.settle]); in between, [Crawl.visit] sends the request.
package crawl

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net/url"
	"sync"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/webclient"
)

// Agent is the name of this program in robots.txt and robots meta tags.
const Agent = "mcp-docs-server"

// A Crawl is the crawl of one site. Its methods are safe for concurrent use.
type Crawl struct {
	options Options
	site    Site
	ledger  lockedLedger
	wake    chan struct{} // has an element after a change for waiting workers
	lanes   sync.Map      // *lane by host
}

// New returns a crawl that has not started.
func New(site Site, o Options) (*Crawl, error) {
	o, err := o.complete()
	if err != nil {
		return nil, err
	}
	return &Crawl{options: o, site: site, ledger: lockedLedger{ledger: newLedger(o)}, wake: make(chan struct{}, 1)}, nil
}

// Resume continues a crawl that was interrupted, from its journal. It is called before Run.
func (c *Crawl) Resume(journal io.Reader) error {
	return ask(&c.ledger, func(l *ledger) error {
		if err := l.replay(journal); err != nil {
			return err
		}
		if c.options.Journal != nil { // ends an incomplete last line
			if _, err := c.options.Journal.Write([]byte("\n")); err != nil {
				return err
			}
		}
		return nil
	})
}

// Seed adds a page that an earlier crawl kept, to be requested again. It is called before Run.
func (c *Crawl) Seed(u *url.URL, earlier EarlierPage) {
	if u, err := Clean(u, c.options.IgnoreQuery); err == nil {
		c.ledger.use(func(l *ledger) { l.seed(u, earlier) })
	}
}

// Each calls visit with each URL that was found, and its state now; old says that an earlier crawl kept it. It is called after Run.
func (c *Crawl) Each(visit func(url string, state State, old bool)) {
	for _, n := range ask(&c.ledger, func(l *ledger) []node { return l.frontier.nodes }) {
		visit(n.url, n.state, n.old)
	}
}

// Open calls visit with the URLs that were not requested yet or failed, at most a number of them, for [Options.Again]. No
// [Options.Done] is called meanwhile, so visit sees exactly the pages whose links are known.
func (c *Crawl) Open(most int, visit func([]Known)) {
	c.ledger.use(func(l *ledger) { visit(l.open(most)) })
}

// Stats returns the progress of the crawl.
func (c *Crawl) Stats() Stats { return ask(&c.ledger, (*ledger).progress) }

// Resolve returns the URL of the page that a link leads to, after redirects and canonical links, if the crawl knows
// that page.
func (c *Crawl) Resolve(link *url.URL) (page string, kept bool) {
	if u, err := Clean(link, c.options.IgnoreQuery); err == nil {
		c.ledger.use(func(l *ledger) { page, kept = l.resolve(u) })
	}
	return page, kept
}

// Run crawls until no URLs are left, a bound is reached or ctx ends. It returns the cause of ctx, the error of the
// start URL, or an error of the keeper or the journal that ended the crawl. Reaching a bound is not an error: see
// [Stats.Left].
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
	})
	err := c.start(ctx)
	if err == nil {
		c.ledger.use(func(l *ledger) { l.again(c.options.Again) })
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
		// A crawl whose start failed has ended too: it cannot be continued, so the next one starts again.
		l.log(record{Ended: true})
		l.ended = err == nil
		return err
	})
}

// start requests the start URL, before the workers begin.
func (c *Crawl) start(ctx context.Context) error {
	for {
		var tries uint8
		var waits bool
		c.ledger.use(func(l *ledger) { tries, waits = l.takeStart() })
		if !waits {
			return nil
		}
		if err := webclient.Pause(ctx, c.options.Retry*time.Duration(tries)); err != nil {
			return err
		}
		result := c.visit(ctx, 0)
		if ctx.Err() != nil {
			return c.why(ctx)
		}
		if result.State == Failed || result.State == Forbidden || result.State == Gone {
			lone := ask(&c.ledger, func(l *ledger) bool { return l.frontier.queue.len() == 0 && l.stats.Pages == 0 })
			if !result.Old && lone {
				return result.Err
			}
		}
	}
}

// work requests one URL after the other.
func (c *Crawl) work(ctx context.Context) {
	defer c.notify()
	for ctx.Err() == nil {
		t := ask(&c.ledger, (*ledger).next)
		switch {
		case t.over:
			return
		case t.index >= 0:
			c.notify() // another worker may find one too
			c.visit(ctx, t.index)
			c.notify()
		default:
			c.wait(ctx, t.wait)
		}
	}
}

// wait waits for a change, at most for the given time unless it is 0.
func (c *Crawl) wait(ctx context.Context, most time.Duration) {
	var soon <-chan time.Time
	if most > 0 {
		soon = time.After(most)
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

// why returns the reason why the crawl ended.
func (c *Crawl) why(ctx context.Context) error {
	return cmp.Or(ask(&c.ledger, func(l *ledger) error { return l.stopped }), context.Cause(ctx))
}
