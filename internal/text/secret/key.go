package secret

import (
	"bytes"
	"crypto/tls"
	"crypto/x509/pkix"
	"encoding/asn1"
	"math/big"
	"net"
	"slices"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/lazyregexp"
)

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
	if bytes.Count(key, pemBegin) != 1 { // a decoder skips what it cannot read: another key would count
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
