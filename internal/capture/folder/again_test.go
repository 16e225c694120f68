package folder

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/glob"
)

// TestTheSameTextIsUnchanged captures a site twice from a server without validators, which sends all pages in full.
func TestTheSameTextIsUnchanged(t *testing.T) {
	server := serve(t, map[string]string{
		"/docs/": html("Start", `<p>See <a href="a.md">A</a>, <a href="b">B</a>.`), "/docs/a.md": "# A\n\nSee [B](b#top), [start](./).\n",
		"/docs/b": html("B", `<p>Back to <a href="./#top">start</a>.`),
	})
	dir := t.TempDir()
	if got := states(capturedSite(t, server.URL+"/docs/", dir, nil)); got != "/docs/ new, /docs/a.md new, /docs/b new" {
		t.Error(got)
	}
	if got := states(capturedSite(t, server.URL+"/docs/", dir, nil)); got != "/docs/ unchanged, /docs/a.md unchanged, /docs/b unchanged" {
		t.Error(got)
	}
	folder := filepath.Join(dir, strings.ReplaceAll(strings.TrimPrefix(server.URL, "http://"), ":", "_"), "docs")
	for name, want := range map[string]string{"a.md.md": "See [B](b.md), [start](index.md).", "b.md": "Back to [start](index.md)."} {
		if text, err := os.ReadFile(filepath.Join(folder, name)); err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s, %v: %s", name, err, text)
		}
	}
}

// TestAnotherNameOfTheStart captures a site several times. Its start page has a second URL, and its server answers
// "not modified" for the start page only. No run takes the second URL for a new page.
func TestAnotherNameOfTheStart(t *testing.T) {
	server := newSite(t)
	for p, body := range map[string]string{"/docs/": html("Start", `<p>See <a href="a">A</a>.`), "/docs/a": html("A", `<p>Back to the <a href="index.html">start</a>.`)} {
		server.set(p, "text/html", body)
	}
	server.set("/docs/index.html", "text/html", server.pages["/docs/"].body)
	dir := t.TempDir()
	want := "/docs/ new, /docs/a new"
	for range 4 {
		if got := states(capturedSite(t, server.URL+"/docs/", dir, func(o *SiteOptions, c *Options) { o.Update = true })); got != want {
			t.Errorf("%s, want %s", got, want)
		}
		want = "/docs/ unchanged, /docs/a unchanged"
	}
}

// TestPatternsDoNotEndPages captures a site again with patterns that exclude pages in the folder: these pages keep
// their state.
func TestPatternsDoNotEndPages(t *testing.T) {
	server := serve(t, map[string]string{"/docs/": html("Start", `<p>See <a href="a">A</a>, <a href="b">B</a>.`), "/docs/a": html("A", `<p>Page A leads to <a href="c">C</a>.`), "/docs/b": html("B", `<p>Page B.`)})
	dir := t.TempDir()
	capturedSite(t, server.URL+"/docs/", dir, nil)
	got := states(must.Get(captureSite(t.Context(), server.URL+"/docs/", dir, func(o *SiteOptions, c *Options) {
		o.Update, o.Crawl.Scope.Exclude = true, []*glob.Glob{must.Get(glob.Parse("docs/a"))(t), must.Get(glob.Parse("docs/"))(t)}
	}))(t))
	if got != "/docs/ unchanged, /docs/a unchanged, /docs/b unchanged" {
		t.Error(got)
	}
}

// TestAGreaterDepthGoesOn captures a site again to a greater depth. Its server says that no page has changed, but
// links of these pages are followed. With the same depth, no page is sent again.
func TestAGreaterDepthGoesOn(t *testing.T) {
	server := newSite(t)
	for n := range 5 {
		server.set(fmt.Sprintf("/docs/%d", n), "text/html", html(fmt.Sprint("Page ", n), fmt.Sprintf(`<p>Page %d leads <a href="%d">on</a>.`, n, n+1)))
	}
	dir := t.TempDir()
	for _, test := range []struct {
		depth, pages, sent int
	}{{1, 2, 2}, {1, 2, 0}, {3, 4, 4}, {3, 4, 0}, {0, 5, 5}, {0, 5, 0}, {2, 5, 2}} {
		results := capturedSite(t, server.URL+"/docs/0", dir, func(o *SiteOptions, c *Options) {
			o.Crawl.Depth, o.Crawl.EntireDomain, o.Update = test.depth, true, true
		})
		sent := len(slices.DeleteFunc(server.requests(), func(p string) bool { return server.pages[p].body == "" }))
		if len(results) != test.pages || sent != test.sent {
			t.Errorf("depth %d: %s; %d were sent, want %d pages, %d sent", test.depth, states(results), sent, test.pages, test.sent)
		}
		for p, r := range results {
			if r.State != New && r.State != Unchanged {
				t.Errorf("depth %d: %s is %s", test.depth, p, r.State)
			}
		}
	}
}
