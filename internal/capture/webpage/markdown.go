package webpage

import (
	"cmp"
	"fmt"
	"html"
	"math"
	"net/url"
	"path"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/frontmatter"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/lazyregexp"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/settings"
)

// readMarkdown makes a page of Markdown that a server sent: it removes unsafe parts and makes links absolute.
// Front matter becomes a code block, so that a program that stores the page does not take it for its own front
// matter.
func (p *Page) readMarkdown(base *url.URL) {
	text := p.Text
	block, began := frontmatter.Find(text)
	if block.End > 0 {
		p.Title, _ = settings.Titles(block)
		text = excerpt.Fenced(block.YAML, "yaml") + "\n" + text[block.End:]
	} else if began {
		text = "\\" + text
	}
	p.Title = cmp.Or(p.Title, firstHeading(text))
	text, completed := complete(text, base)
	text, checked := safe(text)
	if !completed || !checked {
		p.note("The page is cut: it has more than %d MiB with complete links.", maxMarkdown>>20)
	}
	p.Marked.Markdown = noFrontMatter(text)
}

// firstHeading returns the first heading of level one, or "".
func firstHeading(text string) string {
	for _, h := range excerpt.Headings(text) {
		if h.Level == 1 {
			return h.Text
		}
	}
	return ""
}

// noFrontMatter returns Markdown whose first line cannot begin front matter.
func noFrontMatter(text string) string {
	text = strings.TrimLeft(text, "\n")
	if strings.HasPrefix(text, "---") || strings.HasPrefix(text, "+++") {
		return "\\" + text
	}
	return text
}

// targets finds the text before the target of a link: "](", "]:", "<", and HTML attributes. It does not include
// the target itself, because the next link may begin inside it. Each ">" may be the mark of a quote that continues
// in the next line. Code is included: everything before a text decides whether it is code, and an attacker could
// exploit any difference between parsers.
var targets = pattern(`(?i)\]\([\s<>]*|\]:[\s<>]*|<|\b(?:href|src|srcset|action|formaction|data|poster|cite|background)[\s>]*=[\s"'>]*`)

// safe returns Markdown whose links have the scheme http, https or mailto, or no scheme. If the text becomes too
// long, safe stops, and whole is false.
func safe(text string) (markdown string, whole bool) {
	if !strings.Contains(text, ":") && !strings.Contains(text, "&") {
		return text, true
	}
	var b strings.Builder
	written, at := 0, 0
	for { // there may be millions: do not collect them
		m := targets().FindStringIndex(text[at:])
		if m == nil {
			break
		}
		before := text[at+m[0] : at+m[1]]
		at += m[1]
		if b.Len() > maxMarkdown {
			return b.String(), false
		}
		delimited := strings.ContainsAny(before, `"'`) || before[0] == ']' && strings.Contains(before, "<")
		if s := schemeOf(text[at:], delimited); s != "" && !safeSchemes[s] {
			b.WriteString(text[written:at])
			b.WriteString("unsafe:")
			written = at
		}
	}
	b.WriteString(text[written:])
	return b.String(), true
}

// schemeOf returns the scheme of the target that a text begins with, in lower case, or "". It decodes entities,
// and skips what browsers skip: invisible characters and, in a delimited target, line ends with the quote marks
// after them. It stops at the first character that a scheme cannot contain.
func schemeOf(text string, delimited bool) string {
	var scheme []byte
	newline := true
	for i := 0; i < len(text); i++ {
		decoded := text[i : i+1]
		switch c := text[i]; {
		case c == '\n' && delimited:
			newline = true
			continue
		case (c == '\t' || c == '\r') && delimited, c == '\\', newline && delimited && (c == ' ' || c == '>'):
			continue
		case c == '&':
			decoded = beganEntity().FindString(text[i:])
			i += len(decoded) - 1
			if strings.HasPrefix(decoded, "&#") && !strings.HasSuffix(decoded, ";") {
				decoded += ";" // browsers decode one digit without a semicolon too
			}
			decoded = html.UnescapeString(decoded)
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

// beganEntity finds what may be an entity. A number ends before the first character that is not a digit, even without a semicolon.
var beganEntity = pattern(`^&(#[xX][0-9A-Fa-f]*|#[0-9]*|[0-9A-Za-z]*);?`)

var safeSchemes = map[string]bool{"http": true, "https": true, "mailto": true, "unsafe": true}

// retarget replaces the targets of links in Markdown by what fresh returns, unless that is "". It ignores code. If the text becomes
// longer than most, retarget stops, and whole is false.
func retarget(text string, most int, fresh func(target string) string) (markdown string, whole bool) {
	var b strings.Builder
	written := 0
	whole = true
	excerpt.Targets(text, func(target string, start, end int) {
		if whole = whole && b.Len() <= most; !whole {
			return
		}
		if target = fresh(target); target != "" {
			b.WriteString(text[written:start])
			b.WriteString(destination(target))
			written = end
		}
	})
	if whole {
		b.WriteString(text[written:])
	}
	return b.String(), whole
}

// complete returns Markdown with absolute URLs in place of relative ones, which would not work at another location.
// Links to headings of the page stay as they are. If the text becomes too long, complete stops, and whole is false.
func complete(text string, base *url.URL) (markdown string, whole bool) {
	return retarget(text, maxMarkdown, func(target string) string {
		target = html.UnescapeString(target)
		if scheme, _, found := strings.Cut(target, ":"); strings.HasPrefix(target, "#") || found && !strings.ContainsAny(scheme, "/?#") {
			return "" // in the page, absolute already, or for safe
		}
		if u := resolve(base, target); u != nil {
			return u.String()
		}
		return ""
	})
}

// Relink replaces the absolute links in Markdown by the targets that link returns, unless they are "". It ignores code.
func Relink(markdown string, link func(*url.URL) string) string {
	markdown, _ = retarget(markdown, math.MaxInt, func(target string) (fresh string) {
		if !strings.HasPrefix(target, "http://") && !strings.HasPrefix(target, "https://") {
			return ""
		}
		for _, spelling := range []string{target, strings.NewReplacer("%28", "(", "%29", ")", "%2A", "*").Replace(target)} {
			if u, err := url.Parse(spelling); err == nil && fresh == "" {
				fresh = link(u)
			}
		}
		return fresh
	})
	return markdown
}

// pageName matches a title that could be taken for a heading "Page 7", whatever signs it has.
var pageName = lazyregexp.New(`(?i)^\P{L}*page\P{L}*\d`)

// FromPDF returns a page from the text of a PDF, with a heading for each PDF page. Lines of code begin with a tab, and
// headings of the outline with a vertical tab for each level.
func FromPDF(at *url.URL, pages []string) *Page {
	p := &Page{Kind: PDF, MIME: "application/pdf", Title: title(path.Base(at.Path))}
	var all, markdown, code strings.Builder
	fmt.Fprintf(&markdown, "# %s\n", headingEnd(escapeTitle(p.Title)))
	for i, text := range pages {
		text = strings.Trim(text, " \n")
		if strings.TrimSpace(text) == "" {
			continue
		}
		fmt.Fprintf(&markdown, "\n## Page %d\n\n", i+1)
		for line := range strings.Lines(text + "\n") {
			heading := strings.TrimLeft(line, "\v")
			level := len(line) - len(heading)
			line = clean(heading)
			rest, isCode := strings.CutPrefix(line, "\t")
			all.WriteString(rest)
			if isCode {
				code.WriteString(rest)
				continue
			}
			writeFenced(&markdown, &code)
			if level > 0 && !pageName().MatchString(line) {
				fmt.Fprintf(&markdown, "%s %s\n", strings.Repeat("#", min(level+2, 6)), headingEnd(escapeTitle(strings.TrimSpace(line))))
				continue
			}
			markdown.WriteString(escapeTitle(strings.TrimSpace(line)) + "\n")
		}
		writeFenced(&markdown, &code)
	}
	p.Text, p.Marked.Markdown = all.String(), markdown.String()
	return p
}

func writeFenced(b, code *strings.Builder) {
	if code.Len() > 0 {
		b.WriteString(excerpt.Fenced(code.String(), ""))
		code.Reset()
	}
}
