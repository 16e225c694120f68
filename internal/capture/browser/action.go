package browser

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/fetch"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/webclient"
)

const (
	// settleTime is how long an action may take to start loading another page.
	settleTime = 150 * time.Millisecond
	// actTime is how long an action other than wait may take in all.
	actTime = 30 * time.Second
	// maxImages bounds all screenshots of a page, in bytes.
	maxImages = 24 << 20
	// maxResult is how many bytes a script may return.
	maxResult = 1 << 20
)

//go:embed act.js
var actScript string

// act performs an action.
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
		amount := cmp.Or(action.Amount, height*9/10)
		if action.Direction == "up" {
			amount = -amount
		}
		if err := evaluate(ctx, p.session, p.main(), actScript, nil, "scroll", "", amount); err != nil {
			return err
		}
	case fetch.ActScreenshot:
		return p.screenshot(ctx, a, action.Name)
	case fetch.ActScrape:
		return p.scrape(ctx, a, action.Selector)
	case fetch.ActScript:
		value, err := run(ctx, p.session, runtime.EvaluateParams{Expression: action.Script, AwaitPromise: new(true), UserGesture: new(true), Timeout: runtime.TimeDelta(actTime.Milliseconds())})
		if err != nil {
			return err
		}
		if len(value) > maxResult {
			return fmt.Errorf("the script returns %d bytes, at most %d are accepted", len(value), maxResult)
		}
		a.Extras = append(a.Extras, fetch.Extra{Name: fetch.ExtraResult, MIME: "application/json", Data: value})
	default:
		return fmt.Errorf("%q is not an action", action.Type)
	}
	return p.settle(ctx)
}

// scrape reads the elements that a selector matches. It waits until there is one.
func (p *page) scrape(ctx context.Context, a *fetch.Answer, selector string) error {
	var got reading
	err := p.tryUntilFound(ctx, func() (found bool, err error) {
		got, err = p.reader().read(ctx, selector)
		return got.Found > 0, err
	})
	if err != nil {
		return err
	}
	if got.Found == 0 {
		return fmt.Errorf("nothing on the page matches %q", selector)
	}
	a.Extras = append(a.Extras, fetch.Extra{Name: fetch.ExtraScrape, MIME: "text/html", Data: []byte(got.HTML)})
	return nil
}

// tryUntilFound calls f until it finds an element, or the time for an element to appear is over. It ignores errors
// between two documents, when a call may fail because the first one is gone.
func (p *page) tryUntilFound(ctx context.Context, f func() (found bool, err error)) error {
	for deadline := time.Now().Add(share(ctx, p.engine.options.limits.appear)); ; {
		found, err := f()
		if failed := p.failure(); failed != nil {
			return failed
		}
		if err != nil {
			if _, gone := errors.AsType[*protocolError](err); !gone {
				return err
			}
		}
		if found && err == nil || time.Now().After(deadline) {
			return err
		}
		if err := webclient.Pause(ctx, 100*time.Millisecond); err != nil {
			return err
		}
	}
}

func (p *page) main() cdp.FrameID {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.frame
}

// settle waits until the page to which an action leads, if any, is loaded.
func (p *page) settle(ctx context.Context) error {
	if err := webclient.Pause(ctx, settleTime); err != nil {
		return err
	}
	_, err := p.until(ctx, share(ctx, p.engine.options.limits.load), func() bool { return !p.loading && p.hasReached("DOMContentLoaded") })
	return err
}

// A spot is where act.js found an element.
type spot struct {
	Found bool    `json:"found"`
	X     float64 `json:"x"`
	Y     float64 `json:"y"`
	// the script has clicked, since another element covers this one
	Done bool   `json:"done"`
	Why  string `json:"why"` // why it is impossible
}

// touch clicks an element, or writes into it.
func (p *page) touch(ctx context.Context, action fetch.Action) error {
	var element spot
	err := p.tryUntilFound(ctx, func() (bool, error) {
		err := evaluate(ctx, p.session, p.main(), actScript, &element, action.Type, action.Selector, 0)
		return element.Found, err
	})
	switch {
	case err != nil:
		return err
	case !element.Found:
		return fmt.Errorf("nothing on the page matches %q", action.Selector)
	case element.Why != "":
		return fmt.Errorf("%q %s", action.Selector, element.Why)
	case action.Type == fetch.ActWrite:
		return do(ctx, p.session, input.InsertText, input.InsertTextParams{Text: action.Text})
	case element.Done:
		return nil
	}
	for _, kind := range []input.DispatchMouseEventType{input.DispatchMouseEventTypeMouseMoved, input.DispatchMouseEventTypeMousePressed, input.DispatchMouseEventTypeMouseReleased} {
		event := input.DispatchMouseEventParams{Type: kind, X: element.X, Y: element.Y}
		if kind != input.DispatchMouseEventTypeMouseMoved {
			event.Button, event.ClickCount = input.MouseButtonLeft, 1
		}
		if err := do(ctx, p.session, input.DispatchMouseEvent, event); err != nil {
			return err
		}
	}
	return nil
}

// screenshot takes a picture of the visible part of the page.
func (p *page) screenshot(ctx context.Context, a *fetch.Answer, name string) error {
	shot, err := cdp.Call(ctx, p.session, cdppage.CaptureScreenshot, cdppage.CaptureScreenshotParams{Format: cdppage.CaptureScreenshotFormatPng})
	if err != nil {
		return fmt.Errorf("the screenshot cannot be taken: %w", err)
	}
	taken := len(shot.Data)
	for _, e := range a.Extras {
		if e.Name == fetch.ExtraScreenshot {
			taken += len(e.Data)
		}
	}
	if taken > maxImages {
		return fmt.Errorf("the screenshots of the page have more than %d MiB together", maxImages>>20)
	}
	a.Extras = append(a.Extras, fetch.Extra{Name: fetch.ExtraScreenshot, Label: name, MIME: "image/png", Data: shot.Data})
	return nil
}

// A key is a key of a keyboard, with the names of UI Events (W3C).
type key struct {
	name, code string
	number     int64 // virtual-key code of Windows
	text       string
}

// parseKey returns the key with a name, in upper or lower case, or the key of a character.
func parseKey(name string) (key, error) {
	for _, k := range []key{
		{"Enter", "Enter", 13, "\r"}, {"Tab", "Tab", 9, ""}, {"Escape", "Escape", 27, ""}, {"Backspace", "Backspace", 8, ""}, {"Delete", "Delete", 46, ""}, {" ", "Space", 32, " "},
		{"ArrowUp", "ArrowUp", 38, ""}, {"ArrowDown", "ArrowDown", 40, ""}, {"ArrowLeft", "ArrowLeft", 37, ""}, {"ArrowRight", "ArrowRight", 39, ""},
		{"Home", "Home", 36, ""}, {"End", "End", 35, ""}, {"PageUp", "PageUp", 33, ""}, {"PageDown", "PageDown", 34, ""},
	} {
		if strings.EqualFold(k.code, name) {
			return k, nil
		}
	}
	r, size := utf8.DecodeRuneInString(name)
	if size == 0 || size != len(name) || !unicode.IsPrint(r) {
		return key{}, fmt.Errorf("the key is %q, must be a character, Enter, Tab, Escape, Backspace, Delete, Space, ArrowUp, ArrowDown, ArrowLeft, ArrowRight, Home, End, PageUp or PageDown", name)
	}
	return key{name: name, text: name}, nil
}

// press presses a key and releases it.
func (p *page) press(ctx context.Context, name string) error {
	k, err := parseKey(name)
	if err != nil {
		return err
	}
	event := input.DispatchKeyEventParams{Type: input.DispatchKeyEventTypeKeyDown, Key: k.name, Code: k.code, WindowsVirtualKeyCode: k.number, NativeVirtualKeyCode: k.number, Text: k.text, UnmodifiedText: k.text}
	if k.text == "" {
		event.Type = input.DispatchKeyEventTypeRawKeyDown
	}
	if err := do(ctx, p.session, input.DispatchKeyEvent, event); err != nil {
		return err
	}
	event.Type, event.Text, event.UnmodifiedText = input.DispatchKeyEventTypeKeyUp, "", ""
	return do(ctx, p.session, input.DispatchKeyEvent, event)
}
