package webpage

import (
	"context"
	"html"
	"net/url"
	"regexp"
	"strings"
	"sync"
)

// inline finds the targets of inline links and images, in which parentheses come in pairs. definition finds the
// target of a reference definition at the start of a line.
var (
	inline     = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\]\(\s*<?((?:[^\s()<>]|\([^\s()<>]*\))+)`) })
	definition = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^ {0,3}\[[^\[\]]+\]:\s*<?([^\s()<>]+)`)
	})
)

// complete returns Markdown with absolute URLs in place of relative ones, which would not work at another location.
// Links to headings of the page, and text in code that looks like a link, stay as they are. If the text becomes too
// long or ctx ends, complete stops, and whole is false.
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
		if n := len(line) - len(rest); n >= 3 && (c == "~" || !strings.Contains(rest, c)) { // otherwise it is code in a line of text
			return line[:n]
		}
	}
	return ""
}

// completeLine writes a line. A line may be the whole page, so no part of it is scanned twice. It returns false if
// it stops before the end of the line.
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
			continue // the URL is absolute already, or safe handles it
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
