package site

import (
	"context"
	"path"
	"slices"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/media"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/directive"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/markup"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/prose"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/secret"
)

// A Content is the text of a page as clients read it.
type Content struct {
	Text  string // with its includes; clients see lines of it
	Parts []Part
	Left  string // the first include beyond the bounds, or ""
}

// A Part is a file that was put into a document.
type Part struct {
	File    string // below the project folder, or as the document names a missing file
	Line    int
	Missing bool // a note stands in its place
}

// NotIncluded returns the line that stands for a text that is not there: its file is missing, or only a program makes it.
func NotIncluded(name string) string {
	return "[text not included: " + excerpt.Cut(excerpt.OneLine(name), 200) + "]"
}

// maxMarked is the number of bytes up to which a line is read for marks.
const maxMarked = directive.MaxLine

// linesOf returns the lines of a text in a format other than Markdown, and what the text says of itself.
func linesOf(f format, attributes map[string]string, text string) (lines []markup.Line, front values) {
	switch f {
	case rst:
		return markup.RST(text), markup.RSTFields(text)
	case asciidoc:
		return markup.AsciiDoc(text, attributes)
	}
	return markup.Org(text), nil
}

// A place says where a line of a document stands.
type place uint8

const (
	inProse place = iota
	inCode
	verbose // in a comment, a formula, or a verbatim element
)

// placesOf returns where each line of a text stands.
func placesOf(f format, attributes map[string]string, text string) (places []place) {
	if !f.isMarkdown() {
		lines, _ := linesOf(f, attributes, text)
		for _, l := range lines {
			places = append(places, map[bool]place{true: inCode}[l.Code])
		}
		return places
	}
	prose := text
	if slices.ContainsFunc(hidden, func(marks [2]string) bool { return strings.Contains(text, marks[0]) }) {
		prose = proseOf(text)
	}
	for l := range directive.Lines(text) {
		p := inProse
		if l.Code == directive.Fenced || l.Code == directive.Indented {
			p = inCode
		} else if strings.TrimSpace(prose[l.Start:l.End]) == "" && strings.TrimSpace(l.Text) != "" {
			p = verbose
		}
		places = append(places, p)
	}
	return places
}

// isMarkdown reports whether a text in this format is Markdown once its parts are in their places.
func (f format) isMarkdown() bool { return f != rst && f != asciidoc && f != org }

// Searchable returns a text of a page as Markdown, as readers of the published page see it: headings of all formats have the marks
// of Markdown, tags are gone, entities are characters, cells and items stand apart, and what only a site's program understands is
// left out. Code is as it is written. It has as many lines as the text.
func Searchable(p *Page, text string) string {
	f := formatOf(p.File)
	if f == pdf {
		return text
	}
	if f.isMarkdown() {
		end := findFront(text).End
		return text[:end] + prose.Text(text[end:])
	}
	var b strings.Builder
	lines, _ := linesOf(f, p.Tree.site.attributes(), text)
	for _, l := range lines {
		switch {
		case l.Level > 0:
			b.WriteString(strings.Repeat("#", min(6, l.Level)) + " ")
		case l.Code && l.Text != "":
			b.WriteString("    ")
		}
		b.WriteString(l.Text + l.End)
	}
	return b.String()
}

// Cleaner returns the function that leaves out of Markdown, without front matter, what neither readers nor browsers understand, or
// nil for a page in another format. Elements and lines stay.
func Cleaner(p *Page) func(text string) string {
	if f := formatOf(p.File); !f.isMarkdown() || f == pdf {
		return nil
	}
	return prose.Clean
}

// Content returns the text of a page, of which text is the file's: it puts the text of the files that a document includes in
// place of the lines that name them, whatever the generator. A page that was captured from the web includes nothing. The error is
// ctx.Err().
func (s *Set) Content(ctx context.Context, p *Page, text string) (Content, error) {
	text = strings.TrimPrefix(text, "\ufeff")
	f := formatOf(p.File)
	switch f {
	case notebook:
		return Content{Text: notebookText(text)}, nil
	case openapi:
		return Content{Text: masked(s.apiText(p, text))}, nil
	case pdf:
		return Content{Text: masked(text)}, nil
	}
	wiki := f == markdown && strings.Contains(text, "[[")
	if s.options.Foreign || !wiki && len(formsIn(text, forms)) == 0 && !hasMacros(text) || CaptureOf(text) != nil {
		return Content{Text: text}, nil
	}
	p.includes.Store(true)
	e := &expansion{ctx: ctx, set: s, page: p, work: maxWork, wiki: wiki, attributes: p.Tree.site.attributes(), files: make(map[string]*included)}
	if f == asciidoc {
		markup.AsciiDoc(text, e.attributes)
	}
	text = e.expand(p.File, text)
	return Content{Text: text, Parts: e.parts, Left: e.first}, e.err
}

// maxImages bounds the images of a page.
const maxImages = 1000

// Uses returns the files that a page includes, and the images that it names, below the project folder, each once. text
// is the file's. Of a captured page, only the images count that were captured with it. The error is ctx.Err().
func (s *Set) Uses(ctx context.Context, p *Page, text string) (files []string, err error) {
	c, err := s.Content(ctx, p, text)
	if err != nil {
		return nil, err
	}
	for _, part := range c.Parts {
		if !part.Missing {
			files = with(files, part.File)
		}
	}
	images, capture := make(map[string]bool), CaptureOf(text)
	for line := range strings.Lines(c.Text) {
		for name := range strings.FieldsFuncSeq(line[:min(len(line), maxMarked)], func(r rune) bool { return strings.ContainsRune("\"'()<>[]{}|,;=:` \t\r\n", r) }) {
			if path.Ext(name) == "" || images[name] || len(images) == maxImages {
				continue
			}
			if kind, _ := media.ByName(name); strings.HasPrefix(kind, "image/") {
				images[name] = true
				if file := s.Image(p, name); capture.MayShow(file) {
					files = with(files, file)
				}
			}
		}
	}
	return files, nil
}

// Image returns the file of an image below the project folder as a page names it, or "".
func (s *Set) Image(p *Page, name string) string {
	target, _ := cutLink(name)
	if target == "" || External(name) {
		return ""
	}
	file := s.lead(p, target, "").File
	kind, _ := media.ByName(file)
	if _, ok := s.served(file); !ok || !strings.HasPrefix(kind, "image/") {
		return ""
	}
	return file
}

// A Capture is what front matter says of a page that was captured from the web. nil: the author of the project wrote the page.
//
// Nobody of the project wrote the text of a captured page. So what it names, it does not get: it includes no files, its brackets
// are not links of a wiki, and of the files that it shows or links to, only those that were captured with it are served because of it.
type Capture struct {
	assets []string // below the folder of the captured page
}

// CaptureOf returns what the front matter of a text says of its capture. It looks for keys, so a mistake in the YAML that an author adds
// does not make the page the author's.
func CaptureOf(text string) *Capture {
	front := findFront(text)
	has := func(key string) bool {
		return strings.Contains(front.YAML, key) && compile(`(?m)^["']?`+key+`["']?[ \t]{0,100}:`).MatchString(front.YAML)
	}
	if front.TOML || !has("url") || !has("sha256") {
		return nil
	}
	c := &Capture{}
	v, _ := readFront(front)
	for _, asset := range v.List("assets") {
		if _, name, ok := strings.Cut(asset, " "); ok && name != "" {
			c.assets = append(c.assets, name)
		}
	}
	return c
}

// MayShow reports whether the page may show a file of the project, or make it readable with a link.
func (c *Capture) MayShow(file string) bool {
	return c == nil || slices.ContainsFunc(c.assets, func(asset string) bool { return file == asset || strings.HasSuffix(file, "/"+asset) })
}

// masked returns a text that was made of a file, with notes in place of secrets. The bytes of the file were checked when it was
// opened, but what is joined or left out may have split a secret there. If a secret remains, the text is a note.
func masked(text string) string {
	if out, _, ok := secret.Mask([]byte(text)); ok {
		return string(out)
	}
	return "[removed: looks like a secret]\n"
}

// notebookText returns a notebook as Markdown, without secrets.
func notebookText(text string) string { return masked(markup.Notebook(text)) }
