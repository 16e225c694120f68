package cli

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// unpackWritten writes the files that commit a07d2a8 left, and returns their folder: "killed" and
// "ended" are folders with a site. The process of "killed" was killed. testdata/written.txt contains
// these files, each after a line with its size and name.
func unpackWritten(t *testing.T) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "written.txt"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for rest := string(data); rest != ""; {
		head, body, _ := strings.Cut(rest, "\n")
		var size int
		var name string
		if _, err := fmt.Sscanf(head, "== %d %s", &size, &name); err != nil {
			t.Fatalf("%q: %v", head, err)
		}
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(body[:size]), 0o600); err != nil {
			t.Fatal(err)
		}
		rest = body[size+1:]
	}
	return dir
}

// writtenSite is the site at http://127.9.8.7:8080/docs/ from which the files were captured.
type writtenSite struct {
	mu    sync.Mutex // guards asked
	asked map[string]int
}

func (s *writtenSite) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.asked[r.URL.Path]++
	s.mu.Unlock()
	page := func(title, body string) {
		etag := fmt.Sprintf("%q", title)
		w.Header().Set("Content-Type", "text/html")
		w.Header().Set("ETag", etag)
		if r.Header.Get("If-None-Match") == etag {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		fmt.Fprintf(w, "<!doctype html><title>%s</title><main><h1 id=top-of>%s</h1>%s</main>", title, title, body)
	}
	var n int
	switch p := r.URL.Path; {
	case p == "/docs/":
		body := `<p>Start: <a href="old">old</a> <a href="print">print</a> <a href="copy">copy</a> <a href="gone">gone</a> <a href="cal/1">calendar</a>`
		for i := range 8 {
			body += fmt.Sprintf(` <a href="page/%d?utm_source=x#top-of">%d</a>`, i, i)
		}
		page("Start", body)
	case p == "/docs/old":
		http.Redirect(w, r, "/docs/page/1", http.StatusFound)
	case p == "/docs/print":
		page("Print", `<link rel=canonical href="/docs/page/2"><p>To print.`)
	case p == "/docs/copy", p == "/docs/page/3":
		page("Page 3", "<p>Text of page 3.")
	case p == "/sitemap.xml":
		fmt.Fprint(w, "<urlset><url><loc>/docs/mapped</loc><lastmod>2020-01-01</lastmod></url></urlset>")
	case p == "/docs/mapped":
		page("Mapped", "<p>Only in the sitemap.")
	case strings.HasPrefix(p, "/docs/page/"):
		if _, err := fmt.Sscanf(p, "/docs/page/%d", &n); err != nil || n > 13 {
			http.NotFound(w, r)
			return
		}
		page(fmt.Sprintf("Page %d", n), fmt.Sprintf(`<p>Text of page %d, see <a href="%d#top-of">the next one</a>.`, n, n+1))
	case strings.HasPrefix(p, "/docs/cal/"):
		if _, err := fmt.Sscanf(p, "/docs/cal/%d", &n); err != nil || n > 17 {
			http.NotFound(w, r)
			return
		}
		page(fmt.Sprintf("Month %d", n), fmt.Sprintf(`<p>Nothing happens in month %d.</p><a href="%d">next</a>`, n, n+1))
	default:
		http.NotFound(w, r)
	}
}

// listenAt serves at an address of the loopback network, which may be in use for a moment.
func listenAt(t *testing.T, address string, h http.Handler) {
	t.Helper()
	for try := 0; ; try++ {
		l, err := net.Listen("tcp", address)
		if err == nil {
			server := &http.Server{Handler: h}
			go func() { _ = server.Serve(l) }()
			t.Cleanup(func() { server.Close() })
			return
		}
		if try == 100 {
			t.Fatal(err)
		}
		time.Sleep(200 * time.Millisecond)
	}
}

const onWritten = "--allow=127.9.8.0/24:*"

// sorted returns the lines of a text in order.
func sorted(text string) string {
	lines := strings.SplitAfter(text, "\n")
	slices.Sort(lines)
	return strings.Join(lines, "")
}

// TestFoldersOfAnEarlierVersion continues the capture of a site in a folder that commit a07d2a8 wrote
// until it was killed, and updates a folder that this commit finished.
func TestFoldersOfAnEarlierVersion(t *testing.T) {
	dir := unpackWritten(t)
	t.Chdir(dir)
	site := &writtenSite{asked: make(map[string]int)}
	listenAt(t, "127.9.8.7:8080", site)
	dead := func(folder string, links ...string) (lines string) { // each has the file and its target
		for i := 0; i < len(links); i += 2 {
			lines += "mcp-docs-server: " + filepath.Join(folder, "127.9.8.7_8080", "docs", filepath.FromSlash(links[i])) + ": links to http://127.9.8.7:8080/docs/" + links[i+1] + ", which answers 404 Not Found\n"
		}
		return lines
	}
	code, out, errs := run(t, nil, "capture", "--crawl", "http://127.9.8.7:8080/docs/", "--into", "killed", onWritten)
	if code != 0 || sorted(errs) != sorted(dead("killed", "cal/17.md", "cal/18", "page/13.md", "page/14")) {
		t.Errorf("code %d, errors %q\n%s", code, errs, out)
	}
	for p, n := range site.asked {
		kept := regexp.MustCompile(`^/docs/(|old|print|copy|gone|cal/1|page/[0-3])$`).MatchString(p) || p == "/sitemap.xml" || p == "/llms.txt"
		if kept || n > 1 {
			t.Errorf("%s was asked %d times", p, n)
		}
	}
	for name, want := range map[string]string{
		"index.md":   "[old](page/1.md) [print](page/2.md) [copy](copy.md) [gone](http://127.9.8.7:8080/docs/gone) [calendar](cal/1.md) [0](page/0.md#page-0)",
		"page/2.md":  "[the next one](../copy.md#page-3)",
		"page/12.md": "[the next one](13.md#page-13)",
		"mapped.md":  "Only in the sitemap.",
		"cal/16.md":  "[next](17.md)",
	} {
		text, err := os.ReadFile(filepath.Join("killed", "127.9.8.7_8080", "docs", filepath.FromSlash(name)))
		if body := strings.ReplaceAll(string(text), "\n", " "); err != nil || !strings.Contains(body, want) {
			t.Errorf("%s, %v:\n%s\ndoes not have %s", name, err, text, want)
		}
	}
	site.asked = make(map[string]int)
	code, out, errs = run(t, nil, "capture", "--crawl", "--update", "http://127.9.8.7:8080/docs/", "--into", "ended", onWritten)
	if code != 0 || sorted(errs) != sorted(dead("ended", "index.md", "gone", "page/13.md", "page/14")) || !strings.HasSuffix(out, "29 pages: 29 unchanged\n") {
		t.Errorf("code %d, errors %q\n%s", code, errs, out)
	}
	if site.asked["/docs/mapped"] != 0 { // its sitemap says that it has not changed
		t.Error("/docs/mapped was asked")
	}
}
