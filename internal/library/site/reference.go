package site

import (
	"bytes"
	"cmp"
	"context"
	stdhtml "html"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/media"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/walk"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/directive"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/markup"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/settings"
)

// A Link is a reference in a document, as it is written.
type Link struct {
	Line   int
	Column int // in characters, from 1; 0: unknown
	// target of Markdown or [[target]], role of RST, macro of AsciiDoc without its text
	Link string
}

// Links returns the references of a document's own text, in order. Captured pages have no links of a wiki.
func (s *Set) Links(p *Page, text string) (links []Link) {
	n := 0
	f := formatOf(p.File)
	if f == openapi {
		return nil // the paths of an API are not links
	}
	if f == rst || f == asciidoc {
		lines, _ := linesOf(f, p.Tree.site.attributes(), text)
		for _, l := range lines {
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
	front := findFront(text)
	prose := proseOf(text[front.End:])
	excerpt.Links(filled(prose), front.Line, func(l excerpt.Link) {
		links = append(links, Link{l.Line, l.Column, strings.ReplaceAll(l.Target, noBreak, " ")})
	})
	if CaptureOf(text) != nil {
		return links
	}
	n = front.Line
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
const references = "\\\\?(?:((?::[\\w+]+)?:(?:doc|download|ref|numref):`[^`]{1,500}`)" + `|(xref:[^\s\[]{1,500})\[|(<<[\w#/.][^>,]{0,500})(?:,|>>))`

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
			if marks[0][0] != '{' && len(bytes.Trim(before, "> \t")) > 0 {
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

// labelled says where a label of RST leads, which any document may define. p is nil if a client asks.
func (s *Set) labelled(p *Page, label string) Target {
	key := func(label string) string {
		return strings.ToLower(strings.Join(strings.Fields(strings.Trim(label, "`")), " "))
	}
	s.labelsOnce.Do(func() {
		s.labels = make(map[string][]alike)
		for _, page := range s.pages {
			if page.Hidden != "" || formatOf(page.File) != rst {
				continue
			}
			data, _ := readAtMost(s.docs, page.File, maxRead)
			for _, m := range compile(`(?m)^[ \t]{0,40}\.\. _([^:\n]{1,200}):`).FindAllStringSubmatch(string(data), -1) {
				if name := key(m[1]); len(s.labels[name]) < maxCandidates {
					s.labels[name] = append(s.labels[name], alike{file: page.File})
				}
			}
		}
	})
	return s.withID(nil, s.choose(slices.Clone(s.labels[key(label)]), false, func(a alike) rank { return s.rank(p, a) }), label)
}

// readRole returns the name of a role of RST that leads somewhere, and its target: :doc:`Title <target>`.
func readRole(link string) (role, target string) {
	m := compile("^:(?:[^`]*:)?([^:`]*):`(?:[^`]*<([^`]*)>|([^`]*))`?$").FindStringSubmatch(link)
	if m == nil {
		return "", ""
	}
	return m[1], strings.TrimSpace(strings.TrimLeft(m[2]+m[3], "~!"))
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

// A wikiLink is a link of a wiki in a line, as Obsidian has them: [[page]], [[folder/page#heading|text]]. ![[page]] puts the page into the
// document, and ![[image.png]] shows it.
type wikiLink struct {
	start, end    int // in the line
	embed         bool
	target, title string
}

// wikiMark matches a link of a wiki, with a parenthesis after it, or what may not begin one: an escaped character, or code.
const wikiMark = "\\\\.|``[^`]{0,500}``|`[^`]{0,500}`|" + `(!?)\[\[([^\[\]|\n]{1,500})(?:\|([^\[\]\n]{0,500}))?\]\](\(?)`

// wikiLinks returns the links of a wiki in a line, outside of code.
func wikiLinks(line string) (links []wikiLink) {
	if !strings.Contains(line, "[[") || len(line) > maxMarked {
		return nil
	}
	for _, at := range compile(wikiMark).FindAllStringSubmatchIndex(line, -1) {
		if at[4] < 0 || at[8] < at[9] {
			continue
		}
		w := wikiLink{start: at[0], end: at[1], embed: at[2] < at[3], target: strings.TrimSpace(strings.TrimSuffix(line[at[4]:at[5]], `\`))}
		if at[6] >= 0 {
			w.title = line[at[6]:at[7]]
		}
		if lists := strings.Contains(w.target, ",") && strings.Trim(w.target, "0123456789,.- ") == ""; w.target != "" && w.target[0] != '^' && !lists {
			links = append(links, w)
		}
	}
	return links
}

// inLink escapes what would end the target of a link.
var inLink = strings.NewReplacer(" ", "%20", "(", "%28", ")", "%29")

// linked returns a line of Markdown, which is not code, in which the links of a wiki that lead to files are links of Markdown.
func (s *Set) linked(p *Page, line string) string {
	var b strings.Builder
	from := 0
	for _, w := range wikiLinks(line) {
		name, id, _ := strings.Cut(w.target, "#")
		to := s.wiki(p, name).File
		file, err := filepath.Rel(path.Dir(p.File), to)
		if to == "" || err != nil {
			continue
		}
		file = inLink.Replace(filepath.ToSlash(file))
		title := "[" + cmp.Or(w.title, w.target) + "]"
		if kind, _ := media.ByName(to); w.embed && strings.HasPrefix(kind, "image/") {
			title = "![" + path.Base(to) + "]"
		} else if id = lastHeading(id); id != "" && s.files[to] != nil {
			file += "#" + excerpt.Slug(id)
		}
		b.WriteString(line[from:w.start] + title + "(" + file + ")")
		from = w.end
	}
	return b.String() + line[from:]
}

// lastHeading returns the last of the headings that a link of a wiki names, or "" for a block.
func lastHeading(id string) string {
	id = id[strings.LastIndexByte(id, '#')+1:]
	if strings.HasPrefix(id, "^") {
		return ""
	}
	return id
}

// resolveWiki resolves a link of a wiki. p is nil if a client asks.
func (s *Set) resolveWiki(p *Page, link string) Target {
	name, id, _ := strings.Cut(link, "#")
	if External(name) {
		return Target{Certainty: Elsewhere}
	}
	return s.withID(p, s.wiki(p, name), lastHeading(id))
}

// wiki returns where the name in a link of a wiki leads, as Obsidian says: to the file with this path, else to a file whose path ends with it,
// or whose front matter has it as an alias. Of several, the one in the folder of the page comes first, then the one with the shortest
// path.
func (s *Set) wiki(p *Page, name string) Target {
	dir := ""
	if p != nil {
		dir = path.Dir(p.File)
		if name == "" {
			return Target{File: p.File}
		}
		if name[0] == '.' {
			if file := s.whole(clean(dir, name)); file != "" {
				return Target{File: file}
			}
		}
	}
	name = strings.Trim(path.Clean("/"+name), "/")
	files, more := s.documentsEnding(name)
	if more { // a rank of each would take too long
		if file := cmp.Or(s.whole(clean(dir, name)), s.whole(name)); file != "" {
			return Target{File: file}
		}
	}
	return s.choose(files, more, func(a alike) rank {
		// an alias, or a name with a number
		renamed := a.likeness > sameFolder && !strings.EqualFold(stem(path.Base(a.file)), path.Base(name))
		return rank{number(!a.whole || a.likeness > sameStem), number(renamed), number(p == nil || !walk.Holds(dir, a.file)), len(a.file), int(a.likeness)}
	})
}

// resourcePath returns the end of the path of a resource of Antora: of "module:partial$file.adoc", module/partials/file.adoc.
func resourcePath(id string) string {
	at := strings.LastIndexByte(id, ':')
	module := id[:max(at, 0)]
	if family, name, ok := strings.Cut(id[at+1:], "$"); ok {
		return path.Join(module[strings.LastIndexByte(module, ':')+1:], family+"s", name)
	}
	return path.Join(module, id[at+1:])
}

// ids returns the ids that links to a page may name, as [squeezed] returns them: the ids of its headings, and the ids that its text defines.
func (s *Set) ids(p *Page) map[string]bool {
	p.idsOnce.Do(func() { p.ids = s.readIDs(p) })
	return p.ids
}

func (s *Set) readIDs(p *Page) map[string]bool {
	names := map[string]bool{"top": true}
	if data, err := readAtMost(s.docs, p.File, maxRead); err == nil {
		c, _ := s.Content(context.Background(), p, string(data))
		text := c.Text
		if f := formatOf(p.File); f == rst || f == asciidoc {
			text = Searchable(p, text)
		}
		for _, h := range excerpt.Headings(text) {
			addHeading(names, h.Text)
		}
		for line := range strings.Lines(c.Text) {
			if len(line) > maxMarked {
				continue
			}
			if marked := strings.TrimLeft(line, " \t>"); strings.HasPrefix(marked, "#") {
				written := strings.Trim(marked, "# \t\r\n")
				addHeading(names, excerpt.Plain(written))
				addHeading(names, excerpt.Plain(compile(`!\[[^)]{0,1000}\)`).ReplaceAllString(written, "")))
			}
			if strings.ContainsAny(line, "=:#[") {
				for _, m := range excerpt.IDs().FindAllStringSubmatch(line, 100) {
					names[squeezed(stdhtml.UnescapeString(strings.Join(m[1:], "")))] = true
				}
			}
		}
	}
	return names
}

// addHeading adds the ids that programs make of a heading: they may lack markup, characters outside ASCII, and a number at the
// start.
func addHeading(names map[string]bool, heading string) {
	heading = stdhtml.UnescapeString(heading)
	id := squeezed(heading)
	ascii := compile(`[^\x00-\x7f]+`).ReplaceAllString(id, "")
	for _, id := range []string{id, squeezed(strings.ReplaceAll(heading, "&", "amp")), ascii, strings.TrimLeft(id, "0123456789")} {
		names[id] = true
	}
}

// squeezed returns what is compared of an id, and of the heading that it may be made of: letters and digits, without case
// and accents. So the rules by which generators make ids need not be known.
func squeezed(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1 // also for an accent
	}, norm.NFKD.String(text))
}
