package browser

import (
	"github.com/chromedp/cdproto/dom"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/target"
)

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
