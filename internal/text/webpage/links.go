package webpage

import (
	"html"
	"net/url"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
)

// complete returns Markdown with absolute URLs in place of relative ones, which would not work at another location.
// Links to headings of the page, and text in code that looks like a link, stay as they are. If the text becomes too
// long, complete stops, and whole is false.
func complete(text string, base *url.URL) (markdown string, whole bool) {
	var b strings.Builder
	written := 0
	whole = true
	excerpt.Targets(text, func(target string, start, end int) {
		if whole = whole && b.Len() <= maxMarkdown; !whole {
			return
		}
		target = html.UnescapeString(target)
		if scheme, _, found := strings.Cut(target, ":"); strings.HasPrefix(target, "#") || found && !strings.ContainsAny(scheme, "/?#") {
			return // in the page, absolute already, or for safe
		}
		if u := resolve(base, target); u != nil {
			b.WriteString(text[written:start])
			b.WriteString(destination(u.String()))
			written = end
		}
	})
	if whole {
		b.WriteString(text[written:])
	}
	return b.String(), whole
}

// Relink replaces the absolute links in Markdown by the targets that link returns, unless they are "". It ignores code.
func Relink(markdown string, link func(*url.URL) string) string {
	var b strings.Builder
	written := 0
	excerpt.Targets(markdown, func(target string, start, end int) {
		if !strings.HasPrefix(target, "http://") && !strings.HasPrefix(target, "https://") {
			return
		}
		for _, spelling := range []string{target, strings.NewReplacer("%28", "(", "%29", ")", "%2A", "*").Replace(target)} { // as destination escapes
			u, err := url.Parse(spelling)
			if err != nil {
				return
			}
			if fresh := link(u); fresh != "" {
				b.WriteString(markdown[written:start])
				b.WriteString(destination(fresh))
				written = end
				return
			}
		}
	})
	b.WriteString(markdown[written:])
	return b.String()
}
