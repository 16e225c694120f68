// Package capturetest has what tests of captures share: a web site, a client for it, and converters whose child is the program of the test, so
// that conversions run as in a server.
//
// The pages of the site are made of real Markdown, and it has everything that a crawl may meet. It knows which pages a crawl must find
// and which URLs must not be requested, and counts requests.
//
// Page i has a path in /docs/, links to three pages in different spellings, and a link to a heading of another page.
// There are also redirects, some of them circular or in HTML, copies, pages with a canonical URL, pages with noindex
// and nofollow, pages that robots.txt forbids, slow and failing pages, links to other hosts, and traps: infinite
// parameters and paths.
package capturetest

import (
	"fmt"
	"hash/crc32"
	"io/fs"
	"maps"
	"net/http"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/webclient"
)

// Client returns a client that may connect to this computer.
func Client(ignoreRobots bool) *webclient.Client {
	rule, err := webclient.ParseRule("127.0.0.1:*")
	if err != nil {
		panic(err)
	}
	return webclient.New(webclient.Options{Allow: []webclient.Rule{rule}, IgnoreRobots: ignoreRobots})
}

// A Site is a site with a number of pages.
type Site struct {
	pages   int
	texts   []string // HTML
	anchors []string // an id of a heading of each text
	// Plain leaves out everything but the pages.
	Plain bool
	// Asking is called before each answer, with the number of requests so far. It may be nil.
	Asking func(requests int)

	mu       sync.Mutex // guards all fields below
	asked    map[string]int
	requests int
}

// NewSite returns a site whose pages have the texts of the Markdown files in a folder.
func NewSite(files fs.FS, pages int) (*Site, error) {
	s := &Site{pages: pages, asked: make(map[string]int)}
	names, _ := fs.Glob(files, "*/*.md") // the pattern is valid
	anchors := regexp.MustCompile(`</?(?:a|img)\b[^>]*>`)
	md := goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithParserOptions(parser.WithAutoHeadingID()))
	for _, name := range names {
		text, err := fs.ReadFile(files, name)
		var b strings.Builder
		if err == nil {
			err = md.Convert(text[:min(len(text), 30<<10)], &b)
		}
		if err != nil {
			return nil, err
		}
		_, anchor, _ := strings.Cut(b.String(), `<h2 id="`)
		anchor, _, _ = strings.Cut(anchor, `"`)
		// Links and images of the text would lead to missing pages.
		s.texts, s.anchors = append(s.texts, anchors.ReplaceAllString(b.String(), "")), append(s.anchors, anchor)
	}
	if len(s.texts) == 0 {
		return nil, fmt.Errorf("no Markdown")
	}
	return s, nil
}

// Path returns the path of a page.
func (s *Site) Path(i int) string {
	switch {
	case i == 0:
		return "/docs/"
	case i%7 == 3:
		return fmt.Sprintf("/docs/part-%d/section/%d/", i%11, i)
	case i%7 == 5:
		return fmt.Sprintf("/docs/Guide%d.html", i)
	}
	return fmt.Sprintf("/docs/part-%d/page-%d", i%11, i)
}

// Want returns the paths of all pages that a crawl must keep.
func (s *Site) Want() map[string]bool {
	want := make(map[string]bool)
	for i := range s.pages {
		want[s.Path(i)] = true
	}
	for _, p := range append(found, "/docs/flaky", "/docs/slow") {
		want[p] = true
	}
	return want
}

// Trap reports whether a path is part of a trap, of which a crawl may keep some pages.
func Trap(p string) bool {
	return strings.HasPrefix(p, "/docs/list") || strings.HasPrefix(p, "/docs/deep/")
}

// Forbidden reports whether a path must not be requested.
func Forbidden(p string) bool {
	return strings.HasPrefix(p, "/private/") || strings.HasPrefix(p, "/docs/private/") || strings.HasPrefix(p, "/outside/") || strings.Contains(p, "behind-nofollow")
}

// Asked returns the number of requests for each path and query.
func (s *Site) Asked() map[string]int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.asked)
}

// Requests returns the number of requests.
func (s *Site) Requests() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.requests
}

// found are small pages, redirects the targets of redirects, and fixed pages that are always the same.
var (
	found     = []string{"/docs/only-in-sitemap", "/docs/linked-from-noindex", "/docs/moved-here"}
	redirects = map[string]string{"/docs/circle-a": "/docs/circle-b", "/docs/circle-b": "/docs/circle-a", "/docs/leaves": "/outside/here"}
	fixed     = map[string]string{
		"/map-index.xml": `<sitemapindex><sitemap><loc>/map.xml</loc></sitemap></sitemapindex>`,
		"/map.xml":       `<urlset><url><loc>/docs/only-in-sitemap?utm_source=map</loc></url><url><loc>/docs/part-1/page-1</loc></url><url><loc>/outside/map</loc></url></urlset>`,
		"/docs/noindex":  `<!doctype html><meta name=robots content=noindex><title>N</title><p>Not for you. <a href="linked-from-noindex">a link</a>`,
		"/docs/nofollow": `<!doctype html><meta name=robots content="noindex, nofollow"><p><a href="behind-nofollow">a link</a>`,
		"/docs/moves":    `<!doctype html><meta http-equiv=refresh content="0; url=moved-here"><title>Moved</title>`,
		"/docs/slow":     `<!doctype html><title>Slow</title><p>A page that takes its time.`,
	}
)

func (s *Site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.requests++
	s.asked[r.URL.RequestURI()]++
	times, requests := s.asked[r.URL.RequestURI()], s.requests
	s.mu.Unlock()
	if s.Asking != nil {
		s.Asking(requests)
	}
	p := r.URL.Path
	html := func(title, body string) { s.send(w, r, "<!doctype html><title>"+title+"</title>"+body) }
	i, isPage := s.index(p)
	switch {
	case isPage && p+"/" == s.Path(i):
		http.Redirect(w, r, s.Path(i), http.StatusMovedPermanently)
	case isPage:
		s.page(w, r, i)
	case p == "/robots.txt":
		fmt.Fprint(w, "User-agent: *\nDisallow: /private/\nDisallow: /docs/private/\nSitemap: /map-index.xml\n")
	case s.Plain:
		http.NotFound(w, r)
	case slices.Contains(found, p):
		html("Here", "<p>This is the page "+p+", which is found.")
	case p == "/docs/broken", p == "/docs/flaky" && times < 3:
		http.Error(w, "later", http.StatusInternalServerError)
	case p == "/docs/flaky":
		html("Flaky", "<p>A page that comes at last.")
	case fixed[p] != "":
		if p == "/docs/slow" {
			time.Sleep(20 * time.Millisecond)
		}
		s.send(w, r, fixed[p])
	case redirects[p] != "":
		http.Redirect(w, r, redirects[p], http.StatusFound)
	case p == "/docs/noindex-header":
		w.Header().Set("X-Robots-Tag", "noindex")
		html("N", "<p>Not for you either.")
	case p == "/docs/list":
		html("Results", fmt.Sprintf(`<p>Results of %s.</p><a href="?%s&amp;sort=x">sort</a>`, r.URL.RawQuery, r.URL.RawQuery))
	case strings.HasPrefix(p, "/docs/deep/"):
		html("Deep", fmt.Sprintf(`<p>A page %d deep.</p><a href="again/">deeper</a>`, strings.Count(p, "/")))
	default:
		s.other(w, r)
	}
}

// other sends a page at another path, or the error that there is none.
func (s *Site) other(w http.ResponseWriter, r *http.Request) {
	i, err := strconv.Atoi(path.Base(r.URL.Path))
	if err != nil || i < 0 || i >= s.pages {
		i = -1
	}
	switch dir := path.Dir(r.URL.Path); {
	case i >= 0 && dir == "/docs/old":
		http.Redirect(w, r, s.Path(i)+"#part", http.StatusMovedPermanently)
	case i >= 0 && dir == "/docs/copy":
		s.page(w, r, i)
	case i >= 0 && dir == "/docs/print":
		s.send(w, r, fmt.Sprintf(`<!doctype html><title>Page %d</title><link rel=canonical href="%s"><p>This is page %[1]d of the test site.`, i, s.Path(i)))
	default:
		http.NotFound(w, r)
	}
}

// index returns the number of the page at a path.
func (s *Site) index(p string) (int, bool) {
	if p == "/docs/" {
		return 0, true
	}
	end := strings.TrimSuffix(strings.TrimSuffix(p, "/"), ".html")
	before := strings.LastIndexFunc(end, func(r rune) bool { return r < '0' || r > '9' })
	i, err := strconv.Atoi(end[before+1:])
	if err != nil || i <= 0 || i >= s.pages || s.Path(i) != p && s.Path(i) != p+"/" {
		return 0, false
	}
	return i, true
}

// page sends page i.
func (s *Site) page(w http.ResponseWriter, r *http.Request, i int) {
	var b strings.Builder
	fmt.Fprintf(&b, "<!doctype html><html><head><title>Page %d - Test site</title></head><body><nav><ul>", i)
	for child := 3*i + 1; child <= 3*i+3 && child < s.pages; child++ {
		target := s.Path(child)
		switch {
		case s.Plain:
		case child%5 == 1:
			target += "?utm_source=nav&utm_medium=web"
		case child%5 == 2:
			target = strings.TrimSuffix(target, "/")
		case child%5 == 3:
			target += "#top"
		}
		fmt.Fprintf(&b, `<li><a href="%s">Page %d</a></li>`, target, child)
	}
	other := (i*7 + 5) % s.pages
	fmt.Fprintf(&b, `</ul></nav><main><h1>Page %d</h1><p>This is page %[1]d of the test site. See <a href="%s#%s">page %d</a>.</p>`, i, s.Path(other), s.anchors[other%len(s.anchors)], other)
	if !s.Plain {
		fmt.Fprintf(&b, `<p>See <a href="/docs/old/%d">its old place</a> and <a href="https://elsewhere.invalid/x">another site</a>.</p>`, other)
	}
	b.WriteString(s.texts[i%len(s.texts)] + "</main>")
	switch {
	case s.Plain:
	case i == 0:
		for _, link := range []string{"list?page=1", "deep/again/", "/docs/private/secret", "/private/x", "/outside/x", "noindex", "noindex-header", "nofollow",
			"circle-a", "leaves", "moves", "missing", "broken", "flaky", "slow", "copy/0", "picture.png"} {
			fmt.Fprintf(&b, `<a href="%s">%[1]s</a> `, link)
		}
	case i%50 == 1:
		fmt.Fprintf(&b, `<a href="/docs/print/%d">print</a><a href="/docs/copy/%[1]d">copy</a>`, i)
	}
	b.WriteString("</body></html>")
	s.send(w, r, b.String())
}

func (s *Site) send(w http.ResponseWriter, r *http.Request, body string) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Etag", fmt.Sprintf(`"%x"`, crc32.ChecksumIEEE([]byte(body))))
	http.ServeContent(w, r, "", time.Time{}, strings.NewReader(body))
}
