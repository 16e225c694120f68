package webpage

import (
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
		p := readPage(t, "<!doctype html><title>Rules - A Book</title><body>"+html)
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
		p := readPage(t, html)
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
		p := readPage(t, html)
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
		p := readPage(t, `<title>The rules</title><meta property="og:type" content="article"><body><article>`+body+`</article>`)
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
