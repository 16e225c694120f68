package webpage

import (
	"html"
	"net/url"
	"regexp"
	"strings"
	"sync"

	"github.com/mcp-docs-server/mcp-docs-server/internal/frontmatter"
)

// readMarkdown returns Markdown that a server sent without what is not safe and with complete
// links, and its title. Front matter becomes a code block, so that it is not taken for that of
// whoever keeps the page.
func readMarkdown(text string, base *url.URL) (title, markdown string) {
	block, began := frontmatter.Find(text)
	if block.End > 0 {
		title = block.Titles().Title
		text = Fence(block.YAML, "yaml") + "\n" + text[block.End:]
	} else if began {
		text = "\\" + text
	}
	if title == "" {
		title = firstHeading(text)
	}
	return title, guard(safe(complete(text, base)))
}

// firstHeading returns the first ATX heading of level one.
func firstHeading(text string) string {
	for line := range strings.Lines(text) {
		if heading, ok := strings.CutPrefix(line, "# "); ok {
			return strings.TrimRight(heading, "# \t\r\n")
		}
	}
	return ""
}

// guard returns Markdown that does not begin with a line that could be the first of front matter.
func guard(text string) string {
	text = strings.TrimLeft(text, "\n")
	if strings.HasPrefix(text, "---") || strings.HasPrefix(text, "+++") {
		return "\\" + text
	}
	return text
}

// targets finds what may be the target of a link: behind "](", behind "]:" and "<", and in
// attributes of HTML. Code is not left out: what is code depends on everything before it, and
// whoever wants to hide a link would make use of each difference.
var targets = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)(\]\([\s<]*|\]:[\s<]*|<|\b(?:href|src|srcset|action|formaction|data|poster|cite|background)\s*=[\s"']*)([^\s()<>"']+)`)
})

// safe returns Markdown whose links have the scheme http, https or mailto, or none.
func safe(text string) string {
	if !strings.Contains(text, ":") && !strings.Contains(text, "&") {
		return text
	}
	return targets().ReplaceAllStringFunc(text, func(match string) string {
		m := targets().FindStringSubmatch(match)
		target := strings.Map(func(r rune) rune {
			if r <= ' ' || r == 0x7f || r == '\\' {
				return -1
			}
			return r
		}, html.UnescapeString(m[2]))
		if !unsafe(target) {
			return match
		}
		return m[1] + "unsafe:" + m[2]
	})
}

// unsafe reports whether a target of a link has a scheme that is not one of the safe ones.
func unsafe(target string) bool {
	scheme, _, found := strings.Cut(target, ":")
	if !found || scheme == "" || strings.ContainsAny(scheme, "/?#") {
		return false
	}
	for i, r := range strings.ToLower(scheme) {
		if !(r >= 'a' && r <= 'z' || i > 0 && (r >= '0' && r <= '9' || strings.ContainsRune("+.-", r))) {
			return false
		}
	}
	return !safeSchemes[strings.ToLower(scheme)]
}

var safeSchemes = map[string]bool{"http": true, "https": true, "mailto": true, "unsafe": true}
