package browser

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
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
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"

	"github.com/mcp-docs-server/mcp-docs-server/internal/fetch"
	"github.com/mcp-docs-server/mcp-docs-server/internal/outbound"
)

const (
	width, height = 1280, 1024 // of a screen, in pixels

	// settleTime is how long an action may take to lead to another page.
	settleTime = 150 * time.Millisecond
)

// A page is a tab of the browser in a context of its own.
type page struct {
	engine  *engine
	request *fetch.Request
	proxy   *outbound.Proxy
	context cdp.BrowserContextID
	target  target.ID
	session *session
	ctx     context.Context // of what is asked for the page; ends with it
	cancel  context.CancelCauseFunc
	work    sync.WaitGroup // goroutines of events, see begin

	mu       sync.Mutex                 // guards all fields below
	closed   bool                       // no goroutine begins
	changed  chan struct{}              // closed and replaced when something below changes
	err      error                      // the page cannot go on
	frame    cdp.FrameID                // the main one
	own      bool                       // the page is one of this package, for which nobody is asked
	loader   cdp.LoaderID               // of the document in it
	blank    cdp.LoaderID               // of the empty one, with which it began
	reached  map[string]bool            // what happened to that document: "DOMContentLoaded", "load", "networkIdle"
	loading  bool                       // the main frame is on its way to another document
	stopped  bool                       // it was, and the document in it is all that there is
	document *document                  // the last one that answered
	visits   int                        // requests for main documents
	left     bool                       // the page has left the origin of the URL
	away     map[network.RequestID]bool // requests that were redirected to other origins
	logins   int                        // times that the proxy wanted its password
	done     func()                     // ends the turn of the request for the main document
	frames   map[target.ID]*childPage   // frames of other processes
}

// A childPage is a frame that another process of the browser shows.
type childPage struct {
	session *session
	parent  cdp.FrameID
}

// A document is the answer to the request for a main document.
type document struct {
	url         *url.URL
	contentType string
	header      http.Header
	body        []byte // of one that is not HTML
	whole       bool   // body is set
}

// open opens an empty page.
func (e *engine) open(ctx context.Context, r *fetch.Request) (_ *page, err error) {
	options := outbound.ProxyOptions{}
	if r.BlockAds {
		options.Blocked = blocker(r.URL.Hostname())
	}
	p, err := e.openWith(ctx, r, options)
	if err != nil {
		return nil, err
	}
	return p, nil
}

func (e *engine) openWith(ctx context.Context, r *fetch.Request, o outbound.ProxyOptions) (*page, error) {
	p := &page{engine: e, request: r, changed: make(chan struct{}), reached: make(map[string]bool), frames: make(map[target.ID]*childPage)}
	p.ctx, p.cancel = context.WithCancelCause(ctx)
	var err error
	if p.proxy, err = e.options.Client.NewProxy(o); err != nil {
		return nil, err
	}
	made, err := cdp.Call(ctx, e.root, target.CreateBrowserContext, target.CreateBrowserContextParams{
		DisposeOnDetach: ptr(true), ProxyServer: "http://" + p.proxy.Addr(), ProxyBypassList: e.bypass,
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

// prepare opens the tab and says what it may do.
func (p *page) prepare(ctx context.Context) error {
	e := p.engine
	if err := do(ctx, e.root, cdpbrowser.SetDownloadBehavior, cdpbrowser.SetDownloadBehaviorParams{
		Behavior: cdpbrowser.SetDownloadBehaviorBehaviorDeny, BrowserContextID: p.context,
	}); err != nil {
		return err
	}
	tab, err := cdp.Call(ctx, e.root, target.CreateTarget, target.CreateTargetParams{
		URL: "about:blank", Width: width, Height: height, BrowserContextID: p.context, NewWindow: ptr(true),
	})
	if err != nil {
		return err
	}
	p.setTarget(tab.TargetID)
	attached, err := cdp.Call(ctx, e.root, target.AttachToTarget, target.AttachToTargetParams{TargetID: tab.TargetID, Flatten: ptr(true)})
	if err != nil {
		return err
	}
	p.session = e.conn.open(attached.SessionID, p.event)
	patterns := []*cdpfetch.RequestPattern{{URLPattern: "*", ResourceType: network.ResourceTypeDocument}}
	if len(p.request.Header) > 0 {
		patterns = append(patterns, &cdpfetch.RequestPattern{URLPattern: "*"})
	}
	agent := emulation.SetUserAgentOverrideParams{UserAgent: e.agent}
	for i, language := range p.request.Languages {
		if i > 0 {
			agent.AcceptLanguage += ","
		}
		agent.AcceptLanguage += language
	}
	for _, err := range []error{
		do(ctx, p.session, cdppage.Enable, cdppage.EnableParams{}),
		do(ctx, p.session, cdppage.SetLifecycleEventsEnabled, cdppage.SetLifecycleEventsEnabledParams{Enabled: true}),
		do(ctx, p.session, cdpfetch.Enable, cdpfetch.EnableParams{Patterns: patterns, HandleAuthRequests: ptr(true)}),
		do(ctx, p.session, emulation.SetUserAgentOverride, agent),
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

func (p *page) setTarget(id target.ID) {
	p.engine.mu.Lock()
	defer p.engine.mu.Unlock()
	p.target = id
}

func autoAttach() target.SetAutoAttachParams {
	a := target.SetAutoAttachParams{AutoAttach: true, Flatten: ptr(true)}
	a.Filter = append(a.Filter, struct {
		Exclude bool   `json:"exclude"`
		Type    string `json:"type,omitempty,omitzero"`
	}{Type: "iframe"})
	return a
}

// close closes the page with its context.
func (p *page) close() {
	p.cancel(errors.New("the page is closed"))
	e := p.engine
	e.mu.Lock()
	delete(e.pages, p.context)
	e.mu.Unlock()
	ctx, cancel := context.WithTimeoutCause(context.Background(), closeTime, fmt.Errorf("the browser does not close a page within %v", closeTime))
	defer cancel()
	err := do(ctx, e.root, target.DisposeBrowserContext, target.DisposeBrowserContextParams{BrowserContextID: p.context})
	if err != nil && !e.dead() && ctx.Err() != nil {
		e.fail(err)
	}
	p.proxy.Close()
	p.mu.Lock()
	p.closed = true
	p.mu.Unlock()
	p.work.Wait()
	p.mu.Lock()
	if p.done != nil {
		p.done()
	}
	frames := p.frames
	p.frames = nil
	p.mu.Unlock()
	if p.session != nil {
		e.conn.forget(p.session.id)
	}
	for _, f := range frames {
		e.conn.forget(f.session.id)
	}
}

// name returns the URL of the page for a message.
func (p *page) name() string { return p.request.URL.Redacted() }

// fail says that the page cannot go on. The first reason counts.
func (p *page) fail(err error) {
	p.change(func() {
		if p.err == nil {
			p.err = err
		}
	})
}

// change changes the state of the page, and wakes who waits for it.
func (p *page) change(f func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	f()
	close(p.changed)
	p.changed = make(chan struct{})
}

// until waits until the state of the page is as wanted, for a time at most. It returns the error of
// the page, or of ctx.
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
		case <-p.engine.conn.ended:
			return false, p.engine.conn.err
		case <-ctx.Done():
			return false, context.Cause(ctx)
		}
	}
}

// event handles what the browser reports of the tab.
func (p *page) event(s *session, method string, params jsonv2.Value) {
	switch method {
	case cdpfetch.RequestPaused.Method:
		if ev, ok := decode(cdpfetch.RequestPaused, params); ok {
			p.paused(ev)
		}
	case cdpfetch.AuthRequired.Method:
		if ev, ok := decode(cdpfetch.AuthRequired, params); ok {
			p.login(ev)
		}
	case cdppage.LifecycleEvent.Method:
		if ev, ok := decode(cdppage.LifecycleEvent, params); ok {
			p.lifecycle(ev)
		}
	case cdppage.FrameStartedLoading.Method:
		if ev, ok := decode(cdppage.FrameStartedLoading, params); ok {
			p.change(func() { p.loading = p.loading || ev.FrameID == p.frame })
		}
	case cdppage.FrameStoppedLoading.Method:
		if ev, ok := decode(cdppage.FrameStoppedLoading, params); ok {
			p.change(func() {
				if ev.FrameID == p.frame {
					p.loading, p.stopped = false, len(p.reached) > 0
				}
			})
		}
	case cdppage.JavascriptDialogOpening.Method:
		post(s, cdppage.HandleJavaScriptDialog, cdppage.HandleJavaScriptDialogParams{Accept: false})
	case target.AttachedToTarget.Method, target.DetachedFromTarget.Method:
		p.child(s, method, params)
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

// child handles frames that other processes show.
func (p *page) child(s *session, method string, params jsonv2.Value) {
	if method == target.DetachedFromTarget.Method {
		if ev, ok := decode(target.DetachedFromTarget, params); ok {
			p.mu.Lock()
			defer p.mu.Unlock()
			for id, f := range p.frames {
				if f.session.id == ev.SessionID {
					delete(p.frames, id)
				}
			}
			s.conn.forget(ev.SessionID)
		}
		return
	}
	ev, ok := decode(target.AttachedToTarget, params)
	if !ok || ev.TargetInfo == nil {
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
	post(child, target.SetAutoAttach, autoAttach())
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.frames != nil {
		p.frames[ev.TargetInfo.TargetID] = &childPage{child, ev.TargetInfo.ParentFrameID}
	}
}

// fetch renders the page.
func (p *page) fetch(ctx context.Context) (*fetch.Answer, error) {
	navigated, err := cdp.Call(ctx, p.session, cdppage.Navigate, cdppage.NavigateParams{URL: p.request.URL.String()})
	if whole := p.wholeDocument(); whole != nil {
		return whole, nil
	}
	if err := p.failure(); err != nil {
		return nil, err
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", p.name(), err)
	}
	if navigated.ErrorText != "" {
		return nil, fmt.Errorf("%s: the browser cannot load it: %s", p.name(), navigated.ErrorText)
	}
	if err := p.load(ctx); err != nil {
		return nil, err
	}
	if err := sleep(ctx, p.request.WaitFor); err != nil {
		return nil, err
	}
	a := &fetch.Answer{Strategy: fetch.BrowserName}
	for i, action := range p.request.Actions {
		if err := p.act(ctx, a, action); err != nil {
			if failed := p.failure(); failed != nil {
				return nil, failed
			}
			if ctx.Err() != nil {
				return nil, err
			}
			return nil, fmt.Errorf("action %d, %s: %w", i+1, action.Type, err)
		}
	}
	if err := p.load(ctx); err != nil {
		return nil, err
	}
	if p.request.Screenshot {
		if err := p.screenshot(ctx, a, "", p.request.FullPage); err != nil {
			return nil, err
		}
	}
	return a, p.answer(ctx, a)
}

// failure returns why the page cannot go on, or nil.
func (p *page) failure() error {
	p.mu.Lock()
	err, document := p.err, p.document
	p.mu.Unlock()
	if err == nil {
		err = p.proxy.Err(p.request.URL)
		if err != nil && document != nil && !errors.Is(err, outbound.ErrExhausted) {
			err = nil // something else of the host failed
		}
	}
	return err
}

// load waits until the page is loaded and quiet, or has had its time.
func (p *page) load(ctx context.Context) error {
	_, err := p.until(ctx, share(ctx, p.engine.options.limits.load), func() bool { return p.at("load") && !p.loading })
	if err != nil {
		return err
	}
	if there, err := p.until(ctx, 0, func() bool { return p.at("DOMContentLoaded") }); err != nil || !there {
		if err == nil {
			err = p.failure()
		}
		if err == nil {
			err = fmt.Errorf("%s: its document is not there in time", p.name())
		}
		return err
	}
	_, err = p.until(ctx, share(ctx, p.engine.options.limits.quiet), func() bool { return p.reached["networkIdle"] && !p.loading })
	return err
}

// at reports whether the document is as far as that. p.mu is held.
func (p *page) at(what string) bool {
	return p.loader != p.blank && (p.reached[what] || p.stopped)
}

// share returns a time, or half of what is left of a context.
func share(ctx context.Context, most time.Duration) time.Duration {
	if deadline, ok := ctx.Deadline(); ok {
		most = min(most, time.Until(deadline)/2)
	}
	return max(0, most)
}

func sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return nil
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

// world returns the world of a frame in which scripts of this package run. Those of the page see
// nothing of it.
func world(ctx context.Context, s *session, frame cdp.FrameID) (runtime.ExecutionContextID, error) {
	made, err := cdp.Call(ctx, s, cdppage.CreateIsolatedWorld, cdppage.CreateIsolatedWorldParams{FrameID: frame, WorldName: "mcp-docs-server"})
	return made.ExecutionContextID, err
}

// evaluate runs a function in the world of a frame with arguments, and decodes what it returns.
func evaluate(ctx context.Context, s *session, frame cdp.FrameID, function string, result any, args ...any) error {
	id, err := world(ctx, s, frame)
	if err != nil {
		return err
	}
	list, err := json.Marshal(append([]any{}, args...))
	if err != nil {
		return err
	}
	value, err := run(ctx, s, runtime.EvaluateParams{Expression: "(" + function + ")(..." + string(list) + ")", ContextID: id, Timeout: scriptTime})
	if err != nil || result == nil {
		return err
	}
	return unmarshal(value, result)
}

// run runs a script, and returns what it returns as JSON.
func run(ctx context.Context, s *session, params runtime.EvaluateParams) (jsonv2.Value, error) {
	params.ReturnByValue, params.Silent = ptr(true), ptr(true)
	res, err := cdp.Call(ctx, s, runtime.Evaluate, params)
	if err != nil {
		return nil, err
	}
	if thrown := res.ExceptionDetails; thrown != nil {
		text := thrown.Text
		if thrown.Exception != nil && thrown.Exception.Description != "" {
			text = thrown.Exception.Description
		}
		return nil, fmt.Errorf("the script fails: %s", text[:min(len(text), 500)])
	}
	if res.Result == nil || len(res.Result.Value) == 0 {
		return jsonv2.Value("null"), nil
	}
	return res.Result.Value, nil
}
