// Package conversion converts what web servers sent: HTML into Markdown, and PDF files into text. Callers share its
// memory and processor time fairly, so that a page cannot block the conversions of others, however it is made.
//
// No page is converted in the process of the server: a pattern or a library that takes too long for a hostile page cannot
// be stopped there. [Converter.Read] does this:
//
//  1. It waits for one of [maxLight] light turns. A child process converts the page, within a second, and stays for the
//     next page.
//  2. A page that takes longer, or is too large for that, gives its light turn back and waits for the one heavy turn; a PDF
//     file waits for the one turn of such files. A child then converts only this page, and cuts a page that is too large,
//     with a note.
//
// A child bounds its own memory. It is killed when the context of the call ends, or after [maxLightTime], [maxTime] or
// [maxPDFTime]; the next page gets another one.
//
// Package fairqueue shares the turns: a caller with slow pages does not delay others.
//
// The child is the same program, which calls [Main]. It reads pages from standard input. It has neither the
// environment nor the open files of its parent, and ends with it.
package conversion

import (
	"cmp"
	"context"
	"errors"
	"os/exec"
	"sync"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/fairqueue"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/webpage"
)

const (
	maxLight   = 2   // pages at a time that children convert which stay
	maxHeavy   = 1   // large pages at a time, and PDF files
	maxWaiting = 400 // calls that wait for each of these

	// The times that a child may take are longer than what it takes on a computer with nothing else to do.
	maxLightTime = 2 * time.Second
	maxTime      = 10 * time.Second // of a large page
	maxPDFTime   = 30 * time.Second

	// maxIdle is how long a child stays without a page.
	maxIdle = time.Minute
)

// A Converter converts the pages of a process. It is safe for concurrent use.
type Converter struct {
	command func(context.Context) *exec.Cmd
	light   *fairqueue.Turns
	heavy   *fairqueue.Turns
	pdf     *fairqueue.Turns

	mu   sync.Mutex
	idle map[*child]*time.Timer // children without a page, and what ends them; guarded by mu
}

// New returns a converter. command starts a child that calls [Main].
func New(command func(context.Context) *exec.Cmd) *Converter {
	turns := func(size int) *fairqueue.Turns { return fairqueue.New(size, maxWaiting) }
	return &Converter{command: command, light: turns(maxLight), heavy: turns(maxHeavy), pdf: turns(maxHeavy), idle: make(map[*child]*time.Timer)}
}

// Close ends the children that wait for a page.
func (c *Converter) Close() {
	for p := c.take(); p != nil; p = c.take() {
		p.end()
	}
}

// take returns a child that waits for a page, or nil.
func (c *Converter) take() *child {
	c.mu.Lock()
	defer c.mu.Unlock()
	for p, timer := range c.idle {
		delete(c.idle, p)
		if timer.Stop() { // otherwise it is being ended
			return p
		}
	}
	return nil
}

// put keeps a child for the next page.
func (c *Converter) put(p *child) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.idle[p] = time.AfterFunc(maxIdle, func() {
		c.mu.Lock()
		delete(c.idle, p)
		c.mu.Unlock()
		p.end()
	})
}

// Do waits for a light turn and calls work, which does something else with a page. It returns the error of work or of
// ctx, or a [*fairqueue.FullError].
func (c *Converter) Do(ctx context.Context, a fairqueue.Ask, work func(context.Context) error) error {
	return within(ctx, c.light, a, work)
}

// within calls work in a turn.
func within(ctx context.Context, turns *fairqueue.Turns, a fairqueue.Ask, work func(context.Context) error) error {
	done, err := turns.Wait(ctx, a)
	if err != nil {
		return err
	}
	defer done()
	return work(ctx)
}

// An Input is a source to convert.
type Input struct {
	fairqueue.Ask
	Choice webpage.Choice
	Source webpage.Source
	// Time is how long the conversion may take, without the wait for its turns; 0: the default.
	Time time.Duration
}

// Read converts a source. It returns why that is impossible, the error of ctx, or a [*fairqueue.FullError]. With an
// error, the page has at most its kind and MIME type.
func (c *Converter) Read(ctx context.Context, in Input) (page *webpage.Page, err error) {
	r, left := requestOf(in.Choice, in.Source), cmp.Or(in.Time, maxPDFTime)
	convert := func(most time.Duration) func(context.Context) error {
		return func(ctx context.Context) (err error) {
			began := time.Now()
			defer func() { left -= time.Since(began) }()
			page, err = c.run(ctx, r, min(most, left))
			return err
		}
	}
	err = c.Do(ctx, in.Ask, convert(maxLightTime))
	_, late := errors.AsType[*lateError](err)
	r.Large = true
	switch {
	case err == nil && page.Kind == webpage.PDF:
		err = within(ctx, c.pdf, in.Ask, convert(maxPDFTime))
	case errors.Is(err, webpage.ErrLarge), late && left > 0:
		err = within(ctx, c.heavy, in.Ask, convert(maxTime))
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return page, err
}

// run has a child convert a page, within the time.
func (c *Converter) run(ctx context.Context, r request, most time.Duration) (page *webpage.Page, err error) {
	p := c.take()
	if p == nil {
		if p, err = start(c.command); err != nil {
			return nil, err
		}
	}
	ctx, cancel := context.WithTimeoutCause(ctx, most, &lateError{most})
	defer cancel()
	page, err, alive := p.convert(ctx, r)
	if !alive {
		return nil, err
	}
	if r.Large { // it may hold much memory
		p.end()
	} else {
		c.put(p)
	}
	return page, err
}

// A lateError reports that a page was not converted in time.
type lateError struct{ most time.Duration }

func (e *lateError) Error() string { return "the page is not converted within " + e.most.String() }
