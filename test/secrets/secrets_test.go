// Package secrets compares the check of publish with gitleaks, over generated secrets and over this
// repository. It is a module of its own, so that the program does not depend on gitleaks, which is
// too slow to be a part of it.
package secrets

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"io"
	"maps"
	random "math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp/syntax"
	"slices"
	"strings"
	"testing"

	"github.com/rs/zerolog"
	"github.com/rs/zerolog/log"
	"github.com/zricethezav/gitleaks/v8/detect"

	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/bundle"
	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/pack"
)

// claimed holds the rules of gitleaks for the kinds of secrets that docs/publish/publish.md names,
// and the expressions from which samples are made; "" for the expression of gitleaks itself. Other
// expressions are narrower: gitleaks also accepts the test keys of Stripe, which give no access, and
// tokens of Slack and Stripe that are shorter than real ones.
var claimed = map[string]string{
	"digitalocean-refresh-token":    `dor_v1_[a-f0-9]{64}`,
	"grafana-cloud-api-token":       `glc_eyJ[A-Za-z0-9+/]{32,400}={0,3}`,
	"grafana-service-account-token": `glsa_[A-Za-z0-9]{32}_[A-Fa-f0-9]{8}`,
	"private-key":                   "-", // see TestKeys
	"sendgrid-api-token":            `SG\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}`,
	"sentry-org-token":              `sntrys_eyJpYXQiO[a-z0-9]{20}LCJyZWdpb25fdXJs[a-z0-9]{20}_[a-z0-9]{43}`,
	"shippo-api-token":              `shippo_live_[a-f0-9]{40}`,
	"slack-app-token":               `xapp-\d-[A-Z0-9]{11}-\d{13}-[a-z0-9]{64}`,
	"slack-bot-token":               `xoxb-[0-9]{10,13}-[0-9]{10,13}-[a-zA-Z0-9]{24}`,
	"slack-config-access-token":     `xoxe\.xox[bp]-\d-[A-Z0-9]{163,166}`,
	"slack-legacy-workspace-token":  `xox[ar]-(?:\d-)?[0-9a-zA-Z]{18,48}`,
	"slack-user-token":              `xox[pe](?:-[0-9]{10,13}){3}-[a-zA-Z0-9]{28,34}`,
	"slack-webhook-url":             `https://hooks\.slack\.com/(?:services|workflows|triggers)/T[A-Z0-9]{8,10}/B[A-Z0-9]{8,10}/[A-Za-z0-9]{24}`,
	"sourcegraph-access-token":      `sgp_(?:[a-f0-9]{16}_|local_)?[a-f0-9]{40}`,
	"square-access-token":           `(?:EAAA[\w-]{60}|sq0atp-[\w-]{22})`,
	"stripe-access-token":           `(?:sk|rk)_(?:live|prod)_[a-zA-Z0-9]{24,99}`,
	"vault-service-token":           `hvs\.[\w-]{90,120}`,
}

func init() {
	for id := range strings.FieldsSeq(theirOwn) {
		claimed[id] = ""
	}
}

// theirOwn are the rules whose samples are made from the expression of gitleaks.
const theirOwn = `
	1password-service-account-token age-secret-key alibaba-access-key-id anthropic-admin-api-key anthropic-api-key artifactory-api-key
	artifactory-reference-token aws-access-token aws-amazon-bedrock-api-key-long-lived cloudflare-origin-ca-key databricks-api-token
	digitalocean-access-token digitalocean-pat doppler-api-token dynatrace-api-token easypost-api-token facebook-page-access-token
	flyio-access-token gcp-api-key github-app-token github-fine-grained-pat github-oauth github-pat github-refresh-token
	gitlab-cicd-job-token gitlab-deploy-token gitlab-feature-flag-client-token gitlab-feed-token gitlab-incoming-mail-token
	gitlab-kubernetes-agent-token gitlab-oauth-app-secret gitlab-pat gitlab-pat-routable gitlab-ptt gitlab-rrt
	gitlab-runner-authentication-token gitlab-runner-authentication-token-routable gitlab-scim-token harness-api-key
	hashicorp-tf-api-token heroku-api-key-v2 huggingface-access-token huggingface-organization-api-token infracost-api-token
	linear-api-key notion-api-token npm-access-token openai-api-key openshift-user-token perplexity-api-key planetscale-api-token
	planetscale-oauth-token planetscale-password postman-api-token prefect-api-token pulumi-api-token pypi-upload-token
	readme-api-token rubygems-api-token sendinblue-api-token sentry-user-token shopify-access-token shopify-custom-access-token
	shopify-private-app-access-token shopify-shared-secret slack-config-refresh-token slack-legacy-bot-token slack-legacy-token
	vault-batch-token`

// forms are forms in which files contain a secret.
var forms = []string{"%s", "KEY=%s\n", "export KEY=\"%s\"\n", `{"key": "%s"}`, "key: %s # of the team\n", "| `%s` | a token |\n", "set('%s');\n", `"a\n%s\n"`}

func detector(t *testing.T) *detect.Detector {
	t.Helper()
	log.Logger = zerolog.Nop()
	d, err := detect.NewDetectorDefaultConfig()
	if err != nil {
		t.Fatal(err)
	}
	d.MaxDecodeDepth = 1
	return d
}

// theirs returns the claimed rules of gitleaks that find something in a file, with the line.
func theirs(d *detect.Detector, name, text string) map[string]int {
	rules := make(map[string]int)
	for _, f := range d.Detect(detect.Fragment{Raw: text, FilePath: name}) {
		if _, ok := claimed[f.RuleID]; ok {
			rules[f.RuleID] = f.StartLine + 1
		}
	}
	return rules
}

// ours returns the findings of publish in a file.
func ours(t *testing.T, name, text string) []pack.Finding {
	t.Helper()
	findings, err := pack.Inspect(t.Context(), []bundle.File{bundle.Bytes(name, []byte(text))}, 0)
	if err != nil {
		t.Fatal(err)
	}
	return findings
}

// The check finds every secret of a claimed kind that gitleaks finds.
func TestTokens(t *testing.T) {
	d := detector(t)
	source := random.New(random.NewPCG(1, 2))
	for _, id := range slices.Sorted(maps.Keys(claimed)) {
		expression := claimed[id]
		rule, ok := d.Config.Rules[id]
		if !ok || rule.Regex == nil {
			t.Errorf("gitleaks has no rule %s", id)
			continue
		}
		if expression == "-" {
			continue
		}
		if expression == "" {
			expression = rule.Regex.String()
		}
		// The first alternative of the text after a token is enough, and each form contains it.
		expression, _, _ = strings.Cut(expression, `(?:[\x60'"\s;]`)
		parsed, err := syntax.Parse(expression, syntax.Perl)
		if err != nil {
			t.Fatalf("%s: %v", id, err)
		}
		found := 0
		for i := range 10 * len(forms) {
			secret := sample(source, parsed)
			text := fmt.Sprintf(forms[i%len(forms)], secret)
			if theirs(d, "docs/a.md", text)[id] == 0 {
				continue
			}
			found++
			if len(ours(t, "docs/a.md", text)) == 0 {
				t.Errorf("%s: gitleaks finds it, the check does not: %q", id, text)
			}
		}
		if found == 0 {
			t.Errorf("%s: gitleaks finds none of the samples", id)
		}
	}
}

func TestKeys(t *testing.T) {
	d := detector(t)
	long, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	short, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	sec1, err := x509.MarshalECPrivateKey(short)
	if err != nil {
		t.Fatal(err)
	}
	pkcs8, err := x509.MarshalPKCS8PrivateKey(long)
	if err != nil {
		t.Fatal(err)
	}
	for kind, der := range map[string][]byte{"RSA PRIVATE KEY": x509.MarshalPKCS1PrivateKey(long), "PRIVATE KEY": pkcs8, "EC PRIVATE KEY": sec1, "OPENSSH PRIVATE KEY": pkcs8, "PGP PRIVATE KEY BLOCK": pkcs8} {
		key := string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}))
		for name, text := range map[string]string{
			"as it is":       key,
			"indented":       "key: |\n    " + strings.ReplaceAll(key, "\n", "\n    "),
			"in JSON":        `{"key": "` + strings.ReplaceAll(key, "\n", `\n`) + `"}`,
			"in a comment":   "# " + strings.ReplaceAll(key, "\n", "\n# "),
			"in a Secret":    "kind: Secret\ndata:\n  tls.key: " + base64.StdEncoding.EncodeToString([]byte(key)) + "\n",
			"in CRLF":        strings.ReplaceAll(key, "\n", "\r\n"),
			"with numbers":   numbered(key),
			"in quoted text": "> " + strings.ReplaceAll(key, "\n", "\n> "),
		} {
			if theirs(d, "a.yaml", text)["private-key"] == 0 {
				t.Logf("%s, %s: gitleaks does not find it", kind, name)
			}
			if got := ours(t, "a.yaml", text); len(got) != 1 {
				t.Errorf("%s, %s: the check finds %v", kind, name, got)
			}
		}
	}
}

func numbered(text string) string {
	var b strings.Builder
	for i, line := range strings.Split(text, "\n") {
		fmt.Fprintf(&b, "%5d\t%s\n", i+1, line)
	}
	return b.String()
}

// In this repository, the check finds everything that gitleaks finds. Additional findings are
// logged: go test -v.
func TestRepository(t *testing.T) {
	const root = "../.."
	out, err := exec.Command("git", "-C", root, "ls-files", "-z").Output()
	if err != nil {
		t.Skip("not a clone:", err)
	}
	d := detector(t)
	read := 0
	for name := range strings.SplitSeq(strings.TrimRight(string(out), "\x00"), "\x00") {
		f, err := os.Open(filepath.Join(root, name))
		if os.IsNotExist(err) {
			continue // deleted, and not committed
		} else if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(io.LimitReader(f, 4<<20))
		f.Close()
		if err != nil {
			continue // a folder behind a link
		}
		read++
		mine := ours(t, name, string(data))
		for rule, line := range theirs(d, name, string(data)) {
			if len(mine) == 0 {
				t.Errorf("%s:%d: gitleaks finds %s, the check does not", name, line, rule)
			}
		}
		for _, f := range mine {
			t.Log(f)
		}
	}
	if read < 100 {
		t.Errorf("only %d files are read", read)
	}
}
