package excerpt

import (
	"html"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/directive"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/lazyregexp"
)

// maxHeading is the maximum length of a heading in bytes. A longer line is not meant as a heading.
const maxHeading = 300

// plain returns the text of a heading without its markup, and its explicit name ("{#name}").
func plain(raw string) (text, id string) {
	raw = strings.TrimSpace(Cut(raw, 4*maxHeading))
	if closed := strings.TrimRight(raw, "#"); closed == "" || strings.HasSuffix(closed, " ") || strings.HasSuffix(closed, "\t") {
		raw = strings.TrimSpace(closed)
	}
	if at := strings.LastIndex(raw, "{#"); at >= 0 && strings.HasSuffix(raw, "}") {
		raw, id = strings.TrimSpace(raw[:at]), strings.ToLower(raw[at+2:len(raw)-1])
	}
	return Cut(Plain(raw), maxHeading), id
}

// Plain returns a line of Markdown, such as a heading or a sentence, without its inline markup. Of more than 1,200 bytes,
// it reads the first ones.
func Plain(line string) string {
	line = Cut(line, 4*maxHeading)
	var b strings.Builder
	closing := make(map[int]bool) // indexes of underscores that end an emphasis
	for i := 0; i < len(line); {
		n, shown := markup(line, i, closing)
		b.WriteString(shown)
		i += n
	}
	return strings.TrimSpace(b.String())
}

// inlineHTML matches the HTML in a heading that readers do not see. Other names in angle brackets,
// such as the parameters of a generic type, stay.
var inlineHTML = lazyregexp.New(`(?i)^(?:<!--.*?-->|</?(?:a|abbr|b|br|code|del|details|div|em|font|i|img|ins|kbd|mark|p|q|s|samp|small|span|strong|sub|summary|sup|u|var)(?:\s[^<>]*)?/?>)`)

// autolink is a URI in angle brackets.
var autolink = lazyregexp.New(`^<([A-Za-z][A-Za-z0-9+.-]+:[^<>\s]*)>`)

// markup returns the length of the markup at s[i:], and its visible text.
func markup(s string, i int, closing map[int]bool) (n int, shown string) {
	rest := s[i:]
	switch c := rest[0]; c {
	case '\\':
		if len(rest) > 1 && rest[1] < utf8.RuneSelf && unicode.In(rune(rest[1]), unicode.P, unicode.S) {
			return 2, rest[1:2]
		}
	case '`':
		ticks := len(rest) - len(strings.TrimLeft(rest, "`"))
		if code, _, ok := strings.Cut(rest[ticks:], rest[:ticks]); ok {
			return 2*ticks + len(code), code
		}
		return ticks, ""
	case '*':
		if i > 0 && s[i-1] == ' ' && len(rest) > 1 && rest[1] == ' ' { // a multiplication
			return 1, "*"
		}
		return 1, ""
	case '~':
		if strings.HasPrefix(rest, "~~") {
			return 2, ""
		}
	case '_':
		run := len(rest) - len(strings.TrimLeft(rest, "_"))
		if closing[i] {
			return run, ""
		}
		if end, ok := emphasized(s, i, run); ok {
			closing[end] = true
			return run, ""
		}
		return run, rest[:run]
	case '<':
		if m := autolink().FindStringSubmatch(rest); m != nil {
			return len(m[0]), m[1]
		}
		if tag := inlineHTML().FindString(rest); tag != "" {
			return len(tag), ""
		}
	case '!':
		if strings.HasPrefix(rest, "![") {
			return 1, ""
		}
	case '[':
		return 1, ""
	case ']':
		return 1 + len(target().FindString(rest[1:])), ""
	}
	return 1, rest[:1]
}

// emphasized returns the index of the closing run of as many underscores as the run at i.
// Underscores count only at the ends of words.
func emphasized(s string, i, run int) (end int, ok bool) {
	inWord := func(r rune, size int) bool { return size > 0 && (unicode.IsLetter(r) || unicode.IsDigit(r)) }
	begin := i + run
	if inWord(utf8.DecodeLastRuneInString(s[:i])) || begin == len(s) || s[begin] == ' ' {
		return 0, false
	}
	for j := begin; ; {
		at := strings.IndexByte(s[j:], '_')
		if at < 0 {
			return 0, false
		}
		at += j
		j = at + len(s[at:]) - len(strings.TrimLeft(s[at:], "_"))
		if j-at == run && s[at-1] != ' ' && !inWord(utf8.DecodeRuneInString(s[j:])) {
			return at, true
		}
	}
}

// target finds the target of a link, as a reference or in parentheses. If more of these are opened than closed, it ends with the first
// one that is closed.
var target = lazyregexp.New(`(?s)^(?:\[[^\]]*\]|\((?:\\.|[^()\\]|\((?:\\.|[^()\\]|\((?:\\.|[^()\\])*\))*\))*\)|\([^)]*\))`)

// A Link is the target of a link in a Markdown text, with its position.
type Link struct {
	Target       string // as written, without angle brackets and escapes
	Line, Column int    // from 1; Column in characters
}

// maxTarget is the maximum length of a target in bytes. A longer text is not a target.
const maxTarget = 2 << 10

// maxTicks is the maximum length of a run of backticks that may enclose code, as in the reference implementation of
// CommonMark. Each length may take a pass over the line.
const maxTicks = 80

// Links yields the links of a Markdown text that begins in a line of its file: inline links and
// images, the definitions of reference links, and href and src in HTML. It skips code. It takes one
// pass; a link whose target spans several lines is not found.
func Links(text string, line int, yield func(Link)) {
	links(text, line, func(l Link, _, _ int) { yield(l) })
}

// Targets is Links with the range of each target in the text, without angle brackets.
func Targets(text string, yield func(target string, start, end int)) {
	links(text, 1, func(l Link, start, end int) { yield(l.Target, start, end) })
}

func links(text string, line int, yield func(l Link, start, end int)) {
	var r reader
	for l := range directive.Lines(text) {
		s, offset := l.Text, l.Start+l.Cut
		column, counted := 1, l.Start
		found := func(target string, start, end int) {
			column += utf8.RuneCountInString(text[counted : offset+start])
			counted = offset + start
			yield(Link{target, line, column}, offset+start, offset+end)
		}
		switch {
		case l.Code != directive.Prose:
		case strings.TrimLeft(s, " \t") == "":
			r.brackets, r.tag = 0, false
		case r.comment:
			if _, after, ok := strings.Cut(s, "-->"); ok {
				r.comment = false
				r.inline(s, len(s)-len(after), found)
			}
		default:
			if target, start, ok := definition(s); ok {
				found(Unescape(target), start, start+len(target))
			} else {
				r.inline(s, 0, found)
			}
		}
		line++
	}
}

// A reader is the state of reading inline Markdown after a line.
type reader struct {
	brackets int  // that are open: the text of a link may span lines
	comment  bool // the line ends in a comment
	tag      bool // it ends in a tag of HTML
}

// inline yields the links of a line from an offset on. It has a case for each character that begins a mark.
func (r *reader) inline(s string, i int, yield func(target string, start, end int)) {
	if r.tag {
		i, r.tag = attributes(s, i, yield)
	}
	// lengths of runs of backticks that have no closing run
	unclosed := make(map[int]bool)
	for i < len(s) {
		switch s[i] {
		case '\\':
			i += 2
			continue
		case '`':
			n := len(s[i:]) - len(strings.TrimLeft(s[i:], "`"))
			i += n
			if n > maxTicks || unclosed[n] {
				continue
			}
			if end := ClosingRun(s[i:], n); end >= 0 {
				i += end + n
			} else {
				unclosed[n] = true
			}
			continue
		case '<':
			if strings.HasPrefix(s[i:], "<!--") {
				end := strings.Index(s[i:], "-->")
				if r.comment = end < 0; r.comment {
					return
				}
				i += end + 3
				continue
			}
			// others are shortcodes, or less than
			if i+1 < len(s) && isLetter(s[i+1]) && (i == 0 || s[i-1] != '{') {
				links := yield
				// a picture in SVG refers to another one
				if strings.HasPrefix(s[i+1:], "use ") {
					links = func(string, int, int) {}
				}
				next, open := attributes(s, i+1, links)
				if r.tag = open && strings.TrimLeft(s[:i], " \t") == ""; !open || r.tag {
					i = next
					continue
				}
			}
		case '[':
			r.brackets++
		case ']':
			if r.brackets == 0 {
				break
			}
			r.brackets--
			if i+1 < len(s) && s[i+1] == '(' {
				start, end, next, ok := destination(s, i+2)
				if ok {
					yield(Unescape(s[start:end]), start, end)
				}
				i = max(next, i+2)
				continue
			}
		}
		i++
	}
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// attributes yields the values of href and src in a tag of HTML or MDX, from an offset on. It returns the offset of the end of
// the tag, and whether the tag may have more lines. What is not a tag, it leaves.
func attributes(s string, i int, yield func(target string, start, end int)) (next int, open bool) {
	for from := i; i < len(s); i++ {
		switch c := s[i]; {
		case c == '>' && (i == 0 || s[i-1] != '='): // otherwise it is a function
			return i + 1, false
		case c == '<', c == '`', c == '(' && i > 0 && s[i-1] == ']':
			return from, false
		case c == '"' || c == '\'':
			end := strings.IndexByte(s[i+1:min(len(s), i+1+maxTarget)], c)
			if end < 0 {
				return from, false
			}
			before := strings.TrimRight(s[from:i], " ")
			if name := strings.TrimRight(strings.TrimSuffix(before, "="), " "); name != before && (hasWord(name, "href") || hasWord(name, "src")) {
				yield(html.UnescapeString(s[i+1:i+1+end]), i+1, i+1+end)
			} else if strings.Contains(s[i:i+1+end], "](") {
				new(reader).inline(s[:i+1+end], i+1, yield) // such as a caption
			}
			i += 1 + end
			from = i + 1
		}
	}
	return len(s), true
}

// hasWord reports whether a text ends with a word after a space.
func hasWord(s, word string) bool {
	rest, ok := strings.CutSuffix(s, word)
	return ok && (rest == "" || strings.IndexByte(" \t", rest[len(rest)-1]) >= 0)
}

// ClosingRun returns where a run of n backticks begins, or -1.
func ClosingRun(s string, n int) int {
	for i := 0; i < len(s); {
		next := strings.IndexByte(s[i:], '`')
		if next < 0 {
			return -1
		}
		i += next
		run := len(s[i:]) - len(strings.TrimLeft(s[i:], "`"))
		if run == n {
			return i
		}
		i += run
	}
	return -1
}

// destination returns the range of the target of a link at an offset (CommonMark 6.3). next is where
// reading stopped.
func destination(s string, offset int) (start, end, next int, ok bool) {
	for offset < len(s) && (s[offset] == ' ' || s[offset] == '\t') {
		offset++
	}
	if offset < len(s) && s[offset] == '<' {
		n := strings.IndexAny(s[offset+1:min(len(s), offset+1+maxTarget)], "<>")
		if n < 0 || s[offset+1+n] != '>' {
			return 0, 0, min(len(s), offset+1+max(n, 0)), false
		}
		return offset + 1, offset + 1 + n, offset + n + 2, true
	}
	depth := 0
	for i := offset; i < min(len(s), offset+maxTarget); i++ {
		switch s[i] {
		case '\\':
			i++
		case ' ', '\t':
			// A title may follow. The window keeps the time linear in a line of many such beginnings.
			return offset, i, i, depth == 0 && strings.IndexByte(s[i:min(len(s), i+maxTarget)], ')') >= 0
		case '(':
			depth++
		case ')':
			if depth--; depth < 0 {
				return offset, i, i + 1, true
			}
		}
	}
	return 0, 0, min(len(s), offset+maxTarget), false
}

// DefinesLink reports whether a line defines the target of links: "[name]: target".
func DefinesLink(line string) bool {
	_, _, ok := definition(strings.TrimRight(line, " \t\r\n"))
	return ok
}

// definition reads a line such as "[name]: target" (CommonMark 4.7). The target, as it is written,
// begins at start.
func definition(s string) (target string, start int, ok bool) {
	if !strings.Contains(s, "]:") { // nearly always
		return "", 0, false
	}
	m := defined().FindStringSubmatchIndex(s)
	if m == nil {
		return "", 0, false
	}
	start, end := max(m[2], m[4]), max(m[3], m[5])
	return s[start:end], start, end-start <= maxTarget
}

// defined finds a definition. What follows the target is a title, and not the rest of a sentence that begins with brackets.
var defined = lazyregexp.New(`^ {0,3}\[[^^\]][^\]]*\]:[ \t]*(?:<([^>]+)>\s*|([^<\s][^ \t]*)(?:\s+|$))(?:["'(].*)?$`)

// Unescape resolves the backslash escapes of Markdown.
func Unescape(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) && strings.IndexByte("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~", s[i+1]) >= 0 {
			i++
		}
		b.WriteByte(s[i])
	}
	return b.String()
}
