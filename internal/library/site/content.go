package site

import (
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/directive"
)

// A Content is the text of a page as clients read it.
type Content struct {
	Text  string  // with the files that it includes
	Lines []int32 // for each line of Text, the line of the file that it comes from; nil: the same
	Parts []Part  // the files that it includes
	Open  bool    // a document that it includes is not found
	Left  string  // the first include that is left out because the page would have too much with it; "": none is
}

// Line returns the line of the file that a line of the text comes from, both from 1.
func (c Content) Line(line int) int {
	if c.Lines == nil || line < 1 || line > len(c.Lines) {
		return line
	}
	return int(c.Lines[line-1])
}

// Searchable returns a text as Markdown for a search: headings of RST and AsciiDoc have their marks, and what only a
// site's program understands is left out. It has as many lines as the text.
func Searchable(p *Page, text string) string {
	switch formatOf(p.File) {
	case rst:
		return rstSearchable(text)
	case asciidoc:
		return asciidocSearchable(p.Tree.site, text)
	}
	var b strings.Builder
	for l := range directive.Lines(text) {
		line := l.Text
		switch l.Code {
		case directive.Begins:
			if i := strings.IndexByte(line, ' '); i > 0 && strings.ContainsAny(line, "{=") {
				line = line[:i]
			}
		case directive.Prose:
			if line = cleanLine(line, len(generated)); l.Marker {
				line = l.Title()
			} else if title := l.Title(); title != "" {
				line = title + " " + line
			}
		}
		b.WriteString(line + text[l.Start+l.Cut+len(l.Text):l.End])
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
	id := ""
	switch trimmed[0] {
	case 'i', 'e':
		if compile(`^(?:import\s.*from\s+["'].*|import\s+["'].*|import\s+(?:type\s+)?\{[^}]*|export\s+(?:const|default|function)\b.*)$`).MatchString(trimmed) {
			return ""
		}
	}
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

// marked returns a text in which the lines of sections begin with "#" marks; other lines are as rewrite returns them.
func marked(text string, sections []section, rewrite func(line string) string) string {
	var b strings.Builder
	n := 0
	for line := range strings.Lines(text) {
		n++
		end := line[len(strings.TrimRight(line, "\r\n")):]
		if len(sections) > 0 && sections[0].line == n {
			b.WriteString(strings.Repeat("#", min(6, sections[0].level)) + " " + sections[0].text + end)
			sections = sections[1:]
			continue
		}
		b.WriteString(rewrite(strings.TrimRight(line, "\r\n")) + end)
	}
	return b.String()
}
