package cli

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/given"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

func TestCaptureASite(t *testing.T) {
	pages := map[string]string{
		"/docs/":  "<!doctype html><title>Start</title><h1>Start</h1><p>See <a href=a>A</a> and <a href=/up>up</a>.",
		"/docs/a": "<!doctype html><title>A</title><h1>A</h1><p>Text A. <a href=b>B</a>", "/docs/b": "<!doctype html><title>B</title><h1>B</h1><p>Text B.", "/up": "<!doctype html><title>Up</title><p>Up.",
	}
	site := webSite(t, pages)
	t.Chdir(given.Folder(t, goodConfig))
	folder := filepath.Join("docs", "web", siteFolder(site))
	crawl := "capture --crawl " + onLoopback + " "
	rows(t,
		row{crawl + "--dry-run " + site + "/docs/", 0, "…3 pages: 3 new\n", ""},
		row{crawl + "--limit 2 " + site + "/docs/", 0, "…2 pages: 2 new\n", "…left out 1 known URL: there are more than 2 pages, which is the limit; continue with a higher --limit\n"},
		row{crawl + site + "/docs/", 0, "…1 page: 1 new\n", ""},
		row{crawl + "--update", 0, "…3 pages: 3 unchanged\n", ""},
		row{crawl + "--include docs/b --into other " + site + "/docs/", 0, "", "…/docs/: no page was captured: --include, --exclude, robots.txt and noindex leave none\n"},
		row{crawl + site + "/none/", 1, "…", "…answers 404…"})
	if text := textOf(t, filepath.Join(folder, "docs", "index.md")); !strings.Contains(text, "[A](a.md) and [up]("+site+"/up)") {
		t.Error(text)
	}
	delete(pages, "/docs/b")
	rows(t, row{crawl + "--update", 0, "…3 pages: 2 unchanged, 1 gone\n", ""}, row{"capture --update " + onLoopback, 0, "…3 pages: 2 unchanged, 1 gone\n", ""})
	line(t, "list").ends(0).hides(".crawl")
}

// TestCaptureVersionsOfASite updates two copies of a site, each in its folder.
func TestCaptureVersionsOfASite(t *testing.T) {
	pages := map[string]string{
		"/docs/":  "<!doctype html><p>Start. <a href=a>A</a> <a href=b>B</a>",
		"/docs/a": "<!doctype html><p>Text A.",
	}
	site := webSite(t, pages)
	t.Chdir(given.Folder(t, goodConfig))
	for _, version := range []string{"v1", "v2"} {
		try(t, "capture", onLoopback, "--crawl", "--into", filepath.Join("docs", "web", version), site+"/docs/").ends(0)
	}
	// A page that its author has moved does not count as another copy of the site.
	moved := filepath.Join("docs", "web", "old", siteFolder(site), "docs", "a.md")
	must.Do(t, os.MkdirAll(filepath.Dir(moved), 0o777))
	must.Do(t, os.Rename(filepath.Join("docs", "web", "v1", siteFolder(site), "docs", "a.md"), moved))
	pages["/docs/b"] = "<!doctype html><p>Text B."
	rows(t, row{"capture --crawl --update " + onLoopback, 0, "…6 pages: 3 new, …", ""})
	for _, version := range []string{"v1", "v2"} {
		if _, err := os.Stat(filepath.Join("docs", "web", version, siteFolder(site), "docs", "b.md")); err != nil {
			t.Error(err)
		}
	}
	for _, name := range []string{filepath.Join("docs", "web", siteFolder(site)), filepath.Join("docs", "web", "old", siteFolder(site), "docs", "b.md")} {
		if _, err := os.Stat(name); err == nil {
			t.Errorf("%s is there", name)
		}
	}
}

// TestCaptureOfASiteIsInterrupted interrupts a crawl, and continues it.
func TestCaptureOfASiteIsInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	var asked atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/" && (len(r.URL.Path) < 2 || r.URL.Path[1] < '0' || r.URL.Path[1] > '9') {
			http.NotFound(w, r)
			return
		}
		if asked.Add(1) == 8 {
			cancel()
		}
		fmt.Fprintf(w, "<!doctype html><h1>Page %[1]s</h1><p>This is the text of page %[1]s.<p>", r.URL.Path)
		for i := range 20 {
			fmt.Fprintf(w, "<a href=/%d>%d</a> ", i, i)
		}
	}))
	defer server.Close()
	t.Chdir(given.Folder(t, goodConfig))
	args := []string{"capture", onLoopback, "--crawl", server.URL + "/"}
	var out, errs syncBuffer
	if code := Run(ctx, args, Streams{Out: &out, Err: &errs}); code != 130 || !strings.Contains(errs.String(), "run the same command to continue\n") || !strings.HasSuffix(errs.String(), "mcp-docs-server: interrupted\n") {
		t.Errorf("code %d, errors %q", code, errs.String())
	}
	first := strings.Count(out.String(), ".md\n")
	code, again, _ := run(t, nil, args...)
	// A page that was written but not recorded is requested again.
	if second := strings.Count(again, ".md\n"); code != 0 || first+second < 21 || first+second > 25 || asked.Load() > 25 {
		t.Errorf("code %d, %d and %d pages, %d requests\n%s\n%s", code, first, second, asked.Load(), out.String(), again)
	}
	files, _ := filepath.Glob(filepath.Join("docs", "web", "*", "*.md"))
	if len(files) != 21 {
		t.Errorf("%d files", len(files))
	}
}
