package site

import (
	"slices"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/directive"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/frontmatter"
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

// linesOf returns the lines of a text in a format other than Markdown.
func linesOf(f format, attributes map[string]string, text string) (lines []markup.Line) {
	switch f {
	case rst:
		lines = markup.RST(text)
	case asciidoc:
		lines, _ = markup.AsciiDoc(text, attributes)
	case org:
		lines = markup.Org(text)
	}
	return lines
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
		for _, l := range linesOf(f, attributes, text) {
			p := inProse
			if l.Code {
				p = inCode
			}
			places = append(places, p)
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
	if f.isMarkdown() {
		end := frontEnd(text)
		return text[:end] + prose.Text(text[end:])
	}
	var b strings.Builder
	for _, l := range linesOf(f, p.Tree.site.attributes(), text) {
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
	if !formatOf(p.File).isMarkdown() {
		return nil
	}
	return prose.Clean
}

// frontEnd returns the offset of the text after front matter.
func frontEnd(text string) int {
	if end := frontmatter.After(text).End; end > 0 {
		return end
	}
	if strings.HasPrefix(text, "+++\n") {
		if n := strings.Index(text[:min(len(text), frontmatter.MaxSize)], "\n+++\n"); n > 0 {
			return n + 5
		}
	}
	return 0
}
