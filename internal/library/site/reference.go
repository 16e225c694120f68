package site

import (
	"context"
	"path"
	"slices"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/directive"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/markup"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/settings"
)

// A Link is a reference in a document, as it is written.
type Link struct {
	Line   int    // in the file, from 1
	Column int    // in characters, from 1; 0: not known
	Link   string // target of Markdown, [[target]] of a wiki, role of RST, macro of AsciiDoc without its text
}

// Links returns the references of a document's own text, in order.
func (s *Set) Links(p *Page, text string) (links []Link) {
	n := 0
	f := formatOf(p.File)
	if f == openapi {
		return nil // the paths of an API are not links
	}
	if f == rst || f == asciidoc {
		for l := range p.lines(text) {
			n++
			if l.Code || len(l.Raw) > maxMarked {
				continue
			}
			for _, m := range compile(references).FindAllStringSubmatch(l.Raw, 100) {
				if m[0][0] != '\\' {
					links = append(links, Link{Line: n, Link: strings.Join(m[1:], "")})
				}
			}
		}
		return links
	}
	_, end, first, _ := splitFront(text)
	prose := proseOf(text[end:])
	excerpt.Links(filled(prose), first, func(l excerpt.Link) {
		links = append(links, Link{l.Line, l.Column, strings.ReplaceAll(l.Target, noBreak, " ")})
	})
	n = first
	for line := range strings.Lines(prose) {
		for _, w := range wikiLinks(line) {
			links = append(links, Link{Line: n, Link: "[[" + w.target + "]]"})
		}
		n++
	}
	slices.SortStableFunc(links, func(a, b Link) int { return a.Line - b.Line })
	return links
}

// references are the roles of RST that lead to documents, labels and files, and the references of AsciiDoc.
const references = "\\\\?(?:((?::[\\w+]+)?:(?:doc|ref|numref|any|download):`[^`]{1,500}`)" + `|(xref:[^\s\[]{1,500})\[|(<<[\w#/.][^>,]{0,500})(?:,|>>))`

// noBreak stands for a space in a target while links are read.
const noBreak = "\u00a0"

// filled returns a text in which the tags of templates have no spaces, so that they may be targets of links.
func filled(text string) string {
	if !strings.Contains(text, "({{") && !strings.Contains(text, "({%") {
		return text
	}
	var b strings.Builder
	for line := range strings.Lines(text) {
		for len(line) <= maxMarked {
			before, tag, rest, ok := cutTag(line)
			if !ok {
				break
			}
			b.WriteString(before + strings.ReplaceAll(tag, " ", noBreak))
			line = rest
		}
		b.WriteString(line)
	}
	return b.String()
}

// cutTag cuts a text around its first tag of a template: {{ tag }} or {% tag %}.
func cutTag(text string) (before, tag, after string, ok bool) {
	at := strings.IndexByte(text, '{')
	for ; at >= 0 && at+1 < len(text); at++ {
		closing := map[byte]string{'{': "}}", '%': "%}"}[text[at+1]]
		if text[at] != '{' || closing == "" {
			continue
		}
		if end := strings.Index(text[at+2:], closing); end >= 0 {
			end += at + 2 + len(closing)
			return text[:at], text[at:end], text[end:], true
		}
	}
	return text, "", "", false
}

// hidden are the marks between which Markdown has no links, besides code and comments of HTML.
var hidden = [][2]string{{"{/*", "*/}"}, {"{% comment", "endcomment"}, {"{%- comment", "endcomment"}, {"<pre", "</pre>"}, {"$$", "$$"}}

// proseOf returns a Markdown text of the same length with spaces in place of blocks of code, comments of templates and formulas.
func proseOf(text string) string {
	out, closing := []byte(text), ""
	blank := func(start, end int) {
		for i := start; i < end; i++ {
			if out[i] != '\n' {
				out[i] = ' '
			}
		}
	}
	for l := range directive.Lines(text) {
		if l.Code != directive.Prose {
			blank(l.Start, l.End)
		}
		if l.Code != directive.Prose || len(l.Text) > maxMarked {
			continue
		}
		for at := l.Start + l.Cut; at < l.End; {
			if closing != "" {
				end := strings.Index(text[at:l.End], closing)
				if end < 0 {
					blank(at, l.End)
					break
				}
				blank(at, at+end+len(closing))
				at, closing = at+end+len(closing), ""
			}
			first := l.End
			for _, marks := range hidden {
				i := strings.Index(text[at:l.End], marks[0])
				formula := marks[0] == "$$" && strings.TrimSpace(text[l.Start:at]) != "" // only at the start of a line
				if i >= 0 && at+i < first && !(formula || marks[0] == "$$" && strings.TrimLeft(text[l.Start+l.Cut:at+i], "> \t") != "") {
					first, closing = at+i, marks[1]
				}
			}
			if closing == "" {
				break
			}
			at = first + 2
			blank(first, at)
		}
	}
	return string(out)
}

// untagged returns a link without tags of templates. A tag with a text in quotation marks, or a link tag, is the path that it names;
// what stands before another one may be anything. It reports false if nothing is left.
func untagged(link string) (string, bool) {
	for strings.Contains(link, "{") {
		before, tag, after, ok := cutTag(link)
		if !ok {
			break
		}
		path := ""
		if i := strings.IndexAny(tag, "\"'`"); i >= 0 {
			path, _, _ = strings.Cut(tag[i+1:], tag[i:i+1])
		} else if words := strings.Fields(strings.Trim(tag, "{}%<>- ")); len(words) > 1 && (words[0] == "link" || words[0] == "post_url") {
			path = words[1]
		}
		if path == "" {
			before = ""
		}
		link = before + path + after
		if before+path == "" && after == "" {
			return "", false
		}
	}
	return link, true
}

// readRole returns the name of a role of RST that leads somewhere, and its target: :doc:`Title <target>`.
func readRole(link string) (role, target string) {
	before, inner, ok := strings.Cut(link, "`")
	if !ok || !strings.HasPrefix(before, ":") {
		return "", ""
	}
	before = strings.TrimSuffix(before, ":")
	inner = strings.TrimSuffix(inner, "`")
	if i := strings.LastIndexByte(inner, '<'); i >= 0 && strings.HasSuffix(inner, ">") {
		inner = inner[i+1 : len(inner)-1]
	}
	return before[strings.LastIndexByte(before, ':')+1:], strings.TrimSpace(strings.TrimLeft(inner, "~!"))
}

// resolveRole resolves a role of RST.
func (s *Set) resolveRole(p *Page, role, target string) Target {
	if role == "doc" || role == "download" {
		if strings.Contains(target, ":") && !strings.HasPrefix(target, "/") {
			return Target{Certainty: Elsewhere} // of another project
		}
		return s.lead(p, target, "")
	}
	s.labelsOnce.Do(s.readLabels)
	if t, ok := s.labels[strings.ToLower(strings.Join(strings.Fields(target), " "))]; ok {
		return t
	}
	return Target{Certainty: Unknown}
}

// label matches the labels of RST in a line.
const label = "^\\s*\\.\\. _`?([^:`]+)`?:\\s*$"

// readLabels reads the labels of all documents in RST.
func (s *Set) readLabels() {
	s.labels = make(map[string]Target)
	for _, p := range s.pages {
		if p.Hidden != "" || formatOf(p.File) != rst {
			continue
		}
		data, err := readBounded(s.docs, p.File)
		if err != nil {
			continue
		}
		c, _ := s.Content(context.Background(), p, string(data))
		for line := range strings.Lines(c.Text) {
			if m := compile(label).FindStringSubmatch(line[:min(len(line), maxMarked)]); m != nil {
				id := strings.ToLower(m[1])
				if _, again := s.labels[id]; !again {
					s.labels[id] = Target{File: p.File, ID: strings.ReplaceAll(id, " ", "-"), Page: p}
				}
			}
		}
	}
}

// xref returns a reference of AsciiDoc as a link: xref:module:page.adoc#id, xref:page.adoc[] and <<id>>. It reports false if it leads to a
// component, or if an attribute in it is not known.
func (s *Set) xref(p *Page, link string) (string, bool) {
	if strings.Contains(link, "{") && p.Tree != nil {
		known := p.Tree.site.attributes()
		for name, value := range p.front {
			known[name] = settings.Scalar(value)
		}
		if link = markup.FillIn(link, known); strings.Contains(link, "{") {
			return "", false
		}
	}
	if inner, ok := strings.CutPrefix(link, "<<"); ok {
		if strings.Index(inner, "#") > 0 {
			return inner, true
		}
		return "#" + strings.TrimPrefix(inner, "#"), true
	}
	link, ok := strings.CutPrefix(link, "xref:")
	if !ok {
		return link, true
	}
	target, id, _ := strings.Cut(link, "#")
	if !strings.ContainsAny(target, ".:/") && id == "" {
		return "#" + target, true
	}
	parts := strings.Split(target, ":")
	if len(parts) > 2 || strings.Contains(target, "@") {
		return "", false
	}
	if family, file, ok := strings.Cut(parts[len(parts)-1], "$"); ok {
		parts[len(parts)-1] = file
		if family != "page" {
			parts[len(parts)-1] = family + "s/" + file
		}
	}
	target = path.Join(parts...)
	if len(parts) > 1 {
		target = "/" + target
	}
	return target + "#" + id, true
}
