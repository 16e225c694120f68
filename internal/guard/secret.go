package guard

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
)

// A rule knows one kind of secret.
type rule struct {
	what   string         // with its article
	mark   string         // is in every one
	shape  *regexp.Regexp // its group is the secret
	prefix int            // how many characters of the secret tell of what kind it is, and may be shown
}

// rules are after what the issuers publish of their tokens.
var rules = []rule{
	{"a private key", "PRIVATE KEY", regexp.MustCompile(`-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----(?:[^A-Za-z0-9]|\\+[nr]|<br\s*/?>|[A-Za-z-]+: [^\n]*\n){0,100}([A-Za-z0-9+/]{24,})`), 0},
	{"a private key", "PuTTY-User-Key-File-", regexp.MustCompile(`PuTTY-User-Key-File-[0-9]: [\s\S]{1,900}?Private-Lines: [0-9]+\s+([A-Za-z0-9+/]{24,})`), 0},
	{"a password of an npm registry", "_", regexp.MustCompile(`(?:^|[\s:/"'])_(?:authToken|auth|password)["']?\s*[=:\s]\s*["']?([A-Za-z0-9+/=_-]{12,})`), 0},
	{"an npm token", "npm_", token(`npm_[A-Za-z0-9]{36}`), 4},
	{"a GitHub token", "gh", token(`gh[pousr]_[A-Za-z0-9]{36,251}`), 4},
	{"a GitHub token", "github_pat_", token(`github_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{59}`), 11},
	{"a GitLab token", "gl", token(`gl(?:pat|dt|ptt|rt)-[A-Za-z0-9_-]{20,}(?:\.[0-9a-z]{2}\.[0-9a-z]{9})?`), 5},
	{"an AWS access key", "IA", token(`(?:AKIA|ASIA)[A-Z2-7]{16}`), 4},
	{"a Google API key", "AIza", token(`AIza[A-Za-z0-9_-]{35}`), 4},
	{"a Google client secret", "GOCSPX-", token(`GOCSPX-[A-Za-z0-9_-]{28}`), 7},
	{"a Slack token", "xox", token(`xox[abeoprs]-(?:[0-9A-Za-z]+-)*[0-9A-Za-z]{20,}`), 5},
	{"a Slack token", "xapp-", token(`xapp-[0-9]-[A-Z0-9]+-[0-9]+-[0-9a-f]{32,}`), 5},
	{"an Anthropic API key", "sk-ant-", token(`sk-ant-[a-z]+[0-9]{2}-[A-Za-z0-9_-]{80,}`), 7},
	{"an OpenAI API key", "sk-", token(`sk-(?:proj|svcacct|admin)-[A-Za-z0-9_-]{40,}`), 3},
	{"an API key", "sk-", token(`sk-[A-Za-z0-9]{32,64}`), 3},
	{"a Stripe key", "k_live_", token(`[sr]k_live_[A-Za-z0-9]{24,}`), 8},
	{"a Stripe secret", "whsec_", token(`whsec_[A-Za-z0-9]{24,}`), 6},
	{"a PyPI token", "pypi-", token(`pypi-AgEI[A-Za-z0-9_-]{50,}`), 5},
	{"a Hugging Face token", "hf_", token(`hf_[A-Za-z0-9]{34}`), 3},
}

// token is the shape of a secret that stands for itself: it is no part of a longer word, where an escape of JSON or of a URL before
// it is no letter of one.
func token(shape string) *regexp.Regexp {
	return regexp.MustCompile(`(?:^|[^A-Za-z0-9]|\\[bfnrt]|%[0-9A-Fa-f]{2})(` + shape + `)(?:[^A-Za-z0-9]|$)`)
}

// A secret is a place in a text where one is.
type secret struct {
	at   int
	what string
}

// secrets returns those of a text by their place.
func secrets(data []byte) []secret {
	var found []secret
	for _, r := range rules {
		if !bytes.Contains(data, []byte(r.mark)) {
			continue
		}
		for _, m := range r.shape.FindAllSubmatchIndex(data, -1) {
			at := m[len(m)-2]
			value := data[at:m[len(m)-1]]
			if r.prefix == 0 {
				at = m[1] - len(bytes.TrimLeft(data[m[0]:m[1]], " \t\r\n"))
			}
			if isPlaceholder(value[r.prefix:]) || slices.ContainsFunc(found, func(s secret) bool { return s.at == at }) {
				continue
			}
			found = append(found, secret{at, fmt.Sprintf("holds %s%s", r.what, masked(value, r.prefix))})
		}
	}
	slices.SortFunc(found, func(a, b secret) int { return cmp.Compare(a.at, b.at) })
	return found
}

// masked shows what kind of secret it is, and nothing that is secret.
func masked(value []byte, prefix int) string {
	if prefix == 0 {
		return ""
	}
	return fmt.Sprintf(" (%s…)", value[:prefix])
}

// placeholders are in what people write in place of a secret; chance does not put them there.
var placeholders = [][]byte{[]byte("example"), []byte("xxxx"), []byte("your"), []byte("placeholder"), []byte("12345678"), []byte("abcdefgh"), []byte("redacted")}

// minEntropy is what characters of a random word have at least, in bits: 16 of base 32 have about 3.5, English has 2 to 3.
const minEntropy = 3

func isPlaceholder(value []byte) bool {
	lower := bytes.ToLower(value)
	return entropy(value) < minEntropy || slices.ContainsFunc(placeholders, func(p []byte) bool { return bytes.Contains(lower, p) })
}

// entropy is Shannon's, of the characters of a word.
func entropy(word []byte) float64 {
	var counts [256]int
	for _, c := range word {
		counts[c]++
	}
	var bits float64
	for _, n := range counts {
		if n > 0 {
			p := float64(n) / float64(len(word))
			bits -= p * math.Log2(p)
		}
	}
	return bits
}
