package browser

import (
	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/dom"
	cdpfetch "github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/cdproto/network"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/target"
)

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
	a := target.SetAutoAttachParams{AutoAttach: true, Flatten: ptr(true)}
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
