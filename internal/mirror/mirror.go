// Package mirror keeps the pages of a site as files of a folder, which [crawl.Crawl] finds and
// [capture.Capturer] writes. [Mirror.Run] does this:
//
//  1. It locks the site in the folder, so that one process at a time is at it.
//  2. It reads what an earlier run left in the state file. A run that was ended in the middle goes
//     on there. Else the pages that are in the folder are asked again, on the condition that they
//     have changed, and new ones are looked for.
//  3. Each page becomes a file under the name that [capture.PageName] says, or where its author
//     moved it to. Links to pages that are there already are relative.
//  4. When all pages are there, links between them become relative in all files. A fragment becomes
//     that of the heading where the place is. Files that were edited are left alone.
//  5. With [Options.Update], the files of pages that are there no longer get the key "gone" in their
//     front matter. They stay: what links to them still works, and an author decides.
//
// The state file, .crawl-….jsonl, is hidden, so it is neither served nor published. It has the
// journal of the crawl, and a line with the anchors of each page. Without it, nothing is lost but the
// way: the next run begins at the start, and asks for the pages in the folder by their front
// matter.
//
// Memory is bounded by that of the crawl, and by [maxAnchors] for all anchors; no text stays in it.
package mirror

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"runtime"
	"sync"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture"
	"github.com/mcp-docs-server/mcp-docs-server/internal/crawl"
	"github.com/mcp-docs-server/mcp-docs-server/internal/fserr"
	"github.com/mcp-docs-server/mcp-docs-server/internal/outbound"
	"github.com/mcp-docs-server/mcp-docs-server/internal/rootfs"
)

const (
	// maxState is the size of the largest state file that is read.
	maxState = 512 << 20
	// maxAnchors is how many bytes of anchors are kept, and maxPageAnchors how many of a page. Links
	// to others keep their fragment.
	maxAnchors     = 32 << 20
	maxPageAnchors = 64 << 10
)

// Options say how a site is kept.
type Options struct {
	Crawl   crawl.Options // without Keeper, Journal and Done
	Capture capture.Options
	Update  bool                 // mark what is gone
	Done    func(capture.Result) // is called for each page, by one goroutine at a time
}

// A Mirror is a site in a folder.
type Mirror struct {
	options  Options
	capturer *capture.Capturer
	folder   *rootfs.FS // nil: it is not there, in a dry run
	crawl    *crawl.Crawl
	site     string // its URL
	state    string // the name of its state file

	mu      sync.Mutex        // guards all fields below
	there   map[string]string // files by the keys of their pages
	results map[string]capture.Result
	aliases map[string]string // URLs of pages, by those of others that lead to them
	anchors map[string]string // of pages, by their URLs: NUL, id, NUL, slug, …, NUL
	bytes   int               // of anchors
	journal io.Writer         // the state file; nil in a dry run
	resumed bool
	whole   bool // all pages have been asked, and all anchors are known
}

// New returns a mirror of a site in a folder.
func New(client *outbound.Client, folder *rootfs.FS, o Options) (*Mirror, error) {
	m := &Mirror{options: o, folder: folder, there: make(map[string]string), results: make(map[string]capture.Result), aliases: make(map[string]string), anchors: make(map[string]string)}
	start, err := crawl.Clean(o.Crawl.Start, false)
	if err != nil {
		return nil, err
	}
	m.site = start.String()
	m.state = stateName(m.site)
	m.options.Capture.Link, m.options.Capture.Many = m.link, true
	m.capturer = &capture.Capturer{Client: client, Folder: folder, Options: m.options.Capture}
	c := o.Crawl
	c.Keeper = m
	c.Done = m.done
	c.Fresh = c.Fresh || o.Capture.Force
	if !o.Capture.DryRun {
		c.Journal = writer{m}
	}
	if m.crawl, err = crawl.New(client, c); err != nil {
		return nil, err
	}
	m.options.Crawl = c
	return m, nil
}

// Stats returns how far the crawl has come.
func (m *Mirror) Stats() crawl.Stats { return m.crawl.Stats() }

// Resumed reports whether the run goes on with one that was ended in the middle.
func (m *Mirror) Resumed() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.resumed
}

// Run brings the folder to the state of the site. It is called once.
func (m *Mirror) Run(ctx context.Context) error {
	if m.folder != nil && !m.options.Capture.DryRun {
		release, err := m.folder.Lock(m.state + ".lock")
		if errors.Is(err, rootfs.ErrLocked) {
			return fmt.Errorf("%s: another process captures this site into the folder: wait until it ends", m.site)
		}
		if err != nil {
			return err
		}
		defer release()
		defer m.folder.Flush()
	}
	file, err := m.begin(ctx)
	if err != nil {
		return err
	}
	if file != nil {
		defer file.Close()
	}
	if err := m.crawl.Run(ctx); err != nil {
		return err
	}
	if err := m.relink(ctx); err != nil || !m.options.Update {
		return err
	}
	return m.markGone(ctx)
}

// load reads what is there: the pages of the site, by their URLs, the state file, and what that
// says.
func (m *Mirror) load(there []capture.Target) (old map[string]*url.URL, state []byte, past *crawl.Past, err error) {
	old = make(map[string]*url.URL)
	for _, t := range there {
		m.there[crawl.Key(t.URL)] = t.File
		if t.Site == m.site {
			old[t.URL.String()] = t.URL
		}
	}
	if state, err = m.read(); err != nil {
		return nil, nil, nil, err
	}
	past = &crawl.Past{Ended: true}
	if len(state) > 0 {
		// A state file that cannot be read is of no use, and is replaced.
		if p, err := crawl.ReadPast(bytes.NewReader(state), m.cleanOptions()); err == nil {
			past = p
			m.readAnchors(state)
		}
	}
	m.aliases = past.Aliases
	return old, state, past, nil
}

// begin reads what is there, and opens the state file.
func (m *Mirror) begin(ctx context.Context) (*os.File, error) {
	if m.folder == nil {
		return nil, nil
	}
	there, err := capture.Captured(ctx, m.folder)
	if err != nil {
		return nil, err
	}
	old, state, past, err := m.load(there)
	if err != nil {
		return nil, err
	}
	write := !m.options.Capture.DryRun
	if past.Same && !past.Ended && len(state) > 0 {
		m.resumed = true
		if !write {
			return nil, m.crawl.Resume(bytes.NewReader(state))
		}
		file, err := m.open()
		if err == nil {
			err = m.crawl.Resume(bytes.NewReader(state))
		}
		return file, err
	}
	var beginning bytes.Buffer
	m.journal = &beginning
	for _, u := range old {
		m.crawl.Seed(u, past.Pages[u.String()])
	}
	if !write {
		return nil, nil
	}
	for page, anchors := range m.anchors {
		if old[page] != nil {
			m.record(note{Page: page, Anchors: anchors})
		}
	}
	if err := m.folder.Replace(m.state, beginning.Bytes()); err != nil {
		return nil, &capture.WriteError{Name: m.state, Err: err}
	}
	return m.open()
}

// cleanOptions are those that the journal is compared with.
func (m *Mirror) cleanOptions() crawl.Options {
	o := m.options.Crawl
	if start, err := crawl.Clean(o.Start, false); err == nil {
		o.Start = start
	}
	return o
}

func (m *Mirror) open() (*os.File, error) {
	file, err := m.folder.Append(m.state)
	if err != nil {
		return nil, &capture.WriteError{Name: m.state, Err: err}
	}
	m.mu.Lock()
	m.journal = file
	m.mu.Unlock()
	return file, nil
}

// read returns the state file, nil if there is none.
func (m *Mirror) read() ([]byte, error) {
	file, err := m.folder.Open(m.state)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, maxState))
	return data, err
}

// A writer appends to the journal.
type writer struct{ m *Mirror }

func (w writer) Write(p []byte) (int, error) {
	w.m.mu.Lock()
	defer w.m.mu.Unlock()
	if w.m.journal == nil {
		return len(p), nil
	}
	return w.m.journal.Write(p)
}

// A note is a line of the state file that is not of the crawl.
type note struct {
	Page    string `json:"page"`
	Anchors string `json:"anchors"`
}

func (m *Mirror) record(n note) {
	if line, err := json.Marshal(n); err == nil {
		_, _ = writer{m}.Write(append(line, '\n'))
	}
}

func (m *Mirror) readAnchors(state []byte) {
	lines := bufio.NewScanner(bytes.NewReader(state))
	lines.Buffer(nil, 8*maxPageAnchors)
	for lines.Scan() {
		if !bytes.HasPrefix(lines.Bytes(), []byte(`{"page"`)) {
			continue
		}
		var n note
		if json.Unmarshal(lines.Bytes(), &n) == nil && n.Page != "" {
			m.setAnchors(n.Page, n.Anchors)
		}
	}
}

// setAnchors sets the anchors of a page, and reports whether they are other ones. m.mu is held, or
// nothing else runs.
func (m *Mirror) setAnchors(page, anchors string) bool {
	was, known := m.anchors[page]
	if known && was == anchors || len(anchors) > maxPageAnchors || m.bytes+len(anchors)-len(was) > maxAnchors {
		return false
	}
	m.bytes += len(anchors) - len(was)
	m.anchors[page] = anchors
	return true
}

// done reports a URL of the crawl that is a page, or should be one.
func (m *Mirror) done(r crawl.Result) {
	m.mu.Lock()
	result, kept := m.results[r.URL]
	delete(m.results, r.URL)
	if !kept {
		result = capture.Result{URL: r.URL, File: m.file(r.URL)}
	}
	m.mu.Unlock()
	switch {
	case kept && r.State == crawl.Kept:
	case r.State == crawl.Kept: // the sitemap says that it has not changed
		result.State = capture.Unchanged
	case r.State == crawl.Failed, r.State == crawl.Forbidden && r.Old, r.State == crawl.Gone && r.Old && !m.options.Update:
		result.State = capture.Failed
		result.Error = cmp.Or(result.Error, errorText(r.Err))
	default:
		return
	}
	if m.options.Done != nil {
		m.options.Done(result)
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// file returns the file of a page. m.mu is held.
func (m *Mirror) file(page string) string {
	u, err := url.Parse(page)
	if err != nil {
		return ""
	}
	if name := m.there[crawl.Key(u)]; name != "" {
		return name
	}
	return capture.PageName(u)
}

// Open begins to capture a page.
func (m *Mirror) Open(u *url.URL) (crawl.Visit, error) {
	m.mu.Lock()
	name := m.there[crawl.Key(u)]
	m.mu.Unlock()
	v, err := m.capturer.Visit(u, "")
	if err == nil && name != "" && name != capture.PageName(u) && v.Fetched().IsZero() {
		if moved, err := m.capturer.Visit(u, name); err == nil { // its author moved it
			v = moved
		}
	}
	if err != nil {
		return nil, err
	}
	v.Site, v.Text = m.site, true
	return &visit{m, v}, nil
}

type visit struct {
	m *Mirror
	v *capture.Visit
}

func (v *visit) Known() (outbound.Validators, time.Time) { return v.v.Known(), v.v.Fetched() }

func (v *visit) Keep(ctx context.Context, p *crawl.Page) error {
	v.v.Claim = p.Claim
	v.v.Rendered = v.m.rendered(p.URL.String())
	result, err := v.v.Keep(ctx, p.Response)
	switch {
	case errors.Is(err, capture.ErrElsewhere):
		if !p.Old { // a run that was killed wrote it, and then another page was first
			if err := v.v.Discard(); err != nil {
				return err
			}
		}
		return crawl.ErrElsewhere
	case errors.Is(err, capture.ErrNoText):
		return fmt.Errorf("%w: %v", crawl.ErrNoPage, err)
	case err != nil:
		if full(err) {
			return &crawl.Fatal{Err: err}
		}
		return err
	}
	v.m.mu.Lock()
	v.m.results[result.URL] = result
	v.m.there[crawl.Key(p.URL)] = result.File
	v.m.mu.Unlock()
	return nil
}

// full reports whether an error is one of the disk that the next page will have too.
func full(err error) bool {
	_, writing := errors.AsType[*capture.WriteError](err)
	return writing && fserr.Full(err)
}

// relink makes the links between all pages relative.
func (m *Mirror) relink(ctx context.Context) error {
	if m.options.Capture.DryRun || m.folder == nil {
		return nil
	}
	m.mu.Lock()
	m.whole = true
	m.mu.Unlock()
	names := make(chan string)
	var wg sync.WaitGroup
	errs := make(chan error, 1)
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for name := range names {
				err := m.capturer.Relink(ctx, name, func(target *url.URL) string { return m.link(name, target) })
				if err != nil && ctx.Err() == nil {
					select {
					case errs <- err:
					default:
					}
				}
			}
		})
	}
	m.crawl.Pages(func(page string) {
		m.mu.Lock()
		name := m.file(page)
		m.mu.Unlock()
		if ctx.Err() == nil {
			names <- name
		}
	})
	close(names)
	wg.Wait()
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case err := <-errs:
		return err
	default:
		return nil
	}
}

// markGone marks the files of pages that the site has no longer. A page that could not be asked may
// still be there.
func (m *Mirror) markGone(ctx context.Context) error {
	if m.folder == nil {
		return nil
	}
	var first error
	m.crawl.Old(func(page string, state crawl.State) {
		switch state {
		case crawl.Gone, crawl.Redirect, crawl.Canonical, crawl.Duplicate, crawl.NoIndex, crawl.Other:
		default:
			return
		}
		u, err := url.Parse(page)
		if err != nil || ctx.Err() != nil || first != nil {
			return
		}
		m.mu.Lock()
		name := m.file(page)
		m.mu.Unlock()
		result, ok, err := m.capturer.MarkGone(ctx, u, name)
		if err != nil {
			first = err
		} else if ok && m.options.Done != nil {
			m.options.Done(result)
		}
	})
	return cmp.Or(first, ctx.Err())
}
