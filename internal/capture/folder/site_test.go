package folder

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/crawl"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/capturetest"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/rootfs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/glob"
)

// childURL is the environment variable with which this program becomes the process that a test kills.
const childURL = "FOLDER_TEST_URL"

func TestMain(m *testing.M) {
	if start := os.Getenv(childURL); start != "" {
		if _, err := captureSite(context.Background(), start, ".", nil); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	capturetest.Run(m)
}

// captureSite captures a site into a folder, and returns the results by path.
func captureSite(ctx context.Context, start, dir string, change func(*SiteOptions, *Options)) (map[string]Result, error) {
	u, err := url.Parse(start)
	if err != nil {
		return nil, err
	}
	files, err := rootfs.Open(dir)
	if err != nil {
		return nil, err
	}
	defer files.Close()
	results := make(map[string]Result)
	c := Capturer{Client: capturetest.Client(false), Folder: files, Options: Options{Now: time.Now, Converter: capturetest.Converter()}}
	o := SiteOptions{Crawl: crawl.Options{Start: u, Limit: 100_000, Retry: time.Millisecond}, Done: func(r Result) {
		page, _ := url.Parse(r.URL)
		results[page.RequestURI()] = r
	}}
	if change != nil {
		change(&o, &c.Options)
	}
	s, err := NewSite(c, o)
	if err != nil {
		return nil, err
	}
	return results, s.Run(ctx)
}

// capturedSite is [captureSite] without errors.
func capturedSite(t *testing.T, start, dir string, change func(*SiteOptions, *Options)) map[string]Result {
	t.Helper()
	return must.Get(captureSite(t.Context(), start, dir, change))(t)
}

func html(title, body string) string {
	return "<!doctype html><title>" + title + "</title><main><h1>" + title + "</h1>" + body + "</main>"
}

// states returns the states of results, sorted by path.
func states(results map[string]Result) string {
	var list []string
	for _, p := range slices.Sorted(maps.Keys(results)) {
		list = append(list, p+" "+string(results[p].State))
	}
	return strings.Join(list, ", ")
}

func TestAFolderFollowsASite(t *testing.T) {
	site := serve(t, map[string]string{
		"/docs/":   html("Start", `<p>See <a href="a?utm_source=x#second">A</a>, <a href="b/">B</a>, <a href="old">old</a>, <a href="/docs/">here</a> and <a href="copy#n">copy</a>.<p><code>[x](`+"/docs/a"+`)</code>`),
		"/docs/a":  html("A", `<p>Text.<h2 id="second">The second part</h2><p>More <a href="#second">above</a> <span id=n>n</span> <a href="/docs/#nothing">start</a></p>`),
		"/docs/b/": html("B", `<p>Text of <a href="../a">A</a> and <a href="../later">later</a>.`), "/docs/old": "-> /docs/b/",
		"/docs/copy": html("A", `<p>Text.<h2 id="second">The second part</h2><p>More <a href="#second">above</a> <span id=n>n</span> <a href="/docs/#nothing">start</a></p>`),
	})
	dir := t.TempDir()
	folder := filepath.Join(dir, strings.ReplaceAll(strings.TrimPrefix(site.URL, "http://"), ":", "_"), "docs")
	read := func(name string) string {
		text := must.Get(os.ReadFile(filepath.Join(folder, name)))(t)
		return string(text)
	}
	update := func(o *SiteOptions, c *Options) { o.Update = true }
	step := func(want string, change func(*SiteOptions, *Options)) {
		t.Helper()
		results, err := captureSite(t.Context(), site.URL+"/docs/", dir, change)
		if got := states(results); got != want || err != nil {
			t.Errorf("%s, %v\nwant %s", got, err, want)
		}
	}
	step("/docs/ new, /docs/a new, /docs/b/ new", func(o *SiteOptions, c *Options) { o.Crawl.Workers = 1 })
	for _, want := range []string{"[A](a.md#the-second-part)", "[B](b/index.md)", "[old](b/index.md)", "[here](index.md)", "[copy](a.md#the-second-part)", "`[x](/docs/a)`", "site: \"" + site.URL + "/docs/\"\n"} {
		must.Contain(t, read("index.md"), want)
	}
	must.Contain(t, read("a.md"), "[above](#the-second-part)", "[start](index.md#nothing)")
	before := read("a.md") + read("index.md") + read("b/index.md")
	step("/docs/ unchanged, /docs/a unchanged, /docs/b/ unchanged", nil)
	must.Equal(t, before, read("a.md")+read("index.md")+read("b/index.md"))
	must.Equal(t, "/docs/ unchanged, /docs/a unchanged, /docs/b/ unchanged", states(capturedSite(t, site.URL+"/docs/", dir, func(o *SiteOptions, c *Options) { c.DryRun = true })))

	// One page is new, one has changed, one is gone, and one was edited.
	site.page("/docs/later", html("Later", "<p>It is there."))
	site.page("/docs/b/", html("B", `<p>New text of <a href="../a">A</a> and <a href="../later">later</a>.`))
	site.page("/docs/a", "")
	site.page("/docs/copy", "")
	index := filepath.Join(folder, "index.md")
	edited := strings.Replace(read("index.md"), "See", "Look at", 1)
	must.Write(t, index, edited)
	site.page("/docs/", html("Start", `<p>Changed <a href="later">L</a>`))
	step("/docs/ edited, /docs/a gone, /docs/b/ updated, /docs/later new", update)
	must.Equal(t, edited, read("index.md"), "an edited text was overwritten")
	must.Contain(t, read("a.md"), "\ngone: \"", "Text.")
	must.Contain(t, read("b/index.md"), "[A](../a.md) and [later](../later.md)")
	step("/docs/ edited, /docs/b/ unchanged, /docs/later unchanged", update)

	// The page that was gone exists again, the edit is discarded, and the state file is damaged.
	site.page("/docs/a", html("A", `<p>Text.<h2 id="second">The second part</h2><p>More <a href="#second">above</a> <span id=n>n</span> <a href="/docs/#nothing">start</a></p>`))
	state, err := filepath.Glob(filepath.Join(dir, ".crawl-*.jsonl"))
	if err != nil || len(state) != 1 {
		t.Fatal(state, err)
	}
	must.Write(t, state[0], "damaged")
	step("/docs/ updated, /docs/a unchanged, /docs/b/ unchanged, /docs/later unchanged", func(o *SiteOptions, c *Options) { o.Update, c.Force = true, true })
	if text := read("a.md"); strings.Contains(text, "gone") {
		t.Errorf("%s", text)
	}
	link := must.Get(Links(t.Context(), open(t, dir)))(t)
	to, _ := url.Parse(site.URL + "/docs/a#second")
	must.Equal(t, "../a.md#the-second-part", link(path.Join(filepath.Base(filepath.Dir(folder)), "docs/b/index.md"), to))
}

// TestALimitCanGrow captures more pages of a site with a higher limit, without requesting the others again.
func TestALimitCanGrow(t *testing.T) {
	site, all := serve(t, nil), ""
	for i := range 20 {
		site.page(fmt.Sprintf("/%d", i), html(fmt.Sprint("Page ", i), fmt.Sprintf("<p>Text %d.", i)))
		all += fmt.Sprintf("<p>to <a href=/%d>%d</a>", i, i)
	}
	site.page("/", html("All", all))
	dir := t.TempDir()
	for _, limit := range []int{5, 12, 100} {
		capturedSite(t, site.URL+"/", dir, func(o *SiteOptions, c *Options) { o.Crawl.Limit = limit })
		must.Equal(t, min(limit, 21), len(must.Get(Captured(t.Context(), open(t, dir)))(t)), "pages with the limit ", limit)
	}
	count := make(map[string]int)
	for _, p := range site.asked {
		if count[p]++; count[p] > 1 && !strings.Contains(p, ".") {
			t.Errorf("%s was requested again", p)
		}
	}
}

func TestOneProcessAtATime(t *testing.T) {
	dir := t.TempDir()
	server := serve(t, map[string]string{"/": html("A", "a")})
	first := true
	_, err := captureSite(t.Context(), server.URL+"/", dir, func(o *SiteOptions, c *Options) {
		o.Done = func(Result) {
			if !first {
				return
			}
			first = false
			if _, err := captureSite(t.Context(), server.URL+"/", dir, nil); err == nil || !strings.Contains(err.Error(), "another process") {
				t.Errorf("two processes at a time: %v", err)
			}
		}
	})
	if err != nil || first {
		t.Error(err)
	}
	must.Equal(t, 0, len(must.Get(filepath.Glob(filepath.Join(dir, ".*.lock")))(t)))
}

// open opens a folder until the test ends. Windows cannot remove an open folder.
func open(t *testing.T, dir string) *rootfs.FS {
	t.Helper()
	files := must.Get(rootfs.Open(dir))(t)
	t.Cleanup(func() { files.Close() })
	return files
}

// size returns a number from the environment, or the default small.
func size(name string, small int) int {
	if n, err := strconv.Atoi(os.Getenv(name)); err == nil {
		return n
	}
	return small
}

// TestKilledInTheMiddle captures a site with processes that are killed. CRAWL_PAGES and CRAWL_KILLS make it larger.
func TestKilledInTheMiddle(t *testing.T) {
	small := 150
	if must.RaceEnabled {
		small = 60
	}
	pages, kills := size("CRAWL_PAGES", small), size("CRAWL_KILLS", 2)
	site := must.Get(capturetest.NewSite(os.DirFS("../../../docs"), pages))(t)
	var kill atomic.Pointer[func()]
	next := atomic.Int64{}
	site.Asking = func(requests int) {
		if f := kill.Load(); f != nil && int64(requests) >= next.Load() {
			(*f)()
		}
	}
	server := must.Serve(t, site)
	dir := t.TempDir()
	killed := 0
	for i := range kills {
		next.Store(int64(site.Requests() + pages/(kills+1) - i%3))
		cmd := exec.Command(os.Args[0])
		cmd.Dir, cmd.Env = dir, append(os.Environ(), childURL+"="+server.URL+"/docs/")
		var errs strings.Builder
		cmd.Stderr = &errs
		must.Do(t, cmd.Start())
		var ended atomic.Bool
		f := sync.OnceFunc(func() { ended.Store(true); _ = cmd.Process.Kill() })
		kill.Store(&f)
		err := cmd.Wait()
		kill.Store(nil)
		if _, ok := errors.AsType[*exec.ExitError](err); ok && ended.Load() {
			killed++
		} else if err != nil {
			t.Fatalf("%v: %s", err, errs.String())
		}
	}
	must.Equal(t, kills, killed, "killed processes")
	capturedSite(t, server.URL+"/docs/", dir, nil)
	repeated := 0
	for p, n := range site.Asked() {
		if capturetest.Forbidden(p) {
			t.Errorf("%s was requested", p)
		}
		if n > 1 && !strings.HasSuffix(p, ".txt") && !strings.HasSuffix(p, ".xml") && p != "/docs/flaky" && p != "/docs/broken" {
			repeated += n - 1
		}
	}
	if repeated > kills*crawl.DefaultWorkers {
		t.Errorf("%d requests were repeated", repeated)
	}
	compare(t, dir, site, server.URL)
	t.Logf("%d pages, %d processes killed, %d requests, of which %d were repeated", pages, killed, site.Requests(), repeated)
}

// links finds the links of Markdown outside of code, roughly.
var links = regexp.MustCompile(`\]\(([^)\s]+)\)`)

// compare compares a folder with the pages that a site must have.
func compare(t *testing.T, dir string, site *capturetest.Site, server string) {
	t.Helper()
	files := open(t, dir)
	want := site.Want()
	have := make(map[string]string)
	headings := make(map[string]map[string]bool)
	for _, target := range must.Get(Captured(t.Context(), files))(t) {
		p := target.URL.RequestURI()
		must.Equal(t, "", have[p], "another file of ", p)
		have[p] = target.File
		if !want[p] && !capturetest.Trap(p) {
			t.Errorf("%s is kept", p)
		}
	}
	for p := range want {
		if have[p] == "" {
			t.Errorf("%s is not kept", p)
		}
	}
	text := make(map[string]string)
	for _, name := range have {
		data := must.Get(fs.ReadFile(files, name))(t)
		_, body, _ := strings.Cut(string(data), "\n---\n\n")
		text[name], headings[name] = body, make(map[string]bool)
		for _, h := range excerpt.Headings(body) {
			headings[name][h.Slug] = true
		}
	}
	inside, fragments := 0, 0
	for name, body := range text {
		for _, m := range links.FindAllStringSubmatch(body, -1) {
			u, err := url.Parse(m[1])
			if err != nil {
				continue
			}
			if u.IsAbs() {
				if u.Scheme+"://"+u.Host == server && have[u.RequestURI()] != "" {
					t.Errorf("%s has the link %s", name, m[1])
				}
				continue
			}
			to := path.Join(path.Dir(name), u.Path)
			if u.Path == "" {
				to = name
			}
			if _, known := text[to]; !known {
				continue // in code
			}
			inside++
			if u.Fragment != "" {
				if fragments++; !headings[to][u.Fragment] {
					t.Errorf("%s links to %s, which has no such heading", name, m[1])
				}
			}
		}
	}
	if inside < len(want) || fragments == 0 {
		t.Errorf("%d links between pages, %d with a fragment", inside, fragments)
	}
}

// TestAPageWithManyAnchors has a page whose anchors make a long line in the state file. The next run continues after
// that line.
func TestAPageWithManyAnchors(t *testing.T) {
	var big strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&big, "<h2 id=s_%d>Function The Number %d</h2><p>text", i, i)
	}
	site := serve(t, map[string]string{
		"/": html("All", "<a href=/big>big</a> <a href=/b>b</a>"), "/big": html("Big", big.String()), "/b": html("B", "<a href=/big#sec_7>seventh</a>"),
	})
	dir := t.TempDir()
	for _, limit := range []int{2, 3} {
		capturedSite(t, site.URL+"/", dir, func(o *SiteOptions, c *Options) { o.Crawl.Limit = limit })
	}
	site.mu.Lock()
	defer site.mu.Unlock()
	must.Equal(t, 1, strings.Count(strings.Join(site.asked, "\n")+"\n", "/big\n"), "requests for the page")
}

// TestTheSameTextIsUnchanged captures a site twice from a server without validators, which sends all pages in full.
func TestTheSameTextIsUnchanged(t *testing.T) {
	server := serve(t, map[string]string{
		"/docs/": html("Start", `<p>See <a href="a.md">A</a>, <a href="b">B</a>.`), "/docs/a.md": "# A\n\nSee [B](b#top), [start](./).\n",
		"/docs/b": html("B", `<p>Back to <a href="./#top">start</a>.`),
	})
	dir := t.TempDir()
	must.Equal(t, "/docs/ new, /docs/a.md new, /docs/b new", states(capturedSite(t, server.URL+"/docs/", dir, nil)))
	must.Equal(t, "/docs/ unchanged, /docs/a.md unchanged, /docs/b unchanged", states(capturedSite(t, server.URL+"/docs/", dir, nil)))
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
		must.Equal(t, want, states(capturedSite(t, server.URL+"/docs/", dir, func(o *SiteOptions, c *Options) { o.Update = true })))
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
	must.Equal(t, "/docs/ unchanged, /docs/a unchanged, /docs/b unchanged", got)
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
