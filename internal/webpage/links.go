package webpage

import (
	"html"
	"net/url"
	"regexp"
	"strings"
	"sync"
)

// relative finds the targets of inline links and images, and of reference definitions.
var relative = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(\]\(\s*<?|^ {0,3}\[[^\[\]]+\]:\s*<?)([^\s()<>]+)`)
})

// complete returns Markdown whose relative links are complete, as they lead nowhere from another
// place. Links to headings of the page, and what looks like a link in code, are left as they are.
func complete(text string, base *url.URL) string {
	if !strings.Contains(text, "](") && !strings.Contains(text, "]:") {
		return text
	}
	var b strings.Builder
	fence := ""
	for line := range strings.Lines(text) {
		mark := fenceOf(line)
		switch {
		case fence == "" && mark != "":
			fence = mark
		case fence != "":
			if strings.HasPrefix(mark, fence) && strings.Trim(strings.TrimSpace(line), fence[:1]) == "" {
				fence = ""
			}
		default:
			line = completeLine(line, base)
		}
		b.WriteString(line)
	}
	return b.String()
}

// fenceOf returns the characters of a fence at the start of a line, or "".
func fenceOf(line string) string {
	line = strings.TrimLeft(line, " \t>")
	for _, c := range []string{"`", "~"} {
		if n := len(line) - len(strings.TrimLeft(line, c)); n >= 3 {
			return line[:n]
		}
	}
	return ""
}

func completeLine(line string, base *url.URL) string {
	var b strings.Builder
	last := 0
	for _, m := range relative().FindAllStringSubmatchIndex(line, -1) {
		from, to := m[4], m[5]
		target := html.UnescapeString(line[from:to])
		if strings.HasPrefix(target, "#") || strings.Count(line[:from], "`")%2 == 1 {
			continue
		}
		if scheme, _, found := strings.Cut(target, ":"); found && !strings.ContainsAny(scheme, "/?#") {
			continue // it is complete, or is made safe
		}
		u := resolve(base, target)
		if u == nil {
			continue
		}
		b.WriteString(line[last:from])
		b.WriteString(destination(u.String()))
		last = to
	}
	b.WriteString(line[last:])
	return b.String()
}
