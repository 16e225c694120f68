package folder

import (
	"context"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/webclient"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/capturetest"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/pdftest"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/rootfs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/frontmatter"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/settings"
)

// A site is a web server whose pages a test changes. mu guards all fields below.
type site struct {
	*httptest.Server
	plain  bool // it sends no validators
	mu     sync.Mutex
	pages  map[string]page
	asked  []string // paths, followed by " if" for conditional requests
	before func(path string)
}

type page struct{ mediaType, body string }

const png = "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"

func newSite(t *testing.T) *site {
	s := &site{pages: make(map[string]page)}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

func (s *site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	p, ok := s.pages[r.URL.RequestURI()]
	condition := r.Header.Get("If-None-Match")
	s.asked = append(s.asked, strings.TrimSpace(r.URL.RequestURI()+" "+map[bool]string{true: "if"}[condition != ""]))
	before := s.before
	s.mu.Unlock()
	if before != nil {
		before(r.URL.Path)
	}
	etag := fmt.Sprintf("%q", digest(p.body)[:8])
	switch {
	case !ok:
		http.NotFound(w, r)
	case p.mediaType == "redirect":
		http.Redirect(w, r, p.body, http.StatusFound)
	case condition == etag:
		w.WriteHeader(http.StatusNotModified)
	default:
		if p.mediaType != "" {
			w.Header().Set("Content-Type", p.mediaType)
		}
		if !s.plain {
			w.Header().Set("Etag", etag)
		}
		fmt.Fprint(w, p.body)
	}
}

// serve returns a site without validators. Its pages are HTML, or "-> " and the target of a redirect.
func serve(t *testing.T, pages map[string]string) *site {
	s := newSite(t)
	s.plain = true
	for p, body := range pages {
		s.page(p, body)
	}
	return s
}

// page sets a page as in [serve], or removes it if body is "".
func (s *site) page(path, body string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pages[path] = page{body: body}
	if to, redirects := strings.CutPrefix(body, "-> "); redirects {
		s.pages[path] = page{"redirect", to}
	} else if body == "" {
		delete(s.pages, path)
	}
}

func (s *site) set(path, mediaType, body string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pages[path] = page{mediaType, body}
}

// requests returns the requests since the last call.
func (s *site) requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	asked := s.asked
	s.asked = nil
	return asked
}

// A bench captures pages of a site into a folder.
type bench struct {
	t   *testing.T
	dir string
	*site
	*Capturer
	now time.Time
}

func newBench(t *testing.T) *bench {
	t.Helper()
	b := &bench{t: t, dir: t.TempDir(), site: newSite(t), now: time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC)}
	folder := must.Get(rootfs.Open(b.dir))(t)
	t.Cleanup(func() { folder.Close() })
	b.Capturer = &Capturer{
		Client: capturetest.Client(true),
		Folder: folder,
		Options: Options{
			Now:       func() time.Time { return b.now },
			Converter: capturetest.Converter(),
		},
	}
	return b
}

// target returns the target of a path of the site.
func (b *bench) target(p string) Target { return Target{URL: canonical(b.t, b.URL+p)} }

// capture captures paths and returns the results.
func (b *bench) capture(paths ...string) []Result {
	b.t.Helper()
	var targets []Target
	for _, p := range paths {
		targets = append(targets, b.target(p))
	}
	return b.run(targets)
}

func (b *bench) run(targets []Target) (results []Result) {
	b.t.Helper()
	must.Do(b.t, b.Run(b.t.Context(), targets, func(r Result) { results = append(results, r) }))
	if len(results) != len(targets) {
		b.t.Fatalf("%d results of %d", len(results), len(targets))
	}
	for i, r := range results {
		if r.URL != targets[i].URL.String() {
			b.t.Errorf("result %d is of %s", i, r.URL)
		}
	}
	return results
}

// one captures a path, and reports an error if its state is not the wanted one.
func (b *bench) one(p string, want State) Result {
	b.t.Helper()
	r := b.capture(p)[0]
	if r.State != want {
		b.t.Errorf("%s is %s, want %s: %s", p, r.State, want, r.Error)
	}
	return r
}

func (b *bench) file(name string) string {
	b.t.Helper()
	data := must.Get(os.ReadFile(filepath.Join(b.dir, filepath.FromSlash(name))))(b.t)
	return string(data)
}

func (b *bench) put(name, text string) {
	b.t.Helper()
	file := filepath.Join(b.dir, filepath.FromSlash(name))
	must.Write(b.t, file, text)
}

// files lists the files of the folder.
func (b *bench) files() (list []string) {
	b.t.Helper()
	must.Do(b.t, filepath.WalkDir(b.dir, func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			rel, _ := filepath.Rel(b.dir, name)
			list = append(list, strings.TrimPrefix(filepath.ToSlash(rel), b.host()+"/"))
		}
		return err
	}))
	return list
}

// host returns the folder of the site.
func (b *bench) host() string {
	u, _ := url.Parse(b.URL)
	return strings.ReplaceAll(u.Host, ":", "_")
}

func TestAPageIsCapturedOnce(t *testing.T) {
	b := newBench(t)
	b.set("/guide/start", "text/html", `<title>Start: "here"</title><p>Hello, <a href="next">next</a>.</p>`)
	r := b.one("/guide/start", New)
	if want := b.host() + "/guide/start.md"; r.File != want || r.Title != `Start: "here"` {
		t.Errorf("%+v", r)
	}
	text := b.file(r.File)
	want := fmt.Sprintf("---\nurl: %q\ntitle: \"Start: \\\"here\\\"\"\nfetched: \"2026-01-02T03:04:05Z\"\netag: \"\\\"%s\\\"\"\nsha256: %q\n---\n\n# Start: \"here\"\n\nHello, [next](%s/guide/next).\n",
		b.URL+"/guide/start", digest(b.pages["/guide/start"].body)[:8], digest("# Start: \"here\"\n\nHello, [next]("+b.URL+"/guide/next).\n"), b.URL)
	must.Equal(t, want, text)
	block, _ := frontmatter.Find(text)
	if title, _ := settings.Titles(block); title != `Start: "here"` {
		t.Errorf("the title is %q", title)
	}
	b.now = b.now.Add(time.Hour)
	b.requests()
	b.one("/guide/start", Unchanged)
	must.Equal(t, []string{"/guide/start if"}, b.requests())
	b.set("/guide/start", "text/html", `<!-- other bytes --><title>Start: "here"</title><p>Hello, <a href="next">next</a>.</p>`)
	b.one("/guide/start", Unchanged)
	must.Equal(t, text, b.file(r.File), "a file with the same text was written")
	b.set("/guide/start", "text/html", `<title>Start</title><p>Changed.</p>`)
	b.one("/guide/start", Updated)
	if got := b.file(r.File); !strings.HasSuffix(got, "\n\n# Start\n\nChanged.\n") || !strings.Contains(got, "2026-01-02T04:04:05Z") {
		t.Errorf("%s", got)
	}
}

func TestAnEditedTextIsNotOverwritten(t *testing.T) {
	b := newBench(t)
	b.set("/a", "text/html", `<title>A</title><p>one</p>`)
	r := b.one("/a", New)
	captured := b.file(r.File)
	edited := strings.Replace(captured, "one", "mine", 1)
	b.put(r.File, edited)
	b.one("/a", Unchanged) // the page has not changed
	b.set("/a", "text/html", `<title>A</title><p>two</p>`)
	b.one("/a", Edited)
	must.Equal(t, edited, b.file(r.File), "the edited text is gone")
	b.Options.Force = true
	b.one("/a", Updated)
	must.Contain(t, b.file(r.File), "two")
	b.put(r.File, strings.Replace(b.file(r.File), "two", "mine", 1))
	b.one("/a", Updated) // --force restores the text of a page that has not changed
	must.Contain(t, b.file(r.File), "two")
}

// TestATextThatIsEditedMeanwhile edits a file while its page is fetched.
func TestATextThatIsEditedMeanwhile(t *testing.T) {
	b := newBench(t)
	b.set("/a", "text/html", `<title>A</title><p>one</p>`)
	captured := b.file(b.one("/a", New).File)
	name := b.host() + "/a.md"
	mine := strings.Replace(strings.Replace(captured, "one", "mine", 1), "sha256:", "mine: 1\nsha256:", 1)
	b.set("/a", "text/html", `<title>A</title><p>two</p>`)
	b.before = func(string) { b.put(name, mine) }
	if b.one("/a", Edited); b.file(name) != mine {
		t.Errorf("the edit is gone:\n%s", b.file(name))
	}
	b.put(name, captured)
	b.Options.Force = true
	if b.one("/a", Updated); !strings.Contains(b.file(name), "two") || !strings.Contains(b.file(name), "mine: 1\n") {
		t.Errorf("with --force:\n%s", b.file(name))
	}
	for _, force := range []bool{false, true} {
		b.Options.Force = force
		must.Do(t, os.Remove(filepath.Join(b.dir, filepath.FromSlash(name))))
		b.before = func(string) { b.put(name, "# Mine\n") }
		if b.one("/a", Failed); b.file(name) != "# Mine\n" {
			t.Errorf("a new file is gone:\n%s", b.file(name))
		}
	}
	b.Options.Force = false
	b.before = func(string) { b.put(name, mine) }
	must.Do(t, os.Remove(filepath.Join(b.dir, filepath.FromSlash(name))))
	if b.one("/a", Edited); b.file(name) != mine {
		t.Errorf("a new file is gone:\n%s", b.file(name))
	}
}

func TestOtherFilesAreNotOverwrittenByAssets(t *testing.T) {
	b := newBench(t)
	b.Options.Images = true
	b.set("/logo.png", "image/png", png)
	b.set("/a", "text/html", `<title>A</title><p>one <img src="/logo.png"></p>`)
	logo := b.host() + "/logo.png"
	b.put(logo, "mine")
	if r := b.one("/a", New); b.file(logo) != "mine" || !strings.Contains(strings.Join(r.Warnings, ""), "logo.png: has other content") || len(r.Images) != 0 {
		t.Errorf("%+v, and the file has %q", r, b.file(logo))
	}
	b.Options.Force = true
	if r := b.one("/a", Updated); b.file(logo) != png || len(r.Images) != 1 {
		t.Errorf("with --force: %+v", r)
	}
	b.Options.Force = false
	b.one("/a", Unchanged)

	b.set("/a", "text/html", `<title>A</title><p>two <img src="/logo.png"></p>`)
	b.set("/logo.png", "image/png", png+"2")
	if b.one("/a", Updated); b.file(logo) != png+"2" {
		t.Errorf("a captured image was not replaced: %q", b.file(logo))
	}
	b.put(logo, "mine")
	b.set("/a", "text/html", `<title>A</title><p>three <img src="/logo.png"></p>`)
	for range 2 { // the second time, front matter still has the captured digest
		r := b.one("/a", Updated)
		if b.file(logo) != "mine" || !strings.Contains(strings.Join(r.Warnings, ""), "logo.png: has other content") || !strings.Contains(b.file(r.File), "](logo.png)") {
			t.Errorf("%q is in the file; %+v", b.file(logo), r)
		}
		b.set("/a", "text/html", `<title>A</title><p>four <img src="/logo.png"></p>`)
	}

	// If a page is not overwritten, its images are not either.
	page := b.host() + "/a.md"
	b.put(page, strings.Replace(b.file(page), "four", "my", 1))
	b.put(logo, png+"2")
	b.set("/logo.png", "image/png", png+"3")
	b.set("/a", "text/html", `<title>A</title><p>five <img src="/logo.png"></p>`)
	if r := b.one("/a", Edited); b.file(logo) != png+"2" || len(r.Images) != 0 {
		t.Errorf("%q is in the file; %+v", b.file(logo), r)
	}
}

func TestFrontMatterOfTheAuthorIsKept(t *testing.T) {
	b := newBench(t)
	b.set("/a", "text/html", `<title>A</title><p>one</p>`)
	r := b.one("/a", New)
	text := strings.Replace(b.file(r.File), "title:", "# mine\ndescription: >\n  of two\n  lines\ntags:\n- x\ntitle:", 1)
	b.put(r.File, strings.ReplaceAll(text, "\n", "\r\n")) // as Git on Windows may write it
	b.one("/a", Unchanged)
	b.set("/a", "text/html", `<title>A</title><p>two</p>`)
	b.one("/a", Updated)
	if got := b.file(r.File); !strings.Contains(got, "# mine\ndescription: >\n  of two\n  lines\ntags:\n- x\n---\n") || strings.Count(got, "title:") != 1 {
		t.Errorf("%s", got)
	}
}

func TestKeysOfTheAuthorMayHaveAnyName(t *testing.T) {
	block := "url: \"u\"\ngröße: 5\netag: \"x\"\n  more\n\"a.b\": 1\nassets:\n- \"x\"\nmy key:\n  x: 1\n'sha256': x\n"
	want := "größe: 5\n\"a.b\": 1\nmy key:\n  x: 1\n"
	must.Equal(t, want, authorLinesOf(block))
}

func TestFilesOfOthersAreNotOverwritten(t *testing.T) {
	b := newBench(t)
	b.set("/a", "text/html", `<p>one</p>`)
	b.Options.Force = true
	for _, text := range []string{"# mine\n", "", "---\ntitle: x\n---\n", "---\nurl: https://other.example/\nsha256: x\n---\n", "---\nurl: [\n---\n"} {
		name := b.host() + "/a.md"
		b.put(name, text)
		if r := b.one("/a", Failed); !strings.Contains(r.Error, name) || b.file(name) != text {
			t.Errorf("%q: %s", text, r.Error)
		}
	}
	must.Do(t, os.Remove(filepath.Join(b.dir, b.host(), "a.md")))
	must.Do(t, os.Mkdir(filepath.Join(b.dir, b.host(), "a.md"), 0o755))
	must.Contain(t, b.one("/a", Failed).Error, "not a regular file")
}

func TestTheFolderCannotBeLeft(t *testing.T) {
	b := newBench(t)
	b.set("/a", "text/html", `<p>one</p>`)
	outside := t.TempDir()
	if err := os.Symlink(outside, filepath.Join(b.dir, b.host())); err != nil {
		t.Skip("no link can be made here: ", err)
	}
	b.one("/a", Failed)
	if entries, _ := os.ReadDir(outside); len(entries) > 0 {
		t.Errorf("%v is written outside of the folder", entries)
	}
}

func TestKindsOfPages(t *testing.T) {
	b := newBench(t)
	b.set("/data.json", "application/json", `{"a": 1}`)
	b.set("/x.pdf", "application/pdf", string(pdftest.New("BT /F1 12 Tf (text of a PDF) Tj ET")))
	b.set("/empty", "text/html", "<script>app()</script>")
	b.set("/redirect", "redirect", "/data.json")
	b.set("/README.md", "text/plain", "---\nurl: https://evil.example/\nsha256: x\n---\n# Theirs\n")
	for p, want := range map[string]string{
		"/data.json": "```json\n{\"a\": 1}\n```\n",
		"/x.pdf":     "# x.pdf\n\n## Page 1\n\ntext of a PDF\n",
		"/empty":     "",
		"/redirect":  "```json\n{\"a\": 1}\n```\n",
	} {
		r := b.one(p, New)
		_, body, _ := strings.Cut(b.file(r.File), "\n---\n\n")
		must.Equal(t, want, body, p)
		must.Equal(t, p == "/empty", len(r.Warnings) > 0, p, " ", r.Warnings)
		b.one(p, Unchanged)
	}
	must.Contain(t, b.file(b.host()+"/redirect.md"), "location: \""+b.URL+"/data.json\"")
	f, err := parseFile(b.file(b.one("/README.md", New).File))
	if err != nil || f.URL != b.URL+"/README.md" || !strings.Contains(f.Body, "```yaml\nurl: https://evil") {
		t.Errorf("%+v, %v", f, err)
	}
	b.set("/logo.png", "image/png", png)
	must.Contain(t, b.one("/logo.png", Failed).Error, "is not text: image/png")
	must.Contain(t, b.one("/missing", Failed).Error, "404 Not Found")
}

func TestImages(t *testing.T) {
	b := newBench(t)
	other := newSite(t)
	other.set("/i", "image/png", png)
	b.set("/logo.png", "image/png", png)
	b.set("/trap.png", "text/html", "<script>")
	b.set("/a/b", "text/html", `<title>A</title><p><img src="/logo.png" alt="logo"> <img src="/logo.png"> <img src="/trap.png"> <img src="/missing.png"> <img src="`+other.URL+`/i"></p>`)
	r := b.one("/a/b", New)
	must.Equal(t, 1, len(b.files()), "files without --images")
	b.Options.Images = true
	r = b.one("/a/b", Updated)
	if len(r.Warnings) != 2 || len(r.Images) != 2 {
		t.Errorf("%+v", r)
	}
	text := b.file(r.File)
	otherHost := strings.ReplaceAll(strings.TrimPrefix(other.URL, "http://"), ":", "_")
	must.Contain(t, text, "![logo](../logo.png) ![](../logo.png) ![]("+b.URL+"/trap.png)", "![](../../"+otherHost+"/i--")
	must.Equal(t, png, b.file(b.host()+"/logo.png"), "the image has changed")
	b.requests()
	b.one("/a/b", Unchanged)
	b.Options.Images = false // the existing file shows an asset
	b.set("/a/b", "text/html", `<title>A</title><p>new <img src="/logo.png"></p>`)
	b.one("/a/b", Updated)
	must.Contain(t, b.file(r.File), "new ![](../logo.png)")
}

// Git for Windows checks out text files with CRLF.
func TestGitChangesLineEnds(t *testing.T) {
	b := newBench(t)
	b.Options.Images = true
	const drawing, other = "<svg>\n<g/>\n</svg>\n", "<svg>\n<path/>\n</svg>\n"
	b.set("/a.svg", "image/svg+xml", drawing)
	b.set("/a", "text/html", `<p>one <img src="/a.svg"></p>`)
	r := b.one("/a", New)
	for _, name := range []string{r.File, r.Images[0]} {
		b.put(name, strings.ReplaceAll(b.file(name), "\n", "\r\n"))
	}
	b.one("/a", Unchanged)
	b.set("/a", "text/html", `<p>two <img src="/a.svg"></p>`)
	if r := b.one("/a", Updated); len(r.Warnings) > 0 || len(r.Images) > 0 {
		t.Errorf("the image is the same: %+v", r)
	}
	b.set("/a", "text/html", `<p>three <img src="/a.svg"></p>`)
	b.set("/a.svg", "image/svg+xml", other)
	if r := b.one("/a", Updated); len(r.Warnings) > 0 || len(r.Images) != 1 || b.file(r.Images[0]) != other {
		t.Errorf("the image has changed: %+v", r)
	}
	b.put(r.Images[0], "<svg>\r\n<!-- edited -->\r\n</svg>\r\n")
	b.set("/a.svg", "image/svg+xml", drawing)
	b.set("/a", "text/html", `<p>four <img src="/a.svg"></p>`)
	if r := b.one("/a", Updated); len(r.Warnings) != 1 || !strings.Contains(r.Warnings[0], "has other content") {
		t.Errorf("the image was edited: %+v", r)
	}
}

func TestTheTimeOfImagesIsBounded(t *testing.T) {
	b := newBench(t)
	b.Options.Images = true
	b.imagesTime = -1
	b.set("/1.png", "image/png", png)
	b.set("/a", "text/html", `<title>A</title><p><img src="/1.png"> <img src="/2.png"></p>`)
	r := b.one("/a", New)
	if len(r.Warnings) != 1 || !strings.Contains(r.Warnings[0], "take longer than") || !strings.Contains(b.file(r.File), "![]("+b.URL+"/1.png)") {
		t.Errorf("%+v", r)
	}
	must.Equal(t, 1, len(b.requests()), "requests")
	b.imagesTime = 0
	b.one("/a", Updated)
	must.Equal(t, png, b.file(b.host()+"/1.png"))
}

func TestADryRunWritesNothing(t *testing.T) {
	b := newBench(t)
	b.Options.DryRun, b.Options.Images = true, true
	b.set("/a", "text/html", `<p>one <img src="/logo.png"></p>`)
	b.set("/logo.png", "image/png", png)
	b.one("/a", New)
	must.Equal(t, 0, len(b.files()), "files")
}

func TestUpdate(t *testing.T) {
	b := newBench(t)
	b.set("/a", "text/html", `<p>one</p>`)
	b.set("/b?q=1", "text/html", `<p>two</p>`)
	b.capture("/a", "/b?q=1")
	b.put("moved/here.md", b.file(b.host()+"/a.md"))
	b.put("mine.md", "# Mine\n")
	b.put("trap.md", "---\nurl: file:///etc/passwd\nsha256: x\n---\n")
	b.put(".hidden/a.md", b.file(b.host()+"/a.md"))
	b.set("/a", "text/html", `<p>three</p>`)
	targets := must.Get(Captured(t.Context(), b.Folder))(t)
	var got []string
	for i, r := range b.run(targets) {
		got = append(got, path.Base(targets[i].File)+" "+string(r.State))
	}
	want := []string{"a.md updated", "b_q_1--" + got[1][7:26] + " unchanged", "here.md updated"}
	must.Equal(t, want, got)
	if !strings.Contains(b.file("moved/here.md"), "three") || strings.Contains(b.file(".hidden/a.md"), "three") {
		t.Error("the wrong files were updated")
	}
}

// TestNothingIsLostWhenItEnds ends a run while pages are fetched: all files are complete, and the next run captures
// the rest.
func TestNothingIsLostWhenItEnds(t *testing.T) {
	b := newBench(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var targets []Target
	for i := range 30 {
		p := fmt.Sprintf("/p%02d", i)
		b.set(p, "text/html", "<p>page</p>")
		targets = append(targets, b.target(p))
	}
	b.before = func(path string) {
		if path == "/p10" {
			cancel()
		}
	}
	var results []Result
	if err := b.Run(ctx, targets, func(r Result) { results = append(results, r) }); err != context.Canceled {
		t.Errorf("%v", err)
	}
	if len(results) == 0 || len(results) == len(targets) {
		t.Errorf("%d results", len(results))
	}
	for _, r := range results {
		must.Equal(t, New, r.State, r)
	}
	written := b.files()
	for _, name := range written {
		if strings.Contains(name, ".new-") {
			t.Errorf("%s is left", name)
			continue
		}
		if f, err := parseFile(b.file(b.host() + "/" + name)); err != nil || f.Edited() {
			t.Errorf("%s is not whole: %v", name, err)
		}
	}
	b.before = nil
	states := make(map[State]int)
	for _, r := range b.run(targets) {
		states[r.State]++
	}
	if states[Unchanged] != len(written) || states[New] != len(targets)-len(written) {
		t.Errorf("%d files existed, and then %v", len(written), states)
	}
}

func TestHeadersKeepWhatServersSend(t *testing.T) {
	for _, h := range []Header{
		{URL: "https://example.com/", Title: "a: b # \"c\" \\ \u2028 é 🎉 ---", ETag: `W/"x"`, LastModified: "Fri, 02 Jan 2026 03:04:15 GMT", SHA256: digest("body\n")},
		{URL: "https://example.com/", Title: "yes", ETag: "123", LastModified: "2026-01-02", SHA256: digest("body\n")},
		{URL: "https://example.com/", Title: "---", ETag: "!!binary |", SHA256: digest("body\n")},
	} {
		h.Fetched = "2026-01-02T03:04:05Z"
		f := &File{Header: h, Body: "body\n"}
		text, err := f.text()
		must.Do(t, err)
		again, err := parseFile(string(text))
		if diff := cmp.Diff(f.Header, again.Header); err != nil || diff != "" || again.Edited() {
			t.Errorf("%v %s", err, diff)
		}
	}
	// Values that YAML does not allow are left out, and the page is captured anyway.
	location, _ := url.Parse("https://example.com/")
	odd := *location
	odd.RawQuery = "q=\xff"
	for _, c := range []struct {
		response webclient.Response
		want     Header
	}{
		{webclient.Response{URL: location, Validators: webclient.Validators{ETag: "\"\u0085\"", LastModified: "x\xff"}}, Header{ETag: "\"\u0085\""}},
		{webclient.Response{URL: location, Validators: webclient.Validators{ETag: "\"\uffff\x00\n\"", LastModified: strings.Repeat("x", maxValue+1)}}, Header{ETag: "\"\uffff\x00\n\""}},
		{webclient.Response{URL: &odd, Validators: webclient.Validators{LastModified: "x"}}, Header{LastModified: "x"}},
	} {
		c.want.URL = location.String()
		got := headerOf(location.String(), &c.response)
		must.Equal(t, c.want, got)
		got.SHA256, got.Title = digest(""), " a\uffff\ufffe\x7fb\u0085c\x00\ufeff"
		got.Fetched = "2026-01-02T03:04:05Z"
		if _, err := (&File{Header: got}).text(); err != nil {
			t.Errorf("%+v: %v", got, err)
		}
	}
}

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
	must.Contain(t, b.file(results["/a/"].File), "[Z](#the-end)")
}
