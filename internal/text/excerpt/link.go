package excerpt

import (
	"strings"
	"unicode/utf8"
)

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
// images, and the definitions of reference links. It skips code. It takes one pass; a link whose
// target spans several lines is not found.
func Links(text string, line int, yield func(Link)) {
	links(text, line, func(l Link, _, _ int) { yield(l) })
}

// Targets is Links with the range of each target in the text, without angle brackets.
func Targets(text string, yield func(target string, start, end int)) {
	links(text, 1, func(l Link, start, end int) { yield(l.Target, start, end) })
}

func links(text string, line int, yield func(l Link, start, end int)) {
	var fence Fence
	size := len(text)
	comment, list, blank, code := false, false, true, false
	depth := 0 // number of open brackets: the text of a link may span lines
	for ; text != ""; line++ {
		begin := size - len(text)
		s, rest, _ := strings.Cut(text, "\n")
		text = rest
		s = strings.TrimSuffix(s, "\r")
		inner := strings.TrimLeft(s, " \t")
		indented := strings.HasPrefix(s, "    ") || strings.HasPrefix(strings.TrimLeft(s, " "), "\t")
		unmarked := strings.TrimLeft(inner, "> \t")
		switch {
		case fence != "":
			fence.Read(unmarked)
			continue
		case comment:
			_, after, ok := strings.Cut(s, "-->")
			if comment = !ok; comment {
				continue
			}
			s = strings.Repeat(" ", len(s)-len(after)) + after
		case inner == "":
			blank, depth = true, 0
			continue
		case indented && !list && (blank || code):
			code = true
			continue
		}
		code = false
		item := itemOf(unmarked)
		if fence.Read(item) {
			continue
		}
		if item != unmarked {
			list = true
		} else if !indented && blank && s == inner {
			list = false
		}
		blank = false
		if target, at, start, ok := definition(s); ok {
			yield(Link{Unescape(target), line, 1 + utf8.RuneCountInString(s[:at])}, begin+start, begin+start+len(target))
			continue
		}
		comment = inline(s, line, &depth, func(l Link, start, end int) { yield(l, begin+start, begin+end) })
	}
}

// itemOf returns a line without the marks of list items that it begins with.
func itemOf(s string) string {
	for {
		rest := s
		if s != "" && strings.IndexByte("-*+", s[0]) >= 0 {
			rest = s[1:]
		} else if digits := strings.TrimLeft(s, "0123456789"); len(s)-len(digits) <= 9 && len(digits) < len(s) && strings.IndexAny(digits, ".)") == 0 {
			rest = digits[1:]
		}
		if inner := strings.TrimLeft(rest, " \t"); rest != s && inner != rest {
			s = inner
			continue
		}
		return s
	}
}

// inline yields the links of a line, and reports whether the line begins a comment and does not end
// it. depth is the number of open brackets.
func inline(s string, line int, depth *int, yield func(l Link, start, end int)) (comment bool) {
	column, counted := 1, 0
	unclosed := make(map[int]bool) // lengths of runs of backticks that have no closing run
	for i := 0; i < len(s); {
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
			if end := closingRun(s[i:], n); end >= 0 {
				i += end + n
			} else {
				unclosed[n] = true
			}
			continue
		case '<':
			if strings.HasPrefix(s[i:], "<!--") {
				end := strings.Index(s[i:], "-->")
				if end < 0 {
					return true
				}
				i += end + 3
				continue
			}
		case '[':
			*depth++
		case ']':
			if *depth == 0 {
				break
			}
			*depth--
			if i+1 < len(s) && s[i+1] == '(' {
				start, end, next, ok := destination(s, i+2)
				if ok {
					column += utf8.RuneCountInString(s[counted : i+2])
					counted = i + 2
					yield(Link{Unescape(s[start:end]), line, column}, start, end)
				}
				i = max(next, i+2)
				continue
			}
		}
		i++
	}
	return false
}

// closingRun returns where a run of n backticks begins, or -1.
func closingRun(s string, n int) int {
	for i := 0; i < len(s); {
		at := strings.IndexByte(s[i:], '`')
		if at < 0 {
			return -1
		}
		i += at
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

// definition reads a line such as "[name]: target" (CommonMark 4.7). The target, as it is written,
// begins at start.
func definition(s string) (target string, offset, start int, ok bool) {
	inner := strings.TrimLeft(s, " ")
	offset = len(s) - len(inner)
	if offset > 3 || !strings.HasPrefix(inner, "[") || strings.HasPrefix(inner, "[^") {
		return "", 0, 0, false
	}
	end := strings.IndexByte(inner, ']')
	if end < 2 || !strings.HasPrefix(inner[end:], "]:") {
		return "", 0, 0, false
	}
	rest := strings.TrimLeft(inner[end+2:], " \t")
	offset = len(s) - len(rest)
	start, target = offset, rest
	var title string
	if strings.HasPrefix(rest, "<") {
		start++
		if target, title, ok = strings.Cut(rest[1:], ">"); !ok {
			return "", 0, 0, false
		}
	} else if i := strings.IndexAny(rest, " \t"); i >= 0 {
		target, title = rest[:i], rest[i:]
	}
	if title = strings.TrimSpace(title); title != "" && strings.IndexByte("\"'(", title[0]) < 0 {
		return "", 0, 0, false // a sentence that begins with brackets
	}
	return target, offset, start, target != "" && len(target) <= maxTarget
}

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
