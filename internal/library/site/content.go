package site

import (
	"context"
	"slices"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
)

// A Content is the text of a page as clients read it.
type Content struct {
	Text  string   // with the files that it includes
	Lines []int32  // for each line of Text, the line of the file that it comes from; nil: the same
	Parts []Part   // the files that it includes
	Made  []string // names of parts that are made when the site is built: "flask.Flask"
	Left  string   // the first include that is left out because the page would have too much with it; "": none is
}

// Content returns the text of a page, of which text is the file's. The error is ctx.Err().
func (s *Set) Content(ctx context.Context, p *Page, text string) (Content, error) {
	c, err := s.expand(ctx, p, text, maxLooked)
	for line := range strings.Lines(c.Text) {
		if !strings.Contains(line, "::") && !strings.HasPrefix(line, "```@") {
			continue
		}
		if m := compile(`^:::\s+([\w.-]+)\s*$|^\s*\.\.\s+auto\w+::\s*(\S+)|^\x60{3}(@(?:docs|autodocs))\b`).FindStringSubmatch(line); m != nil {
			if name := m[1] + m[2] + m[3]; len(c.Made) < 20 && !slices.Contains(c.Made, name) {
				c.Made = append(c.Made, name)
			}
		}
	}
	return c, err
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
		return asciidocSearchable(text)
	}
	var b strings.Builder
	var f excerpt.Fence
	for line := range strings.Lines(text) {
		bare := strings.TrimRight(line, "\r\n")
		trimmed := strings.TrimSpace(bare)
		if within := f != ""; !f.Read(trimmed) {
			bare = plainLine(bare, trimmed)
		} else if i := strings.IndexByte(bare, ' '); !within && i > 0 && strings.ContainsAny(bare, "{=") {
			bare = bare[:i]
		}
		b.WriteString(bare + line[len(strings.TrimRight(line, "\r\n")):])
	}
	return b.String()
}

// plainLine returns a line of Markdown without the markup of generators.
func plainLine(line, trimmed string) string {
	if trimmed == "" {
		return line
	}
	switch trimmed[0] {
	case 'i', 'e':
		if compile(`^(?:import\s.*from\s+["'].*|import\s+["'].*|export\s+(?:const|default|function)\b.*)$`).MatchString(trimmed) {
			return ""
		}
	case ':':
		if m := compile(`^:::+\s*\{?\w*\}?\s*(.*)$`).FindStringSubmatch(trimmed); m != nil {
			return strings.Trim(m[1], "[]{} ")
		}
	case '/': // a block of PyMdown
		if m := compile(`^///+\s*(?:[\w-]+\s*(?:\|\s*(.*))?)?$`).FindStringSubmatch(trimmed); m != nil {
			return m[1]
		}
	case '!', '?', '=':
		if m := compile(`^(?:!!!|\?\?\?\+?|===)\s*[\w -]*(?:"([^"]*)")?\s*$`).FindStringSubmatch(trimmed); m != nil {
			return m[1]
		}
	}
	if strings.Contains(line, "{") {
		line = compile(`\{\{[<%]?.*?[>%]?\}\}|\{%.*?%\}`).ReplaceAllString(line, "")
		line = compile(explicitID).ReplaceAllString(line, " ")
		line = compile(`\{:?\s*[.#][^}]*\}`).ReplaceAllString(line, "")
	}
	if strings.Contains(line, ":") {
		line = compile(`:(?:material|octicons|fontawesome|simple)-[\w-]+:`).ReplaceAllString(line, "")
	}
	if strings.Contains(line, "<") {
		line = compile(`</?[A-Z][\w.]*(?:\s[^<>]*)?/?>`).ReplaceAllString(line, "")
	}
	return line
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
