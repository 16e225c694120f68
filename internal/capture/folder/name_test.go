package folder

import (
	"fmt"
	"math/rand/v2"
	"net/url"
	"os"
	"path"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/crawl"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/walk"
)

func canonical(t testing.TB, s string) *url.URL {
	t.Helper()
	u, err := url.Parse(s)
	must.Do(t, err)
	if u, err = crawl.Normalize(u); err != nil {
		t.Fatal(err)
	}
	return u
}

func TestNames(t *testing.T) {
	for s, want := range map[string]string{
		"https://example.com/":                    "example.com/index.md",
		"https://example.com/guide/start":         "example.com/guide/start.md",
		"https://example.com/guide/":              "example.com/guide/index.md",
		"https://example.com/page.html":           "example.com/page.html.md",
		"https://example.com/v1.2/a_b-c":          "example.com/v1.2/a_b-c.md",
		"https://example.com/文档/开始":               "example.com/文档/开始.md",
		"http://example.com/a":                    "example.com_80/a.md",
		"http://localhost:8080/":                  "localhost_8080/index.md",
		"https://example.com:8443/":               "example.com_https_8443/index.md",
		"http://127.0.0.1:3000/a":                 "127.0.0.1_3000/a.md",
		"https://example.com/a?b=C":               "example.com/a_b_c--*.md",
		"https://example.com/A":                   "example.com/a--*.md",
		"https://example.com/A/b":                 "example.com/a/b--*.md",
		"https://example.com/index":               "example.com/index--*.md",
		"https://example.com/.git/x":              "example.com/_git/x--*.md",
		"https://example.com/node_modules/x":      "example.com/_node_modules/x--*.md",
		"https://example.com/a.swp/x":             "example.com/_a_swp/x--*.md",
		"https://example.com/a~":                  "example.com/a_--*.md",
		"https://example.com/con":                 "example.com/_con--*.md",
		"https://example.com/nul.txt/x":           "example.com/_nul.txt/x--*.md",
		"https://example.com/a.md/b":              "example.com/a_md_/b--*.md",
		"https://example.com/logo.png/b":          "example.com/logo_png_/b--*.md",
		"https://example.com/caf%C3%A9":           "example.com/café--*.md",
		"https://example.com/a%2Fb":               "example.com/a_b--*.md",
		"https://example.com/a%20b":               "example.com/a_b--*.md",
		"https://example.com/%FF":                 "example.com/_ff--*.md",
		"https://example.com/a//b":                "example.com/a/b--*.md",
		"https://example.com/...":                 "example.com/_--*.md",
		"https://example.com/a%00b":               "example.com/a_b--*.md",
		"https://[::1]:8443/":                     "__1_https_8443/index--*.md",
		"https://a_b.example/":                    "a_b.example/index--*.md",
		"https://example.com./":                   "_example.com/index--*.md",
		"https://nul.example/":                    "_nul.example/index--*.md",
		"https://example.com/x--aaaaaaaaaaaaaaaa": "example.com/x--aaaaaaaaaaaaaaaa--*.md",
	} {
		got := PageName(canonical(t, s))
		if ok, err := path.Match(strings.ReplaceAll(want, "*", strings.Repeat("?", 16)), got); err != nil || !ok {
			t.Errorf("%s: %s, want %s", s, got, want)
		}
	}
	for s, want := range map[[2]string]string{
		{"https://example.com/logo.png", "image/png"}:     "example.com/logo.png",
		{"https://example.com/logo", "image/png"}:         "example.com/logo--*.png",
		{"https://example.com/logo.png", "image/gif"}:     "example.com/logo.png--*.gif",
		{"https://example.com/logo.png?v=2", "image/png"}: "example.com/logo.png_v_2--*.png",
		{"https://example.com/.png", "image/png"}:         "example.com/_png--*.png",
	} {
		got := assetName(canonical(t, s[0]), s[1])
		if ok, err := path.Match(strings.ReplaceAll(want, "*", strings.Repeat("?", 16)), got); err != nil || !ok {
			t.Errorf("%s: %s, want %s", s, got, want)
		}
	}
}

// TestDocumentedNames checks the examples in the documentation.
func TestDocumentedNames(t *testing.T) {
	for file, row := range map[string]*regexp.Regexp{
		"../../../docs/write/capture.md": regexp.MustCompile("(?m)^\\| `(https?://[^`]+)` \\| `([^`]+)` \\|$"),
		"name.go":                        regexp.MustCompile(`(?m)^//\t(https?://\S+)\s+(\S+)$`),
	} {
		text := must.Get(os.ReadFile(file))(t)
		rows := row.FindAllStringSubmatch(string(text), -1)
		for _, m := range rows {
			must.Equal(t, m[2], PageName(canonical(t, m[1])), file, " ", m[1])
		}
		if len(rows) < 4 {
			t.Errorf("%s has %d names", file, len(rows))
		}
	}
}

// onDisk returns the same result for two names that some file system treats as one: Windows and macOS fold case,
// macOS normalizes, Windows drops trailing dots and spaces.
func onDisk(name string) string {
	fold := cases.Fold()
	parts := strings.Split(name, "/")
	for i, p := range parts {
		p = norm.NFD.String(fold.String(norm.NFKC.String(p)))
		parts[i] = strings.TrimRight(norm.NFC.String(fold.String(p)), ". ")
	}
	return strings.Join(parts, "/")
}

// checkName reports what a file name in a project must not contain.
func checkName(t *testing.T, u, name string) {
	t.Helper()
	if len(name) > 260 || strings.HasPrefix(name, "/") || path.Clean(name) != name {
		t.Errorf("%s: %d bytes, %s", u, len(name), name)
	}
	for part := range strings.SplitSeq(name, "/") {
		if part == "" || len(part) > 200 || walk.Hidden(part) || walk.Device(part) || strings.HasSuffix(part, ".") || strings.ContainsAny(part, "\x00<>:\"\\|?*~ %#") {
			t.Errorf("%s: %q in %s", u, part, name)
		}
	}
}

// TestNamesAreOneToOne makes URLs of pieces that file systems confuse, and looks for two URLs with one name, and for
// files with the names of folders.
func TestNamesAreOneToOne(t *testing.T) {
	pieces := []string{"a", "A", "b", ".", "..", "...", "%2E", "%2F", "%5C", "/", "//", "index", "INDEX", "index.md", ".md", ".MD", ".png", ".swp", "con", "nul", "COM1", "node_modules",
		"é", "e%CC%81", "É", "ß", "ss", "ı", "i", "I", "K", "%E2%84%AA", "ﬁ", "fi", "文", "가", "%E1%84%80%E1%85%A1", "%FF", "%00", "%20", "+", "~", "-", "--", "_", "?", "?q", "?Q", "?q=/", "--aaaaaaaaaaaaaaaa",
		strings.Repeat("x", 99), strings.Repeat("y", 300), "%", "*", "|", ":", "a.", "a ", "Ω", "Ω", "ς", "σ", "ǅ", "ª", "²"}
	hosts := []string{"example.com", "example.com.", "example.com:8080", "example.com:443", "example.com:80", "example.com_8080", "example.com_80", "[::1]", "__1", "con", "a.md", "127.0.0.1"}
	r := rand.New(rand.NewPCG(1, 2))
	byName := make(map[string]string) // kind of file and canonical URL, by [onDisk]
	folders := make(map[string]string)
	for range 6_000 {
		s := []string{"http://", "https://"}[r.IntN(2)] + hosts[r.IntN(len(hosts))] + "/"
		for range r.IntN(5) {
			s += pieces[r.IntN(len(pieces))]
		}
		parsed, err := url.Parse(s)
		if err != nil {
			continue
		}
		u := must.Get(crawl.Normalize(parsed))(t)
		for kind, name := range map[string]string{"page": PageName(u), "png": assetName(u, "image/png")} {
			checkName(t, s, name)
			key, label := onDisk(name), fmt.Sprint(kind, " ", u)
			if other, known := byName[key]; known && other != label {
				t.Errorf("%s and %s are both %s", other, label, name)
			}
			byName[key] = label
			for dir := path.Dir(key); dir != "."; dir = path.Dir(dir) {
				folders[dir] = label
			}
		}
		if t.Failed() {
			break
		}
	}
	for dir, label := range folders {
		if other, known := byName[dir]; known {
			t.Errorf("%s has the file %s, where %s has a folder", other, dir, label)
		}
	}
	if len(byName) < 5_000 {
		t.Errorf("only %d names were made", len(byName))
	}
}

func TestRelative(t *testing.T) {
	for c, want := range map[[2]string]string{
		{"h/a.md", "h/b.png"}:       "b.png",
		{"h/a/b.md", "h/c/d.png"}:   "../c/d.png",
		{"h/a.md", "other/x/y.png"}: "../other/x/y.png",
		{"a.md", "h/b.png"}:         "h/b.png",
		{"h/a/b/c.md", "h/a/b.md"}:  "../b.md",
		{"h/文/a.md", "h/文/开始.md"}:   "%E5%BC%80%E5%A7%8B.md",
	} {
		must.Equal(t, want, Relative(c[0], c[1]), c[0], " ", c[1])
	}
}
