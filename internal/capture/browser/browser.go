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
	"strings"
	"sync"
	"time"

	cdpbrowser "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/target"

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
	Client    *webclient.Client
	Path      string
	NoSandbox bool // needed to start a browser as root
	Scripts   bool
	MaxPages  int
	Logger    *slog.Logger // nil: nothing is logged

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
	ctx     context.Context  // ends with Close
	cancel  context.CancelCauseFunc
	engines sync.WaitGroup

	mu     sync.Mutex // guards engine, and the users of all engines
	left   sync.Cond  // signaled when an engine has no more users
	engine *engine
}

// New returns a strategy. It starts no browser before the first page.
func New(o Options) *Browser {
	o.MaxPages = cmp.Or(max(0, o.MaxPages), DefaultMaxPages)
	if o.limits == (limits{}) {
		o.limits = limits{load: 20 * time.Second, quiet: 4 * time.Second, appear: 5 * time.Second, chars: 6 << 20, nodes: 300_000}
	}
	o.Logger = cmp.Or(o.Logger, slog.New(slog.DiscardHandler))
	b := &Browser{options: o, places: fairqueue.New(o.MaxPages, maxQueued)}
	b.left.L = &b.mu
	b.ctx, b.cancel = context.WithCancelCause(context.Background())
	return b
}

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
	if b.ctx.Err() != nil {
		b.mu.Unlock()
		return nil, errClosed
	}
	if b.engine == nil || b.engine.ctx.Err() != nil {
		b.begin()
	}
	e := b.engine
	e.users++
	e.idle.Stop()
	b.mu.Unlock()
	select {
	case <-e.ready:
		if e.err == nil {
			return e, nil
		}
		b.leave(e)
		return nil, e.err
	case <-ctx.Done():
		b.leave(e)
		return nil, context.Cause(ctx)
	}
}

// begin starts an engine. The caller holds b.mu.
func (b *Browser) begin() {
	e := &engine{options: b.options, ready: make(chan struct{}), pages: make(map[cdp.BrowserContextID]*page)}
	e.ctx, e.end = context.WithCancelCause(b.ctx)
	e.idle = time.AfterFunc(idleTime, func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		if e.users == 0 {
			b.options.Logger.Debug("the browser ends, since it had no pages")
			e.end(errClosed)
		}
	})
	b.engine = e
	b.engines.Go(func() {
		if e.err = e.start(); e.err != nil {
			e.options.Logger.Warn("no browser is available", "error", e.err)
			e.end(e.err)
		}
		close(e.ready)
		<-e.ctx.Done()
		e.idle.Stop()
		b.mu.Lock()
		for e.users > 0 { // nobody enters an engine that has ended
			b.left.Wait()
		}
		b.mu.Unlock()
		if e.process != nil {
			e.process.stop()
			e.watch.Wait()
		}
	})
}

// leave records that a page is finished.
func (b *Browser) leave(e *engine) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if e.users--; e.users == 0 {
		if b.left.Broadcast(); e.ctx.Err() == nil {
			e.idle.Reset(idleTime)
		}
	}
}

// Close ends the browser and waits for its end. Pages that are being rendered fail.
func (b *Browser) Close() {
	b.mu.Lock()
	b.cancel(errClosed)
	b.mu.Unlock()
	b.engines.Wait()
}

// An engine is a running browser.
type engine struct {
	options Options
	ctx     context.Context // ends with the browser, or because it does not start
	end     context.CancelCauseFunc
	ready   chan struct{} // closed when all other fields of this block are set
	err     error
	conn    *conn
	root    *session
	process *process
	agent   string

	users int         // guarded by Browser.mu
	idle  *time.Timer // ends an engine without users
	watch sync.WaitGroup

	mu    sync.Mutex // guards all fields below
	pages map[cdp.BrowserContextID]*page
	full  time.Time // when it last used more than 3/4 of its memory bound
}

func (e *engine) start() error {
	begin := time.Now()
	ctx, cancel := context.WithTimeoutCause(e.ctx, startTime, fmt.Errorf("the browser does not answer within %v of its start", startTime))
	defer cancel()
	var p *pipe
	var err error
	if e.process, p, err = start(e.options); err != nil {
		return err
	}
	e.watch.Go(e.watchMemory)
	e.conn, e.root = newConn(e.ctx, e.end, p, e.event)
	version, err := cdp.Call(ctx, e.root, cdpbrowser.GetVersion, cdp.Empty{})
	if err != nil {
		return e.startError(err)
	}
	e.agent = strings.ReplaceAll(version.UserAgent, "Headless", "") + " " + e.options.Client.Agent()
	if err := do(ctx, e.root, target.SetDiscoverTargets, target.SetDiscoverTargetsParams{Discover: true}); err != nil {
		return fmt.Errorf("the browser: %w", err)
	}
	e.options.Logger.Debug("the browser runs", "version", version.Product, "after", time.Since(begin).Round(time.Millisecond))
	return nil
}

// startError returns why a browser that was started does not answer.
func (e *engine) startError(err error) error {
	if errors.Is(err, errClosed) {
		return err
	}
	select {
	case <-e.process.exited:
	case <-time.After(2 * time.Second):
		return err
	}
	message := e.process.output.reason()
	if strings.Contains(message, "sandbox") || strings.Contains(message, "namespace") {
		return fmt.Errorf("the browser does not start, since it gets no sandbox here: allow user namespaces, or pass --browser-no-sandbox if every page may do what this user may; it says: %s", message)
	}
	message = cmp.Or(message, fmt.Sprint(e.process.err))
	return fmt.Errorf("the browser does not start: %s", message)
}

// fail kills a browser that no longer does what it is asked to. Its pages fail.
func (e *engine) fail(err error) {
	e.options.Logger.Warn("the browser is killed", "error", err)
	e.end(err)
	kill(e.process.cmd)
}

// event handles events of the browser about all pages.
func (e *engine) event(s *session, method string, params jsonv2.Value) {
	switch method {
	case target.TargetCreated.Method:
		onEvent(target.TargetCreated, params, func(ev target.EventTargetCreated) { e.created(s, ev.TargetInfo) })
	case target.TargetCrashed.Method:
		onEvent(target.TargetCrashed, params, func(ev target.EventTargetCrashed) {
			e.mu.Lock()
			defer e.mu.Unlock()
			for _, p := range e.pages {
				if p.shows(ev.TargetID) {
					p.fail(e.crash(p))
				}
			}
		})
	}
}

// created closes windows that a page opens.
func (e *engine) created(s *session, info *target.Info) {
	if info == nil {
		return
	}
	e.mu.Lock()
	p := e.pages[info.BrowserContextID]
	e.mu.Unlock()
	if p == nil || info.Type != "page" || info.OpenerID == "" {
		return
	}
	post(s, target.CloseTarget, target.CloseTargetParams{TargetID: info.TargetID})
}

// fetch renders a page in a separate context.
func (e *engine) fetch(ctx context.Context, r *fetch.Request) (*fetch.Answer, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(e.ctx, func() { cancel(context.Cause(e.ctx)) })()
	p, err := e.open(ctx, r)
	if err != nil {
		return nil, err
	}
	defer p.close()
	a, err := p.fetch(ctx)
	if err != nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return a, err
}
