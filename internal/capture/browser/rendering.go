package browser

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/chromedp/cdproto/cdp"
	cdppage "github.com/chromedp/cdproto/page"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/fetch"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/webclient"
)

func (p *page) fetch(ctx context.Context) (*fetch.Answer, error) {
	navigated, err := cdp.Call(ctx, p.session, cdppage.Navigate, cdppage.NavigateParams{URL: p.request.URL.String()})
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
	if err := p.pause(ctx, p.request.WaitFor); err != nil {
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
		if err := p.screenshot(ctx, a, ""); err != nil {
			return nil, err
		}
	}
	return a, p.answer(ctx, a)
}

// failure returns why the page has failed, or nil.
func (p *page) failure() error {
	p.mu.Lock()
	err, document := p.err, p.document
	p.mu.Unlock()
	if err == nil {
		err = p.proxy.Err(p.request.URL)
		if err != nil && document != nil && !errors.Is(err, webclient.ErrExhausted) {
			err = nil // another request to the host failed
		}
	}
	return err
}

// load waits until the page is loaded and quiet, or the time for that is over.
func (p *page) load(ctx context.Context) error {
	_, err := p.until(ctx, share(ctx, p.engine.options.limits.load), func() bool { return p.hasReached("load") && !p.loading })
	if err != nil {
		return err
	}
	if loaded, err := p.until(ctx, 0, func() bool { return p.hasReached("DOMContentLoaded") }); err != nil || !loaded {
		if err == nil {
			err = p.failure()
		}
		if err == nil {
			err = fmt.Errorf("%s: its document does not arrive in time", p.name())
		}
		return err
	}
	_, err = p.until(ctx, share(ctx, p.engine.options.limits.quiet), func() bool { return p.reached["networkIdle"] && !p.loading })
	return err
}

// hasReached reports whether the document has had an event. The caller holds p.mu.
func (p *page) hasReached(event string) bool {
	return p.loader != p.blank && (p.reached[event] || p.stopped)
}

// share returns a duration, or half of the time that a context has left if that is less.
func share(ctx context.Context, most time.Duration) time.Duration {
	if deadline, ok := ctx.Deadline(); ok {
		most = min(most, time.Until(deadline)/2)
	}
	return max(0, most)
}
