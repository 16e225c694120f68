package folder

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"path"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/crawl"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/webclient"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/webpage"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/fserr"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/rootfs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/walk"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/frontmatter"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/lazyregexp"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/settings"
)

// A Header is the front matter of a captured file.
type Header struct {
	URL          string
	Title        string
	Fetched      string // when its text last differed, see [stamp]
	Location     string // after redirects; "": URL
	ETag         string
	LastModified string
	SHA256       string
	// Site is the start URL of the crawl that found the page; "" if no crawl did. Links between pages of a site are
	// relative.
	Site string
	Gone string // when the page was missing, see [stamp]
	// Whole is "true" if the file has the whole page, not only its main content.
	Whole string
	// Incomplete says which part of the page the text lacks; "" if nothing is known to be missing.
	Incomplete string
}

// assetsKey is the key of the list of assets.
const assetsKey = "assets"

// A field is a line of front matter.
type field struct {
	key   string
	value *string
}

// fields returns the fields of a header, in the order of the lines.
func (h *Header) fields() []field {
	return []field{
		{"url", &h.URL}, {"title", &h.Title}, {"fetched", &h.Fetched}, {"location", &h.Location}, {"etag", &h.ETag}, {"lastModified", &h.LastModified},
		{"sha256", &h.SHA256}, {"site", &h.Site}, {"gone", &h.Gone}, {"whole", &h.Whole}, {"incomplete", &h.Incomplete},
	}
}

// stamp returns a time as front matter has it.
func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// known returns the validators of this version of the page.
func (h Header) known() webclient.Validators {
	v := webclient.Validators{URL: h.URL, ETag: h.ETag, LastModified: h.LastModified}
	if h.Location != "" {
		v.URL = h.Location
	}
	return v
}

// A File is a captured file.
type File struct {
	Header
	Body        string // lines end with LF
	assets      map[string]string
	staged      []asset
	authorLines string
}

// errNoCapture reports that a file was not captured from a page.
var errNoCapture = errors.New("exists and is not a captured page")

// parseFile reads a captured file.
func parseFile(text string) (*File, error) {
	block, _ := frontmatter.Find(text)
	if block.End == 0 {
		return nil, errNoCapture
	}
	fields, err := settings.Parse(".yml", block.YAML)
	if err != nil {
		return nil, errNoCapture
	}
	f := new(File)
	for _, h := range f.fields() {
		*h.value = fields.Str(h.key)
	}
	if f.URL == "" || f.SHA256 == "" {
		return nil, errNoCapture
	}
	f.assets = assetsOf(fields.List(assetsKey))
	f.authorLines = authorLinesOf(block.YAML)
	f.Body = strings.TrimPrefix(strings.ReplaceAll(text[block.End:], "\r\n", "\n"), "\n")
	return f, nil
}

// Edited reports whether the text differs from the captured one.
func (f *File) Edited() bool { return digest(f.Body) != f.SHA256 }

func digest(body string) string {
	sum := sha256.Sum256([]byte(body))
	return hex.EncodeToString(sum[:])
}

// topKey matches a key of the form that a header has, at the start of a line of front matter.
var topKey = lazyregexp.New(`^["']?([A-Za-z_][\w-]*)["']?\s*:(\s|$)`)

// authorLinesOf returns the lines of front matter with keys that an author added. A line that does not begin with a
// blank is a comment or a key, with any name. The exceptions, items of a list and the end of a collection, belong to
// the key before them.
func authorLinesOf(block string) string {
	var b strings.Builder
	ours := false
	for line := range strings.Lines(strings.ReplaceAll(block, "\r\n", "\n")) {
		switch {
		case strings.TrimSpace(line) == "" || strings.ContainsRune(" \t]}", rune(line[0])) || strings.HasPrefix(line, "- ") || strings.HasPrefix(line, "-\n"):
		default:
			m := topKey().FindStringSubmatch(line)
			ours = m != nil && (m[1] == assetsKey || slices.ContainsFunc(new(Header).fields(), func(f field) bool { return f.key == m[1] }))
		}
		if !ours {
			b.WriteString(line)
		}
	}
	return b.String()
}

// text returns the bytes of the file.
func (f *File) text() ([]byte, error) {
	var b bytes.Buffer
	b.WriteString("---\n")
	for _, h := range f.fields() {
		if *h.value != "" {
			fmt.Fprintf(&b, "%s: %s\n", h.key, frontmatter.Quoted(*h.value))
		}
	}
	b.WriteString(assetList(f.assets))
	b.WriteString(f.authorLines)
	if f.authorLines != "" && !strings.HasSuffix(f.authorLines, "\n") {
		b.WriteByte('\n')
	}
	b.WriteString("---\n\n")
	b.WriteString(f.Body)
	if again, err := parseFile(b.String()); err != nil || again.Header != f.Header || again.Body != f.Body {
		return nil, errors.New("has front matter that cannot be kept: it must be YAML of at most 64 KiB, with keys at the start of lines")
	}
	return b.Bytes(), nil
}

// maxValue is the maximum length of what a server says about a page, in bytes.
const maxValue = 8 << 10

// headerOf returns the header of an answer, without values that front matter cannot contain.
func headerOf(url string, response *webclient.Response) Header {
	h := Header{URL: url, ETag: response.Validators.ETag, LastModified: response.Validators.LastModified}
	if final := response.URL.String(); final != url {
		h.Location = final
	}
	for _, field := range h.fields() {
		if len(*field.value) > maxValue || !utf8.ValidString(*field.value) {
			*field.value = ""
		}
	}
	h.URL = url
	return h
}

// write writes a file, except in a dry run or after ctx has ended.
func (c *Capturer) write(ctx context.Context, name string, data []byte) error {
	if c.Options.DryRun || ctx.Err() != nil {
		return ctx.Err()
	}
	replace := c.Folder.Replace
	if c.flushLater {
		replace = c.Folder.ReplaceSoon
	}
	return writeError(name, replace(name, data))
}

// writeError returns the error of a write with the name of the file; nil for nil.
func writeError(name string, err error) error {
	if err != nil {
		err = fmt.Errorf("%s: %w", name, fserr.Plain(err))
	}
	return err
}

// read reads a captured file, and returns its bytes too; nil if it does not exist.
func (c *Capturer) read(name string) (*File, []byte, error) {
	data, err := c.readAll(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, errors.New(fserr.Reason(err))
	}
	if len(data) == 0 && c.flushLater { // after a crash of the computer
		return nil, nil, nil
	}
	f, err := parseFile(string(data))
	return f, data, err
}

// readFor is [Capturer.read] for a file that must have been captured from a URL.
func (c *Capturer) readFor(name, url string) (*File, []byte, error) {
	f, data, err := c.read(name)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", name, err)
	}
	if f != nil && f.URL != url {
		return nil, nil, fmt.Errorf("%s: was captured from %s: rename it", name, f.URL)
	}
	return f, data, nil
}

func (c *Capturer) readAll(name string) ([]byte, error) {
	if c.Folder == nil {
		return nil, fs.ErrNotExist
	}
	return rootfs.ReadFile(c.Folder, name, maxFile)
}

// Captured returns the captured pages in a folder, sorted by file.
func Captured(ctx context.Context, folder *rootfs.FS) ([]Target, error) {
	c := &Capturer{Folder: folder}
	var list []Target
	err := walk.Folder(ctx, folder, ".", walk.Visitor{File: func(e walk.Entry) error {
		if path.Ext(e.Loc) != ".md" || !e.Type.IsRegular() {
			return nil
		}
		f, _, err := c.read(e.Loc)
		if f == nil || err != nil {
			return nil
		}
		u, err := url.Parse(f.URL)
		if err != nil {
			return nil
		}
		if canonical, err := crawl.Normalize(u); err == nil && canonical.String() == f.URL {
			list = append(list, Target{URL: canonical, File: e.Loc, Site: f.Site})
		}
		return nil
	}})
	slices.SortFunc(list, func(a, b Target) int { return strings.Compare(a.File, b.File) })
	return list, err
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
