// Package browser is the strategy "browser": it renders a page in a Chromium on this computer and
// returns what the page shows then.
//
// [Browser.Fetch] does this:
//
//  1. It waits for a place: [Options.MaxPages] pages are open at a time, which callers share as
//     package fairqueue has it, in one browser, which is started for the first page and ended when it had
//     nothing to do for [Options.Idle]. After a crash the next page starts another. The browser is
//     one that is found on the computer, or [Options.Path], or one that runs already ([Options.URL]).
//  2. It opens a page in a context of its own: no cookies, no storage, no cache of another page. All
//     that the context loads goes by way of an [webclient.Proxy] of its own, which checks each
//     connection, bounds them, and leaves out hosts of advertisements.
//  3. The main document passes the gates of [webclient.Client.Admit] for each redirect and each
//     place that its scripts go to. It must have a status of success. Headers of the caller are
//     added to requests of the main frame to the origin of the URL, until the page has left that
//     origin. A document that is not HTML is returned as it is.
//  4. When the page is loaded and its network is quiet, or has had its time, it waits for
//     [fetch.Request.WaitFor], and does the actions.
//  5. It reads the page in a world of its own, which scripts of the page cannot change: the elements
//     with open shadow roots and visible frames in their places, without scripts and styles, within
//     bounds.
//
// Downloads, dialogs, other windows, permissions and service workers are refused. A browser that is
// started here is driven by a pipe, so no other program can connect to it; its sandbox is on; it
// resolves no names, speaks no QUIC and no UDP, and asks nobody on its own account. It ends with
// this process, however that ends, and what it wrote is removed then, or by the next start. The
// protocol is spoken by [conn], which keeps nothing that a page sends unasked.
//
// A page is ended if its document is too large without its compression, and the page with the largest
// process if all processes of the browser together have too much memory: see watchMemory. Where the
// system can bound the memory of several processes, it does so too: see bound.
//
// For a browser that runs already, nothing of this is certain, so a page of our own first tries to
// reach loopback past the proxy. If it can, the browser is refused. See [probe].
package browser

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/textproto"
	"sync"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/fairqueue"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/fetch"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/webclient"
)

// Defaults of [Options].
const (
	DefaultMaxPages = 3
	DefaultIdle     = 5 * time.Minute
)

const (
	// maxQueued is how many requests wait for a place.
	maxQueued = 400
	// startTime is how long a browser may take to answer after its start.
	startTime = 45 * time.Second
	// closeTime is how long a page may take to be closed. A browser that takes longer is ended.
	closeTime = 10 * time.Second
)

// Options say which browser is used, and what it may do.
type Options struct {
	Client    *webclient.Client // its rules are those of the browser
	Path      string            // of the browser; "": the one that is found
	URL       string            // of a browser that runs already, http or ws; "": one is started
	NoSandbox bool              // as root a browser starts only without its sandbox
	Scripts   bool              // the action executeJavascript is done
	MaxPages  int               // at a time
	Idle      time.Duration     // after which the browser is ended
	Logger    *slog.Logger      // nil: nothing is logged

	limits limits
}

// limits are what a page may take. Those of tests are smaller.
type limits struct {
	// quiet is how long a loaded page may take until it loads nothing for half a second.
	quiet time.Duration
	// load is how long a page may take to load what belongs to it. Then it is taken as it is, if its
	// document is there.
	load time.Duration
	// appear is how long an element that an action is for may take to appear.
	appear time.Duration
	// chars is how many UTF-16 units of a page are read, and nodes how many nodes.
	chars, nodes int
	// height is how much of a page is shown by a screenshot of all of it, in pixels.
	height float64
}

// A Browser is the strategy. It is safe for concurrent use.
type Browser struct {
	options Options
	places  *fairqueue.Turns // one for each page

	mu      sync.Mutex // guards all fields below
	engine  *engine    // nil: none runs
	timer   *time.Timer
	closed  bool
	pending sync.WaitGroup // fetches, and the end of engines
}

// New returns a strategy. Nothing is started until the first page.
func New(o Options) *Browser {
	o.MaxPages = cmp.Or(max(0, o.MaxPages), DefaultMaxPages)
	o.Idle = cmp.Or(max(0, o.Idle), DefaultIdle)
	if o.limits == (limits{}) {
		o.limits = limits{load: 20 * time.Second, quiet: 4 * time.Second, appear: 5 * time.Second, chars: 6 << 20, nodes: 300_000, height: 12_000}
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return &Browser{options: o, places: fairqueue.New(o.MaxPages, maxQueued)}
}

var _ fetch.Strategy = (*Browser)(nil)

// Name returns "browser".
func (b *Browser) Name() string { return fetch.BrowserName }

// Refuses returns why a request cannot be served.
func (b *Browser) Refuses(r *fetch.Request) string {
	if r.Proxy == fetch.StealthProxy {
		return `proxy "stealth" needs a service: set FIRECRAWL_API_KEY`
	}
	if len(r.Formats) > 0 {
		return "the format " + r.Formats[0] + " needs a service: set FIRECRAWL_API_KEY"
	}
	for _, a := range r.Actions {
		if a.Type == fetch.ActScript && !b.options.Scripts {
			return "the action executeJavascript is off: start the server with --browser-scripts"
		}
	}
	return ""
}

// errClosed is that of a fetch after [Browser.Close].
var errClosed = errors.New("the server ends")

// Check reports what can be known to be wrong with the options without starting anything.
func (b *Browser) Check() error {
	if b.options.URL != "" {
		_, err := parseURL(b.options.URL)
		return err
	}
	_, err := locate(b.options.Path, b.options.NoSandbox)
	return err
}

// Fetch renders a page.
func (b *Browser) Fetch(ctx context.Context, r *fetch.Request) (*fetch.Answer, error) {
	if why := b.Refuses(r); why != "" {
		return nil, errors.New(why)
	}
	if err := checkHeader(r.Header); err != nil {
		return nil, err
	}
	if err := b.options.Client.Check(r.URL); err != nil {
		return nil, err
	}
	if err := checkKeys(r.Actions); err != nil {
		return nil, err
	}
	timeout := cmp.Or(r.Timeout, webclient.DefaultTimeout)
	ctx, cancel := context.WithTimeoutCause(ctx, timeout, fmt.Errorf("%s: is not rendered within %v", r.URL.Redacted(), timeout))
	defer cancel()
	done, err := b.places.Wait(ctx, fairqueue.Ask{Caller: r.Caller, Only: r.Caller == ""})
	if err != nil {
		return nil, err
	}
	defer done()
	e, err := b.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer b.leave(e)
	a, err := e.fetch(ctx, r)
	if err != nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return a, err
}

// reserved are header fields that are not the caller's: the browser's and the connection's.
var reserved = []string{"Host", "Content-Length", "Connection", "Keep-Alive", "Te", "Trailer", "Transfer-Encoding", "Upgrade", "Accept-Encoding"}

func checkHeader(h http.Header) error {
	for _, name := range reserved {
		for given := range h {
			if textproto.CanonicalMIMEHeaderKey(given) == name {
				return fmt.Errorf("the header field %s is the browser's own: leave it out", name)
			}
		}
	}
	return nil
}

// enter returns an engine that runs. The caller calls leave.
func (b *Browser) enter(ctx context.Context) (*engine, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return nil, errClosed
	}
	if b.timer != nil {
		b.timer.Stop()
		b.timer = nil
	}
	if b.engine != nil && b.engine.dead() {
		b.drop()
	}
	if b.engine == nil {
		b.engine = newEngine(b.options)
		b.pending.Go(b.engine.begin)
	}
	e := b.engine
	e.users++
	b.pending.Add(1)
	b.mu.Unlock()
	defer b.mu.Lock()
	select {
	case <-e.ready:
		if e.err != nil {
			go b.leave(e) // which waits for mu
			return nil, e.err
		}
		return e, nil
	case <-ctx.Done():
		go b.leave(e)
		return nil, context.Cause(ctx)
	}
}

// leave says that a page is done.
func (b *Browser) leave(e *engine) {
	defer b.pending.Done()
	b.mu.Lock()
	defer b.mu.Unlock()
	e.users--
	if b.engine != e {
		if e.users == 0 {
			b.pending.Go(e.end)
		}
		return
	}
	if e.dead() {
		b.drop()
		return
	}
	if e.users == 0 && !b.closed {
		b.timer = time.AfterFunc(b.options.Idle, func() {
			b.mu.Lock()
			defer b.mu.Unlock()
			if b.engine == e && e.users == 0 && !b.closed {
				b.options.Logger.Debug("the browser ends: it has had nothing to do")
				b.drop()
			}
		})
	}
}

// drop forgets the engine, and ends it unless it has users: the last one does. b.mu is held.
func (b *Browser) drop() {
	e := b.engine
	b.engine = nil
	if e.users == 0 {
		b.pending.Go(e.end)
	}
}

// Close ends the browser and waits for it. Pages that are being rendered fail.
func (b *Browser) Close() error {
	b.mu.Lock()
	b.closed = true
	e := b.engine
	b.engine = nil
	if b.timer != nil {
		b.timer.Stop()
	}
	if e != nil {
		e.cancel(errClosed)
		if e.users == 0 {
			b.pending.Go(e.end)
		}
	}
	b.mu.Unlock()
	b.pending.Wait()
	return nil
}
