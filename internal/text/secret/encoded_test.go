package secret

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

// derKeys are private keys in every binary form.
func derKeys(t *testing.T) map[string][]byte {
	t.Helper()
	keys := make(map[string][]byte)
	for _, bits := range []int{1024, 2048} {
		key := must.Get(rsa.GenerateKey(rand.Reader, bits))(t)
		keys[fmt.Sprintf("PKCS#1 RSA %d", bits)] = x509.MarshalPKCS1PrivateKey(key)
		keys[fmt.Sprintf("PKCS#8 RSA %d", bits)] = must.Get(x509.MarshalPKCS8PrivateKey(key))(t)
	}
	for _, curve := range []elliptic.Curve{elliptic.P256(), elliptic.P384(), elliptic.P521()} {
		key := must.Get(ecdsa.GenerateKey(curve, rand.Reader))(t)
		keys["RFC 5915 "+curve.Params().Name] = must.Get(x509.MarshalECPrivateKey(key))(t)
		keys["PKCS#8 "+curve.Params().Name] = must.Get(x509.MarshalPKCS8PrivateKey(key))(t)
	}
	_, key, err := ed25519.GenerateKey(rand.Reader)
	must.Do(t, err)
	keys["PKCS#8 Ed25519"] = must.Get(x509.MarshalPKCS8PrivateKey(crypto.PrivateKey(key)))(t)
	return keys
}

// encryptedKey returns a PKCS#8 key that is encrypted with PBES2 (RFC 8018).
func encryptedKey(t *testing.T) []byte {
	t.Helper()
	der := must.Get(asn1.Marshal(struct {
		Algorithm pkix.AlgorithmIdentifier
		Key       []byte
	}{pkix.AlgorithmIdentifier{Algorithm: asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 5, 13}, Parameters: asn1.NullRawValue}, []byte(word(96))}))(t)
	return der
}

// keyStores begin like PKCS#12 stores, with definite and indefinite lengths.
func keyStores() map[string][]byte {
	contents := "\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x07\x01\xa0\x82\x05\x00"
	return map[string][]byte{
		"PKCS#12":                 []byte("\x30\x82\x09\x00\x02\x01\x03\x30\x82\x08\xf0" + contents + word(200)),
		"PKCS#12, large":          []byte("\x30\x83\x01\x09\x00\x02\x01\x03\x30\x83\x01\x08\xf0" + contents + word(200)),
		"PKCS#12, without length": []byte("\x30\x80\x02\x01\x03\x30\x80" + contents + word(200)),
	}
}

func TestBinaryKeys(t *testing.T) {
	forms := derKeys(t)
	forms["encrypted"] = encryptedKey(t)
	for name, store := range keyStores() {
		forms[name] = store
	}
	noise := make([]byte, 300<<10)
	_, _ = rand.Read(noise)
	for name, der := range forms {
		want := "holds a private key"
		if strings.HasPrefix(name, "PKCS#12") {
			want = "holds a PKCS#12 key store"
		} else if name == "encrypted" {
			want = "holds a private key, encrypted"
		}
		if got := scanned(t, string(der)+string(noise)); len(got) != 1 || got[0] != "1: "+want {
			t.Errorf("%s: %q", name, got)
		}
		if name == "encrypted" {
			continue // it has no fixed beginning in base64
		}
		encoded := base64.StdEncoding.EncodeToString(der)
		for _, text := range []string{encoded, "key: " + encoded + "\n", "  keystore.p12: |\n    " + strings.Join(lines(encoded, 76), "\n    ")} {
			if got := scanned(t, text); len(got) != 1 || !strings.HasSuffix(got[0], want+", in base64") {
				t.Errorf("%s in base64, %.30q: %q", name, text, got)
			}
		}
	}
	for name, data := range map[string]string{
		"noise":         string(noise),
		"a certificate": "MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA" + word(300),
		"a number":      "\x30\x10\x02\x01\x00\x02\x81\x01\x05\x02\x01\x03",
		"a sequence":    "\x30\x0a\x02\x01\x00\x30\x05\x06\x03\x2b\x65\x70",
		"zeros":         strings.Repeat("\x00", 1000),
		"a header":      "\x30\x83",
	} {
		if got := scanned(t, data); len(got) > 0 {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// lines cuts a text into lines of a width.
func lines(text string, width int) (cut []string) {
	for ; len(text) > width; text = text[width:] {
		cut = append(cut, text[:width])
	}
	return append(cut, text)
}

// A PEM key is found in every form in which people store it.
func TestKeysInText(t *testing.T) {
	long, short := privateKeys(t)
	sec1 := string(pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: derKeys(t)["RFC 5915 P-256"]}))
	for _, key := range []string{long, short, sec1} {
		numbered := func(format string) string {
			var b strings.Builder
			for i, line := range strings.Split(strings.TrimSpace(key), "\n") {
				fmt.Fprintf(&b, format, i+98, line)
			}
			return b.String()
		}
		little, big := []byte("\xff\xfe"), []byte("\xfe\xff")
		for _, unit := range utf16.Encode([]rune("a — é\n" + key)) {
			little, big = append(little, byte(unit), byte(unit>>8)), append(big, byte(unit>>8), byte(unit))
		}
		encoded := base64.StdEncoding.EncodeToString([]byte(key))
		texts := map[string]string{
			"cat -n": numbered("%6d\t%s\n"), "grep -n": numbered("%d:%s\n"), "a listing": numbered("%d | %s\n"), "numbers with dots": numbered("%d. %s\n"),
			"UTF-16, little": string(little), "UTF-16, big": string(big),
			"a Secret of Kubernetes": "kind: Secret\ndata:\n  tls.key: " + encoded + "\n",
			"lines of base64":        "data: |\n  " + strings.Join(lines(encoded, 64), "\n  ") + "\n",
			"a string of base64":     `{"key": "` + strings.Join(lines(encoded, 76), `\n`) + `"}`,
		}
		for name, text := range texts {
			if got := scanned(t, text); len(got) != 1 || !strings.Contains(got[0], "holds a private key") {
				t.Errorf("%s: %q\n%s", name, got, key[:40])
			}
		}
	}
	for _, text := range []string{
		base64.StdEncoding.EncodeToString([]byte("-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----\n")),
		base64.StdEncoding.EncodeToString([]byte("how to keep a PRIVATE KEY, in many words and without one of them being here")),
		base64.StdEncoding.EncodeToString([]byte("-----BEGIN CERTIFICATE-----\n" + word(600))),
	} {
		if got := scanned(t, text); len(got) > 0 {
			t.Errorf("%.40q: %q", text, got)
		}
	}
}
