package templates

import (
	"fmt"
	"strconv"
	"unicode/utf8"
)

// style says how the expressions of one operator expand (RFC 6570 Appendix A).
type style struct {
	first string // before the first defined variable
	sep   byte   // before each further one
	named bool   // the values are given as name=value
	ifemp string // between the name and an empty value
	keep  bool   // reserved characters and triplets stay
}

func styleOf(operator byte) style {
	switch operator {
	case '+':
		return style{sep: ',', keep: true}
	case '#':
		return style{first: "#", sep: ',', keep: true}
	case '.':
		return style{first: ".", sep: '.'}
	case '/':
		return style{first: "/", sep: '/'}
	case ';':
		return style{first: ";", sep: ';', named: true}
	case '?':
		return style{first: "?", sep: '&', named: true, ifemp: "="}
	case '&':
		return style{first: "&", sep: '&', named: true, ifemp: "="}
	}
	return style{sep: ','}
}

// Expand returns the URI for the values. It consists of ASCII characters that are allowed in a URI.
// The only error is a prefix modifier on a list or on pairs, for which RFC 6570 section 2.4.1
// defines no meaning.
func (t *Template) Expand(v Values) (string, error) {
	dst := make([]byte, 0, 2*len(t.published))
	for _, p := range t.parts {
		if p.Expression == nil {
			dst = appendEncoded(dst, p.Literal, true)
			continue
		}
		s := styleOf(p.Expression.Operator)
		begun := false
		for _, variable := range p.Expression.Variables {
			value := v[variable.Name]
			if !value.Defined() {
				continue
			}
			if value.kind != text && variable.Prefix > 0 {
				return "", fmt.Errorf("variable %q has the prefix modifier :%d and can only be a string", variable.Name, variable.Prefix)
			}
			if begun {
				dst = append(dst, s.sep)
			} else {
				dst = append(dst, s.first...)
			}
			begun = true
			dst = s.append(dst, variable, value)
		}
	}
	return string(dst), nil
}

// append appends a defined value.
func (s style) append(dst []byte, variable Variable, v Value) []byte {
	if v.kind != text && variable.Explode {
		return s.exploded(dst, variable, v)
	}
	if s.named {
		dst = append(dst, variable.Name...)
		if v.kind == text && v.text == "" {
			return append(dst, s.ifemp...)
		}
		dst = append(dst, '=')
	}
	switch v.kind {
	case text:
		dst = appendEncoded(dst, prefix(v.text, variable.Prefix, s.keep), s.keep)
	case list:
		for i, item := range v.list {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendEncoded(dst, item, s.keep)
		}
	case pairs:
		for i, pair := range v.pairs {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendEncoded(dst, pair.Name, s.keep)
			dst = append(dst, ',')
			dst = appendEncoded(dst, pair.Value, s.keep)
		}
	}
	return dst
}

// exploded appends each member of a list or of pairs as a separate value.
func (s style) exploded(dst []byte, variable Variable, v Value) []byte {
	for i, item := range v.list {
		if i > 0 {
			dst = append(dst, s.sep)
		}
		if s.named {
			dst = s.assigned(append(dst, variable.Name...), item)
		} else {
			dst = appendEncoded(dst, item, s.keep)
		}
	}
	for i, pair := range v.pairs {
		if i > 0 {
			dst = append(dst, s.sep)
		}
		if s.named {
			dst = s.assigned(appendEncoded(dst, pair.Name, true), pair.Value)
		} else {
			dst = append(appendEncoded(dst, pair.Name, s.keep), '=')
			dst = appendEncoded(dst, pair.Value, s.keep)
		}
	}
	return dst
}

// assigned appends a value to the name that precedes it.
func (s style) assigned(dst []byte, value string) []byte {
	if value == "" {
		return append(dst, s.ifemp...)
	}
	return appendEncoded(append(dst, '='), value, s.keep)
}

// prefix returns the first n characters of s, or all of it when n is 0.
func prefix(s string, n int, keep bool) string {
	if n == 0 || len(s) <= n {
		return s
	}
	end := 0
	for ; n > 0 && end < len(s); n-- {
		if keep && triplet(s, end) {
			end += encodedRune(s[end:])
			continue
		}
		_, size := utf8.DecodeRuneInString(s[end:])
		end += size
	}
	return s[:end]
}

// encodedRune returns the length of the triplets at the start of s that encode one character. If
// they do not encode one, it returns the length of the first triplet.
func encodedRune(s string) int {
	var encoded [utf8.UTFMax]byte
	n := 0
	for n < len(encoded) && triplet(s, 3*n) {
		// Two hexadecimal digits cannot fail to parse into a byte.
		b, _ := strconv.ParseUint(s[3*n+1:3*n+3], 16, 8)
		encoded[n] = byte(b)
		n++
	}
	_, size := utf8.DecodeRune(encoded[:n])
	return 3 * size
}
