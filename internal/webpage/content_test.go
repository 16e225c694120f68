package webpage

import (
	"net/url"
	"strings"
	"testing"

	nethtml "golang.org/x/net/html"
)

// TestContentThatSaysWhatItIs has a page of a book: its <main> is all of its content, headings
// included, and what else is in the body is not.
func TestContentThatSaysWhatItIs(t *testing.T) {
	prose := strings.Repeat("<p>A sentence, which has commas, and is about rules of the language.</p>", 12)
	page := `<!doctype html><title>Rules - A Book About the Language</title><body>
		<div id="help"><h2>Keyboard shortcuts</h2><p>Press, as you like, ? to show this help, or Esc to hide it.</p></div>
		<h1 class="menu-title">A Book About the Language</h1>
		<main><h1 id="rules"><a class="header" href="#rules">Rules</a></h1>` + prose + `<h2 id="tools">Tools</h2>` + prose + `<p>See <a href="more.html">more</a>.</main>
		<footer>By somebody</footer>`
	u, err := url.Parse("https://a.example/book/rules.html")
	if err != nil {
		t.Fatal(err)
	}
	p, err := Read(t.Context(), Source{URL: u, ContentType: "text/html", Body: []byte(page)})
	if err != nil {
		t.Fatal(err)
	}
	text := p.Markdown(nil)
	if !strings.HasPrefix(text, "# [Rules](") || !strings.Contains(text, "\n## Tools\n") || strings.Contains(text, "Keyboard") || strings.Contains(text, "somebody") || strings.Count(text, "A sentence") != 24 {
		t.Errorf("%s", text)
	}
	if p.Title != "Rules" {
		t.Errorf("the title is %q", p.Title)
	}
}

func TestPlainRegions(t *testing.T) {
	prose := strings.Repeat("<p>A sentence, which has commas, and is about rules of the language.</p>", 12)
	for name, c := range map[string]struct {
		html string
		want bool
	}{
		"prose":                  {prose, true},
		"a heading with a name":  {`<h2 id="related-tools" class="sidebar">Tools</h2>` + prose, true},
		"code with a class":      {`<pre><code class="language-toml">a = 1</code></pre>` + prose, true},
		"a link":                 {prose + `<a href="/">more</a>`, true},
		"little text":            {"<p>A sentence.</p>", false},
		"navigation":             {prose + "<nav>Pages</nav>", false},
		"a part beside it":       {prose + "<aside>Pages</aside>", false},
		"a role":                 {prose + "<div role=search>Search</div>", false},
		"a class":                {prose + `<div class="x Newsletter-box">Subscribe</div>`, false},
		"an id":                  {prose + `<ul id="breadcrumbs"><li>A</ul>`, false},
		"an element of its own":  {prose + `<x-y class="share-bar">A</x-y>`, false},
		"images without scripts": {prose + `<noscript><img src="a.png"></noscript>`, false},
		"a dialog":               {prose + `<div role="dialog">We use cookies</div>`, false},
		"pages around it":        {prose + `<div class="prev-next-area">Tools</div>`, false},
		"a formula":              {prose + `<span class="katex-mathml"><math><mi>x</mi></math></span><span aria-hidden="true">x</span>`, false},
		"an icon":                {prose + `<i class="icon" aria-hidden="true"></i>`, true},
		"an index":               {strings.Repeat(`<p><a href="/">A sentence, which has commas, and is a link.</a></p>`, 20), false},
	} {
		doc, err := nethtml.Parse(strings.NewReader("<main>" + c.html + "</main>"))
		if err != nil {
			t.Fatal(err)
		}
		if got := plainRegion(mainRegion(doc)); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// A heading has no link to itself, also where that is a sign of the page's own font.
func TestSignsOfHeadings(t *testing.T) {
	prose := strings.Repeat("<p>A sentence, which has commas, and is about rules of the language.</p>", 12)
	page := "<title>Rules</title><main><h1>Rules<a href=#rules>\uf0c1</a></h1>" + prose + "<h2>More<a href=#more>\U000f0337</a></h2>" + prose
	u, err := url.Parse("https://a.example/rules.html")
	if err != nil {
		t.Fatal(err)
	}
	p, err := Read(t.Context(), Source{URL: u, ContentType: "text/html; charset=utf-8", Body: []byte(page)})
	if err != nil {
		t.Fatal(err)
	}
	if text := p.Markdown(nil); !strings.HasPrefix(text, "# Rules\n") || !strings.Contains(text, "\n## More\n") {
		t.Errorf("%s", text)
	}
}

// What a page has for the eye alone is not there twice.
func TestFormulasOnce(t *testing.T) {
	prose := strings.Repeat("<p>A sentence, which has commas, and is about rules of the language.</p>", 12)
	page := "<title>Rules</title><main><h1>Rules</h1>" + prose + `<p>The sum is <span class="katex"><span class="katex-mathml">formula</span><span class="katex-html" aria-hidden="true">formula</span></span>, as it was.</p>` + prose
	u, err := url.Parse("https://a.example/rules.html")
	if err != nil {
		t.Fatal(err)
	}
	p, err := Read(t.Context(), Source{URL: u, ContentType: "text/html; charset=utf-8", Body: []byte(page)})
	if err != nil {
		t.Fatal(err)
	}
	if text := p.Markdown(nil); strings.Count(text, "formula") != 1 {
		t.Errorf("%s", text)
	}
}
