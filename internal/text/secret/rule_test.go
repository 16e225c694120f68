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
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/given"
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

var placeholder = regexp.MustCompile(`\{(hex |upper )?(\d+)\}`)

// expand replaces placeholders such as {36} and {hex 32} by words.
func expand(text string) string {
	return placeholder.ReplaceAllStringFunc(text, func(found string) string {
		parts := placeholder.FindStringSubmatch(found)
		n, _ := strconv.Atoi(parts[2])
		switch parts[1] {
		case "hex ":
			return hexWord(n)
		case "upper ":
			return strings.ToUpper(word(n))
		}
		return word(n)
	})
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
	table := []struct{ text, want string }{
		{long, "holds a private key"},
		{short, "holds a private key"},
		{string(inJSON), "holds a private key"},
		{"key: |\n    " + strings.ReplaceAll(long, "\n", "\n    "), "holds a private key"},
		{"-----BEGIN OPENSSH PRIVATE KEY-----\r\n" + base64.StdEncoding.EncodeToString([]byte(word(60))), "holds a private key"},
		{"-----BEGIN PGP PRIVATE KEY BLOCK-----\nVersion: GnuPG v2\n\n" + word(64), "holds a private key"},
		{"aws_access_key_id=" + aws, "holds an AWS access key (AKIA…)"},
		{"# " + strings.ReplaceAll(long, "\n", "\n# "), "holds a private key"},
		{`"` + strings.ReplaceAll(short, "\n", "\\n\" \\\n\"") + `"`, "holds a private key"},
		{strings.ReplaceAll(short, "\n", `\\n`), "holds a private key"},
		{strings.ReplaceAll(short, "\n", "<br>"), "holds a private key"},
		{"PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none\nComment: me\nPublic-Lines: 1\n" + word(60) + "\nPrivate-Lines: 1\n" + word(48), "holds a private key"},
		{"AGE-SECRET-KEY-1" + "QL3Z7HJY54PW3HYWW5AYYFG7ZQGVC7W3J2ELW8ZMRJ2KG5SFN9AQMCAC8X", "holds a key of age (AGE-SECRET-KEY-1…)"},
		{"[Interface]\nPrivateKey = " + word(42) + "E=\n", "holds a WireGuard key"},
		{`"source": ["TOKEN=ghp_` + word(16) + "\",\n    \"" + word(20) + `\n"]`, "holds a GitHub token (ghp_…)"},
		{`{"p": "-----BEGIN\u0020PRIVATE KEY-----\u000a` + strings.ReplaceAll(strings.TrimPrefix(short, "-----BEGIN PRIVATE KEY-----\n"), "\n", `\u000a`) + `"}`, "holds a private key"},
		{"ghr_aPuDXsVwv4Jx7M" + "YqU6iwBZaldLvLq1aXxXXp", "holds a GitHub token (ghr_…)"}, // contains a placeholder by chance, in mixed case
	}
	for _, c := range given.Cases(t, "secrets.txt") {
		for text := range strings.SplitSeq(c.Text, "\n") {
			table = append(table, struct{ text, want string }{expand(text), c.Name})
		}
	}
	for _, test := range table {
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
	texts := append(strings.Split(given.Cases(t, "no-secrets.txt")[0].Text, "\n"),
		"-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----", "-----BEGIN PUBLIC KEY-----\n"+word(64), "npm_"+strings.Repeat("A1", 18), "ghp_"+strings.Repeat("x", 36), "AKIA"+strings.Repeat("A", 16),
		"aws_secret_access_key = "+strings.Repeat("x", 40), `{"kty":"EC","d":"`+strings.Repeat("x", 43)+`"}`, "dop_v1_"+strings.Repeat("0", 64), "shpat_"+strings.Repeat("x", 32))
	for _, text := range texts {
		text = expand(text)
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
