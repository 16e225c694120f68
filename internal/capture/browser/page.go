package browser

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"sync"
	"time"

	cdpbrowser "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/emulation"
	cdpfetch "github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/cdproto/network"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/target"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/fetch"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/webclient"
)

const width, height = 1280, 1024

// A page is a tab of the browser in a separate context.
type page struct {
	engine  *engine
	request *fetch.Request
	proxy   *webclient.Proxy
	context cdp.BrowserContextID
	target  target.ID
	session *session
	ctx     context.Context // ends with the page
	cancel  context.CancelCauseFunc
	work    sync.WaitGroup // see begin

	mu      sync.Mutex // guards all fields below
	closed  bool
	changed chan struct{} // closed and replaced when a field below changes
	err     error
	frame   cdp.FrameID
	loader  cdp.LoaderID // of the document in the main frame
	blank   cdp.LoaderID // of the empty document at the beginning
	// events of that document: "DOMContentLoaded", "load", "networkIdle"
	reached    map[string]bool
	loading    bool
	stopped    bool // loading ended, possibly with an incomplete document
	document   *document
	secrecy    webclient.Secrecy // of all main documents, with redirects
	visits     int
	leftOrigin bool
	away       map[network.RequestID]bool
	logins     int                    // how often the proxy asked for its password
	done       func()                 // ends the turn of the main document's request
	frames     map[target.ID]*session // frames in other processes
}

// A document is the answer to the request for a main document.
type document struct {
	url     *url.URL
	request network.RequestID
	size    int64 // decompressed bytes so far
}

func (e *engine) open(ctx context.Context, r *fetch.Request) (*page, error) {
	var blocks func(host string) bool
	if r.BlockAds {
		blocks = blocker(r.URL.Hostname())
	}
	p := &page{engine: e, request: r, changed: make(chan struct{}), reached: make(map[string]bool), frames: make(map[target.ID]*session)}
	p.ctx, p.cancel = context.WithCancelCause(ctx)
	var err error
	if p.proxy, err = e.options.Client.NewProxy(blocks); err != nil {
		return nil, err
	}
	made, err := cdp.Call(ctx, e.root, target.CreateBrowserContext, target.CreateBrowserContextParams{
		DisposeOnDetach: new(true), ProxyServer: "http://" + p.proxy.Addr(), ProxyBypassList: "<-loopback>",
	})
	if err != nil {
		p.proxy.Close()
		return nil, err
	}
	p.context = made.BrowserContextID
	e.mu.Lock()
	e.pages[p.context] = p
	e.mu.Unlock()
	if err := p.prepare(ctx); err != nil {
		p.close()
		return nil, err
	}
	return p, nil
}

// prepare opens the tab and restricts it.
func (p *page) prepare(ctx context.Context) error {
	e := p.engine
	if err := do(ctx, e.root, cdpbrowser.SetDownloadBehavior, cdpbrowser.SetDownloadBehaviorParams{
		Behavior: cdpbrowser.SetDownloadBehaviorBehaviorDeny, BrowserContextID: p.context,
	}); err != nil {
		return err
	}
	tab, err := cdp.Call(ctx, e.root, target.CreateTarget, target.CreateTargetParams{
		URL: "about:blank", Width: width, Height: height, BrowserContextID: p.context, NewWindow: new(true),
	})
	if err != nil {
		return err
	}
	e.mu.Lock()
	p.target = tab.TargetID
	e.mu.Unlock()
	attached, err := cdp.Call(ctx, e.root, target.AttachToTarget, target.AttachToTargetParams{TargetID: tab.TargetID, Flatten: new(true)})
	if err != nil {
		return err
	}
	p.session = e.conn.open(attached.SessionID, p.event)
	patterns := []*cdpfetch.RequestPattern{{URLPattern: "*", ResourceType: network.ResourceTypeDocument}}
	if len(p.request.Header) > 0 {
		patterns = append(patterns, &cdpfetch.RequestPattern{URLPattern: "*"})
	}
	for _, err := range []error{
		do(ctx, p.session, cdppage.Enable, cdppage.EnableParams{}),
		do(ctx, p.session, cdppage.SetLifecycleEventsEnabled, cdppage.SetLifecycleEventsEnabledParams{Enabled: true}),
		do(ctx, p.session, cdpfetch.Enable, cdpfetch.EnableParams{Patterns: patterns, HandleAuthRequests: new(true)}),
		do(ctx, p.session, emulation.SetUserAgentOverride, emulation.SetUserAgentOverrideParams{UserAgent: e.agent}),
		do(ctx, p.session, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: width, Height: height, DeviceScaleFactor: 1}),
		do(ctx, p.session, network.Enable, network.EnableParams{}),
		do(ctx, p.session, network.SetBypassServiceWorker, network.SetBypassServiceWorkerParams{Bypass: true}),
		do(ctx, p.session, dom.Enable, dom.EnableParams{}),
		do(ctx, p.session, target.SetAutoAttach, autoAttach()),
	} {
		if err != nil {
			return err
		}
	}
	tree, err := cdp.Call(ctx, p.session, cdppage.GetFrameTree, cdp.Empty{})
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.frame, p.loader, p.blank = tree.FrameTree.Frame.ID, tree.FrameTree.Frame.LoaderID, tree.FrameTree.Frame.LoaderID
	return nil
}

func (p *page) close() {
	p.cancel(errors.New("the page is closed"))
	e := p.engine
	e.mu.Lock()
	delete(e.pages, p.context)
	e.mu.Unlock()
	ctx, cancel := context.WithTimeoutCause(context.Background(), closeTime, fmt.Errorf("the browser does not close a page within %v", closeTime))
	defer cancel()
	err := do(ctx, e.root, target.DisposeBrowserContext, target.DisposeBrowserContextParams{BrowserContextID: p.context})
	if err != nil && e.ctx.Err() == nil && ctx.Err() != nil {
		e.fail(err)
	}
	p.proxy.Close()
	p.mu.Lock()
	p.closed = true
	p.mu.Unlock()
	p.work.Wait()
	p.endTurn()
	p.mu.Lock()
	frames := p.frames
	p.frames = nil
	p.mu.Unlock()
	if p.session != nil {
		e.conn.forget(p.session.id)
	}
	for _, f := range frames {
		e.conn.forget(f.id)
	}
}

// name returns the URL of the page for a message.
func (p *page) name() string { return p.request.URL.Redacted() }

// fail records why the page has failed. The first reason counts.
func (p *page) fail(err error) {
	p.change(func() { p.err = cmp.Or(p.err, err) })
}

// change changes the state of the page, and wakes all goroutines that wait for a change.
func (p *page) change(f func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	f()
	close(p.changed)
	p.changed = make(chan struct{})
}

// pause waits for a time, or until the page fails.
func (p *page) pause(ctx context.Context, d time.Duration) error {
	_, err := p.until(ctx, d, func() bool { return false })
	return err
}

// until waits until wanted returns true, at most for a time. It returns the error of the page or the cause of ctx.
func (p *page) until(ctx context.Context, most time.Duration, wanted func() bool) (bool, error) {
	timer := time.NewTimer(most)
	defer timer.Stop()
	for {
		p.mu.Lock()
		ok, err, changed := wanted(), p.err, p.changed
		p.mu.Unlock()
		if err != nil || ok {
			return ok, err
		}
		select {
		case <-changed:
		case <-timer.C:
			return false, nil
		case <-ctx.Done():
			return false, context.Cause(ctx)
		}
	}
}

// event handles events of the browser about the page.
func (p *page) event(s *session, method string, params jsonv2.Value) {
	switch method {
	case cdpfetch.RequestPaused.Method:
		onEvent(cdpfetch.RequestPaused, params, p.paused)
	case cdpfetch.AuthRequired.Method:
		onEvent(cdpfetch.AuthRequired, params, p.login)
	case network.DataReceived.Method:
		onEvent(network.DataReceived, params, p.received)
	case cdppage.LifecycleEvent.Method:
		onEvent(cdppage.LifecycleEvent, params, p.lifecycle)
	case cdppage.FrameStartedLoading.Method:
		onEvent(cdppage.FrameStartedLoading, params, func(ev cdppage.EventFrameStartedLoading) {
			p.change(func() { p.loading = p.loading || ev.FrameID == p.frame })
		})
	case cdppage.FrameStoppedLoading.Method:
		onEvent(cdppage.FrameStoppedLoading, params, func(ev cdppage.EventFrameStoppedLoading) {
			p.change(func() {
				if ev.FrameID == p.frame {
					p.loading, p.stopped = false, len(p.reached) > 0
				}
			})
		})
	case cdppage.JavascriptDialogOpening.Method:
		post(s, cdppage.HandleJavaScriptDialog, cdppage.HandleJavaScriptDialogParams{Accept: false})
	case target.AttachedToTarget.Method:
		onEvent(target.AttachedToTarget, params, func(ev target.EventAttachedToTarget) { p.attached(s, ev) })
	case target.DetachedFromTarget.Method:
		onEvent(target.DetachedFromTarget, params, func(ev target.EventDetachedFromTarget) { p.detached(s, ev) })
	}
}

func (p *page) lifecycle(ev cdppage.EventLifecycleEvent) {
	p.change(func() {
		if ev.FrameID != p.frame {
			return
		}
		if ev.LoaderID != p.loader {
			p.loader, p.reached, p.stopped = ev.LoaderID, make(map[string]bool), false
		}
		p.reached[ev.Name] = true
	})
}

func autoAttach() target.SetAutoAttachParams {
	a := target.SetAutoAttachParams{AutoAttach: true, Flatten: new(true)}
	a.Filter = append(a.Filter, struct {
		Exclude bool   `json:"exclude"`
		Type    string `json:"type,omitempty,omitzero"`
	}{Type: "iframe"})
	return a
}

// shows reports whether a target is the page or one of its frames. The caller holds e.mu.
func (p *page) shows(id target.ID) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.target == id || p.frames[id] != nil
}

// attached adds a frame that another process renders, unless there are too many.
func (p *page) attached(s *session, ev target.EventAttachedToTarget) {
	if ev.TargetInfo == nil {
		return
	}
	p.mu.Lock()
	full := len(p.frames) >= maxFrames
	p.mu.Unlock()
	if full || ev.TargetInfo.Type != "iframe" {
		post(s, target.DetachFromTarget, target.DetachFromTargetParams{SessionID: ev.SessionID})
		return
	}
	child := s.conn.open(ev.SessionID, p.event)
	post(child, cdppage.Enable, cdppage.EnableParams{})
	post(child, dom.Enable, dom.EnableParams{})
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.frames != nil {
		p.frames[ev.TargetInfo.TargetID] = child
	}
}

// detached removes a frame.
func (p *page) detached(s *session, ev target.EventDetachedFromTarget) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for id, f := range p.frames {
		if f.id == ev.SessionID {
			delete(p.frames, id)
		}
	}
	s.conn.forget(ev.SessionID)
}
