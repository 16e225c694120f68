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
		if ev, ok := decode(cdpfetch.RequestPaused, params); ok {
			p.paused(ev)
		}
	case cdpfetch.AuthRequired.Method:
		if ev, ok := decode(cdpfetch.AuthRequired, params); ok {
			p.login(ev)
		}
	case network.DataReceived.Method:
		if ev, ok := decode(network.DataReceived, params); ok {
			p.received(ev)
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
	case target.AttachedToTarget.Method:
		if ev, ok := decode(target.AttachedToTarget, params); ok {
			p.attached(s, ev)
		}
	case target.DetachedFromTarget.Method:
		if ev, ok := decode(target.DetachedFromTarget, params); ok {
			p.detached(s, ev)
		}
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
