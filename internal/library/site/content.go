package site

import (
	"context"
	"path"
	"slices"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/media"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/rootfs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/directive"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/markup"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/prose"
)

// A Content is the text of a page as clients read it.
type Content struct {
	Text  string // with the files that it includes; all lines that clients see are lines of it
	Parts []Part // the files that it includes
	Open  bool   // a text is not there: see [NotIncluded]
	Left  string // the first include that is left out because the page would have too much with it; "": none is
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
	return markup.Org(text), markup.OrgFields(text)
}

// A place says where a line of a document stands.
type place uint8

const (
	inProse place = iota
	inCode        // in code that a form may fill
	verbose       // in a comment, a formula, or an element whose text is as it is written
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
		return text // nothing in it is for a generator
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
			b.WriteString("    ") // nothing in it is a heading
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

// maxLooked is the number of files of a project that are opened because they may describe an API, besides those with such a name.
const maxLooked = 2000

// describesAPI reports whether a file that the walk found is a description of an API, by its first bytes, which nobody else gets.
func (w *walked) describesAPI(file string) bool {
	if w.looked++; w.looked > maxLooked && !strings.Contains(strings.ToLower(file), "openapi") && !strings.Contains(strings.ToLower(file), "swagger") {
		return false
	}
	head, _ := rootfs.ReadFile(w.fsys, file, 1<<10)
	return DescribesAPI(string(head))
}

// apiText returns the description of an API as a document. A text that is none is code.
func (s *Set) apiText(p *Page, text string) string {
	load := func(file string) (string, bool) {
		real, ok := s.docs.Named("", join(path.Dir(p.File), file))
		if !ok {
			return "", false
		}
		s.visit(path.Dir(real))
		data, err := readAtMost(s.docs, real, maxOpenAPI)
		return string(data), err == nil
	}
	if len(text) <= maxOpenAPI {
		if document, ok := OpenAPIMarkdown(text, load); ok {
			return document
		}
	}
	return excerpt.Fenced(text, strings.TrimPrefix(path.Ext(p.File), "."))
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

// A Part is a file that was put into a document.
type Part struct {
	File    string // below the project folder, or as the document names it if it is missing
	Line    int    // of the document's file
	Missing bool   // it cannot be read: a note stands in its place
}

// NotIncluded returns the line that stands for a text that is not there: its file is missing, or only a program makes it.
func NotIncluded(name string) string {
	return "[text not included: " + excerpt.Cut(excerpt.OneLine(name), 200) + "]"
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
	case pdf: // it includes nothing
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
	return Content{Text: text, Parts: e.parts, Left: e.first, Open: e.open}, e.err
}
