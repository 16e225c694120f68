package secret

import (
	"bytes"
	"crypto/tls"
	"crypto/x509/pkix"
	"encoding/asn1"
	"encoding/base64"
	"html"
	"math/big"
	"net"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/lazyregexp"
)

const inBase64 = ", in base64"

// encodedRule finds private keys in base64, as in Secrets of Kubernetes and variables of CI systems. The marks are the
// beginnings of a key in PEM and of sequences in ASN.1.
func encodedRule() rule {
	return rule{
		marks: []string{"LS0tLS1CRUdJTi", "MII", "MIG", "MIH", "MIA", "MIM", "MHcCAQEE", "MHQCAQEE", "MC4CAQAw"},
		exact: true, before: reach / 2, after: reach / 2,
		find: func(text []byte, mark int) (string, int, int) {
			if mark > 0 && isBase64(text[mark-1]) {
				return "", 0, 0
			}
			data, end := decode(text[mark:])
			what := ofKeyFile(data)
			if i := pemMark().FindIndex(data); what == "" && i != nil {
				what, _, _ = findPEM(data, i[0])
			}
			switch {
			case what == "":
				return "", 0, 0
			case forExample(text, data):
				return "", mark, mark + end
			}
			return what + inBase64, mark, mark + end
		},
	}
}

// decode decodes the valid part of the base64 at the start of a text, which may have spaces and line breaks. end is the offset of its end.
func decode(text []byte) (data []byte, end int) {
	end = len(text) - len(bytes.TrimLeftFunc(text, func(r rune) bool { return r < utf8.RuneSelf && (isBase64(byte(r)) || unicode.IsSpace(r)) }))
	encoded := bytes.Join(bytes.Fields(text[:end]), nil)
	data = make([]byte, base64.RawStdEncoding.DecodedLen(len(encoded)))
	n, _ := base64.RawStdEncoding.Decode(data, encoded)
	return data[:n], end
}

func isBase64(b byte) bool { return isAlphanumeric(b) || b == '+' || b == '/' }

// encodedLine matches a line of base64 to its end. moreBase64 matches what follows if the base64 goes on in another way, such as in
// strings of a program or in quoted lines.
var (
	encodedLine = lazyregexp.New(`^[ \t]*([A-Za-z0-9+/]+)=*(?:["'\x60]|[ \t\r]*(?:\n|$))`)
	moreBase64  = lazyregexp.New(`^(?:\\|[^A-Za-z0-9]{0,100}[A-Za-z0-9+/]{20})`)
)

// encodedEnd returns the end of the base64 at the start of a text, in lines of one length of which the last may be shorter, or -1 if
// it is written in another way.
func encodedEnd(text []byte) int {
	end, length := 0, 0
	for {
		line := encodedLine().FindSubmatchIndex(text[end:])
		if line == nil || end > 0 && line[3]-line[2] > length {
			break
		}
		shorter := end > 0 && line[3]-line[2] < length
		length = line[3] - line[2]
		end += line[1]
		if shorter || text[end-1] != '\n' {
			break
		}
	}
	if end > 0 && text[end-1] == '\n' {
		end = len(bytes.TrimRight(text[:end], " \t\r\n"))
	}
	if end == 0 || moreBase64().Match(text[end:]) {
		return -1
	}
	return end
}

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
	// backslashes of a string in a string
	more := max(0, len(head)-len(bytes.TrimLeft(head, `\`))-1)
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

const privateKey = "holds a private key"

// keyRules find private keys in text.
func keyRules() []rule {
	return []rule{
		{marks: []string{"private key"}, before: reach / 2, after: reach / 2, find: func(text []byte, mark int) (string, int, int) {
			what, from, to := findPEM(text, mark)
			if line, _, ends := bytes.Cut(text[to:], []byte("KEY-----")); what != "" && ends && forExample(text, text[from:to+len(line)+8]) {
				return "", from, to
			}
			return what, from, to
		}},
		{marks: []string{"putty-user-key-file-"}, after: 4 << 10, find: findPuTTY},
		encodedRule(),
	}
}

// pemShape matches a key with at least its first 24 characters. Between its parts it allows the
// characters that a program, a document or a listing with line numbers inserts.
var pemShape = lazyregexp.New(`^-----BEGIN (?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)?-----(?:[^A-Za-z0-9]|\\+[nr]|<br\s*/?>|[A-Za-z-]+: [^\n]*\n|[0-9]{1,6}[^A-Za-z0-9+/=]){0,100}([A-Za-z0-9+/]{24,})`)

// maxLabel is how many bytes before "PRIVATE KEY" the line of a key in PEM begins at most.
const maxLabel = 100

var pemMark = lazyregexp.New(`PRIVATE KEY`)

var (
	pemBegin = []byte("-----BEGIN ")
	pemEnd   = []byte("-----END ")
)

func findPEM(text []byte, mark int) (string, int, int) {
	near := max(0, mark-maxLabel)
	begin := near + bytes.LastIndex(text[near:mark], pemBegin)
	if begin < near {
		return "", 0, 0
	}
	m := pemShape().FindSubmatchIndex(text[begin:])
	if m == nil || begin+m[2] < mark || isPlaceholder(text[begin+m[2]:begin+m[3]]) {
		return "", 0, 0
	}
	to := begin + m[3]
	if end := bytes.Index(text[to:], pemEnd); end >= 0 {
		to += end
	}
	return privateKey, begin, to
}

// pemCertificate matches a certificate in PEM, also in base64.
var pemCertificate = lazyregexp.New(`-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----|LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0t[A-Za-z0-9+/\s]+`)

var lineIndent = lazyregexp.New(`(?m)^[ \t]+`)

// forExample reports whether a text has a certificate that the one key in PEM has signed for itself, and only for names that
// stay on a computer or are reserved for documentation (RFC 2606, RFC 6761): such a key protects nothing.
func forExample(text, key []byte) bool {
	// a decoder skips what it cannot read: another key would count
	if bytes.Count(key, pemBegin) != 1 {
		return false
	}
	key = lineIndent().ReplaceAll(key, nil)
	for _, pem := range pemCertificate().FindAll(text, 10) {
		if pem[0] != '-' {
			pem, _ = decode(pem)
		}
		pair, err := tls.X509KeyPair(lineIndent().ReplaceAll(pem, nil), key)
		if err != nil {
			continue
		}
		c := pair.Leaf
		if len(c.DNSNames) > 0 && !slices.ContainsFunc(c.DNSNames, func(name string) bool { return !exampleHost().MatchString(name) }) &&
			!slices.ContainsFunc(c.IPAddresses, func(ip net.IP) bool { return !ip.IsLoopback() }) &&
			c.CheckSignature(c.SignatureAlgorithm, c.RawTBSCertificate, c.Signature) == nil {
			return true
		}
	}
	return false
}

var puttyShape = lazyregexp.New(`^PuTTY-User-Key-File-[0-9]: [\s\S]{1,900}?Private-Lines: [0-9]+\s+([A-Za-z0-9+/]{24,})`)

func findPuTTY(text []byte, mark int) (string, int, int) {
	m := puttyShape().FindSubmatchIndex(text[mark:])
	if m == nil || isPlaceholder(text[mark+m[2]:mark+m[3]]) {
		return "", 0, 0
	}
	return privateKey, mark, mark + m[3]
}

// algorithms holds the algorithms of keys, by the start of their identifiers: RSA, DSA, elliptic
// curves, and X25519 to Ed448. curves and schemes do the same for elliptic curves and for the encryption of keys (RFC 8018, RFC 7292).
var (
	algorithms = []asn1.ObjectIdentifier{{1, 2, 840, 113549, 1, 1}, {1, 2, 840, 10040, 4, 1}, {1, 2, 840, 10045, 2}, {1, 3, 101}}
	curves     = []asn1.ObjectIdentifier{{1, 2, 840, 10045, 3}, {1, 3, 132, 0}, {1, 3, 36, 3, 3, 2, 8}}
	schemes    = []asn1.ObjectIdentifier{{1, 2, 840, 113549, 1, 5}, {1, 2, 840, 113549, 1, 12, 1}}
)

// minKey is the minimum length of a private key in bytes; the key of a curve has 8 fixed bytes around it.
const minKey = 20

// ofKeyFile returns what a file in ASN.1 holds if it is a private key (RFC 8017, RFC 5958, RFC 5915) or a key store
// (RFC 7292), by its beginning, or "".
func ofKeyFile(data []byte) string {
	var (
		rsa struct {
			Version       int
			N, E, D, P, Q *big.Int
		}
		pkcs8 struct {
			Version   int
			Algorithm pkix.AlgorithmIdentifier
			Key       []byte
		}
		curve struct {
			Version int
			Key     []byte
			Curve   asn1.ObjectIdentifier `asn1:"explicit,tag:0"`
		}
		encrypted struct {
			Algorithm pkix.AlgorithmIdentifier
			Key       []byte
		}
	)
	is := func(value any) bool { _, err := asn1.Unmarshal(data, value); return err == nil }
	switch {
	case len(data) == 0 || data[0] != 0x30:
	case isKeyStore(data):
		return "holds a PKCS#12 key store"
	case is(&rsa) && rsa.P.Sign() > 0 && rsa.Q.Sign() > 0 && new(big.Int).Mul(rsa.P, rsa.Q).Cmp(rsa.N) == 0,
		is(&pkcs8) && len(pkcs8.Key) >= minKey && beginsWithAny(pkcs8.Algorithm.Algorithm, algorithms),
		is(&curve) && len(curve.Key) >= minKey && beginsWithAny(curve.Curve, curves):
		return privateKey
	case is(&encrypted) && len(encrypted.Key) >= minKey && beginsWithAny(encrypted.Algorithm.Algorithm, schemes):
		return privateKey + ", encrypted"
	}
	return ""
}

// isKeyStore reports whether data begins as PKCS#12 does: a sequence of the version 3 and of a content of PKCS#7. A
// store may be large, and some programs write sequences of indefinite length.
func isKeyStore(data []byte) bool {
	head := string(data[:min(len(data), 32)])
	version := strings.Index(head, "\x02\x01\x03\x30")
	content := strings.Index(head, "\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x07")
	return 0 < version && version <= 6 && version < content && content <= version+9
}

func beginsWithAny(id asn1.ObjectIdentifier, prefixes []asn1.ObjectIdentifier) bool {
	return slices.ContainsFunc(prefixes, func(p asn1.ObjectIdentifier) bool { return len(id) >= len(p) && id[:len(p)].Equal(p) })
}
