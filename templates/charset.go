package templates

import (
	"fmt"
	"unicode/utf8"
)

const (
	unreserved = 1 << iota // RFC 6570 section 1.5
	reserved
	hexadecimal
)

// classes holds the classes of every byte.
var classes = func() (table [256]uint8) {
	mark := func(chars string, class uint8) {
		for i := range len(chars) {
			table[chars[i]] |= class
		}
	}
	mark("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~", unreserved)
	mark(":/?#[]@!$&'()*+,;=", reserved)
	mark("0123456789ABCDEFabcdef", hexadecimal)
	return table
}()

// triplet reports whether s has a pct-encoded byte at i.
func triplet(s string, i int) bool {
	return i+2 < len(s) && s[i] == '%' && classes[s[i+1]]&hexadecimal != 0 && classes[s[i+2]]&hexadecimal != 0
}

// appendEncoded appends s and encodes the characters that may not stand for themselves as triplets.
// With keep, it leaves reserved characters and triplets unchanged.
func appendEncoded(dst []byte, s string, keep bool) []byte {
	allowed := uint8(unreserved)
	if keep {
		allowed |= reserved
	}
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case classes[c]&allowed != 0, keep && triplet(s, i):
			dst = append(dst, c) // the digits of a triplet are unreserved
		default:
			const digits = "0123456789ABCDEF"
			dst = append(dst, '%', digits[c>>4], digits[c&15])
		}
	}
	return dst
}

// literalProblem returns why the character r, of the given size in bytes, may not be a literal (RFC
// 6570 section 2.1), or "" if it may. The caller handles triplets and opening braces.
func literalProblem(r rune, size int, b byte) string {
	switch {
	case r == utf8.RuneError && size == 1:
		return fmt.Sprintf("byte 0x%02X is not UTF-8; a byte of its own must be written %%%02X", b, b)
	case r < 0x80 && classes[b]&(unreserved|reserved) != 0:
		return ""
	case r == ' ':
		return "a space must be written %20"
	case r == '%':
		return "a % must be followed by two hexadecimal digits; a % itself must be written %25"
	case r == '}':
		return "a } without a {; a } itself must be written %7D"
	case r == '\\':
		return "a \\ must be written %5C, and between folders /"
	case r < ' ' || r == 0x7F:
		return fmt.Sprintf("the control character %U must be written %%%02X", r, b)
	case r < 0x80:
		return fmt.Sprintf("a %c must be written %%%02X", r, b)
	case ucschar(r):
		return ""
	}
	return fmt.Sprintf("the character %U must be written %s", r, appendEncoded(nil, string(r), false))
}

// ucschar reports whether r is a ucschar or an iprivate (RFC 6570 section 1.5):
// no control characters, surrogates or noncharacters.
func ucschar(r rune) bool {
	switch {
	case r < 0x10000:
		return 0xA0 <= r && r <= 0xD7FF || 0xE000 <= r && r <= 0xFDCF || 0xFDF0 <= r && r <= 0xFFEF
	case r&0xFFFF > 0xFFFD:
		return false
	}
	return r < 0xE0000 || r >= 0xE1000
}
