package crawl

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/webclient"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/capturetest"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/glob"
)

// A memory is a [Keeper] of pages in memory. mu guards its fields.
type memory struct {
	mu    sync.Mutex
	pages map[string]string
	fail  error
}

func (m *memory) Open(u *url.URL) (Visit, error) { return &entry{m, u}, nil }

type entry struct {
	m *memory
	u *url.URL
}

func (e *entry) Known() (webclient.Validators, time.Time) { return webclient.Validators{}, time.Time{} }

func (e *entry) Keep(_ context.Context, p *Page) error {
	if !p.Claim("", regexp.MustCompile(`<[^>]*>`).ReplaceAllString(string(p.Response.Body), " ")) {
		return ErrElsewhere
	}
	e.m.mu.Lock()
	defer e.m.mu.Unlock()
	if e.m.fail != nil && len(e.m.pages) == 3 {
		return &Fatal{e.m.fail}
	}
	if _, twice := e.m.pages[p.URL.RequestURI()]; twice {
		return errors.New("kept twice")
	}
	e.m.pages[p.URL.RequestURI()] = string(p.Response.Body)
	return nil
}

// serve serves handlers, and returns the URL of a path.
func serve(t testing.TB, h http.Handler, path string) *url.URL {
	server := must.Serve(t, h)
	return must.Get(url.Parse(server.URL + path))(t)
}

// crawled runs a crawl, and returns the pages that were kept and the result of each URL.
func crawled(t *testing.T, start *url.URL, change func(*Options)) (m *memory, c *Crawl, states map[string]Result, err error) {
	t.Helper()
	m = &memory{pages: make(map[string]string)}
	states = make(map[string]Result)
	o := Options{Start: start, Limit: 100_000, Keeper: m, Retry: time.Millisecond, Done: func(r Result) {
		if _, twice := states[r.URL]; twice {
			t.Errorf("%s has two results", r.URL)
		}
		states[r.URL] = r
	}}
	if change != nil {
		change(&o)
	}
	c = must.Get(New(capturetest.Client(false), o))(t)
	return m, c, states, c.Run(t.Context())
}

func TestASite(t *testing.T) {
	site, err := capturetest.NewSite(os.DirFS("../../../docs"), 60)
	must.Do(t, err)
	var journal bytes.Buffer
	address := serve(t, site, "/docs/")
	m, c, states, err := crawled(t, address, func(o *Options) { o.Journal = &journal })
	must.Do(t, err)
	want := site.Want()
	for p := range want {
		if _, ok := m.pages[p]; !ok {
			t.Errorf("%s is not kept", p)
		}
	}
	trapped := make(map[string]int)
	for p := range m.pages {
		switch {
		case capturetest.Trap(p):
			trapped[strings.Split(p, "/")[2]]++
		case !want[p]:
			t.Errorf("%s is kept", p)
		}
	}
	if len(trapped) == 0 || slices.Max(slices.Collect(maps.Values(trapped))) > maxRepeats {
		t.Errorf("kept of traps: %v", trapped)
	}
	for p, n := range site.Asked() {
		if capturetest.Forbidden(p) {
			t.Errorf("%s was asked", p)
		}
		if n > 1 && p != "/docs/flaky" && p != "/docs/broken" {
			t.Errorf("%s was asked %d times", p, n)
		}
		if strings.Contains(p, "utm_") {
			t.Errorf("%s was asked", p)
		}
	}
	stats := c.Stats()
	whys := make(map[string]bool)
	for _, l := range stats.LeftOut {
		whys[l.Why] = true
	}
	if !whys["more and more parameters"] || !whys["segments that repeat"] {
		t.Errorf("traps %+v", stats.LeftOut)
	}
	if stats.Pages != len(m.pages) || stats.Waiting != 0 || stats.Left != "" || stats.Bytes == 0 {
		t.Errorf("%+v with %d pages", stats, len(m.pages))
	}
	base := "http://" + address.Host
	for p, state := range map[string]State{"/docs/broken": Failed, "/docs/missing": Gone, "/docs/noindex": NoIndex, "/docs/private/secret": Forbidden, "/docs/copy/1": Duplicate,
		"/docs/print/1": Canonical, "/docs/moves": Redirect, "/docs/leaves": Other, "/docs/old/5": Redirect} {
		must.Equal(t, state, states[base+p].State, p)
	}
	earlier, err := ReadEarlier(&journal, c.options)
	if err != nil || !earlier.Ended || !earlier.Same || len(earlier.Pages) != len(m.pages) || earlier.Aliases[base+"/docs/copy/1"] == "" || earlier.Pages[address.String()].Digest == [16]byte{} {
		t.Errorf("%d of %d pages, ended %v, %v", len(earlier.Pages), len(m.pages), earlier.Ended, err)
	}
}

// pages is a site: HTML by path, or "-> " and the target of a redirect.
type pages map[string]string

func (p pages) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, ok := p[r.URL.RequestURI()]
	switch to, redirects := strings.CutPrefix(body, "-> "); {
	case !ok:
		http.NotFound(w, r)
	case redirects:
		http.Redirect(w, r, to, http.StatusFound)
	default:
		if !strings.Contains(r.URL.Path, ".") {
			w.Header().Set("Content-Type", "text/html")
		}
		fmt.Fprint(w, body)
	}
}

func links(targets ...string) string {
	var b strings.Builder
	for _, t := range targets {
		fmt.Fprintf(&b, "<p>%s to <a href=%q>x</a>", t, t)
	}
	return b.String()
}

func globs(t *testing.T, patterns ...string) (list []*glob.Glob) {
	for _, p := range patterns {
		g := must.Get(glob.Parse(p))(t)
		list = append(list, g)
	}
	return list
}

func TestScope(t *testing.T) {
	site := pages{
		"/docs/": links("a", "b/c", "../up", "/docs/../docs/d.html?utm_source=x#y", "https://other.invalid/", "e?x=1", "e?x=1&y=2", "e?y=2&x=1"), "/docs/a": links("deep/1"), "/docs/b/c": "c", "/up": "up",
		"/docs/d.html": "d", "/docs/e?x=1": "e1", "/docs/e?x=1&y=2": "e12", "/docs/e": "e", "/docs/deep/1": links("2"), "/docs/deep/2": "two",
		"/to": "-> /docs/a", "/docs": "-> /docs/", "/slash": "-> /slash/", "/slash/": links("below", "/docs/a"), "/slash/below": "below", "/docs/index.html": links("a"),
	}
	for name, test := range map[string]struct {
		start  string
		change func(*Options)
		want   string
	}{
		"below":        {"/docs/", nil, "/docs/ /docs/a /docs/b/c /docs/d.html /docs/deep/1 /docs/deep/2 /docs/e?x=1 /docs/e?x=1&y=2"},
		"a file":       {"/docs/index.html", nil, "/docs/a /docs/deep/1 /docs/deep/2 /docs/index.html"},
		"no slash":     {"/slash", nil, "/slash/ /slash/below"},
		"redirect":     {"/to", nil, "/docs/a"},
		"entire":       {"/docs/", func(o *Options) { o.EntireDomain = true }, "/docs/ /docs/a /docs/b/c /docs/d.html /docs/deep/1 /docs/deep/2 /docs/e?x=1 /docs/e?x=1&y=2 /up"},
		"depth":        {"/docs/", func(o *Options) { o.Depth = 1 }, "/docs/ /docs/a /docs/b/c /docs/d.html /docs/e?x=1 /docs/e?x=1&y=2"},
		"limit":        {"/docs/", func(o *Options) { o.Limit, o.Workers = 2, 1 }, "/docs/ /docs/a"},
		"include":      {"/docs/", func(o *Options) { o.Include = globs(t, "docs/{a,deep/**}") }, "/docs/a /docs/deep/1 /docs/deep/2"},
		"exclude":      {"/docs/", func(o *Options) { o.Exclude = globs(t, "/docs/deep/**", "**/c") }, "/docs/ /docs/a /docs/d.html /docs/e?x=1 /docs/e?x=1&y=2"},
		"ignore query": {"/docs/", func(o *Options) { o.IgnoreQuery = true }, "/docs/ /docs/a /docs/b/c /docs/d.html /docs/deep/1 /docs/deep/2 /docs/e"},
	} {
		m, c, _, err := crawled(t, serve(t, site, test.start), test.change)
		got := strings.Join(slices.Sorted(maps.Keys(m.pages)), " ")
		if got != test.want || err != nil {
			t.Errorf("%s: %s, %v\nwant %s", name, got, err, test.want)
		}
		must.Equal(t, name == "limit", c.Stats().Left != "", name)
	}
}

func TestCanonicalURLs(t *testing.T) {
	text := func(name string) string {
		return name + strings.Repeat(" one two three four five six seven eight nine ten eleven twelve thirteen fourteen", 2)
	}
	canonical := func(to string, rest string) string { return "<link rel=canonical href=" + to + ">" + rest }
	m, c, _, err := crawled(t, serve(t, pages{
		"/":  canonical("http://elsewhere.invalid/", links("a", "b", "c", "d", "e", "f/", "g", "h", "i")),
		"/a": canonical("/b", text("a")), "/b": canonical("/b", text("b")), "/c": canonical("/missing", "c"), "/d": canonical("/e", text("d")), "/e": canonical("/d", text("e")),
		"/f/": "-> /f", "/f": "f", "/g": "-> /g", "/h": canonical("/", "The pump has a valve."), "/i": canonical("/b", "The tank has a pipe, and b is not its canonical page."),
	}, "/"), nil)
	got := strings.Join(slices.Sorted(maps.Keys(m.pages)), " ")
	if err != nil || got != "/ /b /c /d /f /h /i" && got != "/ /b /c /e /f /h /i" {
		t.Errorf("%s, %v", got, err)
	}
	if l := c.Stats().LeftOut; len(l) != 1 || l[0].URLs != 2 || len(l[0].Examples) != 2 || !strings.Contains(strings.Join(l[0].Examples, " "), "/a, kept as ") {
		t.Errorf("%+v", l)
	}
	u := *c.options.Start
	u.Path, u.RawQuery, u.Fragment = "/a", "utm_source=x", "y"
	if to, ok := c.Resolve(&u); !ok || !strings.HasSuffix(to, "/b") {
		t.Errorf("/a is %s, %v", to, ok)
	}
}

// TestCanonicalCircle has two pages that are processed at the same time, and each of which names the other as
// canonical.
func TestCanonicalCircle(t *testing.T) {
	urlOf := func(p string) *url.URL { return &url.URL{Scheme: "https", Host: "a.example", Path: p} }
	c := must.Get(New(nil, Options{Start: urlOf("/"), Done: func(r Result) {
		if r.State == Failed {
			t.Errorf("%s: %v", r.URL, r.Err)
		}
	}}))(t)
	c.ledger.use(func(l *ledger) {
		l.boundary = l.options.Scope.from(urlOf("/"))
		l.begin()
		d, _ := l.found(urlOf("/d"), node{depth: 1})
		e, _ := l.found(urlOf("/e"), node{depth: 1})
		for index, to := range map[int32]string{d: "/e", e: "/d"} {
			u, _ := url.Parse(l.frontier.nodes[index].url)
			l.settle(index, u, &outcome{Result: Result{State: Canonical}, to: urlOf(to), alias: -1})
		}
		if l.frontier.blocked(d) == l.frontier.blocked(e) {
			t.Errorf("%+v", l.frontier.nodes)
		}
	})
}

func TestLists(t *testing.T) {
	m, _, _, err := crawled(t, serve(t, pages{
		"/docs/": "start", "/robots.txt": "User-agent: *\nCrawl-delay: 0\n",
		"/llms.txt":      "# Site\n\n- [One](/docs/one.md): first\n- [Two](https://other.invalid/two.md)\n",
		"/docs/llms.txt": "- [Three](three.md)",
		"/docs/one.md":   "# One", "/docs/three.md": "# Three", "/docs/four": "four",
		"/sitemap.xml":      "<urlset><url><loc>/docs/four</loc></url></urlset>",
		"/docs/sitemap.xml": "<urlset><url><loc>/docs/five</loc></url></urlset>", "/docs/five": "five",
	}, "/docs/"), nil)
	if got := strings.Join(slices.Sorted(maps.Keys(m.pages)), " "); err != nil || got != "/docs/ /docs/five /docs/four /docs/llms.txt /docs/one.md /docs/three.md" {
		t.Errorf("%s, %v", got, err)
	}
}

// TestSitemapsThatAreNotRead has sitemaps that robots.txt names: a missing one, and one that names another host.
func TestSitemapsThatAreNotRead(t *testing.T) {
	m, c, _, err := crawled(t, serve(t, pages{
		"/robots.txt": "User-agent: *\nSitemap: /missing.xml\nSitemap: /real.xml\nSitemap: /index.xml\n", "/index.xml": index("https://elsewhere.example/x.xml"),
		"/real.xml": page("/page"), "/": "start", "/page": "page",
	}, "/"), nil)
	left := strings.Join(c.Stats().Sitemaps, "\n")
	if err != nil || len(m.pages) != 2 || !strings.Contains(left, "index.xml: names sitemaps on another host") || !strings.Contains(left, "/missing.xml: answers 404") || strings.Count(left, "\n") != 1 {
		t.Errorf("%d pages, %v\n%s", len(m.pages), err, left)
	}
}

func TestErrors(t *testing.T) {
	for name, test := range map[string]struct {
		site   http.Handler
		change func(*Options)
		want   string
	}{
		"missing":   {pages{}, nil, "404"},
		"forbidden": {pages{"/": "x", "/robots.txt": "User-agent: *\nDisallow: /\n"}, nil, "robots.txt does not allow it"},
		"circle":    {pages{"/": "-> /"}, nil, "redirects to itself"},
		"failing":   {http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) }), func(*Options) {}, "502"},
		"full":      {pages{"/": links("a", "b", "c", "d", "e"), "/a": "a", "/b": "b", "/c": "c", "/d": "d"}, func(o *Options) { o.Keeper.(*memory).fail = errors.New("the disk is full") }, "the disk is full"},
	} {
		_, _, _, err := crawled(t, serve(t, test.site, "/"), test.change)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", name, err, test.want)
		}
	}
	m, c, _, err := crawled(t, serve(t, pages{"/": links("a", "b", "c"), "/a": strings.Repeat("a", 5000), "/b": strings.Repeat("b", 5000), "/c": strings.Repeat("c", 5000)}, "/"), func(o *Options) { o.Bytes, o.Workers = 7000, 1 })
	if err != nil || len(m.pages) != 3 || !strings.Contains(c.Stats().Left, "7000 bytes") {
		t.Errorf("%d pages, %v, %q", len(m.pages), err, c.Stats().Left)
	}
}

func TestHostileJournals(t *testing.T) {
	start, _ := url.Parse("https://a.example/")
	for _, text := range []string{
		"nonsense", `{"v":1}`, `{"v":2}` + "\n" + `{"u":"x"}`, `{"v":2}` + "\n" + `{"u":"https://a.example/"}` + "\n" + `{"u":"https://a.example/"}`,
		`{"v":2}` + "\n" + `{"u":"https://a.example/","p":70}`, `{"v":2}` + "\n" + `{"u":"https://a.example/"}` + "\n" + `{"n":0,"s":"k","a":9}`,
		`{"v":2}` + "\n" + strings.Repeat("x", maxRecord+1),
	} {
		if _, err := ReadEarlier(strings.NewReader(text), Options{Start: start}); err == nil {
			t.Errorf("%.50s is a journal", text)
		}
	}
	for _, text := range []string{"", `{"v":2}` + "\n" + `{"n":-1,"s":"k"}` + "\n" + `{"n":5,"s":"k"}` + "\n" + `{"n":0}`} {
		if _, err := ReadEarlier(strings.NewReader(text), Options{Start: start}); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
}
