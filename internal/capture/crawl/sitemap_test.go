package crawl

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/given"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

// web returns a reader of files, which are given by their URLs.
func web(files map[string]string) *SitemapReader {
	return &SitemapReader{Get: func(_ context.Context, u *url.URL) ([]byte, *url.URL, error) {
		body, ok := files[u.String()]
		if !ok {
			return nil, nil, errors.New("answers 404")
		}
		return []byte(body), u, nil
	}}
}

func packed(text string) string {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write([]byte(text))
	_ = z.Close()
	return b.String()
}

func read(t *testing.T, r *SitemapReader, address string, most int) (list []string, err error) {
	t.Helper()
	u := must.Get(url.Parse(address))(t)
	faults, err := r.Read(t.Context(), []*url.URL{u}, func(e SitemapEntry) bool {
		line := e.URL.String()
		if e.Title != "" {
			line += " " + e.Title
		}
		if !e.Modified.IsZero() {
			line += " " + e.Modified.Format(time.RFC3339)
		}
		list = append(list, line)
		return len(list) < most
	})
	if err != nil {
		t.Error(err)
	}
	return list, joined(faults)
}

func joined(faults []SitemapFault) error {
	var errs []error
	for _, f := range faults {
		errs = append(errs, f)
	}
	return errors.Join(errs...)
}

func TestSitemaps(t *testing.T) {
	const root = "https://a.example/"
	for _, c := range append(given.Cases(t, "sitemaps.txt"),
		given.Case{Name: "text", Text: "\ufeff" + root + "1\r\n\r\n" + root + "2\nnonsense\n", Files: map[string]string{"pages": root + "1\n" + root + "2\n"}},
		given.Case{Name: "cut gzip", Text: packed("<urlset><url><loc>https://a.example/a</loc></url>")[:40], Files: map[string]string{"fault": "cannot be read"}}) {
		list, err := read(t, web(map[string]string{root: c.Text, root + "1.xml.gz": packed(c.Files["1.xml"])}), root, 1000)
		must.Equal(t, strings.TrimSpace(c.Files["pages"]), strings.Join(list, "\n"), c.Name)
		if fault := strings.TrimSpace(c.Files["fault"]); (err == nil) != (fault == "") || err != nil && !strings.Contains(err.Error(), fault) {
			t.Errorf("%s: %v, want %q", c.Name, err, fault)
		}
	}
	if list, err := read(t, web(nil), root, 1000); len(list) > 0 || err == nil || !strings.Contains(err.Error(), "answers 404") {
		t.Errorf("a missing sitemap: %q, %v", list, err)
	}
}

func TestSitemapsAreBounded(t *testing.T) {
	must.SkipUnderRace(t)
	bomb := packed("<urlset>" + strings.Repeat("<url><loc>/a</loc></url>", MaxURLs+1))
	count := 0
	r := web(map[string]string{"https://a.example/": bomb})
	faults, _ := r.Read(t.Context(), []*url.URL{{Scheme: "https", Host: "a.example", Path: "/"}}, func(SitemapEntry) bool { count++; return true })
	err := joined(faults)
	if err == nil || count != MaxURLs || !strings.Contains(err.Error(), "more than 200000 URLs") {
		t.Errorf("%d URLs, %v", count, err)
	}
	blank := packed("<urlset>" + strings.Repeat(" ", 1<<20))
	if _, err := read(t, web(map[string]string{"https://a.example/": blank}), "https://a.example/", 10); err == nil || !strings.Contains(err.Error(), "cannot be read") {
		t.Errorf("a text of 1 MiB is kept: %v", err)
	}
	many := web(map[string]string{"https://a.example/": strings.Repeat("https://a.example/a\n", 100)})
	must.Equal(t, 7, len(must.Get(read(t, many, "https://a.example/", 7))(t)), "URLs")
}

// index returns an index file that names sitemaps.
func index(children ...string) string {
	return "<sitemapindex><sitemap><loc>" + strings.Join(children, "</loc></sitemap><sitemap><loc>") + "</loc></sitemap></sitemapindex>"
}

func page(address string) string { return "<urlset><url><loc>" + address + "</loc></url></urlset>" }

// grow returns a tree of index files: the first names n others, and these name 30 each.
func grow(p string, n int) []string {
	if strings.Count(p, "/") > 1 {
		n = 30
	}
	return branches(p+"/", n)
}

// TestEndlessIndexes has sites whose index files loop, name one sitemap again and again, or branch
// without end, next to sitemaps of real pages.
func TestEndlessIndexes(t *testing.T) {
	repeated := make([]string, 3000)
	for i := range repeated {
		repeated[i] = fmt.Sprintf("/same.xml#%d", i)
	}
	for name, test := range map[string]struct {
		roots []string
		files func(path string) string // "": not found; "-> " and a URL: a redirect
		want  []string
		most  int // requests
		err   string
	}{
		"a loop": {[]string{"/"}, func(p string) string {
			return map[string]string{"/": index("/a", "/#x", "/"), "/a": index("/b", "/a", "/"), "/b": index("/", "/c"), "/c": page("/1")}[p]
		}, []string{"/1"}, 4, ""},
		"a redirect to what was read": {[]string{"/", "/other"}, func(p string) string {
			return map[string]string{"/": page("/1"), "/other": "-> /"}[p]
		}, []string{"/1"}, 2, ""},
		"a redirect to what is read later": {[]string{"/other", "/"}, func(p string) string {
			return map[string]string{"/": page("/1"), "/other": "-> /"}[p]
		}, []string{"/1"}, 1, ""},
		"one again and again": {[]string{"/"}, func(p string) string {
			return map[string]string{"/": index(append(repeated, "/real.xml")...), "/same.xml": page("/1"), "/real.xml": page("/2")}[p]
		}, []string{"/1", "/2"}, 3, ""},
		"branches without end": {[]string{"/t", "/index.xml"}, func(p string) string {
			switch p {
			case "/index.xml":
				return index("/1.xml", "/deep.xml", "/2.xml")
			case "/deep.xml":
				return index("/3.xml")
			case "/1.xml", "/2.xml", "/3.xml":
				return page(strings.TrimSuffix(p, ".xml"))
			}
			return index(grow(p, 10)...)
		}, []string{"/1", "/2", "/3"}, 500, "names more sitemaps than the 500 that are read"},
		"a chain without end": {[]string{"/t", "/index.xml"}, func(p string) string {
			switch p {
			case "/index.xml":
				return index("/1.xml")
			case "/1.xml":
				return page("/1")
			}
			return index(p + "/t")
		}, []string{"/1"}, 500, "names more sitemaps than the 500 that are read"},
	} {
		asked := make(map[string]int)
		all := 0
		r := &SitemapReader{Get: func(_ context.Context, u *url.URL) ([]byte, *url.URL, error) {
			asked[u.Path]++
			all++
			body := test.files(u.Path)
			if to, redirects := strings.CutPrefix(body, "-> "); redirects {
				u = &url.URL{Scheme: u.Scheme, Host: u.Host, Path: to}
				body = test.files(to)
			}
			if body == "" {
				return nil, nil, errors.New("answers 404")
			}
			return []byte(body), u, nil
		}}
		var roots []*url.URL
		for _, p := range test.roots {
			roots = append(roots, &url.URL{Scheme: "https", Host: "a.example", Path: p})
		}
		var got []string
		faults, err := r.Read(t.Context(), roots, func(e SitemapEntry) bool { got = append(got, e.URL.Path); return true })
		if err != nil || !slices.Equal(got, test.want) {
			t.Errorf("%s: %d pages %.300q, %v; want %d pages", name, len(got), got, err, len(test.want))
		}
		for p, n := range asked {
			if n > 1 {
				t.Errorf("%s: %s is asked %d times", name, p, n)
			}
		}
		if text := fmt.Sprint(joined(faults)); all > test.most || !strings.Contains(text, test.err) || test.err == "" && len(faults) > 0 {
			t.Errorf("%s: %d requests, want at most %d; %s", name, all, test.most, text)
		}
	}
}

func branches(address string, n int) (list []string) {
	for i := range n {
		list = append(list, fmt.Sprint(address, i))
	}
	return list
}

// TestFeeds reads RSS, Atom, and a sitemap in UTF-16.
func TestFeeds(t *testing.T) {
	wide := []byte("\xff\xfe")
	for _, b := range []byte(`<?xml version="1.0" encoding="UTF-16"?><urlset><url><loc>https://a.example/wide</loc></url></urlset>`) {
		wide = append(wide, b, 0)
	}
	for body, want := range map[string]string{
		`<rss version="2.0"><channel><title>Site</title><link>https://a.example/</link><item><title>Bell</title><link>https://a.example/bell</link><pubDate>Mon, 02 Jan 2006 15:04:05 +0000</pubDate></item></channel></rss>`: "https://a.example/bell Bell 2006-01-02T15:04:05Z",
		`<feed xmlns="http://www.w3.org/2005/Atom"><link href="/"/><entry><title>Oil</title><link rel="alternate" href="/oil?a=1&amp;b=2"/><updated>2026-01-02T03:04:05Z</updated></entry></feed>`:                            "https://a.example/oil?a=1&b=2 Oil 2026-01-02T03:04:05Z",
		string(wide): "https://a.example/wide",
	} {
		if list, err := read(t, web(map[string]string{"https://a.example/feed.xml": body}), "https://a.example/feed.xml", 10); err != nil || !slices.Equal(list, []string{want}) {
			t.Errorf("%q, %v, want %q", list, err, want)
		}
	}
}
