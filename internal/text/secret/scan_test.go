package secret

import (
	"bytes"
	"encoding/base64"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"
)

// The finder finds the same marks as a search for each mark, however the data is divided into parts.
func TestFinder(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	text := func(n int) []byte {
		b := make([]byte, n)
		for i := range b {
			b[i] = "abAB\x00-"[random.IntN(6)]
		}
		return b
	}
	total := 0
	for range 500 {
		var marks [][]byte
		for range 1 + random.IntN(6) {
			marks = append(marks, text(3+random.IntN(3)))
		}
		data := text(100)
		var want, got [][2]int
		for i, mark := range marks {
			for offset := range len(data) - len(mark) + 1 {
				if bytes.EqualFold(data[offset:offset+len(mark)], mark) {
					want = append(want, [2]int{i, offset})
				}
			}
		}
		f := newFinder(marks)
		for from := 0; from < len(data); {
			end := min(len(data), from+1+random.IntN(20))
			f.run(data, from, end, func(mark, offset int) { got = append(got, [2]int{mark, offset}) })
			from = end
		}
		for _, hits := range [][][2]int{want, got} {
			slices.SortFunc(hits, func(a, b [2]int) int { return slices.Compare(a[:], b[:]) })
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("%q in %q: -want +got:\n%s", marks, data, diff)
		}
		total += len(want)
	}
	if total < 500 {
		t.Errorf("only %d marks were there to find", total)
	}
	if n := len(loadRules().marks); n > 255 {
		t.Errorf("%d marks are more than a finder holds", n)
	}
	for _, m := range loadRules().marks {
		if len(m.text) < 3 || max(m.rule.before, m.rule.after) > reach {
			t.Errorf("%q cannot be found, or its rule wants more than is held", m.text)
		}
	}
}

// A secret is found even if it is divided between the parts in which a file is read.
func TestSecretAcrossParts(t *testing.T) {
	long, _ := privateKeys(t)
	lines := bytes.Repeat([]byte("text of a line\n"), (2*chunk+4*reach)/15)
	for _, secret := range []string{"npm_" + word(36), long} {
		for _, border := range []int{chunk, chunk + reach, chunk + 2*reach, 2 * chunk, 2*chunk + 2*reach} {
			for _, before := range []int{-1, 0, 1, 4, len(secret) / 2, len(secret) - 1, len(secret), len(secret) + 1} {
				data := bytes.Clone(lines)
				copy(data[border-before:], "\n"+secret+"\n")
				want := 2 + bytes.Count(data[:border-before], []byte("\n"))
				for _, r := range []io.Reader{bytes.NewReader(data), iotest.HalfReader(bytes.NewReader(data))} {
					got, err := Scan(t.Context(), r)
					if err != nil || len(got) != 1 || got[0].Line != want {
						t.Fatalf("%.20q, %d before %d: %v, %v, want line %d", secret, before, border, got, err, want)
					}
				}
			}
		}
	}
}

func encoded(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) }

// wrapped returns a text in parts of n bytes with a separator between them.
func wrapped(text string, n int, separator string) string {
	var parts []string
	for part := range slices.Chunk([]byte(text), n) {
		parts = append(parts, string(part))
	}
	return strings.Join(parts, separator)
}

// A block that looks like a key becomes one line, other secrets a note in their line, and all lines keep their numbers.
func TestMask(t *testing.T) {
	long, short := privateKeys(t)
	pgp := "-----BEGIN PGP " + "PRIVATE KEY BLOCK-----\n\n" + word(64) + "\n-----END PGP PRIVATE KEY BLOCK-----"
	token := "npm_" + word(36)
	for name, text := range map[string]string{
		"a block":         "# A\n\n```pem\n" + long + "```\n\nafter\n",
		"indented":        "1. x\n\n       " + strings.ReplaceAll(short, "\n", "\r\n       ") + "\nafter\n",
		"quoted":          "> " + strings.ReplaceAll(long, "\n", "\n> ") + "\nafter\n",
		"in a string":     "key = `" + strings.TrimSpace(short) + "`\nafter\n",
		"OpenPGP":         "```\n" + pgp + "\n```\nafter\n",
		"several":         strings.Repeat(short+"and\n", 20) + "after\n",
		"a token":         "Set `NPM_TOKEN=" + token + "` there.\nafter\n",
		"a password":      "postgres://app:" + word(12) + "@db.acme.io/x\nafter\n",
		"many in a line":  strings.Repeat(token+" ", 30) + "\nafter\n",
		"a webhook":       "https://hooks.slack.com/services/T" + strings.ToUpper(word(9)) + "/B" + strings.ToUpper(word(9)) + "/" + word(24) + "\nafter\n",
		"a value below":   "_authToken:\n  " + word(36) + "\nafter\n",
		"two of a line":   "a " + token + " b ghp_" + word(36) + " c\nafter\n",
		"an escape":       `{"key": "npm\u005f` + word(36) + `", "after": 1}` + "\n",
		"in Markdown":     `Set npm\_` + word(36) + " and `x\\y`\nafter\n",
		"in two strings":  "\"source\": [\"npm_" + word(16) + "\",\n  \"" + word(36)[16:] + "\\n\",\n \"after\"]\n",
		"a JWK":           `{"kty": "OKP", "d": "` + word(43) + `", "x": "after"}`,
		"at the very end": "after\n" + strings.TrimSpace(long),
		"in base64":       "  tls.key: " + encoded(short) + "\n  tls.crt: " + hexWord(60) + "\nafter\n",
		"in a value":      `{"key": "` + encoded(long) + `", "next": "` + hexWord(60) + "\"}\nafter\n",
		"in lines":        "key: |\n  " + wrapped(encoded(long), 76, "\n  ") + "\nafter: x\n",
		"without padding": "key: >\n  " + wrapped(strings.TrimRight(encoded(long), "="), 64, "\r\n  ") + "\nafter the key\n",
	} {
		masked, found, ok := Mask([]byte(text))
		switch {
		case !ok || len(found) == 0:
			t.Errorf("%s: %v", name, found)
		case strings.Count(text, "\n") != bytes.Count(masked, []byte("\n")), !bytes.Contains(masked, []byte("after")), !bytes.Contains(masked, []byte("[removed: looks like a")):
			t.Errorf("%s: %s", name, masked)
		}
		for _, part := range []string{long[40:60], short[40:60], word(12), word(36)[16:], encoded(short)[40:60], encoded(long)[40:60], encoded(long)[1200:1220]} {
			if bytes.Contains(masked, []byte(part)) {
				t.Errorf("%s: %q remains", name, part)
			}
		}
	}
	// What cannot be replaced with certainty is not served.
	for name, text := range map[string]string{
		"no end":      strings.Join(strings.SplitAfter(long, "\n")[:10], "") + "\nmore text\n",
		"another end": strings.Replace(long, "END RSA", "END EC", 1),
		"two begin":   strings.Join(strings.SplitAfter(long, "\n")[:10], "") + long,
		"escaped":     `{"key": "` + strings.ReplaceAll(short, "\n", `\n`) + `"}`,
		"one line":    strings.ReplaceAll(short, "\n", "<br>"),
		"in a quote":  "> " + wrapped(encoded(long), 76, "\n> "),
		"in escapes":  "key = '" + wrapped(encoded(short), 40, `\n`) + "'",
		"PuTTY":       "PuTTY-User-Key-File-3: ssh-ed25519\nPublic-Lines: 1\n" + word(60) + "\nPrivate-Lines: 2\n" + word(48) + "\n" + word(48),
	} {
		if masked, found, ok := Mask([]byte("# A\n\n" + text)); ok {
			t.Errorf("%s: %v\n%s", name, found, masked)
		}
	}
	list := "\"source\": [\"npm_" + word(16) + "\",\n  \"" + word(36)[16:] + "\\n\",\n \"x\"]\n"
	if masked, _, ok := Mask([]byte(list)); !ok || string(masked) != "\"source\": [\"[removed: looks like an npm token (npm_…)]\",\n  \"\\n\",\n \"x\"]\n" {
		t.Errorf("a list: %s", masked)
	}
	wide := []byte{0xff, 0xfe}
	for _, unit := range utf16.Encode([]rune("Ä " + token + "\n")) {
		wide = append(wide, byte(unit), byte(unit>>8))
	}
	if masked, _, ok := Mask(wide); !ok || string(masked) != "Ä [removed: looks like an npm token (npm_…)]\n" {
		t.Errorf("UTF-16: %q", masked)
	}
	if text := []byte("# A\n-----BEGIN " + "PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----\n"); true {
		if masked, found, ok := Mask(text); !ok || found != nil || !bytes.Equal(masked, text) {
			t.Errorf("a placeholder: %v\n%s", found, masked)
		}
	}
}

// No text that Mask returns has a secret, whatever surrounds it.
func FuzzMask(f *testing.F) {
	key := "-----BEGIN RSA " + "PRIVATE KEY-----\n" + word(64) + "\n" + word(48) + "\n-----END RSA PRIVATE KEY-----"
	f.Add("a\n", key, "\nb")
	f.Add(key, "npm_"+word(36), key[:60])
	f.Fuzz(func(t *testing.T, a, b, c string) {
		text := a + b + c
		masked, _, ok := Mask([]byte(text))
		if found := find(masked); ok && len(found) > 0 {
			t.Errorf("%q becomes %q, which %v", text, masked, found)
		}
		if ok && !strings.HasPrefix(text, "\xff\xfe") && !strings.HasPrefix(text, "\xfe\xff") && strings.Count(text, "\n") != bytes.Count(masked, []byte("\n")) {
			t.Errorf("%q and %q have different lines", text, masked)
		}
	})
}
