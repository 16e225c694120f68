package browser

import (
	"github.com/chromedp/cdproto/cdp/jsonv2"
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
