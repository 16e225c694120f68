package guard

import (
	"encoding/base64"
	"slices"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/lazyregexp"
)

// encodedRules find private keys in base64, as in Secrets of Kubernetes and variables of CI
// systems.
func encodedRules() []rule {
	var rules []rule
	// The words may begin at three positions within a group of four characters. Characters that
	// also depend on neighbouring bytes are left out.
	for shift, cut := range []int{0, 2, 3} {
		words := base64.RawStdEncoding.EncodeToString(append(make([]byte, shift), "PRIVATE KEY"...))
		rules = append(rules, encodedRule(words[cut:8*(shift+len("PRIVATE KEY"))/6], cut))
	}
	for _, m := range []struct {
		mark string
		cut  int
	}{
		{"ADANBgkqhkiG9w0BAQEFAAS", 0}, // PKCS#8, RSA
		{"MBMGByqGSM49AgEG", 0},        // PKCS#8, P-256
		{"MBAGByqGSM49AgEG", 0},        // PKCS#8, P-384 and P-521
		{"MC4CAQAwBQYDK2Vw", 0},        // PKCS#8, Ed25519
		{"IBAAKC", 2},                  // PKCS#1
		{"IBAAKB", 2},                  // PKCS#1, up to 1024 bits
		{"MHcCAQEEI", 0},               // RFC 5915, P-256
		{"MIGkAgEBBD", 0},              // RFC 5915, P-384
		{"MIHcAgEBBE", 0},              // RFC 5915, P-521
		{"IBAzCC", 2},                  // PKCS#12
		{"MIACAQMwgAYJ", 0},            // PKCS#12, sequences of indefinite length
	} {
		rules = append(rules, encodedRule(m.mark, m.cut))
	}
	return rules
}

// encodedRule returns the rule for a mark that begins at this offset in a group of four characters.
func encodedRule(mark string, cut int) rule {
	return rule{marks: []string{mark}, before: 512, after: reach / 2, find: func(text []byte, offset int) (string, int, int) {
		if string(text[offset:offset+len(mark)]) != mark {
			return "", 0, 0
		}
		before := gatherBefore(text[:offset])
		after, to := gather(text[offset:])
		if len(before) < cut {
			return "", 0, 0
		}
		encoded := append(before[(len(before)-cut)%4:], after...)
		data := make([]byte, base64.RawStdEncoding.DecodedLen(len(encoded)))
		n, _ := base64.RawStdEncoding.Decode(data, encoded) // decodes the valid part
		if what := findEncoded(data[:n]); what != "" {
			return what + ", in base64", offset, offset + to
		}
		return "", 0, 0
	}}
}

func isBase64(b byte) bool { return isAlphanumeric(b) || b == '+' || b == '/' }

func isSpace(b byte) bool { return b == ' ' || b == '\t' || b == '\r' || b == '\n' }

// gather returns the base64 at the start of a text and the offset of its end. It removes spaces and
// line breaks, also escaped ones as in strings of programs.
func gather(text []byte) (encoded []byte, end int) {
	for i := 0; i < len(text); i++ {
		switch b := text[i]; {
		case isBase64(b):
			encoded = append(encoded, b)
		case b == '\\' && i+1 < len(text) && (text[i+1] == 'n' || text[i+1] == 'r'):
			i++
		case !isSpace(b):
			return encoded, i
		}
	}
	return encoded, len(text)
}

// gatherBefore is gather for the end of a text. The result may include characters in front of the
// base64.
func gatherBefore(text []byte) []byte {
	var encoded []byte
	for i := len(text) - 1; i >= 0 && (isBase64(text[i]) || isSpace(text[i])); i-- {
		if !isSpace(text[i]) {
			encoded = append(encoded, text[i])
		}
	}
	slices.Reverse(encoded)
	return encoded
}

// pemTail matches the end of a key. It finds keys whose first line is cut by a line break.
var pemTail = lazyregexp.New(`[A-Za-z0-9+/]{24,}={0,2}\s+-----END (?:[A-Z0-9]+ ){0,4}PRIVATE KEY`)

// findEncoded returns the kind of secret in decoded bytes, or "".
func findEncoded(data []byte) (what string) {
	keys := loadKeys()
	keys.finder.run(data, 0, len(data), func(mark, offset int) {
		if m := keys.marks[mark]; what == "" && !m.wide {
			what, _, _ = m.rule.find(data, offset)
		}
	})
	if tail := pemTail().Find(data); what == "" && tail != nil && !isPlaceholder(tail[:24]) {
		what = privateKey
	}
	return what
}
