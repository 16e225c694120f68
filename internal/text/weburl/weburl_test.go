package weburl

import (
	"net/url"
	"strings"
	"testing"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

func TestResolve(t *testing.T) {
	base := must.Get(url.Parse("https://a.example/docs/guide/page.html?x=1#y"))(t)
	for link, want := range map[string]string{
		"next.html": "https://a.example/docs/guide/next.html", "../up": "https://a.example/docs/up", "/root": "https://a.example/root", "?q=1": "https://a.example/docs/guide/page.html?q=1",
		"#z": "https://a.example/docs/guide/page.html?x=1#z", "//b.example/x": "https://b.example/x", "": "https://a.example/docs/guide/page.html?x=1",
		// what net/url refuses, or leaves as it is
		"?q=a b": "https://a.example/docs/guide/page.html?q=a%20b", "?q=ä": "https://a.example/docs/guide/page.html?q=%C3%A4", "a b": "https://a.example/docs/guide/a%20b",
		"/p%zz": "https://a.example/p%25zz", "/100%": "https://a.example/100%25", "/a%4": "https://a.example/a%254", "/ok%20": "https://a.example/ok%20",
		"https:rel.html": "https://a.example/docs/guide/rel.html", `sub\page.html`: "https://a.example/docs/guide/sub/page.html", `\\b.example\x`: "https://b.example/x",
		"  /spaces \n": "https://a.example/spaces", "/li\nne\tend": "https://a.example/lineend", "HTTPS://A.Example:443/x": "https://a.example/x",
		"/a/%2e%2e/b": "https://a.example/b", "https://b.example": "https://b.example/", "mailto:a@b.example": "mailto:a@b.example", "http:///c.example/x": "http://c.example/x",
		"https://bücher.example/ä": "https://xn--bcher-kva.example/%C3%A4",
	} {
		u, err := Resolve(base, link)
		if err != nil || u.String() != want {
			t.Errorf("%q: %v, %v, want %s", link, u, err, want)
		}
	}
	for _, bad := range []string{"http://[bad/", "https://a b/", "https://"} {
		if u, err := Resolve(base, bad); err == nil {
			t.Errorf("%q: %v", bad, u)
		}
	}
}

func FuzzResolve(f *testing.F) {
	f.Add("a%zz?b c#d")
	f.Add(`?\`)
	base := &url.URL{Scheme: "https", Host: "a.example", Path: "/b/c"}
	f.Fuzz(func(t *testing.T, link string) {
		u, err := Resolve(base, link)
		if err != nil || u.Opaque != "" {
			return
		}
		again, err := Resolve(base, u.String())
		path, _, _ := strings.Cut(u.String(), "?") // the standard leaves a backslash in a query
		if (u.Scheme == "http" || u.Scheme == "https") && (err != nil || again.String() != u.String() || strings.Contains(path, `\`) || strings.ContainsAny(u.String(), " \n")) {
			t.Errorf("%q: %s, then %v, %v", link, u, again, err)
		}
	})
}
