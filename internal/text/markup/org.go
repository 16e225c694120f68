package markup

import "strings"

// Org returns the lines of a text in Org.
func Org(text string) (lines []Line) {
	until, drawer := "", false
	for raw := range strings.Lines(text) {
		trimmed := strings.TrimRight(raw, " \t\r\n")
		l := Line{Raw: trimmed, End: raw[len(trimmed):]}
		folded := strings.ToLower(strings.TrimSpace(trimmed[:min(len(trimmed), 40)]))
		stars := len(trimmed) - len(strings.TrimLeft(trimmed, "*"))
		switch {
		case until != "":
			if l.Code = folded != until; !l.Code {
				until = ""
			} else {
				l.Text = trimmed
			}
		case strings.HasPrefix(folded, "#+begin_src"), strings.HasPrefix(folded, "#+begin_example"):
			kind, _, _ := strings.Cut(folded, " ")
			until = strings.Replace(kind, "begin", "end", 1)
		case folded == ":properties:", folded == ":logbook:":
			drawer = true
		case drawer:
			drawer = folded != ":end:"
		case strings.HasPrefix(folded, "#+title:"):
			l.Level, l.Text = 1, orgText(trimmed[strings.IndexByte(trimmed, ':')+1:])
		case strings.HasPrefix(folded, "#"):
		case stars > 0 && strings.HasPrefix(trimmed[stars:], " "):
			l.Level, l.Text = stars, orgText(trimmed[stars:])
		default:
			l.Text = orgText(trimmed)
			if l.Text = strings.TrimRight(l.Text, " "); strings.HasPrefix(trimmed, " ") {
				l.Text = trimmed[:len(trimmed)-len(strings.TrimLeft(trimmed, " \t"))] + strings.TrimLeft(l.Text, " ")
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
