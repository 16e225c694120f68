package folder

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/glob"
)

// TestTheSameTextIsUnchanged captures a site twice from a server without validators, which sends all pages in full.
func TestTheSameTextIsUnchanged(t *testing.T) {
	site := &web{pages: map[string]string{
		"/docs/": html("Start", `<p>See <a href="a.md">A</a>, <a href="b">B</a>.`), "/docs/a.md": "# A\n\nSee [B](b#top), [start](./).\n",
		"/docs/b": html("B", `<p>Back to <a href="./#top">start</a>.`),
	}}
	server := httptest.NewServer(site)
	defer server.Close()
	dir := t.TempDir()
	if got := states(must.Get(captureSite(t.Context(), server.URL+"/docs/", dir, nil))(t)); got != "/docs/ new, /docs/a.md new, /docs/b new" {
		t.Error(got)
	}
	if got := states(must.Get(captureSite(t.Context(), server.URL+"/docs/", dir, nil))(t)); got != "/docs/ unchanged, /docs/a.md unchanged, /docs/b unchanged" {
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
	site := map[string]string{"/docs/": html("Start", `<p>See <a href="a">A</a>.`), "/docs/a": html("A", `<p>Back to the <a href="index.html">start</a>.`)}
	site["/docs/index.html"] = site["/docs/"]
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		page, ok := site[r.URL.Path]
		switch {
		case !ok:
			http.NotFound(w, r)
		case r.Header.Get("If-None-Match") == `"1"`:
			w.WriteHeader(http.StatusNotModified)
		default:
			w.Header().Set("ETag", `"1"`)
			fmt.Fprint(w, page)
		}
	}))
	defer server.Close()
	dir := t.TempDir()
	want := "/docs/ new, /docs/a new"
	for range 4 {
		if got := states(must.Get(captureSite(t.Context(), server.URL+"/docs/", dir, func(o *SiteOptions, c *Options) { o.Update = true }))(t)); got != want {
			t.Errorf("%s, want %s", got, want)
		}
		want = "/docs/ unchanged, /docs/a unchanged"
	}
}

// TestPatternsDoNotEndPages captures a site again with patterns that exclude pages in the folder: these pages keep
// their state.
func TestPatternsDoNotEndPages(t *testing.T) {
	site := &web{pages: map[string]string{"/docs/": html("Start", `<p>See <a href="a">A</a>, <a href="b">B</a>.`), "/docs/a": html("A", `<p>Page A leads to <a href="c">C</a>.`), "/docs/b": html("B", `<p>Page B.`)}}
	server := httptest.NewServer(site)
	defer server.Close()
	dir := t.TempDir()
	must.Get(captureSite(t.Context(), server.URL+"/docs/", dir, nil))(t)
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
	var sent atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var n int
		if _, err := fmt.Sscanf(r.URL.Path, "/docs/%d", &n); err != nil || n > 4 || r.URL.Path != fmt.Sprintf("/docs/%d", n) {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("ETag", `"1"`)
		if r.Header.Get("If-None-Match") == `"1"` {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		sent.Add(1)
		fmt.Fprint(w, html(fmt.Sprint("Page ", n), fmt.Sprintf(`<p>Page %d leads <a href="%d">on</a>.`, n, n+1)))
	}))
	defer server.Close()
	dir := t.TempDir()
	for _, test := range []struct {
		depth, pages int
		sent         int64
	}{{1, 2, 2}, {1, 2, 0}, {3, 4, 4}, {3, 4, 0}, {0, 5, 5}, {0, 5, 0}, {2, 5, 2}} {
		sent.Store(0)
		results := must.Get(captureSite(t.Context(), server.URL+"/docs/0", dir, func(o *SiteOptions, c *Options) {
			o.Crawl.Depth, o.Crawl.EntireDomain, o.Update = test.depth, true, true
		}))(t)
		if len(results) != test.pages || sent.Load() != test.sent {
			t.Errorf("depth %d: %s; %d were sent, want %d pages, %d sent", test.depth, states(results), sent.Load(), test.pages, test.sent)
		}
		for p, r := range results {
			if r.State != New && r.State != Unchanged {
				t.Errorf("depth %d: %s is %s", test.depth, p, r.State)
			}
		}
	}
}
