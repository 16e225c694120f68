package webpage

import (
	"context"
	"html"
	"net/url"
	"regexp"
	"strings"
	"sync"
)

// inline finds the targets of inline links and images, in which parentheses come in pairs, and
// definition that of the reference definition which a line begins with.
var (
	inline     = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\]\(\s*<?((?:[^\s()<>]|\([^\s()<>]*\))+)`) })
	definition = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^ {0,3}\[[^\[\]]+\]:\s*<?([^\s()<>]+)`)
	})
)

// complete returns Markdown whose relative links are complete, as they lead nowhere from another
// place. Links to headings of the page, and what looks like a link in code, are left as they are. It ends where
// that becomes too long, or ctx ends: then whole is false.
func complete(ctx context.Context, text string, base *url.URL) (markdown string, whole bool) {
	if !strings.Contains(text, "](") && !strings.Contains(text, "]:") {
		return text, true
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
			if !completeLine(ctx, &b, line, base) {
				return b.String(), false
			}
			continue
		}
		b.WriteString(line)
	}
	return b.String(), true
}

// fenceOf returns the characters of a fence at the start of a line, or "".
func fenceOf(line string) string {
	line = strings.TrimLeft(line, " \t>")
	for _, c := range []string{"`", "~"} {
		rest := strings.TrimLeft(line, c)
		if n := len(line) - len(rest); n >= 3 && (c == "~" || !strings.Contains(rest, c)) { // else it is code in a line of text
			return line[:n]
		}
	}
	return ""
}

// completeLine writes a line. A line may be all of a page, so nothing of it is looked at twice. It returns false if
// it ends before the line.
func completeLine(ctx context.Context, b *strings.Builder, line string, base *url.URL) bool {
	written, counted, backticks := 0, 0, 0
	m := definition().FindStringSubmatchIndex(line)
	for at := 0; ; {
		if m == nil {
			if m = inline().FindStringSubmatchIndex(line[at:]); m == nil {
				break
			}
		}
		from, to := at+m[2], at+m[3]
		m, at = nil, to
		if ctx.Err() != nil || b.Len() > maxMarkdown {
			return false
		}
		backticks += strings.Count(line[counted:from], "`")
		counted = from
		target := html.UnescapeString(line[from:to])
		if strings.HasPrefix(target, "#") || backticks%2 == 1 {
			continue
		}
		if scheme, _, found := strings.Cut(target, ":"); found && !strings.ContainsAny(scheme, "/?#") {
			continue // it is complete, or is made safe
		}
		u := resolve(base, target)
		if u == nil {
			continue
		}
		b.WriteString(line[written:from])
		b.WriteString(destination(u.String()))
		written = to
	}
	b.WriteString(line[written:])
	return true
}
