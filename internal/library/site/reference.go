package site

import (
	"bytes"
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
		for _, l := range linesOf(f, p.Tree.site.attributes(), text) {
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

// references are the roles of RST that lead to documents and files, and the references of AsciiDoc.
const references = "\\\\?(?:((?::[\\w+]+)?:(?:doc|download):`[^`]{1,500}`)" + `|(xref:[^\s\[]{1,500})\[|(<<[\w#/.][^>,]{0,500})(?:,|>>))`

// noBreak stands for a space in a target while links are read.
const noBreak = "\u00a0"

// tag matches a tag of a template: {{ tag }} or {% tag %}.
const tag = `\{\{[^{}\n]{0,300}\}\}|\{%[^{}\n]{0,300}%\}`

// filled returns a text in which the tags of templates have no spaces, so that they may be targets of links.
func filled(text string) string {
	if !strings.Contains(text, "({{") && !strings.Contains(text, "({%") {
		return text
	}
	return compile(tag).ReplaceAllStringFunc(text, func(tag string) string { return strings.ReplaceAll(tag, " ", noBreak) })
}

// untagged returns a link without tags of templates. A tag with a text in quotation marks, or a link tag, is the path that it names;
// what stands before another one may be anything. It reports false if nothing is left.
func untagged(link string) (string, bool) {
	link = compile(tag).ReplaceAllStringFunc(link, func(tag string) string {
		if i := strings.IndexAny(tag, "\"'`"); i >= 0 {
			path, _, _ := strings.Cut(tag[i+1:], tag[i:i+1])
			return path
		}
		if words := strings.Fields(strings.Trim(tag, "{}%<>- ")); len(words) > 1 && (words[0] == "link" || words[0] == "post_url") {
			return words[1]
		}
		return "\x00"
	})
	at := strings.LastIndexByte(link, 0) + 1
	return link[at:], at == 0 || at < len(link)
}

// hidden are the marks between which Markdown has no links, besides code and comments of HTML.
var hidden = [][2]string{{"{/*", "*/}"}, {"{% comment", "endcomment"}, {"{%- comment", "endcomment"}, {"<pre", "</pre>"}, {"<script", "</script>"}, {"<style", "</style>"}, {"$$", "$$"}}

// proseOf returns a Markdown text of the same length with spaces in place of blocks of code, comments of templates and formulas.
func proseOf(text string) string {
	out := []byte(text)
	blank := func(start, end int) {
		for i := start; i < end; i++ {
			if out[i] != '\n' {
				out[i] = ' '
			}
		}
	}
	for l := range directive.Lines(text) {
		if l.Code != directive.Prose || len(l.Text) > maxMarked {
			blank(l.Start, l.End)
		}
	}
	for _, marks := range hidden {
		for at := 0; ; {
			start := bytes.Index(out[at:], []byte(marks[0]))
			if start < 0 {
				break
			}
			start += at
			at = start + len(marks[0])
			before := out[bytes.LastIndexByte(out[:start], '\n')+1 : start]
			if marks[0][0] != '{' && len(bytes.Trim(before, "> \t")) > 0 { // only at the start of a line
				continue
			}
			end := bytes.Index(out[at:], []byte(marks[1]))
			if end < 0 {
				break
			}
			at += end + len(marks[1])
			blank(start, at)
		}
	}
	return string(out)
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
	if strings.Count(target, ":") > 1 || strings.Contains(target, "@") {
		return "", false
	}
	path := strings.TrimPrefix(resourcePath(target), "pages/")
	if strings.Contains(target, ":") {
		path = "/" + strings.Replace(path, "/pages/", "/", 1)
	}
	return path + "#" + id, true
}
