package secret

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"math/big"
	"path"
	"strings"
	"testing"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

// word returns n characters that look random and are always the same, so that this file contains no
// secret.
func word(n int) string {
	const letters = "7Kq2ZwB9xMfT4vLpR8sGdYh3NcJ6eWuAQ5tXrHbVmPkCzDyFgSaEnUj"
	var b strings.Builder
	for i := range n {
		b.WriteByte(letters[(i*i*31+i*17)%len(letters)])
	}
	return b.String()
}

// hexWord is word with hexadecimal digits.
func hexWord(n int) string {
	sum := sha256.Sum256([]byte(word(n)))
	return hex.EncodeToString(sum[:])[:n]
}

// scanned returns the secrets in a text as "LINE: WHAT".
func scanned(t *testing.T, text string) (lines []string) {
	t.Helper()
	found := must.Get(Scan(t.Context(), strings.NewReader(text)))(t)
	for _, f := range found {
		lines = append(lines, fmt.Sprintf("%d: %s", f.Line, f.What))
	}
	return lines
}

func privateKeys(t *testing.T) (long, short string) {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	must.Do(t, err)
	long = string(pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)}))
	_, small, err := ed25519.GenerateKey(rand.Reader)
	must.Do(t, err)
	der := must.Get(x509.MarshalPKCS8PrivateKey(small))(t)
	return long, string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}))
}

func TestSecrets(t *testing.T) {
	long, short := privateKeys(t)
	inJSON := must.Get(json.Marshal(map[string]string{"private_key": short}))(t)
	aws := "AKIA" + strings.ToUpper(strings.NewReplacer("0", "A", "1", "B", "8", "C", "9", "D").Replace(word(16)))
	for _, test := range []struct{ text, want string }{
		{long, "holds a private key"},
		{short, "holds a private key"},
		{string(inJSON), "holds a private key"},
		{"key: |\n    " + strings.ReplaceAll(long, "\n", "\n    "), "holds a private key"},
		{"-----BEGIN OPENSSH PRIVATE KEY-----\r\n" + base64.StdEncoding.EncodeToString([]byte(word(60))), "holds a private key"},
		{"-----BEGIN PGP PRIVATE KEY BLOCK-----\nVersion: GnuPG v2\n\n" + word(64), "holds a private key"},
		{"token: npm_" + word(36), "holds an npm token (npm_…)"},
		{"//registry.example.org/:_authToken=" + word(36), "holds a password of an npm registry"},
		{"//npm.acme.io/x/:_password = \"" + word(20) + "==\"", "holds a password of an npm registry"},
		{"`ghp_" + word(36) + "`", "holds a GitHub token (ghp_…)"},
		{"gho_" + word(36), "holds a GitHub token (gho_…)"},
		{"github_pat_" + word(22) + "_" + word(59), "holds a GitHub token (github_pat_…)"},
		{"https://oauth2:glpat-" + word(20) + "@gitlab.com/a", "holds a password in a URL"},
		{"oauth2:glpat-" + word(20) + "@gitlab.com/a", "holds a GitLab token (glpat…)"},
		{"DATABASE_URL=postgres://app:" + word(12) + "@db.acme.io:5432/app", "holds a password in a URL"},
		{"redis://:" + word(9) + "%21@10.1.2.3/0", "holds a password in a URL"},
		{"DefaultEndpointsProtocol=https;AccountName=acme;AccountKey=" + word(84) + "+/==;EndpointSuffix=core.windows.net", "holds an Azure access key"},
		{"Endpoint=sb://acme.servicebus.windows.net/;SharedAccessKeyName=x;SharedAccessKey=" + word(43) + "=", "holds an Azure access key"},
		{"token: dop_v1_" + hexWord(64), "holds a DigitalOcean token (dop_v1_…)"},
		{"SENDGRID=SG." + word(22) + "." + word(43), "holds a SendGrid API key (SG.…)"},
		{"X-Shopify-Access-Token: shpat_" + hexWord(32), "holds a Shopify token (shpat_…)"},
		{"aws_access_key_id=" + aws, "holds an AWS access key (AKIA…)"},
		{"?key=AIza" + word(35) + "&x", "holds a Google API key (AIza…)"},
		{"xoxb-" + "583729104628-" + word(24), "holds a Slack token (xoxb-…)"},
		{"sk-ant-api03-" + word(93) + "AA", "holds an Anthropic API key (sk-ant-…)"},
		{"OPENAI=sk-proj-" + word(120), "holds an OpenAI API key (sk-proj-…)"},
		{"sk-" + word(48), "holds an API key (sk-…)"},
		{"rk_live_" + word(24), "holds a Stripe key (rk_live_…)"},
		{"pypi-AgEI" + word(80), "holds a PyPI token (pypi-AgEI…)"},
		{"hf_" + word(34), "holds a Hugging Face token (hf_…)"},
		{`{"a":"token:\nghp_` + word(36) + `"}`, "holds a GitHub token (ghp_…)"},
		{"?a%3Dghp_" + word(36) + "_", "holds a GitHub token (ghp_…)"},
		{"TOKEN_ghp_" + word(36), "holds a GitHub token (ghp_…)"},
		{"# " + strings.ReplaceAll(long, "\n", "\n# "), "holds a private key"},
		{`"` + strings.ReplaceAll(short, "\n", "\\n\" \\\n\"") + `"`, "holds a private key"},
		{strings.ReplaceAll(short, "\n", `\\n`), "holds a private key"},
		{strings.ReplaceAll(short, "\n", "<br>"), "holds a private key"},
		{"PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none\nComment: me\nPublic-Lines: 1\n" + word(60) + "\nPrivate-Lines: 1\n" + word(48), "holds a private key"},
		{"_auth=" + word(20) + "==", "holds a password of an npm registry"},
		{"//h/:_authToken: 0f8e2c1a-7b3d-4e5f-9a6b-1c2d3e4f5a6b", "holds a password of an npm registry"},
		{"glrt-" + word(20), "holds a GitLab token (glrt-…)"},
		{"whsec_" + word(32), "holds a Stripe secret (whsec_…)"},
		{"Bearer ya29." + word(120), "holds a Google access token (ya29.…)"},
		{"VAULT_TOKEN=hvs." + word(95), "holds a HashiCorp Vault token (hvs.…)"},
		{"docker login -p dckr_pat_" + word(27), "holds a Docker token (dckr_pat_…)"},
		{"pul-" + hexWord(40), "holds a Pulumi token (pul-…)"},
		{"glsa_" + word(32) + "_" + hexWord(8), "holds a Grafana token (glsa_…)"},
		{"ATATT3" + word(186), "holds an Atlassian token (ATATT3…)"},
		{"AGE-SECRET-KEY-1" + "QL3Z7HJY54PW3HYWW5AYYFG7ZQGVC7W3J2ELW8ZMRJ2KG5SFN9AQMCAC8X", "holds a key of age (AGE-SECRET-KEY-1…)"},
		{"https://discord.com/api/webhooks/1094820384729384729/" + word(68), "holds a Discord webhook"},
		{"curl https://api.telegram.org/bot583729104:AA" + word(33) + "/getMe", "holds a Telegram token"},
		{"BOT=583729104:AA" + word(33), "holds a Telegram token"},
		{"TF_TOKEN=" + word(14) + ".atlasv1." + word(64), "holds a Terraform token"},
		{"dapi" + hexWord(32), "holds a Databricks token (dapi…)"},
		{"dp.pt." + word(43), "holds a Doppler token (dp.pt.…)"},
		{"xai-" + word(80), "holds an xAI API key (xai-…)"},
		{"gsk_" + word(52), "holds a Groq API key (gsk_…)"},
		{"secret_" + word(43), "holds a Notion token (secret_…)"},
		{"PMAK-" + hexWord(24) + "-" + hexWord(34), "holds a Postman API key (PMAK-…)"},
		{"tskey-auth-" + word(13) + "-" + word(32), "holds a Tailscale key (tskey-…)"},
		{"curl --user 'api:key-" + hexWord(32) + "' ", "holds a Mailgun key (api:key-…)"},
		{"pat" + word(14) + "." + hexWord(64), "holds an Airtable token (pat…)"},
		{"nfp_" + word(36), "holds a Netlify token (nfp_…)"},
		{"EAAA" + word(60), "holds a Square token (EAAA…)"},
		{"r8_" + word(37), "holds a Replicate token (r8_…)"},
		{"cio" + word(32), "holds a crates.io token (cio…)"},
		{"rubygems_" + hexWord(48), "holds a RubyGems key (rubygems_…)"},
		{"HRKU-AA" + word(58), "holds a Heroku key (HRKU-AA…)"},
		{"[Interface]\nPrivateKey = " + word(42) + "E=\n", "holds a WireGuard key"},
		{`{"kty":"OKP","crv":"Ed25519","x":"` + word(43) + `","d":"` + word(40) + `abc"}`, "holds a private key (JWK)"},
		{`{"d": "` + word(86) + `", "kty": "EC"}`, "holds a private key (JWK)"},
		{"postgres://app:Xq9L@mPqR27zz@db.acme.io/x", "holds a password in a URL"},
		{"postgres://app:Xq9LmPqR27zz@db.acme.io/x?to=me@example.com", "holds a password in a URL"},
		{`ghp\_` + word(36), "holds a GitHub token (ghp_…)"},
		{`{"a": "x\u0020ghp\u005f` + word(18) + `\u0041` + word(17) + `"}`, "holds a GitHub token (ghp_…)"},
		{"ghp&#95;" + word(36), "holds a GitHub token (ghp_…)"},
		{`"source": ["TOKEN=ghp_` + word(16) + "\",\n    \"" + word(20) + `\n"]`, "holds a GitHub token (ghp_…)"},
		{`{"p": "-----BEGIN\u0020PRIVATE KEY-----\u000a` + strings.ReplaceAll(strings.TrimPrefix(short, "-----BEGIN PRIVATE KEY-----\n"), "\n", `\u000a`) + `"}`, "holds a private key"},
		{`{"s": "postgres:\/\/app:Xq9Lm\u002dPqR27\u0040zz@db.acme.io\/x"}`, "holds a password in a URL"},
		{"https://acme.blob.core.windows.net/b?sv=2024-11-04&se=2030-01-01&sig=" + word(43) + "%3D", "holds an Azure signature"},
		{"postgres://app:changeme123@db.acme.io/x", "holds a password in a URL"},
		{`{"url": "postgres:\/\/app:Xq9LmPqR27zz@db.acme.io\/x"}`, "holds a password in a URL"},
		{"amqp://app:S3cr3tPassw0rd99@10.0.0.4", "holds a password in a URL"},
		{"mysql://app:passTheDutchie7@db.acme.io/x", "holds a password in a URL"},
		{"https://hooks.slack.com/services/T" + strings.ToUpper(word(9)) + "/B" + strings.ToUpper(word(9)) + "/" + word(24), "holds a Slack webhook"},
		{`{"url": "https:\/\/hooks.slack.com\/services\/T` + strings.ToUpper(word(9)) + `\/B` + strings.ToUpper(word(9)) + `\/` + word(24) + `"}`, "holds a Slack webhook"},
		{"ghr_aPuDXsVwv4Jx7M" + "YqU6iwBZaldLvLq1aXxXXp", "holds a GitHub token (ghr_…)"}, // contains a placeholder by chance, in mixed case
		{"aws_secret_access_key = " + word(40), "holds an AWS secret access key"},
		{"export AWS_SECRET_ACCESS_KEY=\"" + word(38) + "/+\"", "holds an AWS secret access key"},
		{`{"SecretAccessKey": "` + word(40) + `"}`, "holds an AWS secret access key"},
		{"secretAccessKey: '" + word(40) + "',", "holds an AWS secret access key"},
		{"<SecretAccessKey>" + word(40) + "</SecretAccessKey>", "holds an AWS secret access key"},
	} {
		got := scanned(t, "# Title\n\n"+test.text+"\n")
		line := "3"
		if strings.HasPrefix(test.text, "key: |") || strings.HasPrefix(test.text, "[Interface]") {
			line = "4"
		}
		must.Equal(t, []string{line + ": " + test.want}, got, test.text)
		for _, finding := range got {
			if strings.Contains(finding, word(20)) {
				t.Errorf("%q shows the secret", finding)
			}
		}
	}
}

// certified returns a key and its certificate for names, signed by itself or by another key.
func certified(t *testing.T, signer ed25519.PrivateKey, names ...string) (key, certificate string) {
	t.Helper()
	public, private, err := ed25519.GenerateKey(rand.Reader)
	must.Do(t, err)
	if signer == nil {
		signer = private
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), DNSNames: names, NotAfter: time.Now().Add(time.Hour)}
	der := must.Get(x509.CreateCertificate(rand.Reader, template, template, public, signer))(t)
	inDER := must.Get(x509.MarshalPKCS8PrivateKey(private))(t)
	return string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: inDER})), string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
}

// A key is an example if its own certificate, for names of examples, is in the same text. Each other key is a secret.
func TestExampleKeys(t *testing.T) {
	_, other, err := ed25519.GenerateKey(rand.Reader)
	must.Do(t, err)
	key, certificate := certified(t, nil, "whoami.localhost", "www.example.org")
	_, short := privateKeys(t)
	signedKey, signed := certified(t, other, "localhost")
	publicKey, public := certified(t, nil, "localhost", "db.acme.io")
	_, unrelated := certified(t, nil, "localhost")
	base := func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }
	for _, test := range []struct {
		name, text string
		secret     bool
	}{
		{"both", certificate + "\n```\n" + key, false},
		{"key first, indented", "  a: |\n    " + strings.ReplaceAll(key+certificate, "\n", "\n    "), false},
		{"in base64", "tls.crt: " + base(certificate) + "\ntls.key: " + base(key) + "\n", false},
		{"no certificate", key, true},
		{"signed by another key", signedKey + signed, true},
		{"a public name", publicKey + public, true},
		{"another certificate", key + unrelated, true},
		{"another key too", certificate + key + short, true},
		{"another key around it", certificate + strings.ReplaceAll(short, "\n", "\\n") + key, true},
		{"another key without its end", certificate + strings.Split(short, "-----END")[0] + key, true},
		{"another key in base64", base(certificate) + "\n" + base(strings.ReplaceAll(short, "\n", "\\n")+key), true},
	} {
		if got := scanned(t, test.text); len(got) > 0 != test.secret {
			t.Errorf("%s: %q", test.name, got)
		}
	}
}

func TestNoSecrets(t *testing.T) {
	for _, text := range []string{
		"-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----", "-----BEGIN PUBLIC KEY-----\n" + word(64), "-----BEGIN PRIVATE KEY----- goes first, then " + word(39),
		"npm_config_registry", "npm_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", "npm_" + strings.Repeat("A1", 18), "npm_" + word(35), "npm_" + word(37), "xnpm_" + word(36),
		"//registry.npmjs.org/:_authToken=${NPM_TOKEN}", "//registry.npmjs.org/:_authToken=<your token>", "//registry.npmjs.org/:_authToken=YOUR_TOKEN_GOES_HERE", "  _password = settings.DATABASE_PASSWORD_NAME",
		"ghp_" + strings.Repeat("x", 36), "ghp_abcdefghijklmnopqrstuvwxyz0123456789", "AKIAIOSFODNN7EXAMPLE", "AKIA" + strings.Repeat("A", 16), "xoxb-your-token", "xoxb-123456789012-123456789012-" + word(24),
		"sk-spinner-double-bounce-container-of-the-page", "task-" + word(40), "sk-1234567890" + word(30), "integrity sha512-" + word(86) + "==", "glpat-short", word(1000),
		"aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "AWS_SECRET_ACCESS_KEY=${{ secrets.AWS_SECRET_ACCESS_KEY }}", "aws_secret_access_key = " + strings.Repeat("x", 40), "secret_access_key: " + word(41), "secret_access_key: " + word(39),
		"https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX", "https://hooks.slack.com/services/YOUR/WEBHOOK/URL", "see https://hooks.slack.com/services for more",
		"the private key is in the file PRIVATE KEY",
		"postgres://user:password@db.acme.io/x", "postgres://user:mysecretpassword1@db.acme.io", "https://me:" + word(12) + "@example.com/", "https://me:" + word(12) + "@localhost:5432/", "https://me:${PASSWORD_1}@db.acme.io", "https://user:abcdefghijk@acme.io", "http://a.io:8080/x@y", "see ://x:" + word(12) + "@h",
		"cion" + word(32), "the-pat" + word(14) + "." + word(30), `{"d": "` + word(43) + `"}`, `{"kty":"EC","d":"` + strings.Repeat("x", 43) + `"}`, "cache-key-" + hexWord(32), `["ghp_", "` + word(20) + `"]`, `C:\ghp\_` + word(30),
		"PrivateKey = <your private key>", "https://me:secret@x.io, write to a1b2c3d4@acme.io",
		"AccountKey=Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==", "AccountKey=<the key>", "dop_v1_" + strings.Repeat("0", 64), "SG.short." + word(43), "shpat_" + strings.Repeat("x", 32),
	} {
		if got := scanned(t, text); len(got) > 0 {
			t.Errorf("%.60q: %q", text, got)
		}
	}
}

func TestFilesOfVariables(t *testing.T) {
	for name, want := range map[string]bool{".env": true, "a/.env.local": true, "a/.ENV": true, "a/.env.example": false, "env": false, "a.env.md": false, ".envrc": true, "prod.env": true, ".npmrc": true, "npmrc.md": false,
		"npmrc": true, "netrc": true, "_netrc": true, "x/htpasswd": true, ".htpasswd": true, "site.htpasswd": true, "pypirc": true, "npmrc.example": false, "htpasswd.md": false,
		"credentials": true, "x/Credentials": true, "credentials.csv": true, "credentials.md": false, "credentials/a.md": false, "kubeconfig": true, "kubeconfig.yaml": true, "prod.kubeconfig": true, "kubeconfig.md": false,
		"env.production": true, "env.production.local": true, "env.local": true, "env.md": false, "env.test.js": false, "env.example": false, "env.d.ts": false} {
		if got := OfName(path.Base(name)); (got != "") != want {
			t.Errorf("%s: %q", name, got)
		}
	}
}
