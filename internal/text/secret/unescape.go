package secret

import (
	"bytes"
	"html"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/lazyregexp"
)

// An unescaped is a text without the escapes in it, so that a secret is found which they split: escapes of strings in JSON, YAML and
// programs, backslashes of Markdown, entities of HTML. If it is joined, it also lacks what stands between two strings of a list, as
// notebooks store text.
type unescaped struct {
	text   []byte
	shifts []shift
}

// A shift says that bytes from an offset on stand at another offset in the text with escapes.
type shift struct{ to, from int }

// read replaces u with a text; nothing if it has no escapes, or no strings to join.
func (u *unescaped) read(text []byte, joined bool) {
	u.text, u.shifts = u.text[:0], u.shifts[:0]
	if joined && !bytes.Contains(text, []byte(`"source"`)) {
		return
	}
	end := 0 // of the last escape
	for i := 0; i+1 < len(text); i++ {
		var plain []byte
		n := 0
		switch b := text[i]; {
		case b == '\\', b == '&':
			plain, n = unescape(text[i:])
		case b == '"' && joined && text[i+1] == ',' && !bytes.HasSuffix(text[:i], []byte(`\n`)):
			if m := between().FindIndex(text[i:min(len(text), i+maxGap)]); m != nil && m[0] == 0 {
				n = m[1]
			}
		}
		if n == 0 {
			continue
		}
		u.text = append(u.text, text[end:i]...)
		u.shifts = append(u.shifts, shift{len(u.text), i})
		u.text = append(u.text, plain...)
		end = i + n
		u.shifts = append(u.shifts, shift{len(u.text), end})
		i = end - 1
	}
	if end > 0 {
		u.text = append(u.text, text[end:]...)
	}
}

// between matches what stands between two strings of a list.
var between = lazyregexp.New(`",\s*"`)

// origin returns the offset in the text with escapes of an offset.
func (u *unescaped) origin(offset int) int {
	i, _ := slices.BinarySearchFunc(u.shifts, offset, func(s shift, offset int) int {
		if s.to <= offset {
			return -1
		}
		return 1
	})
	if i == 0 {
		return offset
	}
	return u.shifts[i-1].from + offset - u.shifts[i-1].to
}

// maxGap is how many bytes of white space an escape or the end of a string may have after it.
const maxGap = 200

// unescape returns the text of the escape at the start of a text, and the length of the escape; 0 if there is none.
func unescape(text []byte) (plain []byte, n int) {
	head := text[:min(len(text), 8)]
	more := max(0, len(head)-len(bytes.TrimLeft(head, `\`))-1) // backslashes of a string in a string
	if text = text[more:]; more > 0 {
		defer func() { n += min(n, 1) * more }()
	}
	if len(text) < 2 {
		return nil, 0
	}
	switch b := text[1]; {
	case text[0] == '&':
		if end := bytes.IndexByte(text[:min(len(text), 12)], ';'); end > 0 {
			if plain := html.UnescapeString(string(text[:end+1])); len(plain) < end {
				return []byte(plain), end + 1
			}
		}
	case bytes.IndexByte([]byte("bfnrt"), b) >= 0:
		return []byte("\b\f\n\r\t")[bytes.IndexByte([]byte("bfnrt"), b):][:1], 2
	case b == '\r', b == '\n':
		rest := text[1:min(len(text), maxGap)]
		return nil, 1 + len(rest) - len(bytes.TrimLeft(rest, " \t\r\n"))
	case b == 'u', b == 'x':
		digits := map[byte]int{'u': 4, 'x': 2}[b]
		if code, err := strconv.ParseUint(string(text[2:min(len(text), 2+digits)]), 16, 16); err == nil && len(text) >= 2+digits {
			return utf8.AppendRune(nil, rune(code)), 2 + digits
		}
	case b < utf8.RuneSelf && b > ' ' && !isAlphanumeric(b):
		return text[1:2], 2
	}
	return nil, 0
}
