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
		setting("a Slack webhook", `hooks\.slack\.com/(?:services|workflows|triggers)/([A-Za-z0-9+/]{30,})`, anywhere, "hooks.slack.com"),
		setting("an Azure access key", `(?i:accountkey|sharedaccesskey)=([A-Za-z0-9+/]{43}=|[A-Za-z0-9+/]{86}==)`, anywhere, "accountkey=", "sharedaccesskey="),
		{marks: []string{"://"}, whole: true, before: 1, after: 512, find: findURLPassword},
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
		token("a Databricks token", `dapi[0-9a-f]{32}(?:-[0-9])?`, 4, "dapi"),
		token("a Doppler token", `dp\.(?:pt|st|ct|sa|scim|audit)\.(?:[a-z0-9_-]{2,35}\.)?[A-Za-z0-9]{40,44}`, 6, "dp.pt.", "dp.st.", "dp.ct.", "dp.sa.", "dp.scim.", "dp.audit."),
		token("an xAI API key", `xai-[A-Za-z0-9]{70,}`, 4, "xai-"),
		token("a Groq API key", `gsk_[A-Za-z0-9]{52}`, 4, "gsk_"),
		token("a Perplexity API key", `pplx-[A-Za-z0-9]{48}`, 5, "pplx-"),
		token("an OpenRouter API key", `sk-or-v1-[0-9a-f]{64}`, 9, "sk-or-v1-"),
		token("a LangSmith API key", `lsv2_(?:pt|sk)_[0-9a-f]{32}_[0-9a-f]{10}`, 7, "lsv2_"),
		token("a Pinecone API key", `pcsk_[A-Za-z0-9]{5,6}_[A-Za-z0-9]{60,}`, 5, "pcsk_"),
		token("a Notion token", `ntn_[0-9]{11}[A-Za-z0-9]{35}`, 4, "ntn_"),
		token("a Notion token", `secret_[A-Za-z0-9]{43}`, 7, "secret_"),
		token("a Postman API key", `PMAK-[0-9A-Fa-f]{24}-[0-9A-Fa-f]{34}`, 5, "pmak-"),
		token("a Sentry token", `sntrys_eyJ[A-Za-z0-9+/=_]{80,}`, 7, "sntrys_"),
		token("a Sentry token", `sntryu_[0-9a-f]{64}`, 7, "sntryu_"),
		token("a Supabase key", `(?:sbp_(?:oauth_|v0_)?[0-9a-f]{40}|sb_secret_[A-Za-z0-9_-]{30,})`, 4, "sbp_", "sb_secret_"),
		token("a Figma token", `figd_[A-Za-z0-9_-]{40,}`, 5, "figd_"),
		token("a New Relic key", `NRAK-[A-Z0-9]{27}`, 5, "nrak-"),
		token("a Tailscale key", `tskey-[a-z]+-[A-Za-z0-9]{8,}-[A-Za-z0-9]{20,}`, 6, "tskey-"),
		token("a Linear API key", `lin_(?:api|oauth)_[A-Za-z0-9]{40,64}`, 8, "lin_api_", "lin_oauth_"),
		token("a crates.io token", `cio[A-Za-z0-9]{32}`, 3, "cio"),
		token("a RubyGems key", `rubygems_[0-9a-f]{48}`, 9, "rubygems_"),
		token("a Mailgun key", `api:key-[0-9a-f]{32}`, 8, "api:key-"),
		token("a Fly.io token", `(?:fo1_[A-Za-z0-9_-]{43}|fm[12][ar]?_[A-Za-z0-9+/]{100,}={0,3})`, 4, "fo1_", "fm1a_", "fm1r_", "fm2_"),
		token("a PlanetScale token", `pscale_(?:tkn|oauth|pw)_[A-Za-z0-9_=.-]{32,64}`, 7, "pscale_"),
		token("an Airtable token", `pat[A-Za-z0-9]{14}\.[0-9a-f]{64}`, 3, "pat"),
		token("a Grafana token", `glc_eyJ[A-Za-z0-9+/]{30,}={0,3}`, 4, "glc_"),
		token("a Replicate token", `r8_[A-Za-z0-9]{37}`, 3, "r8_"),
		token("a Vercel token", `vc[aciprk]_[A-Za-z0-9]{40,}`, 4, "vca_", "vcc_", "vci_", "vcp_", "vcr_", "vck_"),
		token("a Netlify token", `nf[bcopu]_[A-Za-z0-9]{36,40}`, 4, "nfb_", "nfc_", "nfo_", "nfp_", "nfu_"),
		token("a Square token", `(?:EAAA[A-Za-z0-9_-]{60}|sq0(?:atp-[A-Za-z0-9_-]{22}|csp-[A-Za-z0-9_-]{43}))`, 4, "eaaa", "sq0atp-", "sq0csp-"),
		token("a Facebook token", `EAA[MC][A-Za-z0-9]{100,}`, 4, "eaam", "eaac"),
		token("a Dropbox token", `sl\.(?:u\.)?[A-Za-z0-9_-]{130,}`, 3, "sl."),
		token("a Heroku key", `HRKU-AA[A-Za-z0-9_-]{58}`, 5, "hrku-aa"),
		token("a Cloudflare token", `(?:cf(?:k|ut|at)_[A-Za-z0-9]{40,56}|v1\.0-[0-9a-f]{24}-[0-9a-f]{146})`, 4, "cfk_", "cfut_", "cfat_", "v1.0-"),
		token("a 1Password token", `ops_eyJ[A-Za-z0-9+/]{250,}={0,3}`, 4, "ops_eyj"),
		token("an Artifactory key", `(?:AKCp[A-Za-z0-9]{69}|cmVmd[A-Za-z0-9]{59})`, 4, "akcp", "cmvmd"),
		token("an Alibaba access key", `LTAI[A-Za-z0-9]{20}`, 4, "ltai"),
		token("a Dynatrace token", `dt0c01\.[A-Za-z0-9]{24}\.[A-Za-z0-9]{64}`, 7, "dt0c01."),
		token("an EasyPost key", `EZAK[A-Za-z0-9]{54}`, 4, "ezak"),
		token("an Infracost key", `ico-[A-Za-z0-9]{32}`, 4, "ico-"),
		token("an OpenShift token", `sha256~[A-Za-z0-9_-]{43}`, 7, "sha256~"),
		token("a Prefect key", `pnu_[A-Za-z0-9]{36}`, 4, "pnu_"),
		token("a ReadMe key", `rdme_[a-z0-9]{70}`, 5, "rdme_"),
		token("a Brevo key", `xkeysib-[0-9a-f]{64}-[A-Za-z0-9]{16}`, 8, "xkeysib-"),
		token("a Shippo token", `shippo_live_[0-9a-f]{40}`, 12, "shippo_live_"),
		token("a Sourcegraph token", `sgp_(?:(?:[0-9a-f]{16}|local)_)?[0-9a-f]{40}`, 4, "sgp_"),
		token("a Sonar token", `sq[apu]_[0-9a-f]{40}`, 4, "sqa_", "sqp_", "squ_"),
		token("a Typeform token", `tfp_[A-Za-z0-9_=.-]{59}`, 4, "tfp_"),
		token("a Contentful token", `CFPAT-[A-Za-z0-9_-]{43}`, 6, "cfpat-"),
		token("a Buildkite token", `bk[uc]a_[0-9a-f]{40}`, 5, "bkua_", "bkca_"),
		token("a CircleCI token", `CCIPAT_[A-Za-z0-9]{22}_[0-9a-f]{40}`, 7, "ccipat_"),
		token("a Bitbucket token", `(?:ATBB[A-Za-z0-9]{32}|ATCTT3[A-Za-z0-9_=-]{180,})`, 4, "atbb", "atctt3"),
		token("a Harness key", `(?:pat|sat)\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9]{24}\.[A-Za-z0-9]{20}`, 4, "pat.", "sat."),
		token("an Atlassian token", `ATATT3[A-Za-z0-9_=-]{180,}`, 6, "atatt3"),
		token("a key of age", `AGE-SECRET-KEY-1[02-9AC-HJ-NP-Z]{58}`, 16, "age-secret-key-1"),
		setting("a Discord webhook", `discord(?:app)?\.com/api/webhooks/[0-9]{17,20}/([A-Za-z0-9_-]{60,})`, anywhere, "discord.com/api/webhooks", "discordapp.com/api/webhooks"),
		after(`[0-9]{8,10}`, token("a Telegram token", `:AA[A-Za-z0-9_-]{33}`, 3, ":aa")),
		after(`[A-Za-z0-9]{14}`, token("a Terraform token", `\.atlasv1\.[A-Za-z0-9_=-]{60,70}`, 9, ".atlasv1.")),
		setting("a WireGuard key", `(?i:privatekey|presharedkey)\s*=\s*([A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=)`, boundary, "privatekey", "presharedkey"),
		{marks: []string{`"d"`, `"k"`}, exact: true, whole: true, before: 8 << 10, after: 8 << 10, find: findJWK},
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

// after returns a rule for the secrets of a rule with an identifier before them.
func after(identifier string, r rule) rule {
	exact, find := regexp.MustCompile(`(?:^|[^A-Za-z0-9]|bot)(`+identifier+`)$`), r.find
	r.before = 20
	r.find = func(text []byte, mark int) (string, int, int) {
		what, _, to := find(text[mark:], 0)
		if to == 0 {
			return "", 0, 0
		}
		m := exact.FindSubmatchIndex(text[:mark])
		if m == nil {
			return "", 0, 0
		}
		return what, m[2], mark + to
	}
	return r
}

// jwkMember matches the private member of a JSON Web Key (RFC 7518).
var jwkMember = lazyregexp.New(`^"[dk]"\s*:\s*"([A-Za-z0-9_-]{22,})"`)

// findJWK finds a private or symmetric key in an object with the type of a key.
func findJWK(text []byte, mark int) (string, int, int) {
	m := jwkMember().FindSubmatchIndex(text[mark:])
	if m == nil {
		return "", mark, mark + 3 // not counted as a failure: objects have many keys of one letter
	}
	if isPlaceholder(text[mark+m[2] : mark+m[3]]) {
		return "", 0, 0
	}
	object := text[bytes.LastIndexByte(text[:mark], '{')+1:]
	if end := bytes.IndexByte(object, '}'); end >= 0 {
		object = object[:end]
	}
	if !bytes.Contains(object, []byte(`"kty"`)) {
		return "", 0, 0
	}
	return "holds a private key (JWK)", mark + m[2], mark + m[3]
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

// urlPassword matches the part of a URL from "://" to the host, if it has a password without the characters of variables.
var urlPassword = lazyregexp.New(`^://[^\s/?#:@"'<>\x60\\]*:([^\s/?#"'<>\x60\\${}()*]{8,})@(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9.-]+)`)

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

// beginsWord reports whether a word can begin after a text. An escape of a URL does not count as a letter.
func beginsWord(text []byte) bool {
	n := len(text)
	return n == 0 || !isAlphanumeric(text[n-1]) ||
		n >= 3 && text[n-3] == '%' && isHex(text[n-2]) && isHex(text[n-1])
}

func isAlphanumeric(b byte) bool {
	return '0' <= b && b <= '9' || 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z'
}

func isHex(b byte) bool { return '0' <= b && b <= '9' || 'a' <= b|0x20 && b|0x20 <= 'f' }

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
