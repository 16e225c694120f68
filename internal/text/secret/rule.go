package secret

import (
	"bytes"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/lazyregexp"
)

// A rule finds one kind of secret. It runs only where one of its marks occurs.
type rule struct {
	marks []string // each secret contains one of them; at least three bytes
	exact bool     // the marks are in this case of letters; otherwise in any case
	whole bool     // find returns where the whole secret is, so that it can be replaced
	// The number of bytes that find gets before the mark, and from the first byte of the mark; at most reach.
	before, after int
	// find returns the kind of secret at the mark with its start and end, "" for an example of a secret, or an end of 0.
	find func(text []byte, mark int) (what string, from, to int)
}

// A mark is a mark of a rule.
type mark struct {
	rule *rule
	text string
}

type ruleSet struct {
	marks  []mark
	finder *finder
}

// The rules are compiled at their first use.
var loadRules = sync.OnceValue(func() *ruleSet {
	set := new(ruleSet)
	var marks [][]byte
	for _, r := range slices.Concat(tokenRules(), keyRules()) {
		for _, m := range r.marks {
			set.marks, marks = append(set.marks, mark{&r, m}), append(marks, []byte(m))
		}
	}
	set.finder = newFinder(marks)
	return set
})

// tokenRules follow the formats that the issuers publish for their tokens.
func tokenRules() []rule {
	return []rule{
		setting("a password of an npm registry", `_(?:authToken|auth|password)["']?\s*[=:\s]\s*["']?([A-Za-z0-9+/=_-]{12,})`, boundary, "_auth", "_password"),
		setting("an AWS secret access key", `(?i:secret[_-]?access[_-]?key)[^A-Za-z0-9/+]{1,20}([A-Za-z0-9/+]{40})(?:[^A-Za-z0-9/+=]|$)`, anywhere, "secret_access_key", "secret-access-key", "secretaccesskey"),
		setting("a Slack webhook", `hooks\.slack\.com\\?/(?:services|workflows|triggers)\\?/([A-Za-z0-9+/\\]{30,})`, anywhere, "hooks.slack.com"),
		setting("an Azure access key", `(?i:accountkey|sharedaccesskey)=([A-Za-z0-9+/]{43}=|[A-Za-z0-9+/]{86}==)`, anywhere, "accountkey=", "sharedaccesskey="),
		{marks: []string{"://", `:\/\/`}, whole: true, before: 1, after: 512, find: findURLPassword},
		token("an npm token", `npm_[A-Za-z0-9]{36}`, 4, "npm_"),
		token("a GitHub token", `gh[pousr]_[A-Za-z0-9]{36,251}`, 4, "ghp_", "gho_", "ghu_", "ghs_", "ghr_"),
		token("a GitHub token", `github_pat_[A-Za-z0-9_]{82}`, 11, "github_pat_"),
		token("a GitLab token", `gl(?:pat|dt|ptt|rt|ft|soat|cbt|ffct|imt|agent|oas)-[A-Za-z0-9_-]{20,}(?:\.[0-9a-z]{2}\.[0-9a-z]{9}|\.[0-9a-z]{9})?`, 5,
			"glpat-", "gldt-", "glptt-", "glrt-", "glft-", "glsoat-", "glcbt-", "glffct-", "glimt-", "glagent-", "gloas-"),
		token("a GitLab token", `GR1348941[A-Za-z0-9_-]{20,}`, 9, "gr1348941"),
		token("an AWS access key", `(?:AKIA|ASIA|ABIA|ACCA|A3T[A-Z0-9])[A-Z2-7]{16}`, 4, "akia", "asia", "abia", "acca", "a3t"),
		token("an AWS Bedrock key", `ABSK[A-Za-z0-9+/]{109,269}={0,2}`, 4, "absk"),
		token("a Google API key", `AIza[A-Za-z0-9_-]{35}`, 4, "aiza"),
		token("a Google client secret", `GOCSPX-[A-Za-z0-9_-]{28}`, 7, "gocspx-"),
		token("a Slack token", `xox[abeoprs]-(?:[0-9A-Za-z]+-)*[0-9A-Za-z]{18,}`, 5, "xoxa-", "xoxb-", "xoxe-", "xoxo-", "xoxp-", "xoxr-", "xoxs-"),
		token("a Slack token", `xapp-[0-9]-[A-Za-z0-9]+-[0-9]+-[0-9A-Za-z]{32,}`, 5, "xapp-"),
		token("an Anthropic API key", `sk-ant-[a-z]+[0-9]{2}-[A-Za-z0-9_-]{80,}`, 7, "sk-ant-"),
		token("an OpenAI API key", `sk-(?:proj|svcacct|admin)-[A-Za-z0-9_-]{40,}`, 3, "sk-proj-", "sk-svcacct-", "sk-admin-"),
		token("an API key", `sk-[A-Za-z0-9]{32,64}`, 3, "sk-"),
		token("a Google access token", `ya29\.[A-Za-z0-9_-]{60,}`, 5, "ya29."),
		token("a Stripe key", `[sr]k_(?:live|prod)_[A-Za-z0-9]{24,}`, 8, "sk_live_", "rk_live_", "sk_prod_", "rk_prod_"),
		token("a Stripe secret", `whsec_[A-Za-z0-9]{24,}`, 6, "whsec_"),
		token("a PyPI token", `pypi-AgEI[A-Za-z0-9_-]{50,}`, 5, "pypi-agei"),
		token("a DigitalOcean token", `do[opr]_v1_[0-9a-f]{64}`, 7, "doo_v1_", "dop_v1_", "dor_v1_"),
		token("a SendGrid API key", `SG\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}`, 3, "sg."),
		token("a Shopify token", `shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}`, 6, "shpat_", "shpca_", "shppa_", "shpss_"),
		token("a Hugging Face token", `hf_[A-Za-z0-9]{34}`, 3, "hf_"),
		token("a Hugging Face token", `api_org_[A-Za-z0-9]{34}`, 8, "api_org_"),
		token("a HashiCorp Vault token", `hv[sb]\.[A-Za-z0-9_-]{90,}`, 4, "hvs.", "hvb."),
		token("a Docker token", `dckr_[po]at_[A-Za-z0-9_-]{27,}`, 9, "dckr_pat_", "dckr_oat_"),
		token("a Pulumi token", `pul-[0-9a-f]{40}`, 4, "pul-"),
		token("a Grafana token", `glsa_[A-Za-z0-9]{32}_[0-9A-Fa-f]{8}`, 5, "glsa_"),
		token("an Atlassian token", `ATATT3[A-Za-z0-9_=-]{180,}`, 6, "atatt3"),
		token("a key of age", `AGE-SECRET-KEY-1[02-9AC-HJ-NP-Z]{58}`, 16, "age-secret-key-1"),
		setting("a Discord webhook", `discord(?:app)?\.com/api/webhooks/[0-9]{17,20}/([A-Za-z0-9_-]{60,})`, anywhere, "discord.com/api/webhooks", "discordapp.com/api/webhooks"),
		setting("a Telegram token", `telegram\.org/bot[0-9]{8,10}:([A-Za-z0-9_-]{35})`, anywhere, "telegram.org/bot"),
		setting("an Azure signature", `sig=([A-Za-z0-9%/+]{43,}(?:%3[Dd]|=))`, anywhere, "sig="),
	}
}

// token returns a rule for secrets that need no context: their shape begins with the mark and is
// not part of a longer word. prefix is the number of characters that identify the kind of secret
// and may be shown.
func token(what, shape string, prefix int, marks ...string) rule {
	exact := regexp.MustCompile(`^(` + shape + `)(?:[^A-Za-z0-9]|$)`)
	return rule{marks: marks, whole: true, before: 3, after: 512, find: func(text []byte, mark int) (string, int, int) {
		if !beginsWord(text[:mark]) {
			return "", 0, 0
		}
		m := exact.FindSubmatchIndex(text[mark:])
		if m == nil || isPlaceholder(text[mark+prefix:mark+m[3]]) {
			return "", 0, 0
		}
		return fmt.Sprintf("holds %s (%s…)", what, text[mark:mark+prefix]), mark, mark + m[3]
	}}
}

// setting returns a rule for secrets that only the name before them identifies. The shape begins
// with the mark, and its group is the secret; follows reports whether the mark may follow a text.
func setting(what, shape string, follows func(text []byte) bool, marks ...string) rule {
	exact := regexp.MustCompile(`^` + shape)
	return rule{marks: marks, whole: true, before: 3, after: 512, find: func(text []byte, mark int) (string, int, int) {
		if !follows(text[:mark]) {
			return "", 0, 0
		}
		m := exact.FindSubmatchIndex(text[mark:])
		if m == nil || isPlaceholder(text[mark+m[2]:mark+m[3]]) {
			return "", 0, 0
		}
		return "holds " + what, mark, mark + m[3]
	}}
}

// urlPassword matches the part of a URL, also with the slashes of JSON, from "://" to the host, if it has a password without the characters of variables.
var urlPassword = lazyregexp.New(`^:(?://|\\/\\/)[^\s/?#:@"'<>\x60\\]*:([^\s/?#@"'<>\x60\\${}()*]{8,})@(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9.-]+)`)

// These match whole passwords, and whole hosts, of URLs in examples.
var (
	exampleWord = lazyregexp.New(`(?i)^(?:(?:my|your|the|some|super|strong|test|db|user|admin|root|a|an)[-_]?)*(?:(?:pass(?:word|wd)?|secret|pwd|token|key)[-_]?)+[0-9]{0,4}$`)
	exampleHost = lazyregexp.New(`(?i)^(?:localhost|127\..*|\[::1\]|(?:.*\.)?example(?:\.[a-z]+)?|.*\.(?:test|invalid|localhost))$`)
)

// findURLPassword finds the password in a URL. A password has a letter and a digit; other texts are nearly always placeholders.
func findURLPassword(text []byte, mark int) (string, int, int) {
	m := urlPassword().FindSubmatchIndex(text[mark:])
	if m == nil || mark == 0 || !isAlphanumeric(text[mark-1]) {
		return "", 0, 0
	}
	password, host := text[mark+m[2]:mark+m[3]], text[mark+m[4]:mark+m[5]]
	folded := bytes.ToLower(password)
	if !bytes.ContainsAny(folded, "0123456789") || !bytes.ContainsAny(folded, "abcdefghijklmnopqrstuvwxyz") ||
		isPlaceholder(password) || exampleWord().Match(password) || exampleHost().Match(host) {
		return "", 0, 0
	}
	return "holds a password in a URL", mark, mark + m[3]
}

func anywhere([]byte) bool { return true }

// boundary reports whether a configuration key can follow a text.
func boundary(text []byte) bool {
	return len(text) == 0 || bytes.ContainsRune([]byte(" \t\r\n\f:/\"'"), rune(text[len(text)-1]))
}

// beginsWord reports whether a word can begin after a text. An escape of JSON or of a URL does not
// count as a letter.
func beginsWord(text []byte) bool {
	n := len(text)
	return n == 0 || !isAlphanumeric(text[n-1]) ||
		n >= 2 && text[n-2] == '\\' && bytes.IndexByte([]byte("bfnrt"), text[n-1]) >= 0 ||
		n >= 3 && text[n-3] == '%' && isHex(text[n-2]) && isHex(text[n-1])
}

func isAlphanumeric(b byte) bool {
	return '0' <= b && b <= '9' || 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z'
}

func isHex(b byte) bool { return '0' <= b && b <= '9' || 'a' <= lower(b) && lower(b) <= 'f' }

// placeholders are words that people write in place of a secret, in lower case, in upper case or
// with a capital letter. By chance, one in about 100,000 tokens contains one of them; with mixed
// case it would be one in 10,000.
var placeholders = func() (all [][]byte) {
	for _, word := range []string{"example", "xxxx", "your", "placeholder", "12345678", "abcdefgh", "redacted"} {
		all = append(all, []byte(word), []byte(strings.ToUpper(word)), []byte(strings.ToUpper(word[:1])+word[1:]))
	}
	return append(all, []byte("Eby8vdM02xNOcqFl")) // the public key of Azure's emulator
}()

// minEntropy is the minimum entropy of the characters of a random word, in bits: 16 characters of
// base 32 have about 3.5, English has 2 to 3.
const minEntropy = 3

func isPlaceholder(value []byte) bool {
	return entropy(value) < minEntropy || slices.ContainsFunc(placeholders, func(p []byte) bool { return bytes.Contains(value, p) })
}

// entropy returns the Shannon entropy of the characters of a word.
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
