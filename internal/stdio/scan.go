package stdio

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
)

// maxDepth is the nesting that encoding/json accepts. The SDK stops at 1000
// inside params and answers that itself.
const maxDepth = 10000

// The scanner below finds where JSON values end. It exists because every
// result passes it on the way out, megabytes at a time and nearly all of it
// strings, where encoding/json goes byte by byte through a state machine.

// valid reports whether b is one JSON value, like [json.Valid].
func valid(b []byte) bool {
	end := value(b, space(b, 0), 0)
	return end >= 0 && space(b, end) == len(b)
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

// items returns the end of the object or array at b[i], or -1. It calls visit,
// if there is one, with each value and, in an object, its key in quotes; visit
// returns whether it wants more, and items returns -1 when it does not.
func items(b []byte, i, depth int, visit func(key, val []byte) bool) int {
	object := b[i] == '{'
	closer := byte(']')
	if object {
		closer = '}'
	}
	i = space(b, i+1)
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
			i = space(b, end)
			if i >= len(b) || b[i] != ':' {
				return -1
			}
			i = space(b, i+1)
		}
		end := value(b, i, depth)
		if end < 0 || visit != nil && !visit(key, b[i:end:end]) {
			return -1
		}
		i = space(b, end)
		switch {
		case i < len(b) && b[i] == closer:
			return i + 1
		case i < len(b) && b[i] == ',':
			i = space(b, i+1)
		default:
			return -1
		}
	}
}

// members calls visit with the members of the object b, a valid JSON value,
// keys decoded.
func members(b []byte, visit func(key string, val []byte)) {
	items(b, space(b, 0), 1, func(key, val []byte) bool {
		name := string(key[1 : len(key)-1])
		if bytes.IndexByte(key, '\\') >= 0 {
			name, _ = unquote(key)
		}
		visit(name, val)
		return true
	})
}

// unquote decodes the JSON string b.
func unquote(b []byte) (string, bool) {
	var s string
	if len(b) == 0 || b[0] != '"' || json.Unmarshal(b, &s) != nil {
		return "", false
	}
	return s, true
}

// text returns the end of the string at b[i], or -1.
func text(b []byte, i int) int {
	for i++; ; {
		// Eight bytes at a time while none is a quote, a backslash or a
		// control character.
		for i+8 <= len(b) && plain(binary.LittleEndian.Uint64(b[i:])) {
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

// plain reports whether no byte of w is a quote, a backslash or below 0x20.
// x-ones&^x&tops has a top bit where a byte of x is zero; a borrow can set more
// of them above the first, which does no harm to an answer of yes or no.
func plain(w uint64) bool {
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	quote, slash := w^(ones*'"'), w^(ones*'\\')
	return ((quote-ones)&^quote|(slash-ones)&^slash|(w-ones*0x20)&^w)&tops == 0
}

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

// space returns the index of the first byte from b[i] on that is not JSON
// white space.
func space(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\n' || b[i] == '\r' || b[i] == '\t') {
		i++
	}
	return i
}
