package webpage

import (
	"net/url"
	"strings"
	"testing"
)

const sentence = "<p>A sentence, which has commas, and is about rules of the language.</p>"

func readPage(t *testing.T, html string) *Page {
	t.Helper()
	u, err := url.Parse("https://a.example/manual/rules.html")
	if err != nil {
		t.Fatal(err)
	}
	p, err := Read(t.Context(), Source{URL: u, ContentType: "text/html; charset=utf-8", Body: []byte(html)})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestLayouts reads layouts of generators that have no main element: text with "keep" must be in the
// result, and text with "leave" must not.
func TestLayouts(t *testing.T) {
	prose := strings.Repeat(sentence, 6)
	links := strings.Repeat(`<li><a href="x.html">leave</a></li>`, 20)
	for name, html := range map[string]string{
		"DocBook":        `<div class="navheader"><table><tr><th colspan="3">leave this title</th></tr><tr><td><a href="a">leave</a></td></tr></table></div><div class="sect1"><div class="titlepage"><h2>keep</h2></div>` + prose + `<dl><dt>keep</dt><dd><p>keep</p></dd></dl></div><div class="navfooter"><hr><table><tr><td>leave</td><td><a href="b">leave</a></td></tr></table></div>`,
		"Texinfo":        `<div class="section"><div class="header"><p>leave: <a href="a">Next</a>, <a href="b">leave</a></p></div><h3>keep</h3>` + prose + `<ul><li><a href="c">keep</a></li></ul></div><div class="header"><p>leave: <a href="a">Next</a></p></div>`,
		"Node.js":        `<div id="content"><div id="column2" class="interior"><ul>` + links + `</ul></div><div id="column1"><h1>keep</h1>` + strings.Repeat(prose, 4) + `<h3 id="menu">keep</h3></div></div>`,
		"Javadoc 8":      `<div class="topNav"><ul><li><a href="a">leave</a></li><li>leave</li></ul></div><div class="header"><h2>keep</h2></div><div class="contentContainer">` + prose + `<table class="memberSummary"><tr><td><code>int</code></td><td><code><a href="#m">keep</a>()</code></td></tr></table></div><div class="bottomNav"><ul>` + links + `</ul></div><p class="legalCopy"><small>leave</small></p>`,
		"wiki":           `<h1 id="firstHeading">keep</h1><div id="bodyContent"><div class="t-navbar"><a href="a">leave</a> <a href="b">leave</a></div>` + prose + `</div>`,
		"an index":       `<div class="body"><h1>keep</h1><p>keep</p><div class="toctree-wrapper"><ul>` + strings.ReplaceAll(links, "leave", "keep") + `</ul></div></div><div class="sphinxsidebar sidebar"><ul>` + links + `</ul></div>`,
		"only links":     `<h1>keep</h1><ul>` + strings.ReplaceAll(links, "leave", "keep") + `</ul>`,
		"a page in form": `<form action="/"><input name="q"><div><h1>keep</h1>` + prose + `<p>keep</p></div></form>`,
		"a data table":   `<h1>keep</h1>` + prose + `<table><tr><td><a href="a">keep</a></td><td><a href="b">keep</a></td></tr><tr><td>keep</td><td>` + strings.Repeat("keep ", 50) + `</td></tr></table>`,
		"two mains":      `<main hidden>leave</main><main><p>leave</p></main><main><h1>keep</h1>` + prose + `</main>`,
		"see also":       `<div class="refentry"><div class="refsect1"><h2>keep</h2>` + prose + prose + `</div><div class="refsect1"><h2>keep</h2><span><a href="a">keep</a>, <a href="b">keep</a>, <a href="c">keep</a></span></div></div>`,
		"definitions":    `<h1>keep</h1>` + prose + `<div class="top"><p class="src"><a id="v:f" class="def">keep</a> :: <a href="a">keep</a> -> <a href="b">keep</a></p></div><div class="top"><p><a id="v:g">keep</a> :: <a href="a">keep</a> -> <a href="b">keep</a></p></div>`,
		"one article":    `<div id="main"><header><h2>keep</h2><div><p>keep</p>` + prose + `</div></header><article><h3>keep</h3>` + prose + prose + `</article></div>`,
	} {
		p := readPage(t, "<!doctype html><title>Rules</title><body>"+html)
		text := p.Markdown(nil)
		if kept, want := strings.Count(text, "keep"), strings.Count(html, "keep"); kept != want || strings.Contains(text, "leave") || strings.Count(text, "A sentence") != strings.Count(html, "A sentence") || len(p.Notes) > 0 {
			t.Errorf("%s: %d of %d, %q\n%s", name, kept, want, p.Notes, text)
		}
	}
}

// TestArticles reads a page with much text around its content, once as an article. Documentation that
// declares itself an article keeps its code.
func TestArticles(t *testing.T) {
	prose := strings.Repeat(sentence, 12)
	teasers := strings.Repeat(`<div class="teaser"><h3><a href="x">Another story</a></h3><p>It is told elsewhere, at length.</p></div>`, 5)
	for name, c := range map[string]struct {
		head, content string
		teased        bool
	}{
		"no type":       {``, prose, true},
		"Open Graph":    {`<meta property="og:type" content="Article">`, prose, false},
		"a time":        {`<meta property="article:published_time" content="2026-11-22">`, prose, false},
		"JSON-LD":       {`<script type="application/ld+json">{"@type": "NewsArticle"}</script>`, prose, false},
		"microdata":     {`<meta itemtype="https://schema.org/BlogPosting">`, prose, false},
		"documentation": {`<meta property="og:type" content="article">`, prose + `<div class="comment-box"><pre>a = 1</pre></div>`, true},
	} {
		p := readPage(t, `<!doctype html><title>Rules</title>`+c.head+`<body><main><h1>Rules</h1><div>`+c.content+`</div><div class="related">`+teasers+`</div></main>`)
		text := p.Markdown(nil)
		if strings.Contains(text, "told elsewhere") != c.teased || strings.Count(text, "A sentence") != 12 || strings.Contains(c.content, "a = 1") != strings.Contains(text, "a = 1") {
			t.Errorf("%s:\n%s", name, text)
		}
	}
}

// TestNotesOnWhatIsKept reads pages of which most is left out, and pages of which nothing could be left
// out.
func TestNotesOnWhatIsKept(t *testing.T) {
	prose := strings.Repeat(sentence, 12)
	for name, c := range map[string]struct{ html, want string }{
		"most is elsewhere": {`<main><h1>Rules</h1><p>Here.</p></main><div>` + prose + `</div>`, "Only the main content is here, with 9 of "},
		"all of it":         {`<main><h1>Rules</h1>` + prose + `</main><div>By somebody</div>`, ""},
		"links and text":    {`<ul>` + strings.Repeat(`<li><a href="x">A link that is long enough to count</a> and why, as it is</li>`, 20) + `</ul>`, "Nothing tells the content"},
		"a footer":          {`<main><h1>Rules</h1><p>Here.</p></main><div class="footer">` + strings.Repeat(sentence, 5) + `</div>`, ""},
		"a large footer":    {`<main><h1>Rules</h1><p>Here.</p></main><div class="footer">` + prose + `</div>`, "Only the main content is here, with 9 of "},
		"text alone":        {prose, ""},
		"a short page":      {`<nav>Home</nav><p>Here.</p>`, ""},
	} {
		if got := strings.Join(readPage(t, "<!doctype html><title>Rules</title><body>"+c.html).Notes, " "); (got == "") != (c.want == "") || !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// A link named top in code is content.
func TestLinksNamedLikeChrome(t *testing.T) {
	text := readPage(t, `<!doctype html><title>Rules</title><body><main><h1>Rules</h1>`+strings.Repeat(sentence, 12)+`<pre><a href="#x">top</a> - main</pre></main>`).Markdown(nil)
	if !strings.Contains(text, "top - main") {
		t.Error(text)
	}
}

// TestTheTitleIsOnce reads a page whose only heading is of level two, as DocBook writes it.
func TestTheTitleIsOnce(t *testing.T) {
	for heading, want := range map[string]string{"Rules (all)": "## Rules (all)\n", "Rules&nbsp;(all)": "## Rules\u00a0(all)\n", "Some": "# Rules (all)\n\n## Some\n"} {
		p := readPage(t, "<title>Rules (all)</title><body><h2 id=x>"+heading+"</h2>"+sentence)
		if text := p.Markdown(nil); !strings.HasPrefix(text, want) || len(p.Anchors) != 1 || p.Anchors[0].Heading != p.Headings-1 {
			t.Errorf("%v of %d\n%s", p.Anchors, p.Headings, text)
		}
	}
}

// TestEndsOfPages: pagers, dates and questions to the reader go from the end of the content, also if the heading of the page is outside
// of the element with the content. Asides of sections stay.
func TestEndsOfPages(t *testing.T) {
	body := `<main><header><h1>Rowing</h1></header><div><p>Use two oars.</p><h2>Oars</h2><p>` + strings.Repeat("They are long. ", 20) + `</p>
<aside class=example><p>Ash is good.</p></aside><aside class=related><p><a href=a>Boats</a> <a href=b>Sails</a></p></aside><h2 id=copyright>Copyright</h2><p>All of it.</p>
<div><a href=c><span>Previous</span><span>Boats</span></a><a href=d><span>Next</span><span>Sails</span></a></div><p>Last updated today</p><div>Was this page helpful?</div></div></main>`
	got := readHTML(t, "<title>Rowing</title>"+body).Markdown(nil)
	for _, want := range []string{"# Rowing\n", "Use two oars.", "Ash is good.", "All of it."} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing:\n%s", want, got)
		}
	}
	for _, chrome := range []string{"Previous", "Next", "Sails", "updated", "helpful"} {
		if strings.Contains(got, chrome) {
			t.Errorf("%q is there:\n%s", chrome, got)
		}
	}
}
