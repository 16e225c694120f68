package browser

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/input"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/fetch"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/pause"
)

const (
	// settleTime is how long an action may take to lead to another page.
	settleTime = 150 * time.Millisecond
	// actTime is how long an action may take in all, but wait.
	actTime = 30 * time.Second
	// maxImage is how many bytes a screenshot has at most, and maxImages all of a page together.
	maxImage  = 8 << 20
	maxImages = 24 << 20
	// maxResult is how many bytes a script may return.
	maxResult = 1 << 20
)

//go:embed act.js
var actScript string

func jsonString(s string) (jsonv2.Value, error) { return jsonv2.Marshal(s, lenient()) }

// act does an action.
func (p *page) act(ctx context.Context, a *fetch.Answer, action fetch.Action) error {
	if action.Type == fetch.ActWait {
		return p.pause(ctx, time.Duration(action.Milliseconds)*time.Millisecond)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, actTime, fmt.Errorf("is not done within %v", actTime))
	defer cancel()
	switch action.Type {
	case fetch.ActClick, fetch.ActWrite:
		if err := p.touch(ctx, action); err != nil {
			return err
		}
	case fetch.ActPress:
		if err := p.press(ctx, action.Key); err != nil {
			return err
		}
	case fetch.ActScroll:
		amount := action.Amount
		if amount == 0 {
			amount = height * 9 / 10
		}
		if action.Direction == "up" {
			amount = -amount
		}
		if err := evaluate(ctx, p.session, p.main(), actScript, nil, "scroll", "", amount); err != nil {
			return err
		}
	case fetch.ActScreenshot:
		return p.screenshot(ctx, a, action.Name, false)
	case fetch.ActScrape:
		return p.scrape(ctx, a, action.Selector)
	case fetch.ActScript:
		value, err := run(ctx, p.session, runtime.EvaluateParams{Expression: action.Script, AwaitPromise: ptr(true), UserGesture: ptr(true), Timeout: runtime.TimeDelta(actTime.Milliseconds())})
		if err != nil {
			return err
		}
		if len(value) > maxResult {
			return fmt.Errorf("the script returns %d bytes, at most %d are taken", len(value), maxResult)
		}
		a.Results = append(a.Results, string(value))
	default:
		return fmt.Errorf("%q is not an action", action.Type)
	}
	return p.settle(ctx)
}

// scrape reads the elements that a selector matches, once there is one.
func (p *page) scrape(ctx context.Context, a *fetch.Answer, selector string) error {
	var got reading
	err := p.patiently(ctx, func() (found bool, err error) {
		got, err = p.reader().read(ctx, selector)
		return got.Found > 0, err
	})
	if err != nil {
		return err
	}
	if got.Found == 0 {
		return fmt.Errorf("nothing on the page matches %q", selector)
	}
	a.Scraped = append(a.Scraped, got.HTML)
	return nil
}

// patiently does something until it finds what it looks for, or an element has had its time to
// appear. Between two documents, a call may fail because the first one is gone.
func (p *page) patiently(ctx context.Context, f func() (found bool, err error)) error {
	for deadline := time.Now().Add(share(ctx, p.engine.options.limits.appear)); ; {
		found, err := f()
		if failed := p.failure(); failed != nil {
			return failed
		}
		if err != nil {
			if _, gone := errors.AsType[*protocolError](err); !gone || isLarge(err) {
				return err
			}
		}
		if found && err == nil || time.Now().After(deadline) {
			return err
		}
		if err := pause.For(ctx, 100*time.Millisecond); err != nil {
			return err
		}
	}
}

func (p *page) main() cdp.FrameID {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.frame
}

// settle waits until an action has led to another page, if it does.
func (p *page) settle(ctx context.Context) error {
	if err := pause.For(ctx, settleTime); err != nil {
		return err
	}
	_, err := p.until(ctx, share(ctx, p.engine.options.limits.load), func() bool { return !p.loading && p.at("DOMContentLoaded") })
	return err
}

// A spot is where act.js found an element.
type spot struct {
	Found bool    `json:"found"`
	X     float64 `json:"x"`
	Y     float64 `json:"y"`
	Done  bool    `json:"done"` // the script has clicked, since something else is over the element
	Why   string  `json:"why"`  // it cannot be done
}

// touch clicks an element, or writes into it.
func (p *page) touch(ctx context.Context, action fetch.Action) error {
	var at spot
	err := p.patiently(ctx, func() (bool, error) {
		err := evaluate(ctx, p.session, p.main(), actScript, &at, action.Type, action.Selector, 0)
		return at.Found, err
	})
	switch {
	case err != nil:
		return err
	case !at.Found:
		return fmt.Errorf("nothing on the page matches %q", action.Selector)
	case at.Why != "":
		return fmt.Errorf("%q %s", action.Selector, at.Why)
	case action.Type == fetch.ActWrite:
		return do(ctx, p.session, input.InsertText, input.InsertTextParams{Text: action.Text})
	case at.Done:
		return nil
	}
	for _, kind := range []input.DispatchMouseEventType{input.DispatchMouseEventTypeMouseMoved, input.DispatchMouseEventTypeMousePressed, input.DispatchMouseEventTypeMouseReleased} {
		event := input.DispatchMouseEventParams{Type: kind, X: at.X, Y: at.Y}
		if kind != input.DispatchMouseEventTypeMouseMoved {
			event.Button, event.ClickCount = input.MouseButtonLeft, 1
		}
		if err := do(ctx, p.session, input.DispatchMouseEvent, event); err != nil {
			return err
		}
	}
	return nil
}

// screenshot takes a picture of what is seen of the page, or of all of it.
func (p *page) screenshot(ctx context.Context, a *fetch.Answer, name string, full bool) error {
	params := cdppage.CaptureScreenshotParams{Format: cdppage.CaptureScreenshotFormatPng}
	if full {
		metrics, err := cdp.Call(ctx, p.session, cdppage.GetLayoutMetrics, cdp.Empty{})
		if err != nil {
			return err
		}
		size := metrics.CSSContentSize
		if size == nil {
			return errors.New("the browser does not say how large the page is")
		}
		most := p.engine.options.limits.height
		if size.Height > most {
			a.Notes = append(a.Notes, fmt.Sprintf("The screenshot shows the first %.0f of %.0f pixels of the page.", most, size.Height))
		}
		params.CaptureBeyondViewport = ptr(true)
		params.Clip = &cdppage.Viewport{Width: math.Min(math.Max(size.Width, 1), 2*width), Height: math.Min(math.Max(size.Height, 1), most), Scale: 1}
	}
	taken := 0
	for _, image := range a.Screenshots {
		taken += len(image.Data)
	}
	for {
		shot, err := cdp.Call(ctx, p.session, cdppage.CaptureScreenshot, params)
		switch {
		case err != nil && !isLarge(err):
			return fmt.Errorf("the screenshot cannot be taken: %w", err)
		case err == nil && len(shot.Data) <= maxImage && taken+len(shot.Data) <= maxImages:
			a.Screenshots = append(a.Screenshots, fetch.Image{Name: name, MIME: "image/png", Data: shot.Data})
			return nil
		case err == nil && len(shot.Data) <= maxImage:
			return fmt.Errorf("the screenshots of the page have more than %d MiB together", maxImages>>20)
		case params.Clip == nil:
			params.Clip = &cdppage.Viewport{Width: width, Height: height, Scale: 1}
		}
		if params.Clip.Scale /= 2; params.Clip.Scale < 0.2 {
			return fmt.Errorf("the screenshot has more than %d MiB", maxImage>>20)
		}
	}
}

// isLarge reports whether a call failed because its answer is too large.
func isLarge(err error) bool {
	e, ok := errors.AsType[*protocolError](err)
	return ok && e.Message == errLarge.Error()
}
