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
	for _, c := range samples(t, "layouts/sections.txt") {
		t.Run(c.Name, func(t *testing.T) {
			p := readHTML(t, "<!doctype html><title>Rules - A Book</title><body>"+c.Text)
			text := p.Markdown(nil)
			must.Contain(t, text, "\n## Comments\n", "To leave out a line.", "The headers of it.")
			if p.Title != "Rules" && p.Title != "Rules - A Book" || strings.Contains(text, "I like it.") || strings.Contains(text, "](#") {
				t.Errorf("%q\n%s", p.Title, text)
			}
			if !slices.ContainsFunc(p.Anchors, func(a Anchor) bool { return a.ID == "comments" }) {
				t.Errorf("the anchors are %v", p.Anchors)
			}
		})
	}
}

// TestNotesAreContent reads footnotes of Sphinx, a caution and a heading of Starlight and a warning of Docsy, each in a
// page that readability treats as an article and in one that it does not.
func TestNotesAreContent(t *testing.T) {
	html := samples(t, "layouts/notes.txt")[0].Text
	for _, nav := range []string{"", "<nav>Pages</nav>"} {
		p := readHTML(t, strings.Replace(html, "<main>", "<main>"+nav, 1))
		text := p.Markdown(nil)
		must.Contain(t, text, "Back up first.", "\n## Undo\n", "This removes files.", "It was said elsewhere.")
		if strings.Contains(text, "Section titled") || strings.Contains(text, "Other pages") || !slices.Contains(p.Anchors, Anchor{"id2", 1}) {
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
		must.Equal(t, want, p.Title)
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

// TestEdges reads pages with parts that are for the visitor before and after the content.
func TestEdges(t *testing.T) {
	chrome := regexp.MustCompile(`generated|index|Imprint|!\[`)
	for _, c := range samples(t, "layouts/edges.txt") {
		if text := readHTML(t, c.Text).Markdown(nil); !strings.HasPrefix(text, "# Trams\n") || strings.Count(text, "line seven") != 12 || chrome.MatchString(text) {
			t.Errorf("%s:\n%s", c.Name, text)
		}
	}
}

// TestLayouts reads layouts of generators that have no main element: text with "keep" must be in the
// result, and text with "leave" must not.
func TestLayouts(t *testing.T) {
	for _, c := range samples(t, "layouts/layouts.txt") {
		t.Run(c.Name, func(t *testing.T) {
			p := readHTML(t, "<!doctype html><title>Rules</title><body>"+c.Text)
			text := p.Markdown(nil)
			if strings.Contains(text, "leave") || len(p.Notes) > 0 {
				t.Errorf("%q\n%s", p.Notes, text)
			}
			for _, kept := range []string{"keep", "A sentence"} {
				must.Equal(t, strings.Count(c.Text, kept), strings.Count(text, kept), kept)
			}
		})
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

// TestEndsOfPages: pagers, dates and questions to the reader go from the end of the content. Asides of sections stay.
func TestEndsOfPages(t *testing.T) {
	body := `<main><div><h1>Rowing</h1><p>Use two oars.</p><h2>Oars</h2><p>` + strings.Repeat("They are long. ", 20) + `</p>
<aside class=example><p>Ash is good.</p></aside><aside class=related><p><a href=a>Boats</a> <a href=b>Sails</a></p></aside><h2 id=copyright>Copyright</h2><p>All of it.</p>
<div><a href=c>Previous</a> <a href=d>Next</a></div><p>Last updated today</p><div>Was this page helpful?</div></div></main>`
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
		must.Equal(t, test.want, read(test.choice).Markdown(nil))
	}
	got := read(Choice{KeepHTML: true, Exclude: []string{"img"}}).HTML()
	must.Equal(t, `<article class="x"><h1>Head</h1><p>One <a href="https://e.com/d/b">link</a>.</p><div class="ad">Buy</div></article>`, got)
}
