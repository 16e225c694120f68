package folder

import (
	"strings"
	"testing"
)

// TestIncompletePages has a page with most of its text outside its main element. The file says so until the whole
// page is captured. Then later captures keep the whole page too.
func TestIncompletePages(t *testing.T) {
	b := newBench(t)
	outside := strings.Repeat("<p>A sentence, which has commas, and is outside.</p>", 20)
	b.set("/a", "text/html", "<title>A</title><main><h1>A</h1><p>Inside.</p></main>"+outside)
	r := b.one("/a", New)
	text := b.file(r.File)
	if len(r.Warnings) != 1 || !strings.Contains(text, "\nincomplete: \"Only the main content is here, with ") || strings.Contains(text, "outside") {
		t.Errorf("%q\n%s", r.Warnings, text)
	}
	b.Options.Whole = true
	r = b.one("/a", Updated)
	text = b.file(r.File)
	if len(r.Warnings) != 0 || strings.Contains(text, "\nincomplete:") || !strings.Contains(text, "\nwhole: \"true\"\n") || strings.Count(text, "outside") != 20 {
		t.Errorf("%q\n%s", r.Warnings, text)
	}
	b.Options.Whole = false
	b.set("/a", "text/html", "<title>A</title><main><h1>A</h1><p>Inside, again.</p></main>"+outside)
	b.one("/a", Updated)
	if text = b.file(r.File); !strings.Contains(text, "Inside, again.") || strings.Count(text, "outside") != 20 {
		t.Error(text)
	}
}

// TestManyAnchors has a page with more anchors than headings, such as an index: a link to each anchor leads to a
// heading.
func TestManyAnchors(t *testing.T) {
	var page strings.Builder
	page.WriteString("<title>Index</title><h1>Index</h1><p><a href=\"#last\">Z</a></p>")
	for i := range 26 {
		page.WriteString("<h2>" + string(rune('A'+i)) + "</h2>" + strings.Repeat("<p><a id=\"x-"+string(rune('a'+i))+"\"></a>Entry.</p>", 300))
	}
	page.WriteString("<h2 id=\"last\">The end</h2><p>It ends.</p>")
	b := newBench(t)
	b.set("/a/", "text/html", page.String())
	results, err := captureSite(t.Context(), b.URL+"/a/", b.dir, nil)
	if err != nil || len(results) != 1 {
		t.Fatal(results, err)
	}
	if text := b.file(results["/a/"].File); !strings.Contains(text, "[Z](#the-end)") {
		t.Error(text[:400])
	}
}
