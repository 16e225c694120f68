package guard

import (
	"bytes"
	"crypto/x509/pkix"
	"encoding/asn1"
	"math/big"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/lazyregexp"
)

const privateKey = "holds a private key"

// keyRules find private keys: the text forms, and ASN.1 (RFC 8017, RFC 5958, RFC 5915, RFC 7292).
func keyRules() []rule {
	return []rule{
		{marks: []string{"private key"}, before: 80, after: 8 << 10, find: findPEM},
		{marks: []string{"putty-user-key-file-"}, after: 4 << 10, find: findPuTTY},
		{bytes: true, before: maxHeader, after: reach, find: findRSA, marks: []string{"\x02\x01\x00\x02\x81", "\x02\x01\x00\x02\x82"}},
		{bytes: true, before: maxHeader, after: reach, find: findPKCS8, marks: []string{"\x02\x01\x00\x30", "\x02\x01\x01\x30"}},
		{bytes: true, before: maxHeader, after: reach, find: findEC, marks: []string{"\x02\x01\x01\x04"}},
		{bytes: true, before: 2*maxHeader + 2, after: reach, find: findEncrypted, marks: []string{oidPKCS5, oidPKCS12}},
		{bytes: true, before: maxHeader, after: reach, find: findPKCS12, marks: []string{"\x02\x01\x03\x30"}},
	}
}

// pemShape matches a key with at least its first 24 characters. Between its parts it allows the
// characters that a program, a document or a listing with line numbers inserts.
var pemShape = lazyregexp.New(`^-----BEGIN (?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)?-----(?:[^A-Za-z0-9]|\\+[nr]|<br\s*/?>|[A-Za-z-]+: [^\n]*\n|[0-9]{1,6}[^A-Za-z0-9+/=]){0,100}([A-Za-z0-9+/]{24,})`)

var (
	pemBegin = []byte("-----BEGIN ")
	pemEnd   = []byte("-----END ")
)

func findPEM(text []byte, mark int) (string, int, int) {
	begin := bytes.LastIndex(text[:mark], pemBegin)
	if begin < 0 {
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

var puttyShape = lazyregexp.New(`^PuTTY-User-Key-File-[0-9]: [\s\S]{1,900}?Private-Lines: [0-9]+\s+([A-Za-z0-9+/]{24,})`)

func findPuTTY(text []byte, mark int) (string, int, int) {
	m := puttyShape().FindSubmatchIndex(text[mark:])
	if m == nil || isPlaceholder(text[mark+m[2]:mark+m[3]]) {
		return "", 0, 0
	}
	return privateKey, mark, mark + m[3]
}

// maxHeader is the maximum length of the header of an ASN.1 sequence whose contents are shorter
// than 16 MiB.
const maxHeader = 5

// sequenceBefore returns the offset of the header of the sequence whose contents begin at start, or
// -1. It does not check the length.
func sequenceBefore(data []byte, start int) int {
	for n := 2; n <= maxHeader && n <= start; n++ {
		header := data[start-n : start]
		if header[0] == 0x30 && (n == 2 && header[1] <= 0x80 || n > 2 && header[1] == 0x80+byte(n-2)) {
			return start - n
		}
	}
	return -1
}

// decode decodes the sequence whose contents begin at start, and returns the offsets of its first
// byte and of its end.
func decode(data []byte, start int, value any) (from, to int, ok bool) {
	if from = sequenceBefore(data, start); from < 0 {
		return 0, 0, false
	}
	rest, err := asn1.Unmarshal(data[from:], value)
	return from, len(data) - len(rest), err == nil
}

func findRSA(data []byte, mark int) (string, int, int) {
	var key struct {
		Version       int
		N, E, D, P, Q *big.Int
	}
	from, to, ok := decode(data, mark, &key)
	if !ok || key.P.Sign() <= 0 || key.Q.Sign() <= 0 || new(big.Int).Mul(key.P, key.Q).Cmp(key.N) != 0 {
		return "", 0, 0
	}
	return privateKey, from, to
}

// algorithms holds the algorithms of keys, by the start of their identifiers: RSA, DSA, elliptic
// curves, and X25519 to Ed448.
var algorithms = []asn1.ObjectIdentifier{{1, 2, 840, 113549, 1, 1}, {1, 2, 840, 10040, 4, 1}, {1, 2, 840, 10045, 2}, {1, 3, 101}}

func findPKCS8(data []byte, mark int) (string, int, int) {
	var key struct {
		Version   int
		Algorithm pkix.AlgorithmIdentifier
		Key       []byte
	}
	from, to, ok := decode(data, mark, &key)
	if !ok || len(key.Key) < minKey || !beginsWithAny(key.Algorithm.Algorithm, algorithms) {
		return "", 0, 0
	}
	return privateKey, from, to
}

// minKey is the minimum length of a private key in bytes; the key of a curve has 8 fixed bytes
// around it.
const minKey = 20

// curves holds the starts of the identifiers of elliptic curves.
var curves = []asn1.ObjectIdentifier{{1, 2, 840, 10045, 3}, {1, 3, 132, 0}, {1, 3, 36, 3, 3, 2, 8}}

func findEC(data []byte, mark int) (string, int, int) {
	var key struct {
		Version int
		Key     []byte
		Curve   asn1.ObjectIdentifier `asn1:"explicit,tag:0"`
	}
	from, to, ok := decode(data, mark, &key)
	if !ok || len(key.Key) < minKey || !beginsWithAny(key.Curve, curves) {
		return "", 0, 0
	}
	return privateKey, from, to
}

func beginsWithAny(id asn1.ObjectIdentifier, prefixes []asn1.ObjectIdentifier) bool {
	for _, p := range prefixes {
		if len(id) >= len(p) && id[:len(p)].Equal(p) {
			return true
		}
	}
	return false
}

// The first bytes of the identifiers of encryption schemes for keys, and of content types (RFC
// 8018, RFC 7292, RFC 5652).
const (
	oidPKCS5  = "\x2a\x86\x48\x86\xf7\x0d\x01\x05"
	oidPKCS12 = "\x2a\x86\x48\x86\xf7\x0d\x01\x0c\x01"
	oidPKCS7  = "\x2a\x86\x48\x86\xf7\x0d\x01\x07"
)

func findEncrypted(data []byte, mark int) (string, int, int) {
	if mark < 2 || data[mark-2] != 0x06 {
		return "", 0, 0
	}
	algorithm := sequenceBefore(data, mark-2)
	if algorithm < 0 {
		return "", 0, 0
	}
	var key struct {
		Algorithm pkix.AlgorithmIdentifier
		Key       []byte
	}
	from, to, ok := decode(data, algorithm, &key)
	if !ok || len(key.Key) < minKey {
		return "", 0, 0
	}
	return privateKey + ", encrypted", from, to
}

// lengthOf returns the length in an ASN.1 header; without one, the number of bytes that a rule
// gets.
func lengthOf(header []byte) int {
	switch {
	case header[1] == 0x80:
		return reach
	case len(header) == 2:
		return int(header[1])
	}
	n := 0
	for _, b := range header[2:] {
		n = n<<8 | int(b)
	}
	return n
}

// findPKCS12 checks only the beginning of a store, which may be large. Some programs write
// sequences of indefinite length.
func findPKCS12(data []byte, mark int) (string, int, int) {
	from := sequenceBefore(data, mark)
	if from < 0 {
		return "", 0, 0
	}
	inner := data[mark+3:]
	for n := 2; n <= maxHeader && n+2+len(oidPKCS7) <= len(inner); n++ {
		if sequenceBefore(inner[:n], n) == 0 && inner[n] == 0x06 && bytes.HasPrefix(inner[n+2:], []byte(oidPKCS7)) {
			return "holds a PKCS#12 key store", from, min(mark+lengthOf(data[from:mark]), len(data))
		}
	}
	return "", 0, 0
}
