package site

import "strings"

// orgLines is [Page.lines] for Org.
func orgLines(text string) (lines []line) {
	until, drawer := "", false
	for raw := range strings.Lines(text) {
		trimmed := strings.TrimRight(raw, " \t\r\n")
		l := line{raw: trimmed, end: raw[len(trimmed):]}
		folded := strings.ToLower(strings.TrimSpace(trimmed[:min(len(trimmed), 40)]))
		stars := len(trimmed) - len(strings.TrimLeft(trimmed, "*"))
		switch {
		case until != "":
			if l.code = folded != until; !l.code {
				until = ""
			} else {
				l.text = trimmed
			}
		case strings.HasPrefix(folded, "#+begin_src"), strings.HasPrefix(folded, "#+begin_example"):
			kind, _, _ := strings.Cut(folded, " ")
			until = strings.Replace(kind, "begin", "end", 1)
		case folded == ":properties:", folded == ":logbook:":
			drawer = true
		case drawer:
			drawer = folded != ":end:"
		case strings.HasPrefix(folded, "#+title:"):
			l.level, l.text = 1, orgText(trimmed[strings.IndexByte(trimmed, ':')+1:])
		case strings.HasPrefix(folded, "#"):
		case stars > 0 && strings.HasPrefix(trimmed[stars:], " "):
			l.level, l.text = stars, orgText(trimmed[stars:])
		default:
			l.text = orgText(trimmed)
			if l.text = strings.TrimRight(l.text, " "); strings.HasPrefix(trimmed, " ") {
				l.text = trimmed[:len(trimmed)-len(strings.TrimLeft(trimmed, " \t"))] + strings.TrimLeft(l.text, " ")
			}
		}
		lines = append(lines, l)
	}
	return lines
}

// orgText returns inline Org as plain text: a link is its text.
func orgText(s string) string {
	s = strings.TrimSpace(s)
	if len(s) > maxMarked || !strings.Contains(s, "[[") {
		return s
	}
	return compile(`\[\[(?:[^\[\]]{1,500}\]\[)?([^\[\]]{1,500})\]\]`).ReplaceAllString(s, "$1")
}

// orgFields returns the keywords at the start of a text, such as "#+TITLE: x".
func orgFields(text string) values {
	v := make(values)
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		key, value, ok := strings.Cut(strings.TrimPrefix(line, "#+"), ":")
		if line != "" && !(ok && strings.HasPrefix(line, "#+")) && !strings.HasPrefix(line, ":") || len(v) > 100 {
			break
		}
		if value = strings.TrimSpace(value); value != "" && strings.HasPrefix(line, "#+") {
			v[strings.ToLower(key)] = value
		}
	}
	return v
}
