package site

import (
	"maps"
	"strings"
)

// asciidocHeader returns the title of an AsciiDoc document as "title", its attributes, and "navtitle" and
// "description" if it has them. attributes belong to the site.
func asciidocHeader(text string, attributes map[string]string) values {
	v := make(values)
	known := maps.Clone(attributes)
	if known == nil {
		known = make(map[string]string)
	}
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, " \t\r\n")
		if m := compile(`^:(!?[\w-]+!?):(?:\s+(.*))?$`).FindStringSubmatch(line); m != nil {
			known[m[1]] = fillIn(m[2], known)
			v[m[1]] = known[m[1]]
			continue
		}
		if title, ok := strings.CutPrefix(line, "= "); ok && v["title"] == nil {
			v["title"] = asciidocText(fillIn(title, known))
			continue
		}
		if title, ok := strings.CutPrefix(line, "# "); ok && v["title"] == nil {
			v["title"] = asciidocText(fillIn(title, known))
			continue
		}
		if line == "" && v["title"] != nil || strings.HasPrefix(line, "== ") {
			break
		}
	}
	return v
}

// fillIn puts the values of attributes in place of {name}.
func fillIn(text string, known map[string]string) string {
	return compile(`\\?\{([\w-]+)\}`).ReplaceAllStringFunc(text, func(s string) string {
		if s[0] == '\\' {
			return s[1:]
		}
		if v, ok := known[s[1:len(s)-1]]; ok {
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

// asciidocSections returns the headings of a text, and calls anchor with each other id.
func asciidocSections(text string, known map[string]string, anchor func(id string)) []section {
	var sections []section
	var pending []string
	block := "" // the line that ends the block that the scan is in
	n := 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimRight(line, " \t\r\n")
		if block != "" {
			if line == block {
				block = ""
			}
			continue
		}
		if compile(`^(-{4,}|\.{4,}|\+{4,}|/{4,})$`).MatchString(line) {
			block = line
			continue
		}
		if m := compile(`^:([\w-]+):(?:\s+(.*))?$`).FindStringSubmatch(line); m != nil {
			known[m[1]] = fillIn(m[2], known)
			continue
		}
		for _, m := range compile(`\[\[([^\],\s]+)[^\]]*\]\]|^\[#([^\],.%]+)[^\]]*\]|\bid=["']?([^"',\]]+)|anchor:([^\[\s]+)\[|\[#([^\],.%]+)\]`).FindAllStringSubmatch(line, 20) {
			id := m[1] + m[2] + m[3] + m[4] + m[5]
			anchor(id)
			if strings.HasPrefix(line, "[") {
				pending = append(pending, id)
			}
		}
		if m := compile(`^(={1,6}|#{1,6})\s+(\S.*?)(?:\s+=+)?$`).FindStringSubmatch(line); m != nil {
			sections = append(sections, section{line: n, level: len(m[1]), text: asciidocText(fillIn(m[2], known)), ids: pending})
			pending = nil
		} else if !strings.HasPrefix(line, "[") {
			pending = nil
		}
	}
	return sections
}
