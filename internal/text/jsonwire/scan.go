package jsonwire

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"unicode/utf8"
	"unsafe"
)

// maxDepth is the maximum nesting that encoding/json accepts.
const maxDepth = 10000

// Valid reports whether b is one JSON value, like [json.Valid].
func Valid(b []byte) bool {
	end := value(b, Space(b, 0), 0)
	return end >= 0 && Space(b, end) == len(b)
}

// value returns the end of the value that starts at b[i], or -1.
func value(b []byte, i, depth int) int {
	if i >= len(b) {
		return -1
	}
	switch b[i] {
	case '{', '[':
		if depth == maxDepth {
			return -1
		}
		return items(b, i, depth+1, nil)
	case '"':
		return text(b, i)
	case 't':
		return literal(b, i, "true")
	case 'f':
		return literal(b, i, "false")
	case 'n':
		return literal(b, i, "null")
	}
	return number(b, i)
}

// items returns the end of the object or array at b[i], or -1. If visit is not nil, items calls it
// with each value and, in an object, with its key in quotes. If visit returns false, items stops
// and returns -1.
func items(b []byte, i, depth int, visit func(key, val []byte) bool) int {
	object := b[i] == '{'
	closer := byte(']')
	if object {
		closer = '}'
	}
	i = Space(b, i+1)
	if i < len(b) && b[i] == closer {
		return i + 1
	}
	for {
		var key []byte
		if object {
			if i >= len(b) || b[i] != '"' {
				return -1
			}
			end := text(b, i)
			if end < 0 {
				return -1
			}
			key = b[i:end]
			i = Space(b, end)
			if i >= len(b) || b[i] != ':' {
				return -1
			}
			i = Space(b, i+1)
		}
		end := value(b, i, depth)
		if end < 0 || visit != nil && !visit(key, b[i:end:end]) {
			return -1
		}
		i = Space(b, end)
		switch {
		case i < len(b) && b[i] == closer:
			return i + 1
		case i < len(b) && b[i] == ',':
			i = Space(b, i+1)
		default:
			return -1
		}
	}
}

// Members calls visit with the decoded keys and the values of the members of the object b, which
// must be valid JSON or empty. If b is not an object, Members does nothing. Keys and values are valid
// while b does not change.
func Members(b []byte, visit func(key string, val []byte)) {
	i := Space(b, 0)
	if i == len(b) || b[i] != '{' {
		return
	}
	items(b, i, 1, func(key, val []byte) bool {
		name := unsafe.String(&key[1], len(key)-2) // a copy of each key takes longer than to find it
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
	items(b, Space(b, 0), 1, func(_, val []byte) bool {
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
	if end := text(b, 0); end == len(b) && bytes.IndexByte(b, '\\') < 0 && utf8.Valid(b) {
		return string(b[1 : end-1]), true
	}
	if json.Unmarshal(b, &s) != nil {
		return "", false
	}
	return s, true
}

// text returns the end of the string at b[i], or -1.
func text(b []byte, i int) int {
	for i++; ; {
		// Skip eight bytes at a time while none of them is a quote, a backslash or a control
		// character.
		for i+8 <= len(b) && marks(binary.LittleEndian.Uint64(b[i:])) == 0 {
			i += 8
		}
		if i >= len(b) || b[i] < 0x20 {
			return -1
		}
		switch b[i] {
		case '"':
			return i + 1
		case '\\':
			if i++; i >= len(b) {
				return -1
			}
			switch b[i] {
			case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
			case 'u':
				if i+4 >= len(b) || !hex(b[i+1]) || !hex(b[i+2]) || !hex(b[i+3]) || !hex(b[i+4]) {
					return -1
				}
				i += 4
			default:
				return -1
			}
		}
		i++
	}
}

const ones, tops = 0x0101010101010101, 0x8080808080808080

// marks sets the top bit of each byte of w that is a quote, a backslash or below 0x20. A borrow can
// set more of these bits after the first one. So only the first bit is reliable, and whether any
// bit is set.
func marks(w uint64) uint64 {
	// With this bit inverted, a quote becomes 0x20, and bytes below 0x20 stay below 0x20.
	low := w ^ ones*('"'^0x20)
	return ((low-ones*0x21)&^low | zeros(w^(ones*'\\'))) & tops
}

// zeros sets the top bit of each byte of w that is zero, with the same restriction.
func zeros(w uint64) uint64 { return (w - ones) &^ w }

func hex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}

func literal(b []byte, i int, word string) int {
	if !bytes.HasPrefix(b[i:], []byte(word)) {
		return -1
	}
	return i + len(word)
}

// number returns the end of the number at b[i], or -1.
func number(b []byte, i int) int {
	if b[i] == '-' {
		i++
	}
	if i < len(b) && b[i] == '0' {
		i++
	} else if i = digits(b, i); i < 0 {
		return -1
	}
	if i < len(b) && b[i] == '.' {
		if i = digits(b, i+1); i < 0 {
			return -1
		}
	}
	if i < len(b) && b[i]|0x20 == 'e' {
		i++
		if i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		return digits(b, i)
	}
	return i
}

// digits returns the end of the digits at b[i], or -1 if there are none.
func digits(b []byte, i int) int {
	start := i
	for i < len(b) && '0' <= b[i] && b[i] <= '9' {
		i++
	}
	if i == start {
		return -1
	}
	return i
}

// Space returns the index of the first byte at or after b[i] that is not JSON white space.
func Space(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\n' || b[i] == '\r' || b[i] == '\t') {
		i++
	}
	return i
}
