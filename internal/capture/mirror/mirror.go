// Package mirror keeps the pages of a site as files of a folder, which [crawl.Crawl] finds and
// [folder.Capturer] writes. [Mirror.Run] does this:
//
//  1. It locks the site in the folder, so that one process at a time is at it.
//  2. It reads what an earlier run left in the state file. A run that was ended in the middle goes
//     on there. Else the pages that are in the folder are asked again, on the condition that they
//     have changed, and new ones are looked for.
//  3. Each page becomes a file under the name that [folder.PageName] says, or where its author
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
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"sync"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/crawl"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/folder"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/outbound"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/rootfs"
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
	Capture folder.Options
	Update  bool                // mark what is gone
	Done    func(folder.Result) // is called for each page, by one goroutine at a time
}

// A Mirror is a site in a folder.
type Mirror struct {
	options  Options
	capturer *folder.Capturer
	folder   *rootfs.FS // nil: it is not there, in a dry run
	crawl    *crawl.Crawl
	site     string // its URL
	state    string // the name of its state file

	mu      sync.Mutex        // guards all fields below
	there   map[string]string // files by the keys of their pages
	results map[string]folder.Result
	aliases map[string]string // URLs of pages, by those of others that lead to them
	anchors map[string]string // of pages, by their URLs: NUL, id, NUL, slug, …, NUL
	bytes   int               // of anchors
	journal io.Writer         // the state file; nil in a dry run
	resumed bool
	whole   bool // all pages have been asked, and all anchors are known
}

// New returns a mirror of a site in a folder.
func New(client *outbound.Client, files *rootfs.FS, o Options) (*Mirror, error) {
	m := &Mirror{options: o, folder: files, there: make(map[string]string), results: make(map[string]folder.Result), aliases: make(map[string]string), anchors: make(map[string]string)}
	start, err := crawl.Clean(o.Crawl.Start, false)
	if err != nil {
		return nil, err
	}
	m.site = start.String()
	m.state = stateName(m.site)
	m.options.Capture.Link, m.options.Capture.Many = m.link, true
	m.capturer = &folder.Capturer{Client: client, Folder: files, Options: m.options.Capture}
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

// done reports a URL of the crawl that is a page, or should be one.
func (m *Mirror) done(r crawl.Result) {
	m.mu.Lock()
	result, kept := m.results[r.URL]
	delete(m.results, r.URL)
	if !kept {
		result = folder.Result{URL: r.URL, File: m.file(r.URL)}
	}
	m.mu.Unlock()
	switch {
	case kept && r.State == crawl.Kept:
	case r.State == crawl.Kept: // the sitemap says that it has not changed
		result.State = folder.Unchanged
	case r.State == crawl.Failed, r.State == crawl.Forbidden && r.Old, r.State == crawl.Gone && r.Old && !m.options.Update:
		result.State = folder.Failed
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
	return folder.PageName(u)
}
