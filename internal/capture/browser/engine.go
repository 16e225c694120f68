package browser

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"time"

	cdpbrowser "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/target"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/fetch"
)

// An engine is a running browser.
type engine struct {
	options Options
	ctx     context.Context // ends with the strategy
	cancel  context.CancelCauseFunc
	ready   chan struct{} // closed when all other fields of this block are set
	err     error         // why it does not run
	conn    *conn
	root    *session
	process *process // nil: it could not be started
	agent   string   // the value of User-Agent

	users int // guarded by Browser.mu

	watch sync.WaitGroup // of watchMemory

	mu    sync.Mutex // guards all fields below
	pages map[cdp.BrowserContextID]*page
	full  time.Time // when the browser last used more than 3/4 of its memory bound
}

func newEngine(o Options) *engine {
	e := &engine{options: o, ready: make(chan struct{}), pages: make(map[cdp.BrowserContextID]*page)}
	e.ctx, e.cancel = context.WithCancelCause(context.Background())
	return e
}

// begin starts the browser.
func (e *engine) begin() {
	defer close(e.ready)
	ctx, cancel := context.WithTimeoutCause(e.ctx, startTime, fmt.Errorf("the browser does not answer within %v of its start", startTime))
	defer cancel()
	if e.err = e.start(ctx); e.err != nil {
		e.options.Logger.Warn("no browser is available", "error", e.err)
	}
}

func (e *engine) start(ctx context.Context) error {
	begin := time.Now()
	var p *pipe
	var err error
	if e.process, p, err = start(e.options); err != nil {
		return err
	}
	e.watch.Go(e.watchMemory)
	e.conn, e.root = newConn(p, e.event)
	version, err := cdp.Call(ctx, e.root, cdpbrowser.GetVersion, cdp.Empty{})
	if err != nil {
		return e.startError(ctx, err)
	}
	e.agent = strings.ReplaceAll(version.UserAgent, "Headless", "") + " " + e.options.Client.Agent()
	if err := do(ctx, e.root, target.SetDiscoverTargets, target.SetDiscoverTargetsParams{Discover: true}); err != nil {
		return fmt.Errorf("the browser: %w", err)
	}
	e.options.Logger.Debug("the browser runs", "version", version.Product, "after", time.Since(begin).Round(time.Millisecond))
	return nil
}

// startError returns why a browser that was started does not answer.
func (e *engine) startError(ctx context.Context, err error) error {
	if ctx.Err() != nil {
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
	if message == "" {
		message = fmt.Sprint(e.process.err)
	}
	return fmt.Errorf("the browser does not start: %s", message)
}

// dead reports whether the engine can serve no more pages.
func (e *engine) dead() bool {
	select {
	case <-e.ready:
	default:
		return false
	}
	if e.err != nil || e.ctx.Err() != nil {
		return true
	}
	select {
	case <-e.conn.ended:
		return true
	default:
		return false
	}
}

// fail kills a browser that no longer does what it is asked to. Its pages fail.
func (e *engine) fail(err error) {
	e.options.Logger.Warn("the browser is killed", "error", err)
	e.conn.end(err)
	kill(e.process.cmd)
}

// end ends the browser, and waits for it. It has no users.
func (e *engine) end() {
	e.cancel(errClosed)
	<-e.ready
	if e.process != nil {
		e.conn.end(errClosed)
		e.process.stop()
		e.watch.Wait()
	}
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
		return nil, e.reason(err)
	}
	defer p.close()
	a, err := p.fetch(ctx)
	if err != nil {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return nil, e.reason(err)
	}
	return a, nil
}

// reason replaces an error of the connection by one for users.
func (e *engine) reason(err error) error {
	if errors.Is(err, net.ErrClosed) {
		return errClosed
	}
	return err
}
