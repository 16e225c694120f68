package site

import (
	"cmp"
	"strings"
)

const adornments = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"

// adorns returns the character that a line consists of, or 0.
func adorns(line string) byte {
	line = strings.TrimRight(line, " \t\r\n")
	if len(line) < 2 || !strings.Contains(adornments, line[:1]) || strings.Trim(line, line[:1]) != "" {
		return 0
	}
	return line[0]
}

// rstLines is [Page.lines] for RST.
func rstLines(text string) (lines []line) {
	literal := -1 // indentation of the line before the code
	for raw := range strings.Lines(text) {
		trimmed := strings.TrimRight(raw, " \t\r\n")
		l := line{raw: trimmed, end: raw[len(trimmed):]}
		indent := len(l.raw) - len(strings.TrimLeft(l.raw, " \t"))
		switch {
		case len(l.raw) > maxMarked:
			l.text = l.raw
		case literal >= 0 && (l.raw == "" || indent > literal):
			l.code, l.text = true, l.raw
		default:
			literal = -1
			if strings.Contains(l.raw, "::") && compile(`^\s*\.\. (?:code-block|sourcecode|code|literalinclude|parsed-literal)::|^\s*(?:[^\s.]|\.[^.]|\.\.\S).*::$|^\s*::$`).MatchString(l.raw) {
				literal = indent
			}
			if adorns(l.raw) == 0 && !(strings.Contains(l.raw, ".. ") && compile(`^\s*\.\. (?:index|currentmodule|_[^:]+|highlight)::?`).MatchString(l.raw)) {
				l.text = l.raw
			}
		}
		lines = append(lines, l)
	}
	levels := make(map[string]int)
	for i := 0; i+1 < len(lines); i++ {
		key, title := "", lines[i].raw
		switch over, under := adorns(title), adorns(lines[i+1].raw); {
		case over != 0 && under == 0 && i+2 < len(lines) && adorns(lines[i+2].raw) == over && lines[i+1].raw != "":
			i++
			key, title = string([]byte{over, over}), strings.TrimSpace(lines[i].raw)
		case over == 0 && under != 0 && title != "" && title[0] != ' ' && title[0] != '\t' && !strings.HasPrefix(title, ".. ") && len(lines[i+1].raw) >= min(len([]rune(title)), 4):
			key = string(under)
		default:
			continue
		}
		levels[key] = cmp.Or(levels[key], len(levels)+1)
		lines[i].level, lines[i].text = levels[key], rstText(title)
		i++
	}
	return lines
}

// rstText returns inline RST as plain text.
func rstText(s string) string {
	s = compile("(?::[\\w:+-]+:)?``?([^`]*?)(?:\\s*<[^`>]*>)?``?_{0,2}").ReplaceAllString(s, "$1")
	return strings.NewReplacer("**", "", `\*`, "*", `\_`, "_", `\ `, "").Replace(s)
}

// rstFields returns the fields at the start of a text, such as ":orphan:".
func rstFields(text string) values {
	v := make(values)
	for line := range strings.Lines(text) {
		m := compile(`^:([\w-]+):\s*(.*?)\s*$`).FindStringSubmatch(line)
		if m == nil {
			if strings.TrimSpace(line) == "" || strings.HasPrefix(line, "..") {
				continue
			}
			break
		}
		v[m[1]] = m[2]
	}
	if m := compile(`(?m)^\s+:description(?: lang=\w+)?:\s*(.+)$`).FindStringSubmatch(text); m != nil && strings.Contains(text, ".. meta::") {
		v["description"] = m[1]
	}
	return v
}
