package secret

import (
	"bytes"
	"fmt"
	"math"
	"path"
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

// tokens are the formats that the issuers publish for their tokens: what it is, its shape and, unless the shape begins with its only mark, its
// marks.
var tokens = [][3]string{
	{"an npm token", `npm_[A-Za-z0-9]{36}`},
	{"a GitHub token", `gh[pousr]_[A-Za-z0-9]{36,251}`, "ghp_ gho_ ghu_ ghs_ ghr_"},
	{"a GitHub token", `github_pat_[A-Za-z0-9_]{82}`},
	{"a GitLab token", `gl(?:pat|dt|ptt|rt|ft|soat|cbt|ffct|imt|agent|oas)-[A-Za-z0-9_-]{20,}(?:\.[0-9a-z]{2}\.[0-9a-z]{9}|\.[0-9a-z]{9})?`, "glpat- gldt- glptt- glrt- glft- glsoat- glcbt- glffct- glimt- glagent- gloas-"},
	{"a GitLab token", `GR1348941[A-Za-z0-9_-]{20,}`},
	{"an AWS access key", `A(?:KI|SI|BI|CC)A[A-Z2-7]{16}`, "akia asia abia acca"},
	{"an AWS access key", `A3T[A-Z0-9][A-Z2-7]{16}`},
	{"an AWS Bedrock key", `ABSK[A-Za-z0-9+/]{109,269}={0,2}`},
	{"a Google API key", `AIza[A-Za-z0-9_-]{35}`},
	{"a Google client secret", `GOCSPX-[A-Za-z0-9_-]{28}`},
	{"a Slack token", `xox[abeoprs]-(?:[0-9A-Za-z]+-)*[0-9A-Za-z]{18,}`, "xoxa- xoxb- xoxe- xoxo- xoxp- xoxr- xoxs-"},
	{"a Slack token", `xapp-[0-9]-[A-Za-z0-9]+-[0-9]+-[0-9A-Za-z]{32,}`},
	{"an Anthropic API key", `sk-ant-[a-z]+[0-9]{2}-[A-Za-z0-9_-]{80,}`},
	{"an OpenAI API key", `sk-(?:proj|svcacct|admin)-[A-Za-z0-9_-]{40,}`, "sk-proj- sk-svcacct- sk-admin-"},
	{"an API key", `sk-[A-Za-z0-9]{32,64}`},
	{"a Google access token", `ya29\.[A-Za-z0-9_-]{60,}`},
	{"a Stripe key", `[sr]k_(?:live|prod)_[A-Za-z0-9]{24,}`, "sk_live_ rk_live_ sk_prod_ rk_prod_"},
	{"a Stripe secret", `whsec_[A-Za-z0-9]{24,}`},
	{"a PyPI token", `pypi-AgEI[A-Za-z0-9_-]{50,}`},
	{"a DigitalOcean token", `do[opr]_v1_[0-9a-f]{64}`, "doo_v1_ dop_v1_ dor_v1_"},
	{"a SendGrid API key", `SG\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}`},
	{"a Shopify token", `shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}`, "shpat_ shpca_ shppa_ shpss_"},
	{"a Hugging Face token", `hf_[A-Za-z0-9]{34}`},
	{"a Hugging Face token", `api_org_[A-Za-z0-9]{34}`},
	{"a HashiCorp Vault token", `hv[sb]\.[A-Za-z0-9_-]{90,}`, "hvs. hvb."},
	{"a Docker token", `dckr_[po]at_[A-Za-z0-9_-]{27,}`, "dckr_pat_ dckr_oat_"},
	{"a Pulumi token", `pul-[0-9a-f]{40}`},
	{"a Grafana token", `glsa_[A-Za-z0-9]{32}_[0-9A-Fa-f]{8}`},
	{"a Databricks token", `dapi[0-9a-f]{32}(?:-[0-9])?`},
	{"a Doppler token", `dp\.(?:pt|st|ct|sa|scim|audit)\.(?:[a-z0-9_-]{2,35}\.)?[A-Za-z0-9]{40,44}`, "dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit."},
	{"an xAI API key", `xai-[A-Za-z0-9]{70,}`},
	{"a Groq API key", `gsk_[A-Za-z0-9]{52}`},
	{"a Perplexity API key", `pplx-[A-Za-z0-9]{48}`},
	{"an OpenRouter API key", `sk-or-v1-[0-9a-f]{64}`},
	{"a LangSmith API key", `lsv2_(?:pt|sk)_[0-9a-f]{32}_[0-9a-f]{10}`},
	{"a Pinecone API key", `pcsk_[A-Za-z0-9]{5,6}_[A-Za-z0-9]{60,}`},
	{"a Notion token", `ntn_[0-9]{11}[A-Za-z0-9]{35}`},
	{"a Notion token", `secret_[A-Za-z0-9]{43}`},
	{"a Postman API key", `PMAK-[0-9A-Fa-f]{24}-[0-9A-Fa-f]{34}`},
	{"a Sentry token", `sntrys_eyJ[A-Za-z0-9+/=_]{80,}`},
	{"a Sentry token", `sntryu_[0-9a-f]{64}`},
	{"a Supabase key", `(?:sbp_(?:oauth_|v0_)?[0-9a-f]{40}|sb_secret_[A-Za-z0-9_-]{30,})`, "sbp_ sb_secret_"},
	{"a Figma token", `figd_[A-Za-z0-9_-]{40,}`},
	{"a New Relic key", `NRAK-[A-Z0-9]{27}`},
	{"a Tailscale key", `tskey-[a-z]+-[A-Za-z0-9]{8,}-[A-Za-z0-9]{20,}`},
	{"a Linear API key", `lin_(?:api|oauth)_[A-Za-z0-9]{40,64}`, "lin_api_ lin_oauth_"},
	{"a crates.io token", `cio[A-Za-z0-9]{32}`},
	{"a RubyGems key", `rubygems_[0-9a-f]{48}`},
	{"a Mailgun key", `api:key-[0-9a-f]{32}`},
	{"a Fly.io token", `(?:fo1_[A-Za-z0-9_-]{43}|fm[12][ar]?_[A-Za-z0-9+/]{100,}={0,3})`, "fo1_ fm1a_ fm1r_ fm2_"},
	{"a PlanetScale token", `pscale_(?:tkn|oauth|pw)_[A-Za-z0-9_=.-]{32,64}`},
	{"an Airtable token", `pat[A-Za-z0-9]{14}\.[0-9a-f]{64}`},
	{"a Grafana token", `glc_eyJ[A-Za-z0-9+/]{30,}={0,3}`},
	{"a Replicate token", `r8_[A-Za-z0-9]{37}`},
	{"a Vercel token", `vc[aciprk]_[A-Za-z0-9]{40,}`, "vca_ vcc_ vci_ vcp_ vcr_ vck_"},
	{"a Netlify token", `nf[bcopu]_[A-Za-z0-9]{36,40}`, "nfb_ nfc_ nfo_ nfp_ nfu_"},
	{"a Square token", `(?:EAAA[A-Za-z0-9_-]{60}|sq0(?:atp-[A-Za-z0-9_-]{22}|csp-[A-Za-z0-9_-]{43}))`, "eaaa sq0atp- sq0csp-"},
	{"a Facebook token", `EAA[MC][A-Za-z0-9]{100,}`, "eaam eaac"},
	{"a Dropbox token", `sl\.(?:u\.)?[A-Za-z0-9_-]{130,}`},
	{"a Heroku key", `HRKU-AA[A-Za-z0-9_-]{58}`},
	{"a Cloudflare token", `(?:cf(?:k|ut|at)_[A-Za-z0-9]{40,56}|v1\.0-[0-9a-f]{24}-[0-9a-f]{146})`, "cfk_ cfut_ cfat_ v1.0-"},
	{"a 1Password token", `ops_eyJ[A-Za-z0-9+/]{250,}={0,3}`},
	{"an Artifactory key", `(?:AKCp[A-Za-z0-9]{69}|cmVmd[A-Za-z0-9]{59})`, "akcp cmvmd"},
	{"an Alibaba access key", `LTAI[A-Za-z0-9]{20}`},
	{"a Dynatrace token", `dt0c01\.[A-Za-z0-9]{24}\.[A-Za-z0-9]{64}`},
	{"an EasyPost key", `EZAK[A-Za-z0-9]{54}`},
	{"an Infracost key", `ico-[A-Za-z0-9]{32}`},
	{"an OpenShift token", `sha256~[A-Za-z0-9_-]{43}`},
	{"a Prefect key", `pnu_[A-Za-z0-9]{36}`},
	{"a ReadMe key", `rdme_[a-z0-9]{70}`},
	{"a Brevo key", `xkeysib-[0-9a-f]{64}-[A-Za-z0-9]{16}`},
	{"a Shippo token", `shippo_live_[0-9a-f]{40}`},
	{"a Sourcegraph token", `sgp_(?:(?:[0-9a-f]{16}|local)_)?[0-9a-f]{40}`},
	{"a Sonar token", `sq[apu]_[0-9a-f]{40}`, "sqa_ sqp_ squ_"},
	{"a Typeform token", `tfp_[A-Za-z0-9_=.-]{59}`},
	{"a Contentful token", `CFPAT-[A-Za-z0-9_-]{43}`},
	{"a Buildkite token", `bk[uc]a_[0-9a-f]{40}`, "bkua_ bkca_"},
	{"a CircleCI token", `CCIPAT_[A-Za-z0-9]{22}_[0-9a-f]{40}`},
	{"a Bitbucket token", `(?:ATBB[A-Za-z0-9]{32}|ATCTT3[A-Za-z0-9_=-]{180,})`, "atbb atctt3"},
	{"a Harness key", `(?:pat|sat)\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9]{24}\.[A-Za-z0-9]{20}`, "pat. sat."},
	{"an Atlassian token", `ATATT3[A-Za-z0-9_=-]{180,}`},
	{"a key of age", `AGE-SECRET-KEY-1[02-9AC-HJ-NP-Z]{58}`},
}

// tokenRules are the rules for tokens, and for passwords and keys that the text around them shows.
func tokenRules() []rule {
	rules := []rule{
		setting("a password of an npm registry", `_(?:authToken|auth|password)["']?\s*[=:\s]\s*["']?([A-Za-z0-9+/=_-]{12,})`, boundary, "_auth", "_password"),
		setting("an AWS secret access key", `(?i:secret[_-]?access[_-]?key)[^A-Za-z0-9/+]{1,20}([A-Za-z0-9/+]{40})(?:[^A-Za-z0-9/+=]|$)`, anywhere, "secret_access_key", "secret-access-key", "secretaccesskey"),
		setting("a Slack webhook", `hooks\.slack\.com/(?:services|workflows|triggers)/([A-Za-z0-9+/]{30,})`, anywhere, "hooks.slack.com"),
		setting("an Azure access key", `(?i:accountkey|sharedaccesskey)=([A-Za-z0-9+/]{43}=|[A-Za-z0-9+/]{86}==)`, anywhere, "accountkey=", "sharedaccesskey="),
		{marks: []string{"://"}, whole: true, before: 1, after: 512, find: findURLPassword},
	}
	for _, t := range tokens {
		what, shape, marks := t[0], t[1], strings.Fields(t[2])
		if len(marks) == 0 {
			marks = []string{strings.ReplaceAll(shape[:strings.IndexAny(shape, "[(")], `\`, "")}
		}
		rules = append(rules, token(what, shape, marks...))
	}
	return append(rules,
		setting("a Discord webhook", `discord(?:app)?\.com/api/webhooks/[0-9]{17,20}/([A-Za-z0-9_-]{60,})`, anywhere, "discord.com/api/webhooks", "discordapp.com/api/webhooks"),
		setting("a Telegram token", `(:AA[A-Za-z0-9_-]{33})(?:[^A-Za-z0-9]|$)`, regexp.MustCompile(`(?:^|[^A-Za-z0-9]|bot)[0-9]{8,10}$`).Match, ":aa"),
		setting("a Terraform token", `(\.atlasv1\.[A-Za-z0-9_=-]{60,70})(?:[^A-Za-z0-9]|$)`, regexp.MustCompile(`[A-Za-z0-9]{14}$`).Match, ".atlasv1."),
		setting("a WireGuard key", `(?i:privatekey|presharedkey)\s*=\s*([A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=)`, boundary, "privatekey", "presharedkey"),
		rule{marks: []string{`"d"`, `"k"`}, exact: true, whole: true, before: 8 << 10, after: 8 << 10, find: findJWK},
		setting("an Azure signature", `sig=([A-Za-z0-9%/+]{43,}(?:%3[Dd]|=))`, anywhere, "sig="),
	)
}

// token returns a rule for secrets that need no context: their shape begins with the mark and is
// not part of a longer word. As many characters as the shortest mark has may be shown.
func token(what, shape string, marks ...string) rule {
	prefix := len(slices.MinFunc(marks, func(a, b string) int { return len(a) - len(b) }))
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

// jwkMember matches the private member of a JSON Web Key (RFC 7518).
var jwkMember = lazyregexp.New(`^"[dk]"\s*:\s*"([A-Za-z0-9_-]{22,})"`)

// findJWK finds a private or symmetric key in an object with the type of a key.
func findJWK(text []byte, mark int) (string, int, int) {
	m := jwkMember().FindSubmatchIndex(text[mark:])
	if m == nil {
		return "", mark, mark + 3 // objects have many keys of one letter
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
	return rule{marks: marks, whole: true, before: 20, after: 512, find: func(text []byte, mark int) (string, int, int) {
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

// Names of files in which programs keep secrets. The names are without a leading dot or underscore,
// because a copy for a resource or a container often lacks it.
var (
	passwordNames    = []string{"npmrc", "netrc", "git-credentials", "pgpass", "pypirc", "htpasswd"}
	credentialNames  = []string{"credentials", "credentials.csv", "credentials.ini"}
	kubeconfigNames  = []string{"kubeconfig", "kubeconfig.yaml", "kubeconfig.yml", "kubeconfig.json"}
	environmentNames = []string{"production", "prod", "staging", "stage", "development", "dev", "local", "test", "live"}
)

// OfName returns why a file of this name is private regardless of its contents, or "".
func OfName(name string) string {
	name = strings.ToLower(name)
	switch path.Ext(name) {
	case ".example", ".sample", ".template", ".dist", ".defaults":
		return ""
	}
	bare := name
	if strings.IndexAny(name, "._") == 0 {
		bare = name[1:]
	}
	stages, staged := strings.CutPrefix(name, "env.") // such as env.production.local
	for stage := range strings.SplitSeq(stages, ".") {
		staged = staged && slices.Contains(environmentNames, stage)
	}
	switch {
	case slices.Contains(passwordNames, bare), strings.HasSuffix(name, ".htpasswd"):
		return "is a file of passwords"
	case slices.Contains(credentialNames, bare):
		return "is a file of credentials"
	case slices.Contains(kubeconfigNames, bare), strings.HasSuffix(name, ".kubeconfig"):
		return "is a file of credentials for Kubernetes"
	case strings.HasSuffix(name, ".env"), strings.HasPrefix(name, ".env."), name == ".envrc",
		staged:
		return "is a file of environment variables, which mostly hold secrets"
	}
	return ""
}
