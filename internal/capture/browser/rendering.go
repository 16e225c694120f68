package browser

import (
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/dom"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"

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
		return cmp.Or(err, p.failure(), fmt.Errorf("%s: its document does not arrive in time", p.name()))
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

const (
	maxFrames = 20
	// scriptTime is how many milliseconds a script of this package may run.
	scriptTime = 10_000
)

//go:embed read.js
var readScript string

// A reading is the result of read.js.
type reading struct {
	HTML  string `json:"html"`
	Cut   bool   `json:"cut"`
	Found int    `json:"found"`
	Title string `json:"title"`
	URL   string `json:"url"`
}

// A reader reads a page with its frames, but not the frames in these. The bounds apply to all of them together.
type reader struct {
	page   *page
	chars  int // still allowed
	frames int // still allowed
	cut    bool
}

func (p *page) reader() *reader {
	return &reader{page: p, chars: p.engine.options.limits.chars, frames: maxFrames}
}

// answer reads the page.
func (p *page) answer(ctx context.Context, a *fetch.Answer) error {
	var r *reader
	var got reading
	err := p.tryUntilFound(ctx, func() (found bool, err error) {
		r = p.reader()
		if limit := p.request.MaxBytes; limit > 0 {
			r.chars = int(min(int64(r.chars), limit))
		}
		got, err = r.read(ctx, "")
		return true, err
	})
	if err != nil {
		return err
	}
	if a.URL, err = url.Parse(got.URL); err != nil || a.URL.Scheme != "http" && a.URL.Scheme != "https" {
		return fmt.Errorf("%s: leads to %.100q, which is not an http or https URL", p.name(), got.URL)
	}
	a.URL.Fragment, a.URL.RawFragment = "", ""
	a.Title = got.Title
	a.ContentType = "text/html; charset=utf-8"
	a.Body = []byte("<!DOCTYPE html>\n" + got.HTML)
	if r.cut {
		a.Notes = append(a.Notes, "The page is larger than the limit for reading, so its end is missing.")
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	secrecy := p.secrecy
	a.Secrecy = &secrecy
	return p.err
}

// read reads the main frame, or the elements in it that a selector matches, after its frames.
func (r *reader) read(ctx context.Context, selector string) (got reading, err error) {
	p := r.page
	tree, err := cdp.Call(ctx, p.session, cdppage.GetFrameTree, cdp.Empty{})
	if err != nil {
		return got, err
	}
	main := tree.FrameTree.Frame.ID
	for _, child := range tree.FrameTree.ChildFrames {
		r.child(ctx, main, child.Frame.ID, p.session)
	}
	p.mu.Lock()
	foreign := maps.Clone(p.frames)
	p.mu.Unlock()
	for id, session := range foreign {
		r.child(ctx, main, cdp.FrameID(id), session)
	}
	if err := evaluate(ctx, p.session, main, readScript, &got, selector, r.chars, p.engine.options.limits.nodes, false); err != nil {
		return got, err
	}
	r.cut = r.cut || got.Cut
	return got, nil
}

// child reads a frame in a session, and passes its text to the world of the main frame. A frame that cannot be read is
// left out: it may end at any time, and the page is useful without it.
func (r *reader) child(ctx context.Context, main, id cdp.FrameID, in *session) {
	if r.frames--; r.frames < 0 {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, share(ctx, 3*time.Second))
	defer cancel()
	if err := r.tryChild(ctx, main, id, in); err != nil {
		r.page.engine.options.Logger.Debug("a frame cannot be read", "url", r.page.name(), "error", err)
	}
}

func (r *reader) tryChild(ctx context.Context, main, id cdp.FrameID, in *session) error {
	s := r.page.session
	var got reading
	if err := evaluate(ctx, in, id, readScript, &got, "", r.chars, r.page.engine.options.limits.nodes, true); err != nil || got.HTML == "" {
		return err
	}
	owner, err := cdp.Call(ctx, s, dom.GetFrameOwner, dom.GetFrameOwnerParams{FrameID: id})
	if err != nil {
		return err
	}
	around, err := world(ctx, s, main)
	if err != nil {
		return err
	}
	element, err := cdp.Call(ctx, s, dom.ResolveNode, dom.ResolveNodeParams{BackendNodeID: owner.BackendNodeID, ExecutionContextID: around})
	if err != nil || element.Object == nil {
		return err
	}
	text, err := jsonv2.Marshal(got.HTML, lenient())
	if err != nil {
		return err
	}
	r.cut = r.cut || got.Cut
	_, err = cdp.Call(ctx, s, runtime.CallFunctionOn, runtime.CallFunctionOnParams{
		ObjectID: element.Object.ObjectID, Arguments: []*runtime.CallArgument{{Value: text}}, FunctionDeclaration: frameScript,
	})
	return err
}

// frameScript keeps the text of a frame for read.js, if the frame is visible and has at least 60 pixels in each direction.
const frameScript = `function(html) {
	const r = this.getBoundingClientRect()
	if (Math.min(r.width, r.height) >= 60 && this.checkVisibility({ visibilityProperty: true })) (globalThis.frameTexts ??= new Map()).set(this, html)
}`

// world returns the isolated world of a frame, in which scripts of this package run, invisible to scripts of the
// page.
func world(ctx context.Context, s *session, frame cdp.FrameID) (runtime.ExecutionContextID, error) {
	made, err := cdp.Call(ctx, s, cdppage.CreateIsolatedWorld, cdppage.CreateIsolatedWorldParams{FrameID: frame, WorldName: "mcp-docs-server"})
	return made.ExecutionContextID, err
}

// evaluate calls a function in the isolated world of a frame, and decodes its result.
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

// run runs a script, and returns its result as JSON.
func run(ctx context.Context, s *session, params runtime.EvaluateParams) (jsonv2.Value, error) {
	params.ReturnByValue, params.Silent = new(true), new(true)
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
