// Package browser is the strategy "browser" of package fetch: it renders a page in a Chromium on this computer, and
// returns the resulting document.
//
// [Browser.Fetch] does this:
//
//  1. It waits for a place: [Options.MaxPages] pages are open at a time. Callers share the places by the rules of
//     package fairqueue. All pages are in one browser, which starts with the first page and ends after five
//     minutes without pages. After a crash the next page starts another browser. The browser is found on this computer, or is
//     [Options.Path].
//  2. It opens a page in a separate context: without cookies, storage or cache of other pages. Everything that the
//     context loads goes through its own [webclient.Proxy], which checks and bounds each connection, and blocks
//     advertisement hosts.
//  3. The main document passes [webclient.Client.Admit] for each redirect and each navigation by scripts. Its status
//     must be a success. Headers of the caller are added to requests of the main frame to the origin of the URL,
//     until the page leaves that origin. A document that is not HTML is fetched as [fetch.Native] does it.
//  4. When the page is loaded and its network is quiet, or after a time limit, it waits for [fetch.Request.WaitFor]
//     and performs the actions.
//  5. It reads the page in an isolated world, which scripts of the page cannot change: the elements with open shadow
//     roots and visible frames in their places, without scripts and styles, within bounds.
//
// Downloads, dialogs, other windows, permissions and service workers are refused. The browser
// is controlled through a pipe, to which no other program can connect. Its sandbox is on; it resolves no names, uses
// neither QUIC nor UDP, and makes no requests of its own. It ends with this process, even if that is killed; then, or
// at the next start, its files are removed. [conn] implements the protocol, and stores nothing that a page sends
// unasked.
//
// A page is ended if its decompressed document is too large. If all processes of the browser together use too much
// memory, the page with the largest process is ended: see watchMemory. On Windows, the system bounds the memory of the
// processes instead: see bound.
package browser

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/fairqueue"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/fetch"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/webclient"
)

// DefaultMaxPages is the default of [Options.MaxPages].
const DefaultMaxPages = 3

const (
	// idleTime is the time without pages after which the browser ends.
	idleTime = 5 * time.Minute
	// maxQueued is how many requests may wait for a place.
	maxQueued = 400
	// startTime is how long a browser may take to answer after its start.
	startTime = 45 * time.Second
	// closeTime is how long closing a page may take. A browser that takes longer is killed.
	closeTime = 10 * time.Second
)

// Options say which browser is used and what it may do.
type Options struct {
	Client    *webclient.Client // its rules apply to the browser too
	Path      string            // of the browser; "": it is searched for
	NoSandbox bool              // needed to start a browser as root
	Scripts   bool              // the action executeJavascript is allowed
	MaxPages  int               // open at a time
	Logger    *slog.Logger      // nil: nothing is logged

	limits limits
}

// limits bound a page. Tests use smaller ones.
type limits struct {
	// quiet is how long to wait until a loaded page loads nothing for half a second.
	quiet time.Duration
	// load is how long a page may take to load. Then it is used as it is, if its document has arrived.
	load time.Duration
	// appear is how long to wait for the element of an action.
	appear time.Duration
	// chars and nodes bound how much of a page is read: UTF-16 units, and nodes.
	chars, nodes int
}

// A Browser is the strategy. It is safe for concurrent use.
type Browser struct {
	options Options
	places  *fairqueue.Turns // one for each page

	mu      sync.Mutex // guards all fields below
	engine  *engine    // nil: not running
	timer   *time.Timer
	closed  bool
	pending sync.WaitGroup // fetches, and engines that are ending
}

// New returns a strategy. It starts no browser before the first page.
func New(o Options) *Browser {
	o.MaxPages = cmp.Or(max(0, o.MaxPages), DefaultMaxPages)
	if o.limits == (limits{}) {
		o.limits = limits{load: 20 * time.Second, quiet: 4 * time.Second, appear: 5 * time.Second, chars: 6 << 20, nodes: 300_000}
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return &Browser{options: o, places: fairqueue.New(o.MaxPages, maxQueued)}
}

var _ fetch.Strategy = (*Browser)(nil)

// Name returns "browser".
func (b *Browser) Name() string { return fetch.BrowserName }

// Refuses implements [fetch.Strategy].
func (b *Browser) Refuses(r *fetch.Request) string {
	if reason := r.NeedsService(); reason != "" {
		return reason
	}
	for _, a := range r.Actions {
		if a.Type == fetch.ActScript && !b.options.Scripts {
			return "the action executeJavascript is off: start the server with --browser-scripts"
		}
	}
	return ""
}

// errClosed is the error of a fetch after [Browser.Close].
var errClosed = errors.New("the server ends")

// Check reports errors in the options that can be found without starting a browser.
func (b *Browser) Check() error {
	_, err := locate(b.options.Path, b.options.NoSandbox)
	return err
}

// Fetch renders a page.
func (b *Browser) Fetch(ctx context.Context, r *fetch.Request) (*fetch.Answer, error) {
	if reason := b.Refuses(r); reason != "" {
		return nil, errors.New(reason)
	}
	if err := b.options.Client.Check(r.URL); err != nil {
		return nil, err
	}
	timeout := cmp.Or(r.Timeout, webclient.DefaultTimeout)
	ctx, cancel := context.WithTimeoutCause(ctx, timeout, fmt.Errorf("%s: is not rendered within %v", r.URL.Redacted(), timeout))
	defer cancel()
	done, err := b.places.Wait(ctx, fairqueue.Ask{Caller: r.Caller, Unshared: r.Caller == ""})
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
	switch {
	case err == nil:
		return a, nil
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case err == errFile && len(r.Actions) == 0 && !r.Screenshot:
		return (&fetch.Native{Client: b.options.Client}).Fetch(ctx, r)
	case err == errFile:
		return nil, fmt.Errorf("%s: %w: it has neither actions nor screenshots", r.URL.Redacted(), err)
	}
	return nil, err
}

// enter returns a running engine. The caller calls leave.
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
			go b.leave(e) // it waits for mu
			return nil, e.err
		}
		return e, nil
	case <-ctx.Done():
		go b.leave(e)
		return nil, context.Cause(ctx)
	}
}

// leave records that a page is finished.
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
		b.timer = time.AfterFunc(idleTime, func() {
			b.mu.Lock()
			defer b.mu.Unlock()
			if b.engine == e && e.users == 0 && !b.closed {
				b.options.Logger.Debug("the browser ends, since it had no pages")
				b.drop()
			}
		})
	}
}

// drop removes the engine, and ends it unless it has users: then the last user ends it. The caller holds b.mu.
func (b *Browser) drop() {
	e := b.engine
	b.engine = nil
	if e.users == 0 {
		b.pending.Go(e.end)
	}
}

// Close ends the browser and waits for its end. Pages that are being rendered fail.
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
