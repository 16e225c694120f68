package docs

import (
	"strings"
	"unicode/utf8"
)

// matches returns where the words with these stems are in a text: ascending offsets of their starts
// and ends. Words that only a space or an underscore separates are one match.
func matches(text string, stems map[string]bool) [][2]int {
	var spans [][2]int
	var buffer []byte
	last := -1
	new(splitter).words(text, func(word []byte, offset int) {
		if offset < last { // an identifier as a whole; its parts came before
			return
		}
		last = offset
		buffer = stem(append(buffer[:0], word...))
		if _, ok := stems[string(buffer)]; !ok {
			return
		}
		end := offset
		for range utf8.RuneCount(word) {
			_, size := utf8.DecodeRuneInString(text[end:])
			end += size
		}
		if n := len(spans); n > 0 && (spans[n-1][1] >= offset || spans[n-1][1]+1 == offset && strings.ContainsRune(" _", rune(text[offset-1]))) {
			spans[n-1][1] = max(end, spans[n-1][1])
			return
		}
		spans = append(spans, [2]int{offset, end})
	})
	return spans
}

// marked returns a snippet with its matches in bold. A match in code, in bold, in a path or address, or next
// to an asterisk stays as it is: readers would take the asterisks for a part of it.
func (h Hit) marked() string {
	var b strings.Builder
	offset, code := 0, h.code
	for _, m := range h.Matches {
		before := h.Snippet[offset:m[0]]
		b.WriteString(before)
		code = code.after(before)
		match := h.Snippet[m[0]:m[1]]
		bold := strings.Count(h.Snippet[:m[0]], "**")%2 == 1
		if code > 0 || bold || literal(h.Snippet, m) {
			b.WriteString(match)
		} else {
			b.WriteString("**" + match + "**")
		}
		offset = m[1]
	}
	b.WriteString(h.Snippet[offset:])
	return b.String()
}

// A code is the number of backticks that began the code around a place in a text, or 0.
type code int

// fenced is the code of a block. All longer runs of backticks count as this.
const fenced code = 3

// after returns the code after a text on one line that begins in c.
func (c code) after(text string) code {
	for {
		i := strings.IndexByte(text, '`')
		if i < 0 {
			return c
		}
		text = text[i:]
		rest := strings.TrimLeft(text, "`")
		run := min(code(len(text)-len(rest)), fenced)
		switch c {
		case 0:
			c = run
		case run:
			c = 0
		}
		text = rest
	}
}

// codeAfter returns the code after a part of a passage, which itself may begin in fenced code.
func codeAfter(part string, inFence bool) code {
	fence := ""
	if inFence {
		fence = "```"
	}
	i := strings.LastIndexByte(part, '\n') + 1
	if fenceAfter(part[:i], fence) != "" {
		return fenced
	}
	return code(0).after(part[i:])
}

// literal reports whether a match is in a path or an address, or next to an asterisk.
func literal(text string, match [2]int) bool {
	start := strings.LastIndexByte(text[:match[0]], ' ') + 1
	end := len(text)
	if i := strings.IndexByte(text[match[1]:], ' '); i >= 0 {
		end = match[1] + i
	}
	return strings.Contains(text[start:end], "/") || strings.HasSuffix(text[:match[0]], "*") || strings.HasPrefix(text[match[1]:], "*")
}
