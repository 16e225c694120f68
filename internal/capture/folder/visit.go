package folder

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/crawl"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/webclient"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/fserr"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/webpage"
)

// A visit is to one page. It is a [crawl.Visit] if it is of a site.
type visit struct {
	c      *Capturer
	site   *Site       // nil: the page is captured alone
	page   *crawl.Page // of the site, when the page is kept
	result *Result
	old    *File  // nil: there is none
	seen   []byte // what the file had
	images bool   // the images are kept
	whole  bool   // all of the page is kept
	edited bool
	forced bool // the text is wanted even if it is what was captured before
}

// visit reads what is there of a page.
func (c *Capturer) visit(r *Result) (*visit, error) {
	old, seen, err := c.readOf(r.File, r.URL)
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

// Known returns what the next request says of the text that is there, and when that was fetched.
func (v *visit) Known() (known webclient.Validators, fetched time.Time) {
	if v.old == nil {
		return known, fetched
	}
	if !v.forced {
		known = v.old.known()
	}
	return known, v.old.Fetched
}

// Keep writes the file of a page of a site.
func (v *visit) Keep(ctx context.Context, p *crawl.Page) error {
	s := v.site
	v.page = p
	err := v.keep(ctx, p.Response)
	if err == crawl.ErrElsewhere && !p.Old { // a run that was killed wrote it, and then another page was first
		return cmp.Or(v.discard(), err)
	}
	if _, writing := errors.AsType[*WriteError](err); writing && fserr.Full(err) { // nor is there room for the next
		return &crawl.Fatal{Err: err}
	}
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.results[v.result.URL] = *v.result
	s.there[crawl.Key(p.URL)] = v.result.File
	return nil
}

// discard removes the file of a page that is not to be kept, if it is as it was written for the
// site of the visit.
func (v *visit) discard() error {
	if v.old == nil || v.edited || v.old.Site == "" || v.old.Site != v.site.start || v.c.Options.DryRun {
		return nil
	}
	if now, err := v.c.readAll(v.result.File); err != nil || !bytes.Equal(now, v.seen) {
		return err
	}
	return v.c.Folder.Remove(v.result.File)
}

// plainOf returns a page with the URLs of its links, but for the URL of the page itself: it may have
// another one too.
func plainOf(page *webpage.Page, at *url.URL) string {
	own := *at
	own.Fragment, own.RawFragment = "", ""
	return page.Markdown(func(ref webpage.Reference) string {
		to := *ref.URL
		if to.Fragment, to.RawFragment = "", ""; to != own {
			return ""
		}
		return "#" + ref.URL.EscapedFragment()
	})
}

// back takes away the mark of a page that is there again.
func (v *visit) back(ctx context.Context) error {
	if v.old == nil || v.old.Gone.IsZero() && (v.site == nil || v.site.start == v.old.Site) {
		return nil
	}
	f := *v.old
	f.Gone = time.Time{}
	if v.site != nil {
		f.Site = v.site.start
	}
	return v.c.again(ctx, v.result.File, &f, v.seen)
}

// again writes a file with another header, or another text, unless somebody wrote it since it was
// read.
func (c *Capturer) again(ctx context.Context, name string, f *File, seen []byte) error {
	text, err := f.text()
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if now, err := c.readAll(name); err != nil || !bytes.Equal(now, seen) || bytes.Equal(text, seen) {
		return err
	}
	return c.write(ctx, name, text)
}

// markGone marks a page that its site has no longer, and returns its result; ok is false if there
// is no file, or one that is marked already. The text stays.
func (c *Capturer) markGone(ctx context.Context, page, name string) (r Result, ok bool, err error) {
	r = Result{URL: page, File: name, State: Gone}
	f, seen, err := c.readOf(name, r.URL)
	if err != nil || f == nil || !f.Gone.IsZero() {
		return r, false, err
	}
	f.Gone = c.Options.Now().UTC().Truncate(time.Second)
	r.Title = f.Title
	return r, true, c.again(ctx, name, f, seen)
}

// relink gives the links of a file another target, if link returns one that is not "". A text that
// was edited is left alone.
func (c *Capturer) relink(ctx context.Context, name string, link func(target *url.URL) string) error {
	f, seen, err := c.read(name)
	if err != nil || f == nil || f.Edited() {
		return err
	}
	if f.Body = webpage.Relink(f.Body, link); digest(f.Body) == f.SHA256 {
		return nil
	}
	f.SHA256 = digest(f.Body)
	return c.again(ctx, name, f, seen)
}
