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
			heading = strings.TrimSpace(heading)
			if open := strings.TrimRight(heading, "#"); open == "" || strings.HasSuffix(open, " ") || strings.HasSuffix(open, "\t") {
				heading = strings.TrimSpace(open)
			}
			return heading
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

// targets finds what stands before the target of a link: "](", "]:", "<", and attributes of HTML. It
// does not find the target itself, in which the next one may begin. Each ">" may be that of a quote
// that goes on in the next line. Code is not left out: what is code depends on everything before it,
// and whoever wants to hide a link would make use of each difference.
var targets = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\]\([\s<>]*|\]:[\s<>]*|<|\b(?:href|src|srcset|action|formaction|data|poster|cite|background)[\s>]*=[\s"'>]*`)
})

// safe returns Markdown whose links have the scheme http, https or mailto, or none.
func safe(text string) string {
	if !strings.Contains(text, ":") && !strings.Contains(text, "&") {
		return text
	}
	var b strings.Builder
	last := 0
	for _, m := range targets().FindAllStringIndex(text, -1) {
		before := text[m[0]:m[1]]
		delimited := strings.ContainsAny(before, `"'`) || before[0] == ']' && strings.Contains(before, "<")
		if s := schemeOf(text[m[1]:], delimited); s != "" && !safeSchemes[s] {
			b.WriteString(text[last:m[1]])
			b.WriteString("unsafe:")
			last = m[1]
		}
	}
	b.WriteString(text[last:])
	return b.String()
}

// schemeOf returns the scheme of the target that a text begins with, in lower case, or "". It reads
// entities, and leaves out what browsers leave out: characters that are not seen, and line ends
// where the target is delimited, with the marks of a quote behind them. It reads no further than
// the first character that a scheme cannot have.
func schemeOf(text string, delimited bool) string {
	var scheme []byte
	newline := true // or nothing but space was before
	for i := 0; i < len(text); i++ {
		decoded := text[i : i+1]
		switch c := text[i]; {
		case c == '\n' && delimited:
			newline = true
			continue
		case (c == '\t' || c == '\r') && delimited, c == '\\', newline && delimited && (c == ' ' || c == '>'):
			continue
		case c == '&':
			end := entityEnd(text, i)
			decoded = html.UnescapeString(text[i:end])
			i = end - 1
		case c <= ' ' || c == 0x7f:
			return ""
		}
		for _, c := range strings.ToLower(decoded) {
			switch {
			case c <= ' ' || c == 0x7f:
				continue
			case c == ':':
				return string(scheme)
			case c >= 'a' && c <= 'z', len(scheme) > 0 && (c >= '0' && c <= '9' || c == '+' || c == '.' || c == '-'):
				scheme = append(scheme, byte(c))
				newline = false
			default:
				return ""
			}
		}
	}
	return ""
}

// entityEnd returns the end of what begins with an ampersand and may be an entity.
func entityEnd(text string, start int) int {
	for end := start + 1; end < len(text); end++ {
		switch c := text[end]; {
		case c == ';':
			return end + 1
		case c == '#' && end == start+1, c >= '0' && c <= '9', c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z':
		default:
			return end
		}
	}
	return len(text)
}

var safeSchemes = map[string]bool{"http": true, "https": true, "mailto": true, "unsafe": true}
