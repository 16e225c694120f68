package docs

import (
	"strings"
	"unicode/utf8"
)

// matches returns where the words with these stems are in a text: ascending offsets of their starts
// and ends. Words that only a space separates are one match.
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
		if n := len(spans); n > 0 && (spans[n-1][1] >= offset || text[spans[n-1][1]:offset] == " ") {
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
	offset := 0
	code := false
	for _, m := range h.Matches {
		before := h.Snippet[offset:m[0]]
		b.WriteString(before)
		code = code != (strings.Count(before, "`")%2 == 1)
		match := h.Snippet[m[0]:m[1]]
		bold := strings.Count(h.Snippet[:m[0]], "**")%2 == 1
		if code || bold || literal(h.Snippet, m) {
			b.WriteString(match)
		} else {
			b.WriteString("**" + match + "**")
		}
		offset = m[1]
	}
	b.WriteString(h.Snippet[offset:])
	return b.String()
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
