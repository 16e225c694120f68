// Package uri encodes and decodes resource URIs. No other package defines how the path of a file
// becomes a URI, and which other spellings of that URI a client may use.
//
// A resource URI is "<scheme>://<host>/<path…>". The other packages use decoded URIs: the
// lower-case scheme, "://", and the raw names of the folders and the file, joined by "/". No file
// name contains a "/", so a decoded URI is unambiguous.
//
// The canonical spelling of a decoded URI is pure ASCII: every byte of a name that is not
// unreserved, a sub-delimiter, ":" or "@" (RFC 3986 section 3.3) is percent-encoded once with
// upper-case digits. In the host ":" and "@" are encoded too, because there they would begin a port
// or end user information (RFC 3986 section 3.2).
//
// Clients change the spelling: they encode more or fewer characters, may cut at "#" and "?",
// convert to lower case, or add a slash. [Readings] lists the possible meanings of a spelling, the
// likeliest first.
package uri

import (
	"iter"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// MaxLength is the maximum length of a URI in bytes. A longer URI does not name a resource.
const MaxLength = 64 << 10

const upperHex = "0123456789ABCDEF"

// Character classes of RFC 3986: bytes that need no encoding in a segment, and in a host; unreserved and reserved characters.
const (
	inSegment = 1 << iota
	inHost
	unreserved
	reserved
)

var class = func() (t [256]uint8) {
	for c := range 256 {
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', strings.IndexByte("-._~!$&'()*+,;=", byte(c)) >= 0:
			t[c] = inSegment | inHost
		case c == ':', c == '@':
			t[c] = inSegment
		}
		if t[c]&inHost != 0 && strings.IndexByte("!$&'()*+,;=", byte(c)) < 0 {
			t[c] |= unreserved
		} else if t[c] != 0 || strings.IndexByte("/?#[]", byte(c)) >= 0 {
			t[c] |= reserved
		}
	}
	return t
}()

// AppendSegment appends the canonical spelling of a file or folder name to dst.
func AppendSegment(dst []byte, name string) []byte { return appendEncoded(dst, name, inSegment) }

// AppendHost appends the canonical spelling of a name as the host to dst.
func AppendHost(dst []byte, name string) []byte { return appendEncoded(dst, name, inHost) }

func appendEncoded(dst []byte, name string, keep uint8) []byte {
	start := 0
	for i := 0; i < len(name); i++ {
		if c := name[i]; class[c]&keep == 0 {
			dst = append(append(dst, name[start:i]...), '%', upperHex[c>>4], upperHex[c&15])
			start = i + 1
		}
	}
	return append(dst, name[start:]...)
}

// PlainHost reports whether a name needs no percent-encoding as a host. Some clients refuse a host
// that needs it.
func PlainHost(name string) bool {
	return !slices.ContainsFunc([]byte(name), func(c byte) bool { return class[c]&inHost == 0 })
}

// Scheme returns the lower-case form of a folder name that is a scheme (RFC 3986 section 3.1: a
// letter, then letters, digits, "+", "-" and "."), and false for a name that is not a scheme.
func Scheme(name string) (string, bool) {
	for i := 0; i < len(name); i++ {
		switch c := name[i] | 0x20; {
		case 'a' <= c && c <= 'z':
		case i > 0 && ('0' <= name[i] && name[i] <= '9' || name[i] == '+' || name[i] == '-' || name[i] == '.'):
		default:
			return "", false
		}
	}
	return strings.ToLower(name), name != ""
}

// Decode replaces every percent-encoded triplet by its byte, once. A "%" that does not start a
// triplet stays.
func Decode(s string) string {
	i := strings.IndexByte(s, '%')
	if i < 0 {
		return s
	}
	b := make([]byte, i, len(s))
	copy(b, s)
	for ; i < len(s); i++ {
		if Triplet(s, i) {
			b = append(b, byte(unhex(s[i+1])<<4|unhex(s[i+2])))
			i += 2
		} else {
			b = append(b, s[i])
		}
	}
	return string(b)
}

// Triplet reports whether s has a percent-encoded byte at i.
func Triplet(s string, i int) bool {
	return s[i] == '%' && i+2 < len(s) && unhex(s[i+1]) >= 0 && unhex(s[i+2]) >= 0
}

// AppendExpanded appends text with all bytes percent-encoded that are not unreserved. With keep, it leaves reserved characters and
// triplets unchanged (RFC 6570 section 3.2.3).
func AppendExpanded(dst []byte, text string, keep bool) []byte {
	for i := range len(text) {
		switch c := text[i]; {
		case class[c]&unreserved != 0, keep && (class[c]&reserved != 0 || Triplet(text, i)):
			dst = append(dst, c) // the digits of a triplet are unreserved
		default:
			dst = append(dst, '%', upperHex[c>>4], upperHex[c&15])
		}
	}
	return dst
}

func unhex(c byte) int {
	switch {
	case '0' <= c && c <= '9':
		return int(c - '0')
	case 'a' <= c|0x20 && c|0x20 <= 'f':
		return int(c|0x20-'a') + 10
	}
	return -1
}

// Split cuts a decoded URI into its lower-case scheme and its path, without a slash at the end.
// A string without a scheme and "://" is not a resource URI.
func Split(decoded string) (scheme, path string, ok bool) {
	scheme, path, ok = strings.Cut(decoded, "://")
	if !ok {
		return "", "", false
	}
	if scheme, ok = Scheme(scheme); !ok {
		return "", "", false
	}
	return scheme, strings.TrimSuffix(path, "/"), true
}

// Readings yields the decoded URIs that a client's spelling may mean. The first one that names a
// resource counts: the whole string decoded (so that a canonical URI always names its own file),
// the same string cut at a raw "#", then at a raw "?" (both may be part of a name, or begin a
// fragment or a query), the string unchanged, and the string decoded twice (some clients encode
// twice).
func Readings(s string) iter.Seq[string] {
	return func(yield func(string) bool) {
		if len(s) > MaxLength {
			return
		}
		once := Decode(s)
		if !yield(once) {
			return
		}
		uncut := s
		for _, mark := range []byte{'#', '?'} {
			if i := strings.IndexByte(uncut, mark); i >= 0 {
				uncut = uncut[:i]
				if !yield(Decode(uncut)) {
					return
				}
			}
		}
		if once == s {
			return
		}
		if !yield(s) {
			return
		}
		if twice := Decode(once); twice != once {
			yield(twice)
		}
	}
}

// Mangled reports whether a segment, decoded once, is the result of a known fault of clients in the
// canonical spelling of name:
//
//   - "%25" decoded to "%", so that a "%41" in the name looks like a triplet;
//   - code points written as bytes instead of UTF-8 ("é" as "%E9", "中" as "%4E%2D"), with or without the zero ones;
//   - UTF-16 code units in hexadecimal ("中" as "%4E2D");
//   - characters composed or decomposed: macOS decomposes names, and people write them composed.
//
// Callers use it only if no file has the decoded name.
func Mangled(name, decoded string) bool {
	if strings.IndexByte(name, '%') >= 0 && Decode(name) == decoded {
		return true
	}
	return respelled(name, appendCodePoint) == decoded || respelled(name, appendNonZero) == decoded || respelled(name, appendCodeUnits) == decoded ||
		norm.NFC.String(name) == norm.NFC.String(decoded)
}

// Manglings returns the strings, decoded once, that [Mangled] accepts for a name, without the name
// itself.
func Manglings(name string) []string {
	if !Fragile(name) {
		return nil
	}
	var out []string
	for _, other := range []string{Decode(name), respelled(name, appendCodePoint), respelled(name, appendNonZero), respelled(name, appendCodeUnits), norm.NFC.String(name), norm.NFD.String(name)} {
		if other != name && !slices.Contains(out, other) && Mangled(name, other) {
			out = append(out, other)
		}
	}
	return out
}

// Fragile reports whether [Mangled] can be true for a name.
func Fragile(name string) bool {
	return strings.ContainsFunc(name, func(r rune) bool { return r == '%' || r >= utf8.RuneSelf })
}

// respelled returns the result of decoding after a client has changed the spelling of the
// characters beyond ASCII.
func respelled(name string, respell func([]byte, rune) []byte) string {
	b := make([]byte, 0, len(name)+8)
	for _, r := range name {
		if r < utf8.RuneSelf {
			b = append(b, byte(r))
		} else {
			b = respell(b, r)
		}
	}
	return string(b)
}

// appendCodePoint appends the big-endian bytes of a code point without leading zeros.
func appendCodePoint(b []byte, r rune) []byte {
	if r > 0xFFFF {
		b = append(b, byte(r>>16))
	}
	if r > 0xFF {
		b = append(b, byte(r>>8))
	}
	return append(b, byte(r))
}

// appendNonZero is appendCodePoint without any zeros.
func appendNonZero(b []byte, r rune) []byte {
	for shift := 16; shift >= 0; shift -= 8 {
		if c := byte(r >> shift); c != 0 {
			b = append(b, c)
		}
	}
	return b
}

// appendCodeUnits appends the result of decoding "%" and a code unit in hexadecimal: the first two
// digits form a triplet.
func appendCodeUnits(b []byte, r rune) []byte {
	for _, unit := range utf16.AppendRune(nil, r) {
		b = append(b, Decode("%"+strings.ToUpper(strconv.FormatUint(uint64(unit), 16)))...)
	}
	return b
}

// Reserved prepares a decoded value for reserved expansion ({+x}, RFC 6570 section 3.2.3), which
// does not encode "?", "#" and triplets. Reserved encodes these, and bytes that a JSON string
// cannot represent; all other characters stay readable.
func Reserved(value string) string {
	return encoded(value, func(r rune) bool { return r == '%' || r == '?' || r == '#' || r < ' ' || r == 0x7F })
}

// encoded returns a text with some characters, and bytes that are not UTF-8, percent-encoded.
func encoded(text string, some func(r rune) bool) string {
	b := make([]byte, 0, len(text)+8)
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		if r == utf8.RuneError && n == 1 || some(r) {
			for _, c := range []byte(text[i : i+n]) {
				b = append(b, '%', upperHex[c>>4], upperHex[c&15])
			}
		} else {
			b = append(b, text[i:i+n]...)
		}
		i += n
	}
	return string(b)
}

// Display returns a name for people and for a JSON string. If the name is not UTF-8, or has line ends, controls, controls of direction
// or tag characters, these and "%" are percent-encoded, so that decoding returns the name and no byte is lost.
func Display(name string) string {
	if utf8.ValidString(name) && !strings.ContainsFunc(name, unshown) {
		return name
	}
	return encoded(name, func(r rune) bool { return r == '%' || unshown(r) })
}

func unshown(r rune) bool {
	return r < ' ' || r >= 0x7f && r < 0xa0 || r >= 0x2028 && (r <= 0x202e || 0x2066 <= r && r <= 0x2069 || 0xe0000 <= r && r <= 0xe007f)
}
