package site

import (
	"iter"
	"slices"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/directive"
)

// A Content is the text of a page as clients read it.
type Content struct {
	Text  string // with the files that it includes; all lines that clients see are lines of it
	Parts []Part // the files that it includes
	Open  bool   // a document that it includes is not found
	Left  string // the first include that is left out because the page would have too much with it; "": none is
}

// A line is a line of a document.
type line struct {
	raw   string // without the indentation of blocks in Markdown
	text  string // as Markdown for a search; of a heading of RST and AsciiDoc, its title
	end   string // what ends it
	level int    // of a heading of RST and AsciiDoc; 0: it is none
	code  bool   // it is in a block of code: the first line, which may be a directive, is not
}

// lines yields the lines of a text in the format of the page.
func (p *Page) lines(text string) iter.Seq[line] {
	switch formatOf(p.File) {
	case rst:
		return slices.Values(rstLines(text))
	case asciidoc:
		lines, _ := asciidocLines(text, p.Tree.site.attributes())
		return slices.Values(lines)
	}
	return func(yield func(line) bool) {
		for l := range directive.Lines(text) {
			clean := l.Text
			switch l.Code {
			case directive.Begins:
				if i := strings.IndexByte(clean, ' '); i > 0 && strings.ContainsAny(clean, "{=") {
					clean = clean[:i]
				}
			case directive.Prose:
				if clean = cleanLine(clean, len(generated)); l.Marker {
					clean = l.Title()
				} else if title := l.Title(); title != "" {
					clean = title + " " + clean
				}
			}
			end := text[l.Start+l.Cut+len(l.Text) : l.End]
			if !yield(line{raw: l.Text, text: clean, end: end, code: l.Code == directive.Fenced}) {
				return
			}
		}
	}
}

// Searchable returns a text as Markdown for a search: headings of RST and AsciiDoc have their marks, and what only a
// site's program understands is left out. It has as many lines as the text.
func Searchable(p *Page, text string) string {
	var b strings.Builder
	for l := range p.lines(text) {
		if l.level > 0 {
			b.WriteString(strings.Repeat("#", min(6, l.level)) + " ")
		}
		b.WriteString(l.text + l.end)
	}
	return b.String()
}

// Cleaner returns the function that leaves out of a line of Markdown what neither readers nor browsers understand, or nil for a
// page in another format. Elements stay.
func Cleaner(p *Page) func(line string) string {
	if f := formatOf(p.File); f == rst || f == asciidoc {
		return nil
	}
	return func(line string) string { return cleanLine(line, 4) }
}

// generated is the markup of generators in a line, each with a text that it has: patterns are slow.
var generated = []struct{ hint, pattern string }{
	{"={", `\s[\w-]+=\{(?:\{.*?\}|[^{}<>]*)\}`},
	{"{", `\{\{[<%]?.*?[>%]?\}\}|\{%.*?%\}`},
	{"{", `\{:?\s*(?:[.#]|[\w-]+=["']?\w)[^{}]*\}|\{/\*.*?\*/\}`},
	{":", `:(?:material|octicons|fontawesome|simple)-[\w-]+:`},
	{"{", explicitID}, // this and the next are text or elements in a page
	{"<a ", explicitID},
	{"<", `</?[A-Z][\w.]*(?:\s[^<>]*)?/?>`},
}

// cleanLine returns a line of Markdown without the first n kinds of markup of generators. A heading keeps its id, in one form.
func cleanLine(line string, n int) string {
	trimmed := strings.TrimSpace(line)
	if trimmed == "" {
		return line
	}
	if trimmed[0] == 'i' || trimmed[0] == 'e' {
		if compile(`^(?:import\s.*from\s+["'].*|import\s+["'].*|import\s+(?:type\s+)?\{[^}]*|export\s+(?:const|default|function)\b.*)$`).MatchString(trimmed) {
			return ""
		}
	}
	id := ""
	if trimmed[0] == '#' {
		if m := compile(explicitID).FindStringSubmatch(line); m != nil {
			id = " {#" + strings.Join(m[1:], "") + "}"
			line = compile(explicitID).ReplaceAllString(line, " ")
		}
	}
	if !strings.ContainsAny(line, "{:<") {
		return line + id
	}
	var b strings.Builder
	for line != "" { // code in backquotes stays as it is
		prose, code := line, ""
		if m := compile("`+").FindStringIndex(line); m != nil {
			marks := line[m[0]:m[1]]
			if end := strings.Index(line[m[1]:], marks); end >= 0 {
				prose, code = line[:m[0]], line[m[0]:m[1]+end+len(marks)]
			}
		}
		line = line[len(prose)+len(code):]
		for _, m := range generated[:n] {
			if strings.Contains(prose, m.hint) {
				prose = compile(m.pattern).ReplaceAllString(prose, "")
			}
		}
		b.WriteString(prose + code)
	}
	return b.String() + id
}
