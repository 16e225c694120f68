package webpage

import (
	"math/rand/v2"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

// TestAbsentParts has a page that lacks what scripts show.
func TestAbsentParts(t *testing.T) {
	p := readHTML(t, `<div><ul role=tablist><li role=tab>A<li role=tab>B</ul><div><div role=tabpanel>a</div></div></div><div class=mermaid></div>`)
	must.Equal(t, "1 of 2 tab panels are not in the page; agents get them with serve --browser. Diagrams that scripts draw are not in the page (1); agents get them with serve --browser.", strings.Join(p.Notes, " "))
}

// A page whose text scripts make says so: it has a script and hardly any words besides its title and headings.
func TestNeedsBrowser(t *testing.T) {
	few, enough := "Please wait.", strings.Repeat("The pump has a valve. ", 4)
	const run = `<script src="main.js"></script>`
	for _, test := range []struct {
		body  string
		needs bool
	}{
		{`<div id="app">Loading...</div>` + run, true}, {`<h1>A title of the page with a good many words in it</h1><p>` + few + run, true},
		{`<p>` + few, false}, {`<p>` + enough + run, false}, {`<p>` + few + `<script type="application/ld+json">{}</script>`, false},
		{`<pre>` + enough + `</pre>` + run, false},
	} {
		page, err := Choice{}.Read(Source{URL: &url.URL{Scheme: "https", Host: "a.example", Path: "/"}, ContentType: "text/html", Body: []byte("<title>T</title>" + test.body)})
		if err != nil || slices.Contains(page.Notes, NeedsBrowser) != test.needs {
			t.Errorf("%s: %v, %v", test.body, page.Notes, err)
		}
	}
}

// TestFormulas compares formulas with an expression that finds the same, in quadratic time.
func TestFormulas(t *testing.T) {
	must.SkipUnderRace(t)
	const begun = `(?s)\\\(.+?\\\)|\\\[.+?\\\]|\\begin` + environment + `.+?\\end` + environment
	oracle, oracleDollars := regexp.MustCompile(begun), regexp.MustCompile(begun+`|\$\$.+?\$\$|\$[^\s$][^$]*\$`)
	tokens := []string{`\(`, `\)`, `\[`, `\]`, "$", "$$", "a", "é", " ", "\n", `\`, `\begin{align}`, `\end{align*}`, `\end{gather}`}
	for range 20_000 {
		var b strings.Builder
		for range rand.IntN(9) {
			b.WriteString(tokens[rand.IntN(len(tokens))])
		}
		for written, want := range map[*regexp.Regexp]*regexp.Regexp{begins(): oracle, dollars(): oracleDollars} {
			var bounds [][2]int
			for _, m := range want.FindAllStringIndex(b.String(), -1) {
				bounds = append(bounds, [2]int(m))
			}
			if got := formulas(b.String(), written); !slices.Equal(got, bounds) {
				t.Fatalf("%q: %v, want %v", b.String(), got, bounds)
			}
		}
	}
	for _, mark := range tokens { // in quadratic time, this takes minutes
		formulas(strings.Repeat(mark+`\[a`, 100_000), dollars())
	}
}

// TestHidden reads a page that hides its content until a script shows it: the note says that the page is incomplete.
func TestHidden(t *testing.T) {
	prose := strings.Repeat("<p>A tram of line seven stops here.</p>", 20)
	p := readHTML(t, `<main><h1>Trams</h1><p>Please wait.</p></main><div hidden id=late>`+prose+`</div><script src=show.js></script>`)
	must.Contain(t, strings.Join(p.Notes, " "), NeedsBrowser)
	if p := readHTML(t, `<main><h1>Trams</h1>`+prose+`</main><div hidden>`+prose+prose+`</div>`); len(p.Notes) > 0 {
		t.Errorf("the notes are %q", p.Notes)
	}
}
