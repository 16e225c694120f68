package webpage

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	nethtml "golang.org/x/net/html"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

// rules is text of a page of documentation.
var rules = strings.Repeat(sentence, 12)

// TestSectionsNamedLikeLayout reads pages of documentation generators: sections and entries about comments, menus and
// headers are content, and comments of readers are not.
func TestSectionsNamedLikeLayout(t *testing.T) {
	nav := `<nav><a href="/">Pages</a></nav>`
	for name, html := range map[string]string{
		"Sphinx":       `<div role="main">` + nav + `<section id="rules"><h1>Rules<a class="headerlink" href="#rules">¶</a></h1>` + rules + `<section id="comments"><span id="id4"></span><h2>Comments<a class="headerlink" href="#comments">` + "\uf0c1" + `</a></h2><p>To leave out a line.</p></section><dl class="py"><dt id="a.Response.headers"><code>headers</code></dt><dd><p>The headers of it.</p></dd></dl></section></div>`,
		"old Sphinx":   `<div class="body" role="main">` + nav + `<div class="section" id="rules"><h1>Rules<a class="headerlink" href="#rules">¶</a></h1>` + rules + `<div class="section" id="comments"><h2>Comments<a class="headerlink" href="#comments">¶</a></h2><p>To leave out a line.</p></div><h2 id="headers">The headers of it.</h2><p>A.</div></div>`,
		"Docusaurus":   `<main>` + nav + `<article><div class="markdown"><h1>Rules</h1>` + rules + `<h2 class="anchor" id="comments">Comments<a class="hash-link" href="#comments">` + "\u200b" + `</a></h2><p>To leave out a line.</p><h3 id="custom-headers">The headers of it.</h3><p>A.</div></article></main>`,
		"mdBook":       `<h1 class="menu-title">A Book</h1><main>` + nav + `<h1 id="rules"><a class="header" href="#rules">Rules</a></h1>` + rules + `<h2 id="comments"><a class="header" href="#comments">Comments</a></h2><p>To leave out a line.</p><h2 id="sidebar-headers"><a class="header" href="#sidebar-headers">The headers of it.</a></h2><p>A.</main>`,
		"without main": `<div>` + nav + `<h1>Rules</h1>` + rules + `<h2 id="comments">Comments</h2><p>To leave out a line.</p><h2 id="headers">The headers of it.</h2><p>A.</div><div id="comments"><h3 id="respond">Twelve readers</h3><p>I like it.</p></div>`,
	} {
		p := readHTML(t, "<!doctype html><title>Rules - A Book</title><body>"+html)
		text := p.Markdown(nil)
		for _, want := range []string{"\n## Comments\n", "To leave out a line.", "The headers of it."} {
			if !strings.Contains(text, want) {
				t.Errorf("%s has no %q:\n%s", name, want, text)
			}
		}
		if p.Title != "Rules" && p.Title != "Rules - A Book" || strings.Contains(text, "I like it.") || strings.Contains(text, "](#") {
			t.Errorf("%s: %q\n%s", name, p.Title, text)
		}
		if !slices.ContainsFunc(p.Anchors, func(a Anchor) bool { return a.ID == "comments" }) {
			t.Errorf("%s has the anchors %v", name, p.Anchors)
		}
	}
}

// TestNotesAreContent reads footnotes of Sphinx, a caution and a heading of Starlight and a warning of Docsy, each in a
// page that readability treats as an article and in one that it does not.
func TestNotesAreContent(t *testing.T) {
	for _, nav := range []string{"", "<nav>Pages</nav>"} {
		html := `<!doctype html><title>Rules</title><main>` + nav + `<h1>Rules</h1>` + rules + `<p>As said.<a href="#id2" id="id1" role="doc-noteref">[1]</a>
			<aside aria-label="Caution" class="starlight-aside starlight-aside--caution"><p class="starlight-aside__title">Caution</p><div>This removes files.</div></aside>` + rules +
			`<h2 id="footnotes">Footnotes</h2><aside class="footnote brackets" id="id2" role="note"><span class="label">[1]</span><p>It was said elsewhere.</p></aside>
			<div class="alert alert-warning" role="alert"><h4 class="alert-heading">Warning</h4><p>Back up first.</p></div>
			<div class="sl-heading-wrapper level-h2"><h2 id="undo">Undo</h2> <a class="sl-anchor-link" href="#undo"><span class="sr-only">Section titled “Undo”</span></a></div><p>It cannot be undone.</p>
			<aside class="related">Other pages</aside></main>`
		p := readHTML(t, html)
		text := p.Markdown(nil)
		if !strings.Contains(text, "Back up first.") || !strings.Contains(text, "\n## Undo\n") || strings.Contains(text, "Section titled") || !strings.Contains(text, "This removes files.") || !strings.Contains(text, "It was said elsewhere.") || strings.Contains(text, "Other pages") || !slices.ContainsFunc(p.Anchors, func(a Anchor) bool { return a == Anchor{"id2", 1} }) {
			t.Errorf("%v\n%s", p.Anchors, text)
		}
	}
}

// TestNameOfTheSiteIsNotTheTitle reads a page of a book whose chapters begin with headings of level two. Its only
// heading of level one is the name of the book.
func TestNameOfTheSiteIsNotTheTitle(t *testing.T) {
	for html, want := range map[string]string{
		`<title>Installation - The Book of Rules</title><h1 class="menu-title">The Book of Rules</h1><main><h2 id="installation"><a class="header" href="#installation">Installation</a></h2>` + rules + `</main>`: "Installation - The Book of Rules",
		`<title>Rules.Model.count</title><header><h1>Rules Model count</h1></header><nav><h3>Rules</h3></nav><main><h4>Declaration</h4>` + rules + `</main>`:                                                       "Rules.Model.count",
		`<title>Installation - The Book of Rules</title><h1>Installation</h1><main><h2>First</h2>` + rules + `</main>`:                                                                                             "Installation",
	} {
		p := readHTML(t, html)
		if p.Title != want {
			t.Errorf("%q, want %q", p.Title, want)
		}
	}
}

// TestBeforeLooksAtOneSibling: a page may have many links, and many comments before each of them.
func TestBeforeLooksAtOneSibling(t *testing.T) {
	for between, want := range map[string]bool{"": true, " \n": true, "text": false, "<!-- a -->": false, "<!-- a --><!-- b -->": false} {
		doc := must.Get(nethtml.Parse(strings.NewReader("<body><h2>A</h2>" + between + "<a>B</a>")))(t)
		for n := range doc.Descendants() {
			if n.Data == "a" && (before(n) != nil) != want {
				t.Errorf("%q: %v, want %v", between, before(n), want)
			}
		}
	}
}

// TestLevelsOfAnArticle: the headings of an article keep their levels.
func TestLevelsOfAnArticle(t *testing.T) {
	for body, want := range map[string][]string{
		"<h1>The rules</h1>" + rules + "<h2>One</h2>" + rules + "<h3>Two</h3>" + rules:        {"# The rules", "## One", "### Two"},
		"<h1>The rules</h1>" + rules + "<h1>One</h1>" + rules + "<h2>Two</h2>" + rules:        {"# One", "## Two"},
		rules + `<h1 id="comments">One</h1>` + rules + `<h2 id="share-menu">Two</h2>` + rules: {"# One", "## Two"},
	} {
		p := readHTML(t, `<title>The rules</title><meta property="og:type" content="article"><body><article>`+body+`</article>`)
		var got []string
		for line := range strings.Lines(p.Markdown(nil)) {
			if strings.HasPrefix(line, "#") {
				got = append(got, strings.TrimSpace(line))
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

const sentence = "<p>A sentence, which has commas, and is about rules of the language.</p>"

// TestEdges reads pages with parts that are for the visitor before and after the content.
func TestEdges(t *testing.T) {
	prose := strings.Repeat("<p>A tram of line seven stops here.</p>", 12)
	for html, lacks := range map[string]string{
		`<main><h1>Trams</h1>` + prose + `<footer>Site generated by <a href=x>Press</a> with a theme.</footer></main>`:                                                                                                                                                     "generated",
		`<main><div>Show: <label><input type=checkbox checked> Inherited</label><label><input type=checkbox> Private</label></div><h1>Trams</h1>` + prose + `</main>`:                                                                                                      "Inherited",
		`<div><b>Tram Manual</b> <a href=l>Imprint</a></div><div><a href=a><img src=a.gif alt=Contents></a> <a href=b><img src=b.gif alt=Index></a></div><hr><h1>Trams</h1>` + prose + `<hr><p><a href=a>Main index</a> | <a href=b>Topics</a> | <a href=c>Full index</a>`: "index",
	} {
		if text := readHTML(t, html).Markdown(nil); !strings.HasPrefix(text, "# Trams\n") || strings.Count(text, "line seven") != 12 || strings.Contains(text, lacks) || strings.Contains(text, "Imprint") || strings.Contains(text, "![") {
			t.Errorf("%s", text)
		}
	}
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
		"top in code":    `<main><h1>keep</h1>` + prose + prose + `<pre><a href="#x">top</a> - keep</pre></main>`,
		"after a rule":   `<h1>keep</h1>` + prose + `<hr><ul><li><a href=a>keep</a><li><a href=b>keep</a><li><a href=c>keep</a></ul>`,
		"one article":    `<div id="main"><header><h2>keep</h2><div><p>keep</p>` + prose + `</div></header><article><h3>keep</h3>` + prose + prose + `</article></div>`,
	} {
		p := readHTML(t, "<!doctype html><title>Rules</title><body>"+html)
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
	teasers := strings.Repeat(`<div class="teaser"><h3><a href="x">Another story</a></h3><p>It is printed elsewhere, at length.</p></div>`, 5)
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
		p := readHTML(t, `<!doctype html><title>Rules</title>`+c.head+`<body><main><h1>Rules</h1><div>`+c.content+`</div><div class="related">`+teasers+`</div></main>`)
		text := p.Markdown(nil)
		if strings.Contains(text, "printed elsewhere") != c.teased || strings.Count(text, "A sentence") != 12 || strings.Contains(c.content, "a = 1") != strings.Contains(text, "a = 1") {
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
		"links and text":    {`<ul>` + strings.Repeat(`<li><a href="x">A link that is long enough to count</a> and why, as it is</li>`, 20) + `</ul>`, "The content cannot be separated"},
		"a footer":          {`<main><h1>Rules</h1><p>Here.</p></main><div class="footer">` + strings.Repeat(sentence, 5) + `</div>`, ""},
		"a large footer":    {`<main><h1>Rules</h1><p>Here.</p></main><div class="footer">` + prose + `</div>`, "Only the main content is here, with 9 of "},
		"text alone":        {prose, ""},
		"a short page":      {`<nav>Home</nav><p>Here.</p>`, ""},
	} {
		if got := strings.Join(readHTML(t, "<!doctype html><title>Rules</title><body>"+c.html).Notes, " "); (got == "") != (c.want == "") || !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// TestTheTitleIsOnce reads a page whose only heading is of level two, as DocBook writes it.
func TestTheTitleIsOnce(t *testing.T) {
	for heading, want := range map[string]string{"Rules (all)": "## Rules (all)\n", "Rules&nbsp;(all)": "## Rules\u00a0(all)\n", "Some": "# Rules (all)\n\n## Some\n"} {
		p := readHTML(t, "<title>Rules (all)</title><body><h2 id=x>"+heading+"</h2>"+sentence)
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
	want := regexp.MustCompile(`(?s)^# Rowing\n.*Use two oars\..*Ash is good\..*All of it\.\n$`)
	if chrome := regexp.MustCompile("Sails|updated|helpful|Previous|Next"); !want.MatchString(got) || chrome.MatchString(got) {
		t.Error(got)
	}
}

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
