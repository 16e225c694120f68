package webpage

import (
	"net/url"
	"strings"
	"testing"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

func TestSelectorMistakes(t *testing.T) {
	for _, text := range []string{"", "a,", "> a", "a >", "a > > b", "a[", "a::before", ":unknown", strings.Repeat("a", 1001), strings.Repeat("a,", 60) + "a"} {
		if _, err := ParseSelector(text); err == nil {
			t.Errorf("%.50q is accepted", text)
		}
	}
}

// The caller chooses which parts of a page are read.
func TestParts(t *testing.T) {
	const text = `<html><head><title>T</title></head><body><nav><a href="/n">nav</a></nav><article class="x"><h1>Head</h1><p>One <a href="b">link</a>.</p>` +
		`<div class="ad">Buy</div><img src="i.png" alt="i"></article><aside>side</aside><footer id="f">foot<script>alert(1)</script></footer></body></html>`
	u, _ := url.Parse("https://e.com/d/")
	read := func(c Choice) *Page {
		t.Helper()
		return must.Get(c.Read(Source{u, "text/html", []byte(text)}))(t)
	}
	for _, test := range []struct {
		choice Choice
		want   string
	}{
		{Choice{}, "# Head\n\nOne [link](https://e.com/d/b).\n\nBuy\n\n![i](https://e.com/d/i.png)\n"},
		{Choice{Exclude: []string{".ad, img"}}, "# Head\n\nOne [link](https://e.com/d/b).\n"},
		{Choice{Whole: true, Exclude: []string{".ad, img"}}, "[nav](https://e.com/n)\n\n# Head\n\nOne [link](https://e.com/d/b).\n\nside\n\nfoot\n"},
		{Choice{Include: []string{"#f, nav"}}, "# T\n\n[nav](https://e.com/n)\n\nfoot\n"},
		{Choice{Include: []string{"article"}, Exclude: []string{"h1, img, .ad"}}, "# T\n\nOne [link](https://e.com/d/b).\n"},
		{Choice{Include: []string{"table"}}, "# T\n"},
		{Choice{Include: []string{"h1", "#f"}}, "# Head\n\nfoot\n"},
	} {
		if got := read(test.choice).Markdown(nil); got != test.want {
			t.Errorf("%q, want %q", got, test.want)
		}
	}
	got := read(Choice{KeepHTML: true, Exclude: []string{"img"}}).HTML()
	if want := `<article class="x"><h1>Head</h1><p>One <a href="https://e.com/d/b">link</a>.</p><div class="ad">Buy</div></article>`; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
