package folder

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"net/url"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/crawl"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/webclient"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/webpage"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/fserr"
)

// A visit captures one page. It is a [crawl.Visit] if a site is captured.
type visit struct {
	c      *Capturer
	site   *Site       // nil: a single page is captured
	page   *crawl.Page // set by Keep
	result *Result
	old    *File  // the existing file; nil: none
	seen   []byte // bytes of the existing file
	images bool   // images become assets
	whole  bool   // the whole page is kept
	edited bool   // the existing text was edited
	forced bool   // the page is fetched even if it has not changed
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
	if err == crawl.ErrElsewhere && !p.Old { // an interrupted run wrote it, and now another page came first
		return cmp.Or(v.discard(), err)
	}
	if fserr.Full(err) { // the disk is full for all further pages too
		return &crawl.Fatal{Err: err}
	}
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.results[v.result.URL] = *v.result
	s.files[crawl.Key(p.URL)] = v.result.File
	return nil
}

// discard removes the file of a page that must not be kept, if the file is as it was written for this site.
func (v *visit) discard() error {
	if v.old == nil || v.edited || v.old.Site == "" || v.old.Site != v.site.start || v.c.Options.DryRun {
		return nil
	}
	if now, err := v.c.readAll(v.result.File); err != nil || !bytes.Equal(now, v.seen) {
		return err
	}
	return v.c.Folder.Remove(v.result.File)
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

// rewrite writes a file with another header or text, unless somebody wrote it since it was read.
func (c *Capturer) rewrite(ctx context.Context, name string, f *File, seen []byte) error {
	text, err := f.text()
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if now, err := c.readAll(name); err != nil || !bytes.Equal(now, seen) || bytes.Equal(text, seen) {
		return err
	}
	return c.write(ctx, name, text)
}

// markGone marks the file of a page that no longer exists, and returns its result. The text stays. ok is false if
// the page has no file, or if the file is marked already.
func (c *Capturer) markGone(ctx context.Context, page, name string) (r Result, ok bool, err error) {
	r = Result{URL: page, File: name, State: Gone}
	f, seen, err := c.readFor(name, r.URL)
	if err != nil || f == nil || f.Gone != "" {
		return r, false, err
	}
	f.Gone = stamp(c.Options.Now())
	r.Title = f.Title
	return r, true, c.rewrite(ctx, name, f, seen)
}

// relink replaces the targets of links in a file for which link does not return "". Edited texts stay as they are.
func (c *Capturer) relink(ctx context.Context, name string, link func(target *url.URL) string) error {
	f, seen, err := c.read(name)
	if err != nil || f == nil || f.Edited() {
		return err
	}
	if f.Body = webpage.Relink(f.Body, link); digest(f.Body) == f.SHA256 {
		return nil
	}
	f.SHA256 = digest(f.Body)
	return c.rewrite(ctx, name, f, seen)
}
