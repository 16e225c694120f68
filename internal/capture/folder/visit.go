package folder

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/url"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/outbound"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/webpage"
)

// Errors of [Visit.Keep].
var (
	ErrElsewhere = errors.New("another page has the same content")
	ErrNoText    = errors.New("is no text")
)

// A Visit captures one page whose answer somebody else gets. The fields that are not set by
// [Capturer.Visit] may be set before [Visit.Keep].
type Visit struct {
	Site string // see [Header]
	Text bool   // what is no text is [ErrNoText]
	// Claim gets a digest of the content, and reports whether this page is to have it; nil: it is.
	Claim func(digest [16]byte) bool
	// Rendered gets the page and its Markdown before the links in it are asked for. It may be nil.
	Rendered func(page *webpage.Page, markdown string)

	c      *Capturer
	result *Result
	old    *File  // nil: there is none
	seen   []byte // what the file had
	images bool   // the images are kept
	edited bool
	forced bool // the text is wanted even if it is what was captured before
}

// Visit reads what is there of a page, at a path, or where [PageName] says if that is "".
func (c *Capturer) Visit(u *url.URL, file string) (*Visit, error) {
	r := &Result{URL: u.String(), File: file}
	if file == "" {
		r.File = PageName(u)
	}
	return c.visit(r)
}

func (c *Capturer) visit(r *Result) (*Visit, error) {
	old, seen, err := c.readOf(r.File, r.URL)
	if err != nil {
		return nil, err
	}
	v := &Visit{c: c, result: r, old: old, seen: seen}
	v.images = c.Options.Images || old != nil && hasImage(old.Body, true)
	v.edited = old != nil && old.Edited()
	v.forced = c.Options.Force && old != nil && (v.edited || len(old.assets) > 0) || old != nil && c.Options.Images && hasImage(old.Body, false)
	return v, nil
}

// Known returns what the next request says of the text that is there.
func (v *Visit) Known() outbound.Validators {
	if v.old == nil || v.forced {
		return outbound.Validators{}
	}
	return v.old.known()
}

// Fetched returns when the text that is there was fetched; zero if there is none.
func (v *Visit) Fetched() time.Time {
	if v.old == nil {
		return time.Time{}
	}
	return v.old.Fetched
}

// Keep writes what an answer became. The error is that of the page.
func (v *Visit) Keep(ctx context.Context, response *outbound.Response) (Result, error) {
	err := v.keep(ctx, response)
	return *v.result, err
}

// Discard removes the file of a page that is not to be kept, if it is as it was written for the
// site of the visit.
func (v *Visit) Discard() error {
	if v.old == nil || v.edited || v.old.Site == "" || v.old.Site != v.Site || v.c.Options.DryRun {
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

func digestOf(title, text string) [16]byte {
	sum := sha256.Sum256([]byte(title + "\n" + text))
	return [16]byte(sum[:16])
}

// back takes away the mark of a page that is there again.
func (v *Visit) back(ctx context.Context) error {
	if v.old == nil || v.old.Gone.IsZero() && (v.Site == "" || v.Site == v.old.Site) {
		return nil
	}
	f := *v.old
	f.Gone = time.Time{}
	if v.Site != "" {
		f.Site = v.Site
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

// MarkGone marks a page that its site has no longer, and returns its result; ok is false if there
// is no file, or one that is marked already. The text stays.
func (c *Capturer) MarkGone(ctx context.Context, u *url.URL, name string) (r Result, ok bool, err error) {
	r = Result{URL: u.String(), File: name, State: Gone}
	f, seen, err := c.readOf(name, r.URL)
	if err != nil || f == nil || !f.Gone.IsZero() {
		return r, false, err
	}
	f.Gone = c.Options.Now().UTC().Truncate(time.Second)
	r.Title = f.Title
	return r, true, c.again(ctx, name, f, seen)
}

// Relink gives the links of a file another target, if link returns one that is not "". A text that
// was edited is left alone.
func (c *Capturer) Relink(ctx context.Context, name string, link func(target *url.URL) string) error {
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
