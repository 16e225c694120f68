package crawl

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/pause"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/webclient"
)

// A graph is a site whose pages have random links, and which answers in random order. It is a [Site] and a [Keeper].
type graph struct {
	pages   []graphPage // the first is the start
	llms    []int
	sitemap []int

	mu    sync.Mutex // guards all fields below
	rand  *rand.Rand // for delays
	asked map[int]int
	sent  map[int]int    // answers that were not 304
	kept  map[int]string // versions
}

type graphPage struct {
	links     []int
	to        int // target of its redirect; 0: none
	canonical int // 0: none
	gone      bool
	noindex   bool
	flaky     bool // the first request fails
	version   string
}

// newGraph returns a graph with size pages. plain leaves out redirects, canonical links, missing pages and noindex.
func newGraph(r *rand.Rand, size int, plain bool) *graph {
	g := &graph{pages: make([]graphPage, size), rand: rand.New(rand.NewPCG(r.Uint64(), 1)), kept: make(map[int]string)}
	g.forget()
	for i := range g.pages {
		p := &g.pages[i]
		p.version = fmt.Sprint(r.Uint32())
		p.links = some(r, size, 3)
		p.flaky = r.IntN(15) == 0
		if i == 0 || plain {
			continue
		}
		switch r.IntN(12) {
		case 0:
			p.to = 1 + r.IntN(size-1)
		case 1:
			p.canonical = 1 + r.IntN(size-1)
		case 2:
			p.gone = true
		case 3:
			p.noindex = true
		}
	}
	for i := range g.pages { // chains of redirects and canonical links have another test
		if to := g.pages[i].to + g.pages[i].canonical; to != 0 && g.pages[to].to+g.pages[to].canonical != 0 {
			g.pages[i].to, g.pages[i].canonical = 0, 0
		}
	}
	g.llms, g.sitemap = some(r, size, 2), some(r, size, 2)
	return g
}

func some(r *rand.Rand, size, most int) (list []int) {
	for range r.IntN(most + 1) {
		list = append(list, r.IntN(size))
	}
	return list
}

func (g *graph) forget() { g.asked, g.sent = make(map[int]int), make(map[int]int) }

// want returns the pages that must be kept, in the order of a breadth-first search by one worker. It does not follow
// the implementation. Without a maximum depth, old pages lead on too.
func (g *graph) want(most int, old ...int) (list []int) {
	depth := map[int]int{0: 0}
	level := []int{0}
	if most == 0 {
		most = len(g.pages)
		for _, i := range old {
			if _, known := depth[i]; !known {
				depth[i] = 0
				level = append(level, i)
			}
		}
	}
	keeps := func(i int) bool { return i >= 0 && !g.pages[i].gone && !g.pages[i].noindex && g.pages[i].to == 0 }
	for d := 0; len(level) > 0; d++ {
		for i := 0; i < len(level); i++ { // a page has the depth of the page that it replaces
			p := g.pages[level[i]]
			if next := p.to + p.canonical; next != 0 && !p.gone {
				if _, known := depth[next]; !known {
					depth[next] = d
					level = append(level, next)
				}
			}
		}
		var next []int
		reach := func(i int) {
			if _, known := depth[i]; !known {
				depth[i] = d + 1
				next = append(next, i)
			}
		}
		if d == 0 {
			for _, i := range g.llms {
				if !slices.Contains(g.pages[0].links, i) { // a link of the start keeps its place
					reach(i)
				}
			}
		}
		for _, i := range level {
			p := g.pages[i]
			if p.gone || p.to != 0 || p.canonical != 0 && keeps(p.canonical) {
				continue
			}
			if keeps(i) {
				list = append(list, i)
			}
			if d < most {
				for _, to := range p.links {
					reach(to)
				}
			}
		}
		if d == 0 {
			for _, i := range g.sitemap {
				reach(i)
			}
		}
		level = next
	}
	return list
}

func numberOf(u *url.URL) int {
	n, err := strconv.Atoi(strings.TrimPrefix(u.Path, "/p"))
	if err != nil {
		return -1
	}
	return n
}

func (g *graph) urlOf(i int) *url.URL {
	return &url.URL{Scheme: "https", Host: "a.example", Path: fmt.Sprintf("/p%d", i)}
}

func (g *graph) Sitemaps(context.Context, *url.URL) ([]string, error) { return nil, nil }

func (g *graph) Get(ctx context.Context, r webclient.Request) (*webclient.Response, error) {
	g.mu.Lock()
	delay := time.Duration(g.rand.IntN(4)) * time.Duration(g.rand.IntN(1000)) * time.Millisecond
	g.mu.Unlock()
	if err := pause.For(ctx, delay); err != nil {
		return nil, err
	}
	answer := func(kind, body string) (*webclient.Response, error) {
		return &webclient.Response{URL: r.URL, ContentType: kind, Body: []byte(body), Header: make(http.Header)}, nil
	}
	switch r.URL.Path {
	case "/llms.txt":
		return answer("text/markdown", "# x\n"+g.list(g.llms, "- [%[1]s](%[1]s)\n"))
	case "/sitemap.xml":
		return answer("text/xml", "<urlset>"+g.list(g.sitemap, "<url><loc>%s</loc></url>")+"</urlset>")
	}
	i := numberOf(r.URL)
	if i < 0 {
		return nil, &webclient.StatusError{URL: r.URL.String(), Status: http.StatusNotFound}
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.asked[i]++
	p := g.pages[i]
	switch {
	case p.gone:
		return nil, &webclient.StatusError{URL: r.URL.String(), Status: http.StatusGone}
	case p.flaky && g.asked[i] == 1:
		return nil, &webclient.StatusError{URL: r.URL.String(), Status: http.StatusBadGateway}
	case p.to != 0:
		return nil, &webclient.RedirectError{From: r.URL, To: g.urlOf(p.to)}
	case p.version == r.Known.ETag:
		return &webclient.Response{URL: r.URL, NotModified: true, Header: make(http.Header)}, nil
	}
	g.sent[i]++
	body := fmt.Sprintf("<p>page %d of version %s", i, p.version)
	if p.canonical != 0 {
		body += "<link rel=canonical href=" + g.urlOf(p.canonical).String() + ">"
	}
	if p.noindex {
		body += "<meta name=robots content=noindex>"
	}
	return answer("text/html", body+g.list(p.links, "<a href=%s>x</a>"))
}

func (g *graph) list(pages []int, format string) string {
	var b strings.Builder
	for _, i := range pages {
		fmt.Fprintf(&b, format, g.urlOf(i))
	}
	return b.String()
}

func (g *graph) Open(u *url.URL) (Visit, error) { return &graphVisit{g, numberOf(u)}, nil }

type graphVisit struct {
	g    *graph
	page int
}

func (v *graphVisit) Known() (webclient.Validators, time.Time) {
	v.g.mu.Lock()
	defer v.g.mu.Unlock()
	if version := v.g.kept[v.page]; version != "" {
		return webclient.Validators{URL: v.g.urlOf(v.page).String(), ETag: version}, time.Now()
	}
	return webclient.Validators{}, time.Time{}
}

func (v *graphVisit) Keep(_ context.Context, p *Page) error {
	if v.page < 0 {
		return ErrNoPage
	}
	v.g.mu.Lock()
	defer v.g.mu.Unlock()
	v.g.kept[v.page] = v.g.pages[v.page].version
	return nil
}

// crawl crawls a graph, and interrupts the crawl a number of times.
func (g *graph) crawl(t *testing.T, o Options, kills int, earlier *EarlierCrawl) (journal *bytes.Buffer, c *Crawl) {
	t.Helper()
	journal = new(bytes.Buffer)
	o.Start, o.Keeper, o.Journal, o.EntireDomain = g.urlOf(0), g, journal, true
	for run := 0; ; run++ {
		ctx, cancel := context.WithCancel(t.Context())
		left := g.rand.IntN(len(g.pages)) + 1
		o.Done = func(Result) {
			if left--; left == 0 && run < kills {
				cancel()
			}
		}
		written := bytes.Clone(journal.Bytes())
		c, err := New(g, o)
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case run > 0:
			if err := c.Resume(bytes.NewReader(written)); err != nil {
				t.Fatal(err)
			}
		case earlier != nil:
			for _, text := range slices.Sorted(maps.Keys(earlier.Pages)) {
				u, _ := url.Parse(text)
				c.Seed(u, earlier.Pages[text])
			}
		}
		err = c.Run(ctx)
		cancel()
		if err == nil {
			return journal, c
		}
		if !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
	}
}

// keptBy returns the pages of the graph that a crawl kept.
func keptBy(c *Crawl) (list []int) {
	c.Pages(func(text string) {
		if u, err := url.Parse(text); err == nil {
			list = append(list, numberOf(u))
		}
	})
	slices.Sort(list)
	return list
}

// TestDepthOfBreadthFirstSearch compares crawls of random graphs, by several workers, interrupted or not, with a
// plain breadth-first search. CRAWL_GRAPHS is the number of graphs.
func TestDepthOfBreadthFirstSearch(t *testing.T) {
	graphs := 60
	if n, err := strconv.Atoi(os.Getenv("CRAWL_GRAPHS")); err == nil {
		graphs = n
	}
	for seed := range graphs {
		synctest.Test(t, func(t *testing.T) {
			r := rand.New(rand.NewPCG(uint64(seed), 7))
			g := newGraph(r, 8+r.IntN(40), false)
			o := Options{Depth: r.IntN(6), Limit: 1000, Workers: 1 + r.IntN(6)}
			kills := r.IntN(3)
			journal, c := g.crawl(t, o, kills, nil)
			want := slices.Sorted(slices.Values(g.want(o.Depth)))
			if got := keptBy(c); !slices.Equal(got, want) {
				t.Errorf("graph %d, depth %d, %d workers: kept %v, want %v", seed, o.Depth, o.Workers, got, want)
			}
			for i, n := range g.asked {
				most := 1
				if g.pages[i].flaky {
					most++
				}
				if g.pages[i].canonical != 0 { // its canonical URL was not a page
					most++
				}
				if n > most && kills == 0 {
					t.Errorf("graph %d: page %d was asked %d times", seed, i, n)
				}
			}
			g.update(t, seed, r, o, journal)
		})
	}
}

// update crawls a graph again after some pages have changed, in the same scope or another one.
func (g *graph) update(t *testing.T, seed int, r *rand.Rand, o Options, journal *bytes.Buffer) {
	same := r.IntN(2) == 0
	if !same {
		o.Depth = max(o.Depth+r.IntN(3)-1, 0)
	}
	changed := make(map[int]bool)
	for range r.IntN(4) {
		i := r.IntN(len(g.pages))
		if p := &g.pages[i]; p.to+p.canonical == 0 && !p.gone {
			p.links, p.version = some(r, len(g.pages), 3), fmt.Sprint(r.Uint32())
			changed[i] = true
		}
	}
	old := maps.Clone(g.kept)
	g.forget()
	complete := o
	complete.Start, complete.EntireDomain = g.urlOf(0), true
	earlier, err := ReadEarlier(bytes.NewReader(journal.Bytes()), complete)
	if err != nil || !earlier.Ended {
		t.Fatalf("graph %d: %+v, %v", seed, earlier, err)
	}
	_, c := g.crawl(t, o, 0, earlier)
	want := make(map[int]bool)
	for _, i := range g.want(o.Depth, slices.Collect(maps.Keys(old))...) {
		want[i] = true
	}
	for i := range old {
		want[i] = true // even if no link leads to it now
	}
	if got, want := keptBy(c), slices.Sorted(maps.Keys(want)); !slices.Equal(got, want) {
		t.Errorf("graph %d, again to depth %d: kept %v, want %v", seed, o.Depth, got, want)
	}
	if same && !earlier.Same {
		t.Errorf("graph %d: the options are not the same", seed)
	}
	for i, n := range g.sent {
		if _, was := old[i]; was && earlier.Same && !changed[i] && len(changed) == 0 && g.pages[i].canonical == 0 {
			t.Errorf("graph %d: page %d, which has not changed, was sent %d times", seed, i, n)
		}
	}
}

// TestALimitTakesTheFirstPages compares the pages that are kept under a limit with the first pages of a plain
// breadth-first search.
func TestALimitTakesTheFirstPages(t *testing.T) {
	for seed := range 30 {
		synctest.Test(t, func(t *testing.T) {
			r := rand.New(rand.NewPCG(uint64(seed), 8))
			g := newGraph(r, 20+r.IntN(40), true)
			for i := range g.pages { // a page that fails is requested later, after others
				g.pages[i].flaky = false
			}
			o := Options{Depth: 1 + r.IntN(5), Limit: 1 + r.IntN(12), Workers: 1 + r.IntN(6)}
			_, c := g.crawl(t, o, r.IntN(3), nil)
			want := g.want(o.Depth)
			want = slices.Sorted(slices.Values(want[:min(len(want), o.Limit)]))
			if got := keptBy(c); !slices.Equal(got, want) {
				t.Errorf("graph %d, depth %d, limit %d, %d workers: kept %v, want %v", seed, o.Depth, o.Limit, o.Workers, got, want)
			}
		})
	}
}

// A slowSite records, by host, the shortest time between an answer and the next request. mu guards its fields.
type slowSite struct {
	*graph
	mu       sync.Mutex
	answered map[string]time.Time
	closest  time.Duration
}

func (s *slowSite) Get(ctx context.Context, r webclient.Request) (*webclient.Response, error) {
	s.mu.Lock()
	if last := s.answered[r.URL.Host]; !last.IsZero() {
		s.closest = min(s.closest, time.Since(last))
	}
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		s.answered[r.URL.Host] = time.Now()
		s.mu.Unlock()
	}()
	return s.graph.Get(ctx, r)
}

// TestDelayOfTheHost crawls a site that takes up to three seconds for an answer, with several workers. Each request
// comes one delay after the last answer, including those for lists.
func TestDelayOfTheHost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const delay = 5 * time.Second
		g := newGraph(rand.New(rand.NewPCG(1, 2)), 30, true)
		s := &slowSite{graph: g, answered: make(map[string]time.Time), closest: time.Hour}
		c, err := New(s, Options{Start: g.urlOf(0), Keeper: g, Scope: Scope{EntireDomain: true}, Workers: 4, Delay: delay})
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		if s.closest != delay || c.Stats().Pages < 10 {
			t.Errorf("%v after an answer, %d pages", s.closest, c.Stats().Pages)
		}
	})
}
