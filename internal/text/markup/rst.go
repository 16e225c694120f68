package markup

import (
	"cmp"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/settings"
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

// RST returns the lines of a text in reStructuredText.
func RST(text string) (lines []Line) {
	literal := -1 // indentation of the line before the code
	for raw := range strings.Lines(text) {
		trimmed := strings.TrimRight(raw, " \t\r\n")
		l := Line{Raw: trimmed, End: raw[len(trimmed):]}
		indent := len(l.Raw) - len(strings.TrimLeft(l.Raw, " \t"))
		switch {
		case len(l.Raw) > maxMarked:
			l.Text = l.Raw
		case literal >= 0 && (l.Raw == "" || indent > literal):
			l.Code, l.Text = true, l.Raw
		default:
			literal = -1
			if strings.Contains(l.Raw, "::") && compile(`^\s*\.\. (?:code-block|sourcecode|code|literalinclude|parsed-literal)::|^\s*(?:[^\s.]|\.[^.]|\.\.\S).*::$|^\s*::$`).MatchString(l.Raw) {
				literal = indent
			}
			if adorns(l.Raw) == 0 && !(strings.Contains(l.Raw, ".. ") && compile(`^\s*\.\. (?:index|currentmodule|_[^:]+|highlight)::?`).MatchString(l.Raw)) {
				l.Text = l.Raw
			}
		}
		lines = append(lines, l)
	}
	levels := make(map[string]int)
	for i := 0; i+1 < len(lines); i++ {
		key, title := "", lines[i].Raw
		switch over, under := adorns(title), adorns(lines[i+1].Raw); {
		case over != 0 && under == 0 && i+2 < len(lines) && adorns(lines[i+2].Raw) == over && lines[i+1].Raw != "":
			i++
			key, title = string([]byte{over, over}), strings.TrimSpace(lines[i].Raw)
		case over == 0 && under != 0 && title != "" && title[0] != ' ' && title[0] != '\t' && !strings.HasPrefix(title, ".. ") && len(lines[i+1].Raw) >= min(len([]rune(title)), 4):
			key = string(under)
		default:
			continue
		}
		levels[key] = cmp.Or(levels[key], len(levels)+1)
		lines[i].Level, lines[i].Text = levels[key], rstText(title)
		i++
	}
	return lines
}

// rstText returns inline RST as plain text.
func rstText(s string) string {
	s = compile("(?::[\\w:+-]+:)?``?([^`]*?)(?:\\s*<[^`>]*>)?``?_{0,2}").ReplaceAllString(s, "$1")
	return strings.NewReplacer("**", "", `\*`, "*", `\_`, "_", `\ `, "").Replace(s)
}

// RSTFields returns the fields at the start of a text, such as ":orphan:".
func RSTFields(text string) settings.Values {
	v := make(settings.Values)
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
