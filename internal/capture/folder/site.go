package folder

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/crawl"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/rootfs"
)

const (
	// maxState is the maximum size of a state file.
	maxState = 512 << 20
	// maxAnchors bounds the anchors of all pages, and maxPageAnchors the anchors of one page, in bytes. Links to pages
	// whose anchors are not kept keep their fragments.
	maxAnchors     = 32 << 20
	maxPageAnchors = 1 << 20
)

// SiteOptions say how a site is captured.
type SiteOptions struct {
	Crawl  crawl.Options // without Keeper, Journal and Done
	Update bool
	Done   func(Result) // called by one goroutine at a time
}

// A Site captures a site into a folder. It is the [crawl.Keeper] of its crawl.
type Site struct {
	options  SiteOptions
	capturer Capturer
	crawl    *crawl.Crawl
	start    string
	state    string
	journal  journal

	mu       sync.Mutex        // guards all fields below
	files    map[string]string // by [crawl.Key]
	aliases  map[string]string
	anchors  map[string]string // by page: "\x00id\x01slug" for each, then "\x00"
	bytes    int
	complete bool // all anchors are known
}

// A journal is the journal of the crawl, which begins in memory and continues in the state file.
type journal struct{ io.Writer }

// NewSite returns a site whose pages c captures.
func NewSite(c Capturer, o SiteOptions) (*Site, error) {
	start, err := crawl.Clean(o.Crawl.Start, false)
	if err != nil {
		return nil, err
	}
	s := &Site{
		capturer: c, options: o, start: start.String(), state: stateName(start.String()), journal: journal{io.Discard},
		files: make(map[string]string), aliases: make(map[string]string), anchors: make(map[string]string),
	}
	s.capturer.Options.Link, s.capturer.flushLater = s.link, true
	s.options.Crawl.Start, s.options.Crawl.Keeper, s.options.Crawl.Done = start, s, s.done
	s.options.Crawl.Fresh = o.Crawl.Fresh || c.Options.Force
	if !c.Options.DryRun {
		s.options.Crawl.Journal = &s.journal
	}
	s.crawl, err = crawl.New(c.Client, s.options.Crawl)
	return s, err
}

// stateName returns the name of the state file of a site.
func stateName(site string) string { return ".crawl-" + digest(site)[:16] + ".jsonl" }

// Stats returns the progress of the crawl.
func (s *Site) Stats() crawl.Stats { return s.crawl.Stats() }

// Run captures the site. It is called once.
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
	if file != nil {
		defer file.Close()
	}
	if err != nil {
		return err
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

// Open implements [crawl.Keeper].
func (s *Site) Open(u *url.URL) (crawl.Visit, error) {
	s.mu.Lock()
	name := s.files[crawl.Key(u)]
	s.mu.Unlock()
	v, err := s.capturer.visit(&Result{URL: u.String(), File: PageName(u)})
	if err == nil && name != "" && v.old == nil {
		// A user may have moved the file.
		if moved, err := s.capturer.visit(&Result{URL: u.String(), File: name}); err == nil {
			v = moved
		}
	}
	if err != nil {
		return nil, err
	}
	v.site = s
	return v, nil
}

// done reports the result for a URL that is a page, or should be one.
func (s *Site) done(r crawl.Result) {
	s.mu.Lock()
	result := Result{URL: r.URL, File: s.file(r.URL)}
	s.mu.Unlock()
	v, stored := r.Visit.(*visit)
	switch {
	case stored:
		result = *v.result
	case r.State == crawl.Kept: // the sitemap says that it has not changed
		result.State = Unchanged
	case r.State == crawl.Failed, r.State == crawl.Forbidden && r.Old, r.State == crawl.Gone && r.Old && !s.options.Update:
		result.State = Failed
		if r.Err != nil {
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

// file returns the file of a page. The caller holds s.mu.
func (s *Site) file(page string) string {
	u, err := url.Parse(page)
	if err != nil {
		return ""
	}
	return cmp.Or(s.files[crawl.Key(u)], PageName(u))
}

// relinkers is how many files are relinked at a time.
const relinkers = 4

// relink makes the links between all pages relative.
func (s *Site) relink(ctx context.Context) error {
	s.mu.Lock()
	s.complete = true
	s.mu.Unlock()
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(relinkers)
	s.crawl.Each(func(page string, state crawl.State, _ bool) {
		if state != crawl.Kept {
			return
		}
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

// markGone marks the files of pages that no longer exist. A page that could not be requested may still exist.
func (s *Site) markGone(ctx context.Context) error {
	if s.capturer.Folder == nil {
		return nil
	}
	var first error
	s.crawl.Each(func(page string, state crawl.State, old bool) {
		gone := slices.Contains([]crawl.State{crawl.Gone, crawl.Redirect, crawl.Canonical, crawl.Duplicate, crawl.NoIndex, crawl.Other}, state)
		if !old || !gone || first != nil || ctx.Err() != nil {
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
	first = cmp.Or(first, ctx.Err())
	return first
}

// load indexes the captured pages and reads the state file. It returns the pages of this site by URL, the bytes of
// the state file, and the crawl that it describes.
func (s *Site) load(captured []Target) (old map[string]*url.URL, state []byte, earlier *crawl.EarlierCrawl, err error) {
	old = make(map[string]*url.URL)
	for _, t := range captured {
		s.files[crawl.Key(t.URL)] = t.File
		if t.Site == s.start {
			old[t.URL.String()] = t.URL
		}
	}
	if state, err = s.read(); err != nil {
		return nil, nil, nil, err
	}
	earlier = &crawl.EarlierCrawl{Ended: true}
	if len(state) > 0 {
		// A state file that cannot be read is useless, and is replaced.
		if read, err := crawl.ReadEarlier(bytes.NewReader(state), s.options.Crawl); err == nil {
			earlier = read
			for page, p := range read.Pages {
				if p.Note != nil {
					s.setAnchors(page, *p.Note)
				}
			}
		}
	}
	s.aliases = earlier.Aliases
	return old, state, earlier, nil
}

// begin reads the folder and the state file, and opens the state file for writing.
func (s *Site) begin(ctx context.Context) (*os.File, error) {
	if s.capturer.Folder == nil {
		return nil, nil
	}
	captured, err := Captured(ctx, s.capturer.Folder)
	if err != nil {
		return nil, err
	}
	old, state, earlier, err := s.load(captured)
	if err != nil {
		return nil, err
	}
	resumes := earlier.Same && !earlier.Ended && len(state) > 0
	var beginning bytes.Buffer
	if !resumes {
		s.journal.Writer = &beginning
		byDepth := func(a, b string) int { return cmp.Compare(earlier.Pages[a].Depth, earlier.Pages[b].Depth) }
		for _, page := range slices.SortedFunc(maps.Keys(old), byDepth) {
			s.crawl.Seed(old[page], earlier.Pages[page])
		}
		s.journal.Writer = io.Discard
	}
	var file *os.File
	if !s.capturer.Options.DryRun {
		if !resumes {
			err = s.capturer.Folder.Replace(s.state, beginning.Bytes())
		}
		if err == nil {
			file, err = s.capturer.Folder.Append(s.state)
		}
		if err != nil {
			return nil, writeError(s.state, err)
		}
		s.journal.Writer = file
	}
	if resumes {
		err = s.crawl.Resume(bytes.NewReader(state))
	}
	return file, err
}

// read returns the bytes of the state file, nil if it does not exist.
func (s *Site) read() ([]byte, error) {
	data, err := rootfs.ReadFile(s.capturer.Folder, s.state, maxState)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, rootfs.ErrTooLarge) {
		err = nil
	}
	return data, err
}

// setAnchors sets the anchors of a page, unless there is no room for them. The caller holds s.mu, or is the only goroutine.
func (s *Site) setAnchors(page, anchors string) bool {
	bytes := s.bytes + len(anchors) - len(s.anchors[page])
	if len(anchors) > maxPageAnchors || bytes > maxAnchors {
		return false
	}
	s.bytes, s.anchors[page] = bytes, anchors
	return true
}
