// Package folder keeps pages of the web as Markdown files in a folder: single pages, which a [Capturer] asks
// for, and whole sites, which a [Site] has crawled.
//
// Each URL has one file, whose path follows from it: see [PageName]. A file begins with front
// matter, a [Header], which says where it is from and which text it had. [Capturer.Run] does this
// with each URL:
//
//  1. It reads the file that is there. A file that was not captured from this URL is never written
//     over.
//  2. It asks for the page, by way of [webclient.Client], on the condition that it has changed since
//     the file was written.
//  3. It makes Markdown of the answer, with [conversion.Converter.Read]. What is no text is kept beside the file,
//     which has a link to it; images of pages are kept too if that is wanted.
//  4. If the text is another one, it writes the file and what is beside it. A text that was edited,
//     even while the page was fetched, is left alone, and reported, unless [Options.Force]. So is a
//     file beside it unless the front matter has the digest of its bytes.
//
// A file is replaced whole, so a program that is ended loses nothing, and may be started again.
// Files of the same text are not written, so their times say when they changed.
//
// # Sites
//
// [Site.Run] does this:
//
//  1. It locks the site in the folder, so that one process at a time captures it.
//  2. It reads what an earlier run left in the state file. A run that was ended in the middle goes
//     on there. Else the pages that are in the folder are asked again, on the condition that they
//     have changed, and new ones are looked for.
//  3. [crawl.Crawl] asks for pages. Each becomes a file under the name that [PageName] says, or where its
//     author moved it to. Links to pages that are there already are relative.
//  4. When all pages are there, links between them become relative in all files. A fragment becomes
//     that of the heading where the place is. Files that were edited are left alone.
//  5. With [SiteOptions.Update], the files of pages that are there no longer get the key "gone" in their
//     front matter. They stay: what links to them still works, and an author decides.
//
// The state file, .crawl-….jsonl, is hidden, so it is neither served nor published. It has the
// journal of the crawl, and a line with the anchors of each page. Without it, nothing is lost but the
// way: the next run begins at the start, and asks for the pages in the folder by their front
// matter.
//
// Memory is bounded by that of the crawl, and by [maxAnchors] for all anchors; no text stays in it.
package folder

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/conversion"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/crawl"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/fairqueue"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/webclient"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/rootfs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/webpage"
)

const (
	// workers is how many pages are at work at a time: as many hosts can be asked at once.
	workers = 4
	// maxFile is how much of a file is read. What is captured is smaller.
	maxFile = 64 << 20
)

// Options say how pages are captured.
type Options struct {
	Images bool // keep the images of pages
	Whole  bool // keep all of the pages, and not only their main content
	DryRun bool // write nothing
	Force  bool // write over texts that were edited
	// Converter makes Markdown of pages, for all that convert in this process.
	Converter *conversion.Converter
	// Timeout is how long a page may take that is fetched and converted, without the wait for a turn; 0: as
	// long as the converter allows.
	Timeout time.Duration
	Now     func() time.Time
	// Link returns the link from a file to a page, or "" for its URL. It is asked for pages that a
	// crawl found. It may be nil; see [Links].
	Link func(from string, to *url.URL) string
}

// A Capturer captures pages into a folder.
type Capturer struct {
	Client  *webclient.Client
	Folder  *rootfs.FS // nil: it is not there, in a dry run
	Options Options

	many       bool          // files are not waited for: the caller flushes the folder
	imagesTime time.Duration // replaces [maxImagesTime] if it is not 0
}

// A Target is a page to capture.
type Target struct {
	URL  *url.URL // canonical
	File string   // where it is kept; "": where [PageName] says
	Site string   // see [Header]; of a page that is in the folder
}

// A State is what became of a page.
type State string

// States of a page. In a dry run, they say what would become of it.
const (
	New       State = "new"       // its file was written
	Updated   State = "updated"   // its file was replaced
	Unchanged State = "unchanged" // its file has its text already
	Edited    State = "edited"    // its file was edited, and is left alone, though the page has changed
	Failed    State = "failed"    // the page cannot be captured
	Gone      State = "gone"      // the site has the page no longer; its file is marked
)

// A Result says what became of a page.
type Result struct {
	URL      string   `json:"url"`
	File     string   `json:"file"` // below the folder
	State    State    `json:"state"`
	Title    string   `json:"title,omitempty"`
	Error    string   `json:"error,omitempty"`
	Warnings []string `json:"warnings,omitempty"`
	Images   []string `json:"images,omitempty"` // that were written, below the folder
}

// Run captures pages, several at a time, and calls done with each result in the order of the
// targets. When ctx ends, it finishes the file that it writes, and returns the error of ctx.
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
		if r := <-result; r.State != Failed || ctx.Err() == nil || r.Error != ctx.Err().Error() { // else it only failed because everything ended
			done(r)
		}
	}
	return ctx.Err()
}

// one captures a page.
func (c *Capturer) one(ctx context.Context, t Target) Result {
	r := Result{URL: t.URL.String(), File: t.File}
	if r.File == "" {
		r.File = PageName(t.URL)
	}
	err := ctx.Err()
	if err == nil {
		if err = c.capture(ctx, t.URL, &r); err != nil {
			err = cmp.Or(ctx.Err(), err)
		}
	}
	if err != nil {
		r.State, r.Error = Failed, err.Error()
	}
	return r
}

func (c *Capturer) capture(ctx context.Context, u *url.URL, r *Result) error {
	v, err := c.visit(r)
	if err != nil {
		return err
	}
	known, _ := v.Known()
	response, err := c.Client.Get(ctx, webclient.Request{URL: u, Accept: crawl.Accept, Known: known})
	if status, ok := errors.AsType[*webclient.StatusError](err); ok && v.old != nil && !v.old.Gone.IsZero() && (status.Status == http.StatusNotFound || status.Status == http.StatusGone) {
		r.State, r.Title = Gone, v.old.Title
		return nil
	}
	if err != nil {
		return err
	}
	return v.keep(ctx, response)
}

// keep writes what an answer became.
func (v *visit) keep(ctx context.Context, response *webclient.Response) error {
	c, r, old, edited := v.c, v.result, v.old, v.edited
	if response.NotModified {
		r.State, r.Title = Unchanged, old.Title
		return v.back(ctx)
	}
	fresh := &File{Header: headerOf(r.URL, response)}
	fresh.Fetched = c.Options.Now().UTC().Truncate(time.Second)
	switch {
	case v.site != nil:
		fresh.Site = v.site.start
	case old != nil:
		fresh.Site = old.Site
	}
	err := v.render(ctx, response, fresh)
	if err == errEditedAsset {
		r.State, r.Title = Edited, fresh.Title
		return nil
	}
	if err != nil {
		return err
	}
	fresh.Title = titleOf(fresh.Title)
	r.Title = fresh.Title
	fresh.SHA256 = digest(fresh.Body)
	switch {
	case old == nil:
		r.State = New
	case fresh.SHA256 == old.SHA256 && !(edited && c.Options.Force) && len(fresh.staged) == 0 && assetList(fresh.assets) == assetList(old.assets):
		r.State = Unchanged
		return v.back(ctx)
	case edited && !c.Options.Force:
		r.State = Edited
		return nil
	default:
		r.State = Updated
		fresh.others = old.others
	}
	return c.commit(ctx, fresh, r, v.seen)
}

// commit writes a file and its assets, unless somebody wrote the file since it was read: fetching
// takes minutes at times. seen is what was read, nil if there was no file.
func (c *Capturer) commit(ctx context.Context, fresh *File, r *Result, seen []byte) error {
	if ok, err := c.asSeen(fresh, r, seen); !ok || err != nil {
		return err
	}
	if err := c.writeAssets(ctx, fresh, r); err != nil {
		return err
	}
	if len(fresh.staged) > 0 { // which takes a while
		if ok, err := c.asSeen(fresh, r, seen); !ok || err != nil {
			return err
		}
	}
	text, err := fresh.text()
	if err != nil {
		return fmt.Errorf("%s: %w", r.File, err)
	}
	return c.write(ctx, r.File, text)
}

// asSeen reports whether a file may still be written. With [Options.Force], it is written over even
// if it was edited meanwhile, but keeps the keys that an author added.
func (c *Capturer) asSeen(fresh *File, r *Result, seen []byte) (bool, error) {
	now, data, err := c.readOf(r.File, r.URL)
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
		fresh.others = now.others
	}
	return true, nil
}

// hasImage reports whether Markdown shows an image that is kept here, or one of the web.
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
	input := conversion.Input{Choice: webpage.Choice{Whole: v.whole}, Ask: fairqueue.Ask{Only: true}, Source: webpage.Source{URL: response.URL, ContentType: response.ContentType, Body: response.Body}}
	if c.Options.Timeout > 0 {
		input.Time = max(c.Options.Timeout-response.Took, time.Millisecond)
	}
	page, err := c.Options.Converter.Read(ctx, input)
	if err != nil {
		return fmt.Errorf("%s: %w", r.URL, err)
	}
	r.Warnings = append(r.Warnings, page.Notes...)
	f.Incomplete = titleOf(strings.Join(page.Notes, " "))
	if v.whole {
		f.Whole = "true"
	}
	if page.Kind == webpage.Bytes {
		if v.site != nil {
			return fmt.Errorf("%s: %w: %s", r.URL, crawl.ErrNoPage, page.MIME)
		}
		return c.keepBytes(response, page, old, f, r)
	}
	if v.site != nil {
		plain := plainOf(page, response.URL)
		if !v.page.Claim(crawl.Digest(page.Title, plain)) {
			return crawl.ErrElsewhere
		}
		v.site.keepAnchors(v.page.URL.String(), page, plain)
	}
	kept := make(map[string]string) // links to the images that are kept, by their URLs
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
	if page.Kind == webpage.Markdown && f.Site != "" && c.Options.Link != nil { // its links are no references
		f.Body = webpage.Relink(f.Body, func(target *url.URL) string { return c.Options.Link(r.File, target) })
	}
	if f.Body == "" {
		r.Warnings = append(r.Warnings, "the page has no text; scripts may make it, which are not run")
	}
	return nil
}

// keepBytes stages what is no text, to be kept beside the file, which links to it.
func (c *Capturer) keepBytes(response *webclient.Response, page *webpage.Page, old, f *File, r *Result) error {
	u, err := crawl.Normalize(response.URL)
	if err != nil {
		return err
	}
	name := AssetName(u, page.MIME)
	f.Title = path.Base(name)
	if err := c.stage(asset{name: name, data: response.Body}, old, f); err == errEditedAsset {
		return err
	} else if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	mark := ""
	if strings.HasPrefix(page.MIME, "image/") {
		mark = "!"
	}
	f.Body = fmt.Sprintf("# %s\n\n%s[%s](%s)\n\n%d bytes of %s.\n", f.Title, mark, f.Title, Relative(r.File, name), len(response.Body), page.MIME)
	return nil
}
