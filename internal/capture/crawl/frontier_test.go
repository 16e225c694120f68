package crawl

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/webclient"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

// A graph is a site whose pages have random links and answer after random times. It is a [Site] and a [Keeper].
type graph struct {
	links [][]int // the first page is the start

	mu       sync.Mutex // guards all fields below
	rand     *rand.Rand
	asked    map[string]int
	answered time.Time
	closest  time.Duration // the shortest time between an answer and the next request
}

func newGraph(seed uint64, size int) *graph {
	g := &graph{rand: rand.New(rand.NewPCG(seed, 6)), asked: make(map[string]int), closest: time.Hour}
	for range size {
		links := make([]int, g.rand.IntN(4))
		for i := range links {
			links[i] = g.rand.IntN(size)
		}
		g.links = append(g.links, links)
	}
	return g
}

// within returns the pages with at most a number of links from the start.
func (g *graph) within(most int) map[string]bool {
	near, level := map[string]bool{g.url(0).String(): true}, []int{0}
	for range most {
		var next []int
		for _, page := range level {
			for _, to := range g.links[page] {
				if text := g.url(to).String(); !near[text] {
					near[text] = true
					next = append(next, to)
				}
			}
		}
		level = next
	}
	return near
}

func (g *graph) url(page int) *url.URL {
	return &url.URL{Scheme: "https", Host: "a.example", Path: fmt.Sprintf("/p%d", page)}
}

func (g *graph) Sitemaps(context.Context, *url.URL) ([]string, error) { return nil, nil }

func (g *graph) Get(ctx context.Context, r webclient.Request) (*webclient.Response, error) {
	g.mu.Lock()
	if !g.answered.IsZero() {
		g.closest = min(g.closest, time.Since(g.answered))
	}
	g.asked[r.URL.String()]++
	delay := time.Duration(g.rand.IntN(3000)) * time.Millisecond
	g.mu.Unlock()
	if err := webclient.Pause(ctx, delay); err != nil {
		return nil, err
	}
	g.mu.Lock()
	g.answered = time.Now()
	g.mu.Unlock()
	var page int
	if _, err := fmt.Sscanf(r.URL.Path, "/p%d", &page); err != nil {
		return nil, &webclient.StatusError{URL: r.URL.String(), Status: http.StatusNotFound}
	}
	var b strings.Builder
	for _, to := range g.links[page] {
		fmt.Fprintf(&b, "<a href=%s>x</a>", g.url(to))
	}
	return &webclient.Response{URL: r.URL, ContentType: "text/html", Body: []byte(b.String()), Header: make(http.Header)}, nil
}

func (g *graph) Open(*url.URL) (Visit, error)                           { return g, nil }
func (g *graph) Known() (known webclient.Validators, fetched time.Time) { return known, fetched }
func (g *graph) Keep(context.Context, *Page) error                      { return nil }

// A crawl with a maximum depth keeps the pages of that depth, give or take one link, and asks for each page once, however
// long each answer takes. A kill repeats at most one request a worker.
func TestDepth(t *testing.T) {
	for seed := range uint64(40) {
		synctest.Test(t, func(t *testing.T) {
			g := newGraph(seed, 60)
			const workers = 3
			depth, kills := 1+int(seed)%4, int(seed)%3
			var journal bytes.Buffer
			kept := make(map[string]bool)
			for run := 0; ; run++ {
				ctx, kill := context.WithCancel(t.Context())
				done := 0
				c, err := New(g, Options{Start: g.url(0), Keeper: g, Journal: &journal, Scope: Scope{EntireDomain: true}, Depth: depth, Workers: workers, Done: func(Result) {
					if done++; done == 4 && run < kills {
						kill()
					}
				}})
				if err == nil && run > 0 {
					err = c.Resume(bytes.NewReader(bytes.Clone(journal.Bytes())))
				}
				must.Do(t, err)
				err = c.Run(ctx)
				kill()
				if err == nil {
					c.Each(func(page string, state State, _ bool) {
						if state == Kept {
							kept[page] = true
						}
					})
					break
				}
				if !errors.Is(err, context.Canceled) {
					t.Fatal(err)
				}
				journal.WriteString(`{"u":"http://cut`)
			}
			for page := range g.within(depth - 1) {
				if !kept[page] {
					t.Errorf("graph %d: %s is missing at depth %d", seed, page, depth)
				}
			}
			most := g.within(depth + 1)
			for page := range kept {
				if !most[page] {
					t.Errorf("graph %d: %s is too deep for %d", seed, page, depth)
				}
			}
			again := 0
			for page := range kept {
				again += g.asked[page] - 1
			}
			if again > kills*workers {
				t.Errorf("graph %d: %d requests were repeated after %d kills", seed, again, kills)
			}
		})
	}
}

// Each request comes one delay after the last answer of the host, including those for lists, however long answers take.
func TestDelayOfTheHost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const delay = 5 * time.Second
		g := newGraph(1, 30)
		c := must.Get(New(g, Options{Start: g.url(0), Keeper: g, Scope: Scope{EntireDomain: true}, Workers: 4, Delay: delay}))(t)
		must.Do(t, c.Run(t.Context()))
		if g.closest != delay || c.Stats().Pages < 10 {
			t.Errorf("%v after an answer, %d pages", g.closest, c.Stats().Pages)
		}
	})
}

// A crawl that is begun again requests what the earlier one did not keep, and the start.
func TestAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGraph(3, 60)
		ctx, kill := context.WithCancel(t.Context())
		var known []Known
		crawl := func(ctx context.Context, done func(Result)) *Crawl {
			c := must.Get(New(g, Options{Start: g.url(0), Keeper: g, Scope: Scope{EntireDomain: true}, Again: known, Done: done}))(t)
			if err := c.Run(ctx); err != nil && ctx.Err() == nil {
				t.Fatal(err)
			}
			return c
		}
		var kept []Known
		first := crawl(ctx, func(r Result) {
			if kept = append(kept, Known{URL: r.URL, Depth: r.Depth, Kept: true}); len(kept) == 15 {
				kill()
			}
		})
		first.Open(1000, func(open []Known) { known = append(kept, open...) })
		g.asked = make(map[string]int)
		pages := 0
		second := crawl(t.Context(), func(r Result) { pages++ })
		if want := len(g.within(60)); pages != want || second.Stats().Pages != want {
			t.Errorf("%d pages, %+v, want %d", pages, second.Stats(), want)
		}
		for _, k := range kept {
			if n := g.asked[k.URL]; n > 0 && k.URL != g.url(0).String() {
				t.Errorf("%s is requested again", k.URL)
			}
		}
	})
}

func canonical(t testing.TB, s string) *url.URL {
	t.Helper()
	u, err := url.Parse(s)
	must.Do(t, err)
	if u, err = Normalize(u); err != nil {
		t.Fatal(err)
	}
	return u
}

func TestNormalize(t *testing.T) {
	for s, want := range map[string]string{
		"HTTPS://Example.COM":                "https://example.com/",
		"https://example.com:443/#x":         "https://example.com/",
		"http://example.com:80":              "http://example.com/",
		"http://example.com:0080/a":          "http://example.com/a",
		"http://example.com:443":             "http://example.com:443/",
		"https://example.com/a/../b/./c":     "https://example.com/b/c",
		"https://example.com/a/%2e%2E/b":     "https://example.com/b",
		"https://example.com/%7euser%2f%c3":  "https://example.com/~user%2F%C3",
		"https://example.com/%61?q=%61%2f#f": "https://example.com/a?q=a%2F",
		"https://example.com/a?":             "https://example.com/a?",
		"https://bücher.example/é":           "https://xn--bcher-kva.example/%C3%A9",
		"https://[::1]:8443/":                "https://[::1]:8443/",
		"https://example.com/a//b/":          "https://example.com/a//b/",
	} {
		must.Equal(t, want, canonical(t, s).String(), s)
		must.Equal(t, want, canonical(t, want).String(), "not itself")
	}
	for _, s := range []string{"ftp://example.com/", "example.com", "https://me:secret@example.com/", "https:///x", "https://example.com/" + strings.Repeat("x", maxURL)} {
		u := must.Get(url.Parse(s))(t)
		if c, err := Normalize(u); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%.50s: %v, %v", s, c, err)
		}
	}
}
