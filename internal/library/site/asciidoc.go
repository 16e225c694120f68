package site

import (
	"cmp"
	"io/fs"
	"iter"
	"path"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/settings"
)

// asciidocHeader returns the title of an AsciiDoc document as "title", its attributes, and "navtitle" and
// "description" if it has them. known has the attributes of the site, and gets those of the text.
func asciidocHeader(text string, known map[string]string) values {
	v := make(values)
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, " \t\r\n")
		if m := compile(`^:(!?[\w-]+!?):(?:\s+(.*))?$`).FindStringSubmatch(line); m != nil {
			known[m[1]] = fillIn(m[2], known)
			v[m[1]] = known[m[1]]
			continue
		}
		if v["title"] == nil && (strings.HasPrefix(line, "= ") || strings.HasPrefix(line, "# ")) {
			v["title"] = asciidocText(fillIn(line[2:], known))
			continue
		}
		if line == "" && v["title"] != nil || strings.HasPrefix(line, "== ") {
			break
		}
	}
	return v
}

// maxValue is how long a value may be that is put in place of a name: values of values double with each line.
const maxValue = 300

// fillIn puts the values of attributes in place of {name}.
func fillIn(text string, known map[string]string) string {
	if !strings.Contains(text, "{") {
		return text
	}
	return compile(`\\?\{([\w-]+)\}`).ReplaceAllStringFunc(text, func(s string) string {
		if s[0] == '\\' {
			return s[1:]
		}
		if v, ok := known[s[1:len(s)-1]]; ok && len(v) <= maxValue {
			return strings.TrimSuffix(v, "@")
		}
		return s
	})
}

// asciidocText returns inline AsciiDoc as plain text.
func asciidocText(s string) string {
	s = compile(`(?:link|xref):[^\s\[]+\[([^\]]*)\]`).ReplaceAllString(s, "$1")
	s = compile(`pass:\w*\[([^\]]*)\]`).ReplaceAllString(s, "$1")
	s = compile(`\[\[[^\]]*\]\]|\[#[^\]]*\]`).ReplaceAllString(s, "")
	s = strings.NewReplacer("`+", "", "+`", "", "`", "", "**", "", "__", "").Replace(s)
	return strings.TrimSpace(s)
}

// asciidocLines yields the lines of a text with their numbers, from 1, without blocks of code and comments.
func asciidocLines(text string) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		n, block := 0, "" // the line that ends the block
		for line := range strings.Lines(text) {
			n++
			line = strings.TrimRight(line, " \t\r\n")
			switch {
			case block != "":
				if line == block {
					block = ""
				}
			case compile(`^(-{4,}|\.{4,}|\+{4,}|/{4,})$`).MatchString(line):
				block = line
			case !yield(n, line):
				return
			}
		}
	}
}

// asciidocSections returns the headings of a text. known has the attributes before the text, and gets those of the text.
func asciidocSections(text string, known map[string]string) (sections []section) {
	for n, line := range asciidocLines(text) {
		if m := compile(`^:([\w-]+):(?:\s+(.*))?$`).FindStringSubmatch(line); m != nil {
			known[m[1]] = fillIn(m[2], known)
		} else if m := compile(`^(={1,6}|#{1,6})\s+(\S.*?)(?:\s+=+)?$`).FindStringSubmatch(line); m != nil {
			sections = append(sections, section{n, len(m[1]), excerpt.Cut(asciidocText(fillIn(m[2], known)), 200)})
		}
	}
	return sections
}

// resolveXref resolves xref:version@component:module:file.adoc#id and <<id>>.
func (s *Set) resolveXref(p *Page, link string) Target {
	if strings.Contains(link, "{") {
		known := p.Tree.site.attributes()
		for name, value := range p.front {
			known[name] = settings.Scalar(value)
		}
		if link = fillIn(link, known); strings.Contains(link, "{") {
			return Target{Certainty: Unknown}
		}
	}
	if inner, ok := strings.CutPrefix(link, "<<"); ok {
		file, id, ok := strings.Cut(inner, "#")
		if !ok {
			file, id = "", inner
		}
		if file == "" {
			return s.withID(p, p.File, id)
		}
		link = "xref:./" + file + "#" + id
	}
	target, id, _ := strings.Cut(strings.TrimPrefix(link, "xref:"), "#")
	if id == "" && !strings.ContainsAny(target, ".:") {
		target, id = "", target
	}
	if target == "" {
		return s.withID(p, p.File, id)
	}
	if !p.Tree.site.Modules {
		if path.Ext(target) == "" {
			target += ".adoc"
		}
		return s.target(p, target, id)
	}
	if strings.Contains(target, "@") || strings.Count(target, ":") > 1 && !strings.HasPrefix(target, p.Tree.site.component()+":") {
		return Target{Certainty: Elsewhere}
	}
	module, _, _ := strings.Cut(p.below(), "/")
	module, target = resource(target, module)
	target = compile(`^(?:page|attachment|image)\$`).ReplaceAllString(target, "")
	if path.Ext(target) == "" {
		target += ".adoc"
	}
	file := join(p.Tree.Root, module, "pages", target)
	if strings.HasPrefix(target, ".") {
		file = clean(path.Dir(p.File), target)
	}
	if page := cmp.Or(s.files[file], best(s.routes[routeKey(target)], p)); page != nil {
		return s.withID(page, page.File, id)
	}
	if info, err := fs.Stat(s.fsys, join(p.Tree.Root, module)); err != nil || !info.IsDir() {
		return Target{Certainty: Elsewhere}
	}
	return Target{Certainty: Absent}
}

// asciidocLinks returns the references of a text.
func asciidocLinks(text string) (links []Link) {
	for n, line := range asciidocLines(text) {
		if strings.HasPrefix(line, "//") {
			continue
		}
		for _, m := range compile(`(\\?)(?:(xref:[^\s\[]+)\[|(<<[\w#/.][^>,]*)(?:,|>>))`).FindAllStringSubmatch(line, 100) {
			if m[1] == "" {
				links = append(links, Link{n, m[2] + m[3]})
			}
		}
	}
	return links
}

// asciidocSearchable is [Searchable] for AsciiDoc.
func asciidocSearchable(site *Site, text string) string {
	return marked(text, asciidocSections(text, site.attributes()), func(line string) string {
		if compile(`^(?::[\w!-]+:|\[[^\]]*\]$|//|ifdef::|ifndef::|endif::|-{4,}$|\.{4,}$|={4,}$)`).MatchString(line) {
			return ""
		}
		return asciidocText(line)
	})
}
