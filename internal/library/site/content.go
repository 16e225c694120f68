package site

import (
	"iter"
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

// lines yields the lines of a text in the format of the page. Those of Markdown have no text, and are without the indentation of blocks.
func (p *Page) lines(text string) iter.Seq[markup.Line] {
	switch formatOf(p.File) {
	case rst:
		return slices.Values(markup.RST(text))
	case asciidoc:
		lines, _ := markup.AsciiDoc(text, p.Tree.site.attributes())
		return slices.Values(lines)
	case org:
		return slices.Values(markup.Org(text))
	}
	return func(yield func(markup.Line) bool) {
		for l := range directive.Lines(text) {
			if !yield(markup.Line{Raw: l.Text, End: text[l.Start+l.Cut+len(l.Text) : l.End], Code: l.Code == directive.Fenced}) {
				return
			}
		}
	}
}

// isMarkdown reports whether the text of a page is Markdown once its parts are in their places.
func (p *Page) isMarkdown() bool {
	f := formatOf(p.File)
	return f != rst && f != asciidoc && f != org
}

// Searchable returns a text of a page as Markdown, as readers of the published page see it: headings of all formats have the marks
// of Markdown, tags are gone, entities are characters, cells and items stand apart, and what only a site's program understands is
// left out. Code is as it is written. It has as many lines as the text.
func Searchable(p *Page, text string) string {
	if p.isMarkdown() {
		end := frontEnd(text)
		return text[:end] + prose.Text(text[end:])
	}
	var b strings.Builder
	for l := range p.lines(text) {
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
	if !p.isMarkdown() {
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
