package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/folder"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/store"
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
			fmt.Fprint(w, "<!doctype html><title>B</title><p>Text.")
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
		{"", row{"--crawl --into site " + byName + "/", 0, "…2 pages: 2 new\n", ""}},
		{"", row{"--crawl --into site --update", 0, "…2 unchanged\n", ""}},
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
	var out, errs must.Output
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

// capturedProject has a project with two captures in files. One of them is private to alice.
func capturedProject(t *testing.T) (dir, key, private string) {
	t.Helper()
	dir = given.Folder(t, strings.Replace(goodConfig, "{", `{"capture": {"store": "files"}, "search": {"captures": true},`, 1), "resources/a/file=1", "docs/index.md=# Index")
	settings := store.DefaultSettings()
	settings.Kind, settings.Folder = store.Files, filepath.Join(dir, store.DefaultFolder)
	s := must.Get(store.Open(t.Context(), settings, slog.New(slog.DiscardHandler)))(t)
	defer s.Close()
	put := func(address, owner, text string) string {
		u := must.Get(url.Parse(address))(t)
		m := store.Meta{Key: store.Request{URL: u, Owner: owner}.Key(), URL: address, Owner: owner, Source: "native"}
		must.Get(s.Put(t.Context(), m, store.Contents{store.Raw: []byte("<p>" + text), store.Cleaned: []byte(text)}))(t)
		return m.Key
	}
	return dir, put("https://example.com/zoo", "", "# Zoo\n\nA walrus."), put("https://example.com/mine", "token:alice", "A secretword.")
}

// Commands list, read, explain and search captures in files, and change nothing. publish leaves them out.
func TestCapturesOfCommands(t *testing.T) {
	dir, key, private := capturedProject(t)
	t.Chdir(dir)
	before := filesBelow(t, "captures")
	const cleaned, raw = "capture://cleaned/", "capture://raw/"
	rows(t,
		row{"list", 0, "a://file\n" + cleaned + key + "\n" + raw + key + "\n", ""},
		row{"list --long " + cleaned + "*", 0, "…" + cleaned + key + "  text/markdown…", ""},
		row{"read " + cleaned + key, 0, "# Zoo\n\nA walrus.", ""},
		row{"read " + raw + key, 0, "<p># Zoo…", ""},
		row{"read " + cleaned + private, 1, "", "…"},
		row{"read " + cleaned + "../../mcp-docs-server.json", 1, "", "…"},
		row{"explain " + cleaned + key, 0, "…is served. The server makes it…", ""},
		row{"explain " + cleaned + private, 1, "", "…"},
		row{"search walrus", 0, "…" + cleaned + key + "…", ""},
		row{"search secretword", 0, "…No passage has these words…", ""})
	line(t, "list --hidden").ends(0).hides("alice")
	line(t, "publish -n").ends(0).prints("docs/index.md").hides("captures/")
	must.Equal(t, before, filesBelow(t, "captures"), "captures have changed")
}

// Over HTTP, only the owner of a private capture can see it.
func TestCapturesOfCallers(t *testing.T) {
	dir, key, private := capturedProject(t)
	tokens := filepath.Join(t.TempDir(), "tokens")
	must.Write(t, tokens, "alice aaaaaaaaaaaaaaaaaaaaaaaa\nbob bbbbbbbbbbbbbbbbbbbbbbbb\n")
	base, _ := startHTTP(t, "--http=127.0.0.1:0", "--token-file", tokens, "--capture", dir)
	for name, sees := range map[string]bool{"alice": true, "bob": false} {
		ask := func(method string, params map[string]any) string {
			return answerOf(t, base, method, params, "Authorization", "Bearer "+strings.Repeat(name[:1], 24))
		}
		uri := func(uri string) map[string]any { return map[string]any{"uri": uri} }
		list := ask("resources/list", map[string]any{})
		for _, answer := range []string{list, ask("tools/call", map[string]any{"name": "list_resources", "arguments": map[string]any{}}),
			ask("completion/complete", map[string]any{"ref": map[string]any{"type": "ref/resource", "uri": "capture://{tier}/{key}"}, "argument": map[string]any{"name": "key", "value": "example"}})} {
			if strings.Contains(answer, private) != sees || !strings.Contains(answer, key) {
				t.Errorf("%s: %s", name, answer)
			}
		}
		for _, answer := range []string{ask("resources/read", uri("capture://cleaned/"+private)), ask("tools/call", map[string]any{"name": "read_resource", "arguments": uri("capture://raw/" + private)})} {
			must.Equal(t, sees, strings.Contains(answer, "secretword"), name, ", ", answer)
		}
		if answer := ask("resources/read", uri("capture://cleaned/"+key)); !strings.Contains(answer, "walrus") {
			t.Errorf("%s: %s", name, answer)
		}
	}
}
