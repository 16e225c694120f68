package jsonwire

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"
	"unsafe"
)

// items calls visit with each value of the object or array that b begins with and, in an object, with its key in quotes, until visit
// returns false. b must be valid JSON.
func items(b []byte, visit func(key, val []byte) bool) {
	var key []byte
	for i := Space(b, 1); i < len(b) && b[i] != ']' && b[i] != '}'; i = Space(b, i) {
		end := skip(b, i)
		switch val, next := b[i:end:end], Space(b, end); {
		case next < len(b) && b[next] == ':':
			key, i = val, next+1
		case !visit(key, val):
			return
		case next < len(b) && b[next] == ',':
			i = next + 1
		default:
			return
		}
	}
}

// skip returns the end of the value that starts at b[i].
func skip(b []byte, i int) int {
	for depth := 0; i < len(b); i++ {
		switch b[i] {
		case '"':
			for i++; i < len(b) && b[i] != '"'; i++ {
				if b[i] == '\\' {
					i++
				}
			}
		case '{', '[':
			depth++
			continue
		case '}', ']':
			if depth--; depth < 0 {
				return i
			}
		case ',', ':', ' ', '\n', '\r', '\t':
			if depth == 0 {
				return i
			}
		default:
			continue // the rest of a number or a word follows
		}
		if depth == 0 {
			return min(i+1, len(b))
		}
	}
	return len(b)
}

// Members calls visit with the decoded keys and the values of the members of the object b, which
// must be valid JSON or empty. If b is not an object, Members does nothing. Keys and values are valid
// while b does not change.
func Members(b []byte, visit func(key string, val []byte)) {
	if b = b[Space(b, 0):]; len(b) == 0 || b[0] != '{' {
		return
	}
	items(b, func(key, val []byte) bool {
		// a copy of each key takes longer than to find it
		name := unsafe.String(&key[1], len(key)-2)
		if bytes.IndexByte(key, '\\') >= 0 {
			name, _ = Unquote(key)
		}
		visit(name, val)
		return true
	})
}

// Entries returns the entries of the array b, which must be valid JSON, but at most limit.
func Entries(b []byte, limit int) [][]byte {
	var list [][]byte
	items(b[Space(b, 0):], func(_, val []byte) bool {
		list = append(list, val)
		return len(list) < limit
	})
	return list
}

// Unquote decodes the JSON string b.
func Unquote(b []byte) (string, bool) {
	var s string
	if len(b) == 0 || b[0] != '"' {
		return "", false
	}
	if end := bytes.IndexAny(b[1:], `"\`); end == len(b)-2 && utf8.Valid(b) {
		return string(b[1 : end+1]), true
	}
	if json.Unmarshal(b, &s) != nil {
		return "", false
	}
	return s, true
}

// Space returns the index of the first byte at or after b[i] that is not JSON white space.
func Space(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\n' || b[i] == '\r' || b[i] == '\t') {
		i++
	}
	return i
}
