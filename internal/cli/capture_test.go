package cli

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/folder"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/given"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/pdftest"
)

// webSite starts a server with some pages, and returns its URL.
func webSite(t *testing.T, pages map[string]string) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, ok := pages[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		if strings.HasSuffix(r.URL.Path, ".pdf") {
			w.Header().Set("Content-Type", "application/pdf")
		}
		fmt.Fprint(w, text)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// siteFolder is the folder of a server's pages.
func siteFolder(site string) string {
	return strings.ReplaceAll(strings.TrimPrefix(site, "http://"), ":", "_")
}

const onLoopback = "--allow=127.0.0.1:*"

func TestCapture(t *testing.T) {
	pages := map[string]string{"/guide/start": "<!doctype html><title>Start</title><p>Hello.</p>", "/other": "<!doctype html><title>Other</title><p>Text.</p>"}
	site := webSite(t, pages)
	t.Chdir(given.Folder(t, goodConfig))
	file := filepath.Join("docs", "web", siteFolder(site), "guide", "start.md")
	other := filepath.Join("docs", "web", siteFolder(site), "other.md")
	start, unchanged := "capture "+onLoopback+" "+site+"/guide/start", "unchanged  "+file+"\nunchanged  "+other+"\n2 pages: 2 unchanged\n"
	rows(t, row{start + " --dry-run", 0, "new        " + file + "\n1 page: 1 new\n", ""})
	if _, err := os.Stat("docs"); err == nil {
		t.Error("a dry run makes a folder")
	}
	rows(t,
		row{start + " " + site + "/guide/start#again", 0, "new        " + file + "\n1 page: 1 new\n", ""},
		row{start + " " + site + "/other", 0, "unchanged  " + file + "\nnew        " + other + "\n2 pages: 1 new, 1 unchanged\n", ""},
		row{"capture --update", 0, unchanged, ""}, // the option is remembered
		row{"capture " + onLoopback + " " + site + "/missing", 1, "1 page: 1 failed\n", "…answers 404 Not Found…"},
		row{"search Hello", 0, "…start.md…", ""})
	text := textOf(t, file)
	if !strings.HasSuffix(text, "---\n\n# Start\n\nHello.\n") {
		t.Error(text)
	}
	must.Write(t, file, strings.Replace(text, "Hello", "Mine", 1))
	pages["/guide/start"] = "<!doctype html><title>Start</title><p>Changed.</p>"
	rows(t, row{start, 1, "edited     " + file + "\n1 page: 1 edited\n", "…--force overwrites it\n"})
	s := line(t, start+" --json --force "+site+"/missing").ends(1).complainsOnly("")
	var results []folder.Result
	if err := json.Unmarshal([]byte(s.out), &results); err != nil || len(results) != 2 || results[0].State != folder.Updated || results[0].File != file || results[0].Title != "Start" ||
		results[1].State != folder.Failed || results[1].Error == "" {
		t.Errorf("%v, %s", err, s.out)
	}
}

// TestCaptureStaysInTheProject captures into a folder that is a link out of the project.
func TestCaptureStaysInTheProject(t *testing.T) {
	site := webSite(t, map[string]string{"/a": "<!doctype html><title>A</title><p>Hello.</p>"})
	for _, link := range []string{"docs", "docs/web"} {
		for _, target := range []string{".", "not/there"} {
			outside := t.TempDir()
			t.Chdir(given.Folder(t, goodConfig))
			must.Do(t, os.MkdirAll(filepath.Dir(link), 0o700))
			if err := os.Symlink(filepath.Join(outside, target), link); err != nil {
				t.Skip("no link can be made here: ", err)
			}
			for _, args := range []string{site + "/a", "--dry-run " + site + "/a", "--update"} {
				line(t, "capture "+onLoopback+" "+args).ends(1).complains(filepath.FromSlash("docs/web: "), "--into")
				if entries, err := os.ReadDir(outside); len(entries) > 0 || err != nil {
					t.Errorf("%s to %s, %q: outside are %v, %v", link, target, args, entries, err)
				}
			}
		}
	}
	outside := t.TempDir()
	t.Chdir(given.Folder(t, goodConfig, "pages/"))
	for link, target := range map[string]string{"docs": "pages", "named": outside} {
		must.Do(t, os.Symlink(target, link))
	}
	for _, args := range [][]string{{}, {"--into", "named"}} { // in the project, and in the folder that the user names
		try(t, append([]string{"capture", onLoopback, site + "/a"}, args...)...).ends(0)
	}
	for _, dir := range []string{filepath.Join("pages", "web"), outside} {
		if _, err := os.Stat(filepath.Join(dir, siteFolder(site), "a.md")); err != nil {
			t.Error(err)
		}
	}
}

// TestCaptureAPDF captures a PDF file, which a child process converts.
func TestCaptureAPDF(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", pdftest.CacheHome())
	site := webSite(t, map[string]string{"/broken.pdf": "%PDF-1.7\nnothing"})
	t.Chdir(given.Folder(t, goodConfig))
	rows(t, row{"capture " + site + "/broken.pdf " + onLoopback, 1, "1 page: 1 failed\n", "…the PDF cannot be read: …"})
}

// A host of this computer that the user types is captured, with its own redirects. Nothing else on this computer is: no
// other port, no other name, no host of a file, and no redirect of another page.
func TestCaptureOfThisComputer(t *testing.T) {
	secret := webSite(t, map[string]string{"/": "<!doctype html><p>Secret."})
	var other string
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/", "/same":
			fmt.Fprint(w, "<!doctype html><title>Ours</title><p>Hello. <a href=/b>B</a>")
		case "/b":
			fmt.Fprint(w, "<!doctype html><title>B</title><p>Text. <a href=/gone>C</a>")
		case "/to-same":
			http.Redirect(w, r, "/same", http.StatusFound)
		case "/to-port":
			http.Redirect(w, r, secret+"/", http.StatusFound)
		case "/to-name":
			http.Redirect(w, r, other+"/", http.StatusFound)
		default:
			http.NotFound(w, r)
		}
	}))
	defer site.Close()
	_, port, _ := strings.Cut(strings.TrimPrefix(site.URL, "http://"), ":")
	byName := "http://localhost:" + port
	t.Chdir(given.Folder(t, goodConfig))
	for _, step := range []struct {
		other string
		row
	}{
		{"", row{site.URL + "/", 0, "…1 page: 1 new\n", ""}},
		{"", row{site.URL + "/to-same", 0, "…1 page: 1 new\n", ""}},
		{"", row{site.URL + "/to-port", 1, "1 page: 1 failed\n", "…" + secret + "/: port …"}},
		{byName, row{site.URL + "/to-name", 1, "1 page: 1 failed\n", "…--allow localhost:" + port + " allows it…"}},
		{site.URL, row{byName + "/to-name", 1, "1 page: 1 failed\n", "…--allow 127.0.0.1:" + port + " allows it…"}},
		{"", row{"--update", 0, "…2 unchanged\n", ""}}, // the user typed this host
		{"", row{byName + "/", 0, "…1 page: 1 new\n", ""}},
		{"", row{"--crawl --into site " + byName + "/", 0, "…2 pages: 2 new\n", "…" + filepath.Join("site", "localhost_"+port, "b.md") + ": links to " + byName + "/gone, which answers 404 Not Found\n…"}},
		{"", row{"--crawl --into site --update", 0, "…2 unchanged\n", "…/gone, which answers 404…"}},
	} {
		other = step.other
		step.line = "capture " + step.line
		rows(t, step.row)
	}
	// Somebody else, who has the files, has permitted nothing, and so has the user for another folder.
	must.Do(t, os.CopyFS("copy", os.DirFS(filepath.Join("docs", "web"))))
	rows(t, row{"capture --update --into copy", 1, "…3 failed\n", "…--allow 127.0.0.1:" + port + " allows it…"})
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	t.Setenv("AppData", t.TempDir())
	for _, args := range []string{"--update", "--crawl --into site --update"} {
		line(t, "capture "+args).ends(1).complains(" allows it")
	}
	// A page that the user did not type has no part in the permission of another page of the command line.
	other = site.URL
	line(t, "capture --allow localhost:"+port+" "+byName+"/to-name "+site.URL+"/b").ends(1).
		prints("2 pages: 1 new, 1 failed").complains("--allow 127.0.0.1:" + port + " allows it")
}
