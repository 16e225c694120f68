// Package conversion converts what web servers sent: HTML into Markdown, and PDF files into text. Callers share its
// memory and processor time fairly, so that a page cannot block the conversions of others, however it is made.
//
// No page is converted in the process of the server: a pattern or a library that takes too long for a hostile page cannot
// be stopped there. [Converter.Read] does this:
//
//  1. It waits for one of [maxPages] turns; a PDF file waits for one of [maxPDFs] turns.
//  2. A child process converts the page. It cuts a page that is too large, with a note. The child stays for the next page, unless
//     this one took long, so that it may hold much memory.
//
// A child bounds its own memory. It is killed when the context of the call ends, or after [maxTime] or [maxPDFTime]; the next
// page gets another one. A child that ends before its page is done is logged and counted, unless the call was cancelled.
//
// PDF files are read by package pdfium. Its compiled code is kept in a folder, so that only the first child compiles it.
//
// Package fairqueue shares the turns: a caller with slow pages does not delay others.
//
// The child is the same program, which calls [Main]. It reads pages from standard input. It has neither the
// environment nor the open files of its parent, and ends with it.
package conversion

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/fairqueue"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/webpage"
)

const (
	maxPages   = 2 // at a time, so that one is left for another caller
	maxPDFs    = 2
	maxWaiting = 400

	// The times that a child may take are longer than what it takes on a computer with nothing else to do.
	maxTime    = 20 * time.Second
	maxPDFTime = time.Minute

	// shortTime is how long a page takes after which the child stays.
	shortTime = time.Second
	// maxIdle is how long a child stays without a page.
	maxIdle = time.Minute
)

// A Converter converts the pages of a process. It is safe for concurrent use.
type Converter struct {
	// Cache is the folder for the compiled code of PDFium. "": a folder in the user's cache folder or, without one, a temporary
	// one. Nothing is written before the first PDF file.
	Cache string
	// Logger gets a line for each child that fails. nil: nobody.
	Logger *slog.Logger

	command func(context.Context) *exec.Cmd
	pages   *fairqueue.Turns
	pdfs    *fairqueue.Turns
	failed  atomic.Uint64
	slow    sync.Once // slow reading is logged once

	mu        sync.Mutex
	idle      map[*child]*time.Timer // what ends each; guarded by mu
	temporary string                 // of compiled code; "": none; guarded by mu
}

// New returns a converter. command starts a child that calls [Main].
func New(command func(context.Context) *exec.Cmd) *Converter {
	return &Converter{command: command, pages: fairqueue.New(maxPages, maxWaiting), pdfs: fairqueue.New(maxPDFs, maxWaiting), idle: make(map[*child]*time.Timer)}
}

// Close ends the children that wait for a page.
func (c *Converter) Close() {
	for p := c.take(); p != nil; p = c.take() {
		p.end()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.temporary != "" {
		_ = os.RemoveAll(c.temporary)
		c.temporary = ""
	}
}

// Failed returns how many children have ended before their page was done.
func (c *Converter) Failed() uint64 { return c.failed.Load() }

// folder returns the folder for the compiled code of PDFium, or "" if none can be used.
func (c *Converter) folder() string {
	if c.Cache != "" {
		return c.Cache
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.temporary != "" {
		return c.temporary
	}
	if dir, err := os.UserCacheDir(); err == nil {
		dir = filepath.Join(dir, "mcp-docs-server", "pdfium")
		if os.MkdirAll(dir, 0o700) == nil {
			return dir
		}
	}
	c.temporary, _ = os.MkdirTemp("", "mcp-docs-server-pdfium-")
	return c.temporary
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

// An Input is a source to convert.
type Input struct {
	fairqueue.Ask
	Choice webpage.Choice
	Source webpage.Source
	// Time is how long the conversion may take, without the wait for its turns; 0: the default.
	Time  time.Duration
	Spent *time.Duration
}

// PDFVersion changes when the text of PDF files changes, so that texts that are kept are made again.
const PDFVersion = "2"

// Read converts a source. It returns why that is impossible, the error of ctx, or a [fairqueue.FullError]. With an
// error, the page has at most its kind and MIME type.
func (c *Converter) Read(ctx context.Context, in Input) (page *webpage.Page, err error) {
	turns, most := c.pages, maxTime
	if webpage.IsPDF(in.Source.ContentType, in.Source.Body) {
		turns, most = c.pdfs, maxPDFTime
	}
	done, err := turns.Wait(ctx, in.Ask)
	if err == nil {
		r := requestOf(in.Choice, in.Source)
		r.spent = in.Spent
		page, err = c.run(ctx, r, cmp.Or(in.Time, most))
		done()
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
			c.report(r, err)
			return nil, err
		}
	}
	if webpage.IsPDF(r.ContentType, r.body) {
		r.Cache = c.folder()
	}
	caller := ctx
	ctx, cancel := context.WithTimeoutCause(ctx, most, fmt.Errorf("the page is not converted within %v", most))
	defer cancel()
	began := time.Now()
	page, err, alive := p.convert(ctx, r)
	if p.slow != "" && c.Logger != nil {
		c.slow.Do(func() { c.Logger.Warn("PDF files are read slowly: the code of PDFium is " + p.slow) })
	}
	if !alive && caller.Err() == nil {
		c.report(r, err)
	}
	switch {
	case !alive:
		page = nil
	case time.Since(began) > shortTime:
		p.end()
	default:
		c.put(p)
	}
	if r.spent != nil {
		*r.spent = min(time.Since(began), shortTime)
		if ended := p.cmd.ProcessState; !alive || ended != nil {
			*r.spent = ended.UserTime() + ended.SystemTime()
		}
	}
	return page, err
}

// report counts and logs a child that has ended too early.
func (c *Converter) report(r request, err error) {
	c.failed.Add(1)
	if c.Logger != nil {
		c.Logger.Warn("a page or a PDF file could not be converted: its process has ended", "url", r.URL, "error", err)
	}
}

// Unreadable is why a source cannot be converted, whenever it is tried.
type Unreadable string

func (u Unreadable) Error() string { return string(u) }

const (
	maxOutput = 96 << 20
	maxReason = 1 << 10
)

// A child is a process that converts one page after the other.
type child struct {
	cmd    *exec.Cmd
	kill   context.CancelFunc
	in     io.WriteCloser // stays open: a child whose parent ends reads its end
	out    io.Reader
	reason io.Reader
	slow   string // why PDF files are slow
}

// start starts a child.
func start(command func(context.Context) *exec.Cmd) (*child, error) {
	ctx, kill := context.WithCancel(context.Background())
	p := &child{cmd: command(ctx), kill: kill}
	p.cmd.Env = []string{"LC_ALL=C"} // not nil, which is this process's environment
	var errs [3]error
	p.in, errs[0] = p.cmd.StdinPipe()
	p.out, errs[1] = p.cmd.StdoutPipe()
	p.reason, errs[2] = p.cmd.StderrPipe()
	err := errors.Join(errs[:]...)
	if err == nil {
		err = p.cmd.Start()
	}
	if err != nil {
		kill()
		return nil, fmt.Errorf("the page cannot be converted: no process for it: %w", err)
	}
	return p, nil
}

// end ends a child, and waits for it.
func (p *child) end() error {
	p.kill()
	return p.cmd.Wait()
}

// convert has the child convert a page. alive reports that it can convert another one; otherwise it has ended.
func (p *child) convert(ctx context.Context, r request) (page *webpage.Page, err error, alive bool) {
	head, err := json.Marshal(r)
	if err != nil {
		return nil, err, true
	}
	stop := context.AfterFunc(ctx, p.kill)
	written := make(chan struct{})
	go func() {
		defer close(written)
		// A child that ends does not read the rest of the body. Its exit says why it ended.
		_, _ = io.Copy(p.in, io.MultiReader(bytes.NewReader(append(head, '\n')), bytes.NewReader(r.body)))
	}()
	out := &io.LimitedReader{R: p.out, N: maxOutput}
	var a answer
	err = json.NewDecoder(out).Decode(&a)
	if alive = stop() && err == nil; alive {
		<-written
		if a.Error != "" {
			err = Unreadable(a.Error)
		}
		p.slow = a.Slow
		return a.Page, err, true
	}
	p.kill()
	<-written
	said, _ := io.ReadAll(io.LimitReader(p.reason, maxReason))
	exit := p.end()
	reason, _, _ := strings.Cut(strings.TrimSpace(strings.ToValidUTF8(string(said), "")), "\n")
	switch {
	case ctx.Err() != nil:
		err = context.Cause(ctx)
	case out.N <= 0:
		err = fmt.Errorf("the page has more than %d MiB when it is converted", maxOutput>>20)
	case reason != "":
		err = errors.New(reason)
	default:
		err = fmt.Errorf("the page cannot be converted: the process for it has ended: %w", cmp.Or(exit, err))
	}
	return nil, err, false
}
