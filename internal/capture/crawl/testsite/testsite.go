// Package testsite is a web site for tests of crawls: pages made of real Markdown, and everything that a crawl may
// meet. It knows which pages a crawl must find and which URLs must not be requested, and counts requests.
//
// Page i has a path in /docs/, links to three pages in different spellings, and a link to a heading of another page.
// There are also redirects, some of them circular or in HTML, copies, pages with a canonical URL, pages with noindex
// and nofollow, pages that robots.txt forbids, slow and failing pages, links to other hosts, and traps: infinite
// parameters and paths.
package testsite

import (
	"bytes"
	"fmt"
	"hash/fnv"
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
)

// A Site is a site with a number of pages.
type Site struct {
	pages   int
	texts   []string // HTML
	anchors []string // an id of a heading of each text
	// Plain leaves out everything but the pages.
	Plain bool
	// Asking is called before each answer, with the number of requests so far. It may be nil.
	Asking func(requests int)

	mu    sync.Mutex // guards all fields below
	asked map[string]int
	times []time.Time
}

// New returns a site whose pages have the texts of the Markdown files in a folder.
func New(files fs.FS, pages int) (*Site, error) {
	s := &Site{pages: pages, asked: make(map[string]int)}
	names, _ := fs.Glob(files, "*/*.md") // the pattern is valid
	anchors := regexp.MustCompile(`</?(?:a|img)\b[^>]*>`)
	md := goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithParserOptions(parser.WithAutoHeadingID()))
	for _, name := range names {
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, err
		}
		if len(text) > 30<<10 {
			text = text[:30<<10]
		}
		var b bytes.Buffer
		if err := md.Convert(text, &b); err != nil {
			return nil, err
		}
		anchor := ""
		if parts := strings.Split(b.String(), `<h2 id="`); len(parts) > 1 {
			anchor, _, _ = strings.Cut(parts[len(parts)-1], `"`)
		}
		// Links and images of the text would lead to missing pages.
		s.texts = append(s.texts, anchors.ReplaceAllString(b.String(), ""))
		s.anchors = append(s.anchors, anchor)
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
	for _, name := range []string{"linked-from-noindex", "only-in-sitemap", "moved-here", "flaky", "slow"} {
		want["/docs/"+name] = true
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

// Times returns the times of all requests.
func (s *Site) Times() []time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.times)
}

// redirects are the targets of redirects, and fixed are pages that are always the same.
var (
	redirects = map[string]string{"/docs/circle-a": "/docs/circle-b", "/docs/circle-b": "/docs/circle-a", "/docs/leaves": "/outside/here"}
	fixed     = map[string]string{
		"/docs/noindex":  `<!doctype html><meta name=robots content=noindex><title>N</title><p>Not for you. <a href="linked-from-noindex">a link</a>`,
		"/docs/nofollow": `<!doctype html><meta name=robots content="noindex, nofollow"><p><a href="behind-nofollow">a link</a>`,
		"/docs/moves":    `<!doctype html><meta http-equiv=refresh content="0; url=moved-here"><title>Moved</title>`,
	}
)

func (s *Site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.times = append(s.times, time.Now())
	s.asked[r.URL.RequestURI()]++
	times := s.asked[r.URL.RequestURI()]
	requests := len(s.times)
	s.mu.Unlock()
	if s.Asking != nil {
		s.Asking(requests)
	}
	p := r.URL.Path
	html := func(title, body string) {
		s.send(w, r, "<!doctype html><html><head><title>"+title+"</title></head><body>"+body+"</body></html>")
	}
	if i, ok := s.index(p); ok {
		if p+"/" == s.Path(i) {
			http.Redirect(w, r, s.Path(i), http.StatusMovedPermanently)
			return
		}
		s.page(w, r, i)
		return
	}
	switch {
	case p == "/robots.txt":
		fmt.Fprint(w, "User-agent: *\nDisallow: /private/\nDisallow: /docs/private/\nSitemap: /map-index.xml\n")
	case s.Plain:
		http.NotFound(w, r)
	case p == "/map-index.xml":
		fmt.Fprint(w, `<sitemapindex><sitemap><loc>/map.xml</loc></sitemap></sitemapindex>`)
	case p == "/map.xml":
		fmt.Fprintf(w, `<urlset><url><loc>/docs/only-in-sitemap?utm_source=map</loc></url><url><loc>%s</loc></url><url><loc>/outside/map</loc></url></urlset>`, s.Path(min(1, s.pages-1)))
	case p == "/docs/only-in-sitemap", p == "/docs/linked-from-noindex", p == "/docs/moved-here":
		html("Here", "<p>This is the page "+p+", which is found.</p>")
	case p == "/docs/slow":
		time.Sleep(20 * time.Millisecond)
		html("Slow", "<p>A page that takes its time.</p>")
	case p == "/docs/flaky":
		if times < 3 {
			http.Error(w, "later", http.StatusInternalServerError)
			return
		}
		html("Flaky", "<p>A page that comes at last.</p>")
	case p == "/docs/broken":
		http.Error(w, "never", http.StatusInternalServerError)
	case fixed[p] != "":
		s.send(w, r, fixed[p])
	case redirects[p] != "":
		http.Redirect(w, r, redirects[p], http.StatusFound)
	case p == "/docs/noindex-header":
		w.Header().Set("X-Robots-Tag", "noindex")
		html("N", "<p>Not for you either.</p>")
	case strings.HasPrefix(p, "/docs/old/"), strings.HasPrefix(p, "/docs/copy/"), strings.HasPrefix(p, "/docs/print/"):
		text := path.Base(p)
		i, err := strconv.Atoi(text)
		switch {
		case err != nil || i < 0 || i >= s.pages:
			http.NotFound(w, r)
		case strings.HasPrefix(p, "/docs/old/"):
			http.Redirect(w, r, s.Path(i)+"#part", http.StatusMovedPermanently)
		case strings.HasPrefix(p, "/docs/copy/"):
			s.page(w, r, i)
		default:
			s.send(w, r, fmt.Sprintf(`<!doctype html><title>Page %d</title><link rel=canonical href="%s"><p>This is page %[1]d of the test site.`, i, s.Path(i)))
		}
	case p == "/docs/list":
		html("Results", fmt.Sprintf(`<p>Results of %s.</p><a href="?%s&amp;sort=x">sort</a>`, r.URL.RawQuery, r.URL.RawQuery))
	case strings.HasPrefix(p, "/docs/deep/"):
		html("Deep", fmt.Sprintf(`<p>A page %d deep.</p><a href="again/">deeper</a>`, strings.Count(p, "/")))
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
	for k := 1; k <= 3; k++ {
		child := 3*i + k
		if child >= s.pages {
			break
		}
		target := s.Path(child)
		if s.Plain {
			fmt.Fprintf(&b, `<li><a href="%s">Page %d</a></li>`, target, child)
			continue
		}
		switch child % 5 {
		case 1:
			target += "?utm_source=nav&utm_medium=web"
		case 2:
			target = strings.TrimSuffix(target, "/")
		case 3:
			target += "#top"
		}
		fmt.Fprintf(&b, `<li><a href="%s">Page %d</a></li>`, target, child)
	}
	b.WriteString("</ul></nav><main>")
	fmt.Fprintf(&b, "<h1>Page %d</h1><p>This is page %d of the test site.</p>", i, i)
	other := (i*7 + 5) % s.pages
	if s.Plain {
		fmt.Fprintf(&b, `<p>See <a href="%s#%s">page %d</a>.</p>`, s.Path(other), s.anchors[other%len(s.anchors)], other)
	} else {
		fmt.Fprintf(&b, `<p>See <a href="%s#%s">page %d</a>, <a href="/docs/old/%d">its old place</a> and <a href="https://elsewhere.invalid/x">another site</a>.</p>`, s.Path(other), s.anchors[other%len(s.anchors)], other, other)
	}
	b.WriteString(s.texts[i%len(s.texts)])
	b.WriteString("</main>")
	switch {
	case s.Plain:
	case i == 0:
		for _, link := range []string{"list?page=1", "deep/again/", "/docs/private/secret", "/private/x", "/outside/x", "noindex", "noindex-header", "nofollow",
			"circle-a", "leaves", "moves", "missing", "broken", "flaky", "slow", "copy/0", "picture.png"} {
			fmt.Fprintf(&b, `<a href="%s">%s</a> `, link, link)
		}
	default:
		if i%50 == 1 {
			fmt.Fprintf(&b, `<a href="/docs/print/%d">print</a><a href="/docs/copy/%d">copy</a>`, i, i)
		}
	}
	b.WriteString("</body></html>")
	s.send(w, r, b.String())
}

func (s *Site) send(w http.ResponseWriter, r *http.Request, body string) {
	h := fnv.New64a()
	_, _ = h.Write([]byte(body))
	etag := fmt.Sprintf(`"%x"`, h.Sum64())
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Etag", etag)
	if r.Header.Get("If-None-Match") == etag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	fmt.Fprint(w, body)
}
