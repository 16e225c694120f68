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
	shape  *regexp.Regexp // its last group, or else the whole match, is the secret
	prefix int            // how many characters of the secret tell of what kind it is, and may be shown
}

// rules are after what the issuers publish of their tokens. Each is bounded at both ends, so that a longer word is none.
var rules = []rule{
	{"a private key", "PRIVATE KEY", regexp.MustCompile(`-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----(?:\s|\\[nr]|["',+>]|[A-Za-z-]+: [^\n]*\n)*([A-Za-z0-9+/]{40,})`), 0},
	{"an npm token", "npm_", regexp.MustCompile(`\bnpm_[A-Za-z0-9]{36}\b`), 4},
	{"a password of an npm registry", ":_", regexp.MustCompile(`//[^\s=]+:_(?:authToken|auth|password)\s*=\s*["']?([A-Za-z0-9+/=_.-]{16,})`), 0},
	{"a GitHub token", "gh", regexp.MustCompile(`\bgh[pousr]_[A-Za-z0-9]{36,251}\b`), 4},
	{"a GitHub token", "github_pat_", regexp.MustCompile(`\bgithub_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{59}\b`), 11},
	{"a GitLab token", "glpat-", regexp.MustCompile(`\bglpat-[A-Za-z0-9_-]{20,}(?:\.[0-9a-z]{2}\.[0-9a-z]{9})?`), 6},
	{"an AWS access key", "IA", regexp.MustCompile(`\b(?:AKIA|ASIA)[A-Z2-7]{16}\b`), 4},
	{"a Google API key", "AIza", regexp.MustCompile(`\bAIza[A-Za-z0-9_-]{35}(?:[^A-Za-z0-9_-]|$)`), 4},
	{"a Slack token", "xox", regexp.MustCompile(`\bxox[abeoprs]-(?:[0-9A-Za-z]+-)*[0-9A-Za-z]{20,}\b`), 5},
	{"an Anthropic API key", "sk-ant-", regexp.MustCompile(`\bsk-ant-[a-z]+[0-9]{2}-[A-Za-z0-9_-]{80,}`), 7},
	{"an OpenAI API key", "sk-", regexp.MustCompile(`\bsk-(?:proj|svcacct|admin)-[A-Za-z0-9_-]{40,}`), 3},
	{"an API key", "sk-", regexp.MustCompile(`\bsk-[A-Za-z0-9]{32,64}\b`), 3},
	{"a Stripe key", "k_live_", regexp.MustCompile(`\b[sr]k_live_[A-Za-z0-9]{24,}\b`), 8},
	{"a PyPI token", "pypi-", regexp.MustCompile(`\bpypi-AgEI[A-Za-z0-9_-]{50,}`), 5},
	{"a Hugging Face token", "hf_", regexp.MustCompile(`\bhf_[A-Za-z0-9]{34}\b`), 3},
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
			value := data[m[len(m)-2]:m[len(m)-1]]
			if isPlaceholder(value[r.prefix:]) || slices.ContainsFunc(found, func(s secret) bool { return s.at == m[0] }) {
				continue
			}
			found = append(found, secret{m[0], fmt.Sprintf("holds %s%s", r.what, masked(value, r.prefix))})
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
