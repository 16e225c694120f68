package site

import (
	"path"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/settings"
)

// maxValue is how long a value may be that is put in place of a name: values of values double with each line.
const maxValue = 300

// fillIn puts the values of attributes in place of {name}.
func fillIn(text string, known map[string]string) string {
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
	return strings.TrimSpace(asciidocMarks.Replace(s))
}

var asciidocMarks = strings.NewReplacer("`+", "", "+`", "", "`", "", "**", "", "__", "") // once: each line of a page needs it

// asciidocLines is [Page.lines] for AsciiDoc, with the attributes that the text sets. The caller gives the attributes of the site in known, and the function adds the attributes of the text.
func asciidocLines(text string, known map[string]string) (lines []line, own values) {
	own = make(values)
	block := ""          // the line that ends the block
	depth, unmet := 0, 0 // conditions around the line, and the first of them that does not hold
	for raw := range strings.Lines(text) {
		trimmed := strings.TrimRight(raw, " \t\r\n")
		l := line{raw: trimmed, end: raw[len(trimmed):], code: true}
		switch m := compile(`^(-{4,}|\.{4,}|\+{4,}|/{4,}|//.*)$|^:(!?[\w-]+!?):(?:\s+(.*))?$|^(={1,6}|#{1,6})\s+(\S.*?)(?:\s+=+)?$`).FindStringSubmatch(l.raw); {
		case block != "":
			if l.raw == block {
				block = ""
			}
		case m == nil:
			l.code = false
		case m[1] != "":
			if strings.Trim(m[1], m[1][:1]) == "" && len(m[1]) > 3 {
				block = l.raw
			}
		case m[2] != "":
			known[m[2]] = fillIn(m[3], known)
			own[m[2]], l.code = known[m[2]], false
		default:
			l.level, l.text, l.code = len(m[4]), excerpt.Cut(asciidocText(fillIn(m[5], known)), 200), false
		}
		if m := compile(`^(?:(ifn?def)::(.*)|endif::.*)\[\]$`).FindStringSubmatch(l.raw); m != nil && m[1] != "" {
			depth++
			if _, set := known[m[2]]; unmet == 0 && set != (m[1] == "ifdef") {
				unmet = depth
			}
		} else if m != nil && depth > 0 {
			if unmet == depth {
				unmet = 0
			}
			depth--
		}
		l.code = l.code || unmet > 0
		if l.level == 0 && !compile(`^(?::[\w!-]+:|\[[^\]]*\]$|//|ifdef::|ifndef::|endif::|-{4,}$|\.{4,}$|={4,}$)`).MatchString(l.raw) {
			l.text = asciidocText(l.raw)
		}
		lines = append(lines, l)
	}
	return lines, own
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
	if inner, ok := strings.CutPrefix(link, "<<"); ok && strings.Index(inner, "#") > 0 {
		link = "./" + inner
	} else if ok {
		link = "#" + strings.TrimPrefix(inner, "#")
	}
	target, id, _ := strings.Cut(strings.TrimPrefix(link, "xref:"), "#")
	if id == "" && !strings.ContainsAny(target, ".:") {
		target, id = "", target
	}
	if target == "" {
		return s.withID(p, p.File, id)
	}
	if path.Ext(target) == "" {
		target += ".adoc"
	}
	if !p.Tree.site.Modules {
		return s.target(p, target, id)
	}
	component, _, _ := strings.Cut(p.Tree.site.Trees[0].Prefix, "/")
	if strings.Contains(target, "@") || strings.Count(target, ":") > 1 && !strings.HasPrefix(target, component+":") {
		return Target{Certainty: Elsewhere}
	}
	if !strings.HasPrefix(target, ".") {
		target = "/" + resource(target, p.below())
	}
	return s.target(p, target, id)
}
