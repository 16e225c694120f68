package templates

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
