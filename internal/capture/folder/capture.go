// Package folder stores pages of the web as Markdown files in a folder: a [Capturer] captures single pages, and a
// [Site] captures all pages that a crawl finds.
//
// Each URL has one file, whose path follows from the URL: see [PageName]. A file begins with front matter, a
// [Header], with its origin and a digest of the captured text. For each URL, [Capturer.Run] does this:
//
//  1. It reads the existing file. It never overwrites a file that was not captured from this URL.
//  2. It requests the page through [webclient.Client], on the condition that the page has changed since the file was
//     written.
//  3. It converts the answer to Markdown with [conversion.Converter.Read]. An answer that is not text is an error. Images of
//     pages become assets with [Options.Images].
//  4. If the text differs, it writes the file and its assets. A text that was edited, even while the page was
//     fetched, stays as it is and is reported, unless [Options.Force] is set. So does an asset, unless the front
//     matter has the digest of its bytes.
//
// Files are replaced atomically, so a run can be interrupted and repeated without loss. A file whose text is the same
// is not written, so its modification time says when the text changed.
//
// # Sites
//
// [Site.Run] does this:
//
//  1. It locks the site in the folder, so that one process at a time captures it.
//  2. It reads the state file. It continues an interrupted run. Otherwise it requests the pages in the folder again,
//     on the condition that they have changed, and looks for new ones.
//  3. [crawl.Crawl] requests the pages. Each is stored in the file that [PageName] names, or to which its author
//     moved it. Links to pages that are already in the folder are relative.
//  4. At the end of the crawl, links between all pages become relative, and their fragments become the ids of the
//     headings to which they lead. Edited files stay as they are.
//  5. With [SiteOptions.Update], the files of pages that no longer exist get the key "gone" in their front matter.
//     They are not deleted: links to them still work, and the author decides.
//
// The state file, .crawl-….jsonl, is hidden, so it is neither served nor published. It contains the journal of the
// crawl, with the anchors of each page. If it is lost, the next run starts from the beginning, and
// requests the pages in the folder with the validators in their front matter.
//
// Memory is bounded by the crawl and by [maxAnchors] for all anchors; no text stays in memory.
package folder

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/conversion"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/crawl"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/fairqueue"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/webclient"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/webpage"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/fserr"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/rootfs"
)

const (
	// workers is how many pages, possibly of different hosts, are captured at a time.
	workers = 4
	// maxFile is the maximum size of a captured file.
	maxFile = 64 << 20
)

// Options say how pages are captured.
type Options struct {
	Images bool
	Whole  bool // not only main content
	DryRun bool
	Force  bool
	// Converter converts pages. All users of this process share it.
	Converter *conversion.Converter
	// Timeout bounds fetching and converting a page, without the wait for a turn; 0: only the converter's own bound.
	Timeout time.Duration
	Now     func() time.Time
	// Link returns the link from a file to a page, or "" for the URL of the page. It is called for pages that a crawl
	// found. It may be nil; see [Links].
	Link func(from string, to *url.URL) string
}

// A Capturer captures pages into a folder.
type Capturer struct {
	Client  *webclient.Client
	Folder  *rootfs.FS // nil: it does not exist, in a dry run
	Options Options

	flushLater bool          // the caller flushes the folder
	imagesTime time.Duration // 0: [maxImagesTime]; for tests
}

// A Target is a page to capture.
type Target struct {
	URL  *url.URL
	File string // "": [PageName]
	Site string // see [Header]; "" for single pages
	// Client fetches the page. nil: the client of the capturer.
	Client *webclient.Client
}

// A State is the outcome for a page.
type State string

// States of a page. A dry run reports the state that a real run would have.
const (
	New       State = "new"
	Updated   State = "updated"
	Unchanged State = "unchanged"
	Edited    State = "edited" // the page changed, but its edited file stays
	Failed    State = "failed"
	Gone      State = "gone" // the site no longer has it; its file is marked
)

// A Result is the outcome for a page.
type Result struct {
	URL      string   `json:"url"`
	File     string   `json:"file"`
	State    State    `json:"state"`
	Title    string   `json:"title,omitempty"`
	Error    string   `json:"error,omitempty"`
	Warnings []string `json:"warnings,omitempty"`
	Images   []string `json:"images,omitempty"`
}

// Run captures pages, several at a time, and calls done with each result in the order of the targets. When ctx ends,
// it completes the file that it is writing, and returns ctx.Err().
func (c *Capturer) Run(ctx context.Context, targets []Target, done func(Result)) error {
	results := make([]chan Result, len(targets))
	for i := range results {
		results[i] = make(chan Result, 1)
	}
	go func() {
		var group errgroup.Group
		group.SetLimit(workers)
		for i, t := range targets {
			group.Go(func() error {
				results[i] <- c.one(ctx, t)
				return nil
			})
		}
	}()
	for _, result := range results {
		// A page that failed because ctx ended has no result.
		if r := <-result; r.State != Failed || ctx.Err() == nil || r.Error != ctx.Err().Error() {
			done(r)
		}
	}
	return ctx.Err()
}

func (c *Capturer) one(ctx context.Context, t Target) Result {
	r := Result{URL: t.URL.String(), File: t.File}
	r.File = cmp.Or(r.File, PageName(t.URL))
	err := ctx.Err()
	if err == nil {
		own := *c
		own.Client = cmp.Or(t.Client, c.Client)
		err = own.capture(ctx, t.URL, &r)
	}
	if err != nil {
		r.State, r.Error = Failed, cmp.Or(ctx.Err(), err).Error()
	}
	return r
}

// A visit captures one page. It is a [crawl.Visit] if a site is captured.
type visit struct {
	c      *Capturer
	site   *Site
	page   *crawl.Page
	result *Result
	old    *File
	seen   []byte
	images bool
	whole  bool
	edited bool
	forced bool // fetch even if unchanged
}

// visit reads the existing file of a page.
func (c *Capturer) visit(r *Result) (*visit, error) {
	old, seen, err := c.readFor(r.File, r.URL)
	if err != nil {
		return nil, err
	}
	v := &visit{c: c, result: r, old: old, seen: seen}
	v.images = c.Options.Images || old != nil && hasImage(old.Body, true)
	v.whole = c.Options.Whole || old != nil && old.Whole != ""
	v.edited = old != nil && old.Edited()
	v.forced = c.Options.Force && old != nil && (v.edited || len(old.assets) > 0) || old != nil && c.Options.Images && hasImage(old.Body, false) || old != nil && v.whole && old.Whole == ""
	return v, nil
}

// Known implements [crawl.Visit].
func (v *visit) Known() (known webclient.Validators, fetched time.Time) {
	if v.old == nil {
		return known, fetched
	}
	if !v.forced {
		known = v.old.known()
	}
	fetched, _ = time.Parse(time.RFC3339, v.old.Fetched)
	return known, fetched
}

// Keep implements [crawl.Visit].
func (v *visit) Keep(ctx context.Context, p *crawl.Page) error {
	s := v.site
	v.page = p
	err := v.keep(ctx, p.Response)
	if fserr.Full(err) { // for all further pages too
		return &crawl.Fatal{Err: err}
	}
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.files[crawl.Key(p.URL)] = v.result.File
	return nil
}

func (c *Capturer) capture(ctx context.Context, u *url.URL, r *Result) error {
	v, err := c.visit(r)
	if err != nil {
		return err
	}
	known, _ := v.Known()
	response, err := c.Client.Get(ctx, webclient.Request{URL: u, Accept: crawl.Accept, Known: known})
	if status, ok := errors.AsType[*webclient.StatusError](err); ok && v.old != nil && v.old.Gone != "" && (status.Status == http.StatusNotFound || status.Status == http.StatusGone) {
		r.State, r.Title = Gone, v.old.Title
		return nil
	}
	if err != nil {
		return err
	}
	return v.keep(ctx, response)
}

// keep converts an answer and writes the file, if needed.
func (v *visit) keep(ctx context.Context, response *webclient.Response) error {
	c, r, old, edited := v.c, v.result, v.old, v.edited
	if response.NotModified {
		r.State, r.Title = Unchanged, old.Title
		return v.unmarkGone(ctx)
	}
	fresh := &File{Header: headerOf(r.URL, response), assets: make(map[string]string)}
	fresh.Fetched = stamp(c.Options.Now())
	switch {
	case v.site != nil:
		fresh.Site = v.site.start
	case old != nil:
		fresh.Site = old.Site
	}
	if err := v.render(ctx, response, fresh); err != nil {
		return err
	}
	r.Title = fresh.Title
	fresh.SHA256 = digest(fresh.Body)
	switch {
	case old == nil:
		r.State = New
	case fresh.SHA256 == old.SHA256 && !(edited && c.Options.Force) && len(fresh.staged) == 0 && assetList(fresh.assets) == assetList(old.assets):
		r.State = Unchanged
		return v.unmarkGone(ctx)
	case edited && !c.Options.Force:
		r.State = Edited
		return nil
	default:
		r.State = Updated
		fresh.authorLines = old.authorLines
	}
	return c.commit(ctx, fresh, r, v.seen)
}

// commit writes a file and its assets, unless somebody wrote the file since it was read: fetching may take minutes.
// seen has the bytes that were read; nil: the file did not exist.
func (c *Capturer) commit(ctx context.Context, fresh *File, r *Result, seen []byte) error {
	if ok, err := c.asSeen(fresh, r, seen); !ok || err != nil {
		return err
	}
	if err := c.writeAssets(ctx, fresh, r); err != nil {
		return err
	}
	text, err := fresh.text()
	if err != nil {
		return fmt.Errorf("%s: %w", r.File, err)
	}
	return c.write(ctx, r.File, text)
}

// asSeen reports whether a file may still be written. With [Options.Force] it may even if it was edited meanwhile;
// then keys that an author added are kept.
func (c *Capturer) asSeen(fresh *File, r *Result, seen []byte) (bool, error) {
	now, data, err := c.readFor(r.File, r.URL)
	if err != nil {
		return false, err
	}
	if (data == nil) == (seen == nil) && bytes.Equal(data, seen) {
		return true, nil
	}
	if !c.Options.Force {
		r.State = Edited
		return false, nil
	}
	if now != nil {
		fresh.authorLines = now.authorLines
	}
	return true, nil
}

// hasImage reports whether Markdown shows an image that is an asset (kept), or one of the web.
func hasImage(markdown string, kept bool) bool {
	for rest := markdown; ; {
		_, after, found := strings.Cut(rest, "![")
		if !found {
			return false
		}
		if _, target, ok := strings.Cut(after, "]("); ok && kept != (strings.HasPrefix(target, "http://") || strings.HasPrefix(target, "https://")) {
			return true
		}
		rest = after
	}
}

// render makes the text of a file, and stages its assets.
func (v *visit) render(ctx context.Context, response *webclient.Response, f *File) error {
	c, r, old := v.c, v.result, v.old
	input := conversion.Input{Choice: webpage.Choice{Whole: v.whole}, Ask: fairqueue.Ask{Unshared: true}, Source: webpage.Source{URL: response.URL, ContentType: response.ContentType, Body: response.Body}}
	if c.Options.Timeout > 0 {
		input.Time = max(c.Options.Timeout-response.Took, time.Millisecond)
	}
	page, err := c.Options.Converter.Read(ctx, input)
	if err != nil {
		return fmt.Errorf("%s: %w", r.URL, err)
	}
	r.Warnings = append(r.Warnings, page.Notes...)
	f.Incomplete = strings.Join(page.Notes, " ")
	if v.whole {
		f.Whole = "true"
	}
	if page.Kind == webpage.Bytes {
		return fmt.Errorf("%s: %w: %s", r.URL, crawl.ErrNoPage, page.MIME)
	}
	if v.site != nil {
		plain := absoluteMarkdown(page, response.URL)
		if !v.page.Claim(page.Title, plain) {
			return crawl.ErrElsewhere
		}
		v.site.keepAnchors(v.page, page, plain)
	}
	kept := make(map[string]string)
	if v.images {
		if kept, err = c.images(ctx, page, old, f, r); err != nil {
			return err
		}
	}
	f.Title = page.Title
	f.Body = page.Markdown(func(ref webpage.Reference) string {
		switch {
		case ref.Image:
			return kept[ref.URL.String()]
		case f.Site != "" && c.Options.Link != nil:
			return c.Options.Link(r.File, ref.URL)
		}
		return ""
	})
	// page.References does not have the links of Markdown.
	if page.Kind == webpage.Markdown && f.Site != "" && c.Options.Link != nil {
		f.Body = webpage.Relink(f.Body, func(target *url.URL) string { return c.Options.Link(r.File, target) })
	}
	if f.Body == "" {
		r.Warnings = append(r.Warnings, "the page has no text; scripts may make it, but they are not run")
	}
	return nil
}

// absoluteMarkdown returns the Markdown of a page with absolute links. Links to the page itself, whose URL may vary,
// become fragments.
func absoluteMarkdown(page *webpage.Page, location *url.URL) string {
	self := *location
	self.Fragment, self.RawFragment = "", ""
	return page.Markdown(func(ref webpage.Reference) string {
		to := *ref.URL
		if to.Fragment, to.RawFragment = "", ""; to != self {
			return ""
		}
		return "#" + ref.URL.EscapedFragment()
	})
}

// unmarkGone removes the mark of a page that exists again.
func (v *visit) unmarkGone(ctx context.Context) error {
	if v.old == nil || v.old.Gone == "" && (v.site == nil || v.site.start == v.old.Site) {
		return nil
	}
	f := *v.old
	f.Gone = ""
	if v.site != nil {
		f.Site = v.site.start
	}
	return v.c.rewrite(ctx, v.result.File, &f, v.seen)
}
