package webpage

import (
	"net/url"
	"strings"
	"testing"
)

func TestRelink(t *testing.T) {
	link := func(u *url.URL) string {
		if u.Host != "a.example" {
			return ""
		}
		return "to" + u.Path + ".md" + strings.TrimPrefix("#"+u.Fragment, "#")
	}
	for text, want := range map[string]string{
		"[x](https://a.example/b)":                                               "[x](to/b.md)",
		"[x](https://a.example/b \"t\") [y](http://c.d/e)":                       "[x](to/b.md \"t\") [y](http://c.d/e)",
		"[x]: https://a.example/b\n[y]: <https://a.example/c> \"t\"":             "[x]: to/b.md\n[y]: <to/c.md> \"t\"",
		"```\n[x](https://a.example/b)\n```\n[x](https://a.example/b)\n":         "```\n[x](https://a.example/b)\n```\n[x](to/b.md)\n",
		"> ```\n> [x](https://a.example/b)\n> ```\n> [x](https://a.example/b)\n": "> ```\n> [x](https://a.example/b)\n> ```\n> [x](to/b.md)\n",
		"`[x](https://a.example/b)` [x](https://a.example/b)":                    "`[x](https://a.example/b)` [x](to/b.md)",
		"``a ` [x](https://a.example/b) `` `[x](https://a.example/b)":            "``a ` [x](https://a.example/b) `` `[x](to/b.md)",
		"`a\n[x](https://a.example/b)` \\` [x](https://a.example/c)`":            "`a\n[x](https://a.example/b)` \\` [x](to/c.md)`",
		"`a\n\n[x](https://a.example/b)`":                                        "`a\n\n[x](to/b.md)`",
		"\\[x\\](https://a.example/b)":                                           "\\[x\\](https://a.example/b)",
		"https://a.example/b":                                                    "https://a.example/b",
		"[x](https://a.example/b":                                                "[x](to/b.md",
		"[x](https://%zz/b) [](https://a.example/%28)":                           "[x](https://%zz/b) [](to/%28.md)",
	} {
		if got := Relink(text, link); got != want {
			t.Errorf("%q:\n%q, want\n%q", text, got, want)
		}
	}
	long := strings.Repeat("`[](https://a.example/b)``", 50_000)
	if got := Relink(long, link); len(got) > 2*len(long) {
		t.Errorf("%d bytes", len(got))
	}
}

func TestAnchors(t *testing.T) {
	u, _ := url.Parse("https://a.example/")
	p, err := Read(t.Context(), Source{URL: u, ContentType: "text/html", Body: []byte(`<!doctype html><title>T</title><main id=top><p id=lead>Before.</p>
		<section id=one><h2>One <a id=in></a></h2><p id=text>Text.</p><a name=two></a><h2 id=second>Two</h2><dl><dt id=term>t<dd>d</dl></section></main>`)})
	if err != nil {
		t.Fatal(err)
	}
	got := make(map[string]int)
	for _, a := range p.Anchors {
		got[a.ID] = a.Heading
	}
	// The title became the heading number 0.
	for id, want := range map[string]int{"lead": 0, "one": 1, "in": 1, "text": 1, "two": 2, "second": 2, "term": 2} {
		if at, ok := got[id]; !ok || at != want {
			t.Errorf("%s: %d, %v, want %d\n%s", id, at, ok, want, p.Markdown(nil))
		}
	}
	if n := strings.Count(p.Markdown(nil), "# "); n != p.Headings || n != 3 {
		t.Errorf("%d headings, %d in\n%s", p.Headings, n, p.Markdown(nil))
	}
}
