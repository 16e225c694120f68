package crawl

import (
	"net/url"
	"strings"
	"testing"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

func canonical(t testing.TB, s string) *url.URL {
	t.Helper()
	u, err := url.Parse(s)
	must.Do(t, err)
	if u, err = Normalize(u); err != nil {
		t.Fatal(err)
	}
	return u
}

func TestNormalize(t *testing.T) {
	for s, want := range map[string]string{
		"HTTPS://Example.COM":                "https://example.com/",
		"https://example.com:443/#x":         "https://example.com/",
		"http://example.com:80":              "http://example.com/",
		"http://example.com:0080/a":          "http://example.com/a",
		"http://example.com:443":             "http://example.com:443/",
		"https://example.com/a/../b/./c":     "https://example.com/b/c",
		"https://example.com/a/%2e%2E/b":     "https://example.com/b",
		"https://example.com/%7euser%2f%c3":  "https://example.com/~user%2F%C3",
		"https://example.com/%61?q=%61%2f#f": "https://example.com/a?q=a%2F",
		"https://example.com/a?":             "https://example.com/a?",
		"https://bücher.example/é":           "https://xn--bcher-kva.example/%C3%A9",
		"https://[::1]:8443/":                "https://[::1]:8443/",
		"https://example.com/a//b/":          "https://example.com/a//b/",
	} {
		if got := canonical(t, s).String(); got != want {
			t.Errorf("%s: %s, want %s", s, got, want)
		}
		if again := canonical(t, want).String(); again != want {
			t.Errorf("%s: %s, not itself", want, again)
		}
	}
	for _, s := range []string{"ftp://example.com/", "example.com", "https://me:secret@example.com/", "https:///x", "https://example.com/" + strings.Repeat("x", maxURL)} {
		u := must.Get(url.Parse(s))(t)
		if c, err := Normalize(u); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%.50s: %v, %v", s, c, err)
		}
	}
}
