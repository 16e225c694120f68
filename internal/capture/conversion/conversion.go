// Package conversion converts what web servers sent: HTML into Markdown, and PDF files into text. Callers share its
// memory and processor time fairly, so that a page cannot block the conversions of others, however it is made.
//
// [Converter.Read] does this:
//
//  1. It waits for one of [maxLight] light turns, and converts the page in this process, within a second.
//  2. A PDF, and a page that is too large for a conversion in a server, gives its light turn back and waits for the one
//     heavy turn. A child process then converts it. The child bounds its own memory and time, and cuts a page that is
//     too large, with a note. It is killed when the context of the call ends, or after [maxTime].
//
// Package fairqueue shares the turns: a caller with slow pages does not delay others.
//
// The child is the same program, which calls [Main]. It reads the page from standard input. It has neither the
// environment nor the open files of its parent, and ends with it.
package conversion

import (
	"cmp"
	"context"
	"errors"
	"os/exec"
	"runtime/debug"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/fairqueue"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/webpage"
)

const (
	maxLight   = 2   // pages at a time that are converted in this process
	maxHeavy   = 1   // pages at a time that are converted by a child
	maxWaiting = 400 // calls that wait for each of these
)

// A Converter converts the pages of a process. It is safe for concurrent use.
type Converter struct {
	command func(context.Context) *exec.Cmd
	light   *fairqueue.Turns
	heavy   *fairqueue.Turns
}

// New returns a converter. command starts a child that calls [Main]; if it is nil, pages that need one are errors.
func New(command func(context.Context) *exec.Cmd) *Converter {
	return &Converter{command, fairqueue.New(maxLight, maxWaiting), fairqueue.New(maxHeavy, maxWaiting)}
}

// Do waits for a light turn and calls work, which does something else with a page. It returns the error of work or of
// ctx, or a [*fairqueue.FullError].
func (c *Converter) Do(ctx context.Context, a fairqueue.Ask, work func(context.Context) error) error {
	done, err := c.light.Wait(ctx, a)
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
	// Time is how long a child may take, without the wait for its turn; at most [maxTime], which is the default.
	Time time.Duration
}

// Read converts a source. It returns why that is impossible, the error of ctx, or a [*fairqueue.FullError]. With an
// error, the page has at most its kind and MIME type.
func (c *Converter) Read(ctx context.Context, in Input) (page *webpage.Page, err error) {
	err = c.Do(ctx, in.Ask, func(ctx context.Context) (err error) {
		page, err = in.Choice.Read(ctx, in.Source)
		return err
	})
	if errors.Is(err, webpage.ErrLarge) || err == nil && page.Kind == webpage.PDF {
		var made *webpage.Page
		if made, err = c.child(ctx, in); err == nil {
			page = made
		}
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return page, err
}

// child converts a source in a process of its own.
func (c *Converter) child(ctx context.Context, in Input) (*webpage.Page, error) {
	if c.command == nil {
		return nil, errors.New("no other process can convert the page")
	}
	done, err := c.heavy.Wait(ctx, in.Ask)
	if err != nil {
		return nil, err
	}
	defer done()
	debug.FreeOSMemory() // frees the memory of the attempt in this process: the bound is for both processes
	return run(ctx, c.command, requestOf(in.Choice, in.Source), in.Source.Body, min(cmp.Or(in.Time, maxTime), maxTime))
}
