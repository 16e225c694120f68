package folder

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/crawl"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/rootfs"
)

const (
	// maxState is the size of the largest state file that is read.
	maxState = 512 << 20
	// maxAnchors is how many bytes of anchors are kept, and maxPageAnchors how many of a page. Links
	// to others keep their fragment.
	maxAnchors     = 32 << 20
	maxPageAnchors = 1 << 20
)

// SiteOptions say how a site is kept.
type SiteOptions struct {
	Crawl  crawl.Options // without Keeper, Journal and Done
	Update bool          // mark what is gone
	Done   func(Result)  // is called for each page, by one goroutine at a time
}

// A Site is a site in a folder. It is the [crawl.Keeper] of its crawl.
type Site struct {
	options  SiteOptions
	capturer Capturer
	crawl    *crawl.Crawl
	start    string // the URL where the crawl begins
	state    string // the name of the state file
	log      crawl.Log

	mu      sync.Mutex        // guards all fields below
	there   map[string]string // files by the keys of their pages
	results map[string]Result // of pages that were kept, until the crawl reports them
	aliases map[string]string // URLs of pages, by those of others that lead to them
	anchors map[string]string // of pages, by their URLs: NUL, id, NUL, slug, …, NUL
	bytes   int               // of anchors
	resumed bool
	whole   bool // all pages have been asked, and all anchors are known
}

// NewSite returns a site that is captured as a capturer captures pages.
func NewSite(c Capturer, o SiteOptions) (*Site, error) {
	start, err := crawl.Clean(o.Crawl.Start, false)
	if err != nil {
		return nil, err
	}
	s := &Site{
		capturer: c, options: o, start: start.String(), state: stateName(start.String()),
		there: make(map[string]string), results: make(map[string]Result), aliases: make(map[string]string), anchors: make(map[string]string),
	}
	s.capturer.Options.Link, s.capturer.many = s.link, true
	s.options.Crawl.Start, s.options.Crawl.Keeper, s.options.Crawl.Done = start, s, s.done
	s.options.Crawl.Fresh = o.Crawl.Fresh || c.Options.Force
	if !c.Options.DryRun {
		s.options.Crawl.Journal = &s.log
	}
	s.crawl, err = crawl.New(c.Client, s.options.Crawl)
	return s, err
}

// Stats returns how far the crawl has come.
func (s *Site) Stats() crawl.Stats { return s.crawl.Stats() }

// Resumed reports whether the run goes on with one that was ended in the middle.
func (s *Site) Resumed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.resumed
}

// Run brings the folder to the state of the site. It is called once.
func (s *Site) Run(ctx context.Context) error {
	files, writes := s.capturer.Folder, s.capturer.Folder != nil && !s.capturer.Options.DryRun
	if writes {
		release, err := files.Lock(s.state + ".lock")
		if errors.Is(err, rootfs.ErrLocked) {
			return fmt.Errorf("%s: another process captures this site into the folder: wait until it ends", s.start)
		}
		if err != nil {
			return err
		}
		defer release()
		defer files.Flush()
	}
	file, err := s.begin(ctx)
	if err != nil {
		return err
	}
	if file != nil {
		defer file.Close()
	}
	if err := s.crawl.Run(ctx); err != nil {
		return err
	}
	if writes {
		if err := s.relink(ctx); err != nil {
			return err
		}
	}
	if !s.options.Update {
		return nil
	}
	return s.markGone(ctx)
}

// Open begins to capture a page.
func (s *Site) Open(u *url.URL) (crawl.Visit, error) {
	s.mu.Lock()
	name := s.there[crawl.Key(u)]
	s.mu.Unlock()
	v, err := s.capturer.visit(&Result{URL: u.String(), File: PageName(u)})
	if err == nil && name != "" && v.old == nil {
		if moved, err := s.capturer.visit(&Result{URL: u.String(), File: name}); err == nil { // its author moved it
			v = moved
		}
	}
	if err != nil {
		return nil, err
	}
	v.site = s
	return v, nil
}

// done reports a URL of the crawl that is a page, or should be one.
func (s *Site) done(r crawl.Result) {
	s.mu.Lock()
	result, kept := s.results[r.URL]
	delete(s.results, r.URL)
	if !kept {
		result = Result{URL: r.URL, File: s.file(r.URL)}
	}
	s.mu.Unlock()
	switch {
	case kept && r.State == crawl.Kept:
	case r.State == crawl.Kept: // the sitemap says that it has not changed
		result.State = Unchanged
	case r.State == crawl.Failed, r.State == crawl.Forbidden && r.Old, r.State == crawl.Gone && r.Old && !s.options.Update:
		result.State = Failed
		if result.Error == "" && r.Err != nil {
			result.Error = r.Err.Error()
		}
	default:
		return
	}
	s.report(result)
}

func (s *Site) report(r Result) {
	if s.options.Done != nil {
		s.options.Done(r)
	}
}

// file returns the file of a page. s.mu is held.
func (s *Site) file(page string) string {
	u, err := url.Parse(page)
	if err != nil {
		return ""
	}
	if name := s.there[crawl.Key(u)]; name != "" {
		return name
	}
	return PageName(u)
}

// relinkers is how many files get relative links at a time.
const relinkers = 4

// relink makes the links between all pages relative.
func (s *Site) relink(ctx context.Context) error {
	s.mu.Lock()
	s.whole = true
	s.mu.Unlock()
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(relinkers)
	s.crawl.Pages(func(page string) {
		s.mu.Lock()
		name := s.file(page)
		s.mu.Unlock()
		group.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			return s.capturer.relink(ctx, name, func(target *url.URL) string { return s.link(name, target) })
		})
	})
	return group.Wait()
}

// markGone marks the files of pages that the site has no longer. A page that could not be asked may
// still be there.
func (s *Site) markGone(ctx context.Context) error {
	if s.capturer.Folder == nil {
		return nil
	}
	var first error
	s.crawl.Old(func(page string, state crawl.State) {
		switch state {
		case crawl.Gone, crawl.Redirect, crawl.Canonical, crawl.Duplicate, crawl.NoIndex, crawl.Other:
		default:
			return
		}
		if first != nil || ctx.Err() != nil {
			return
		}
		s.mu.Lock()
		name := s.file(page)
		s.mu.Unlock()
		result, ok, err := s.capturer.markGone(ctx, page, name)
		if first = err; ok && err == nil {
			s.report(result)
		}
	})
	if first == nil {
		first = ctx.Err()
	}
	return first
}
