package folder

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"net/http/httptest"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/crawl"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/webclient"
)

// A memory is a [crawl.Keeper] of pages in memory. mu guards pages.
type memory struct {
	mu    sync.Mutex
	pages map[string]string
}

func (m *memory) Open(*url.URL) (crawl.Visit, error)           { return m, nil }
func (m *memory) Known() (v webclient.Validators, _ time.Time) { return }

var tags = regexp.MustCompile(`<[^>]*>`)

func (m *memory) Keep(_ context.Context, p *crawl.Page) error {
	if !p.Claim("", tags.ReplaceAllString(string(p.Response.Body), " ")) {
		return crawl.ErrElsewhere
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, twice := m.pages[p.URL.RequestURI()]; twice {
		return errors.New("kept twice")
	}
	m.pages[p.URL.RequestURI()] = string(p.Response.Body)
	return nil
}

// serveTestSite serves a site with a number of pages, and returns a crawl's options for it.
func serveTestSite(t *testing.T, pages int) (site *testSite, m *memory, client *webclient.Client, o crawl.Options) {
	site = must(newTestSite(os.DirFS("../../../docs"), pages))
	server := httptest.NewServer(site)
	t.Cleanup(server.Close)
	client = webclient.New(webclient.Options{Allow: []webclient.Rule{must(webclient.ParseRule("127.0.0.1:*"))}})
	m = &memory{pages: make(map[string]string)}
	return site, m, client, crawl.Options{Start: must(url.Parse(server.URL + "/docs/")), Limit: 100_000, Keeper: m, Retry: time.Millisecond}
}

func TestASite(t *testing.T) {
	site, m, client, o := serveTestSite(t, 60)
	states := make(map[string]crawl.Result)
	o.Done = func(r crawl.Result) {
		if before, twice := states[r.URL]; twice && before.State != crawl.Canonical {
			t.Errorf("%s has two results", r.URL)
		}
		states[r.URL] = r
	}
	c := must(crawl.New(client, o))
	if err := c.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	want := site.Want()
	for p := range want {
		if _, ok := m.pages[p]; !ok {
			t.Errorf("%s is not kept", p)
		}
	}
	trapped := make(map[string]int)
	for p := range m.pages {
		switch {
		case isTrap(p):
			trapped[strings.Split(p, "/")[2]]++
		case !want[p]:
			t.Errorf("%s is kept", p)
		}
	}
	if len(trapped) == 0 || slices.Max(slices.Collect(maps.Values(trapped))) > 3 {
		t.Errorf("kept of traps: %v", trapped)
	}
	for p, n := range site.Asked() {
		if isForbidden(p) {
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
	for _, trap := range stats.Traps {
		whys[trap.Why] = true
	}
	if !whys["parameters that repeat"] || !whys["segments that repeat"] {
		t.Errorf("traps %+v", stats.Traps)
	}
	if stats.Pages != len(m.pages) || stats.Waiting != 0 || stats.Left != "" || stats.Bytes == 0 {
		t.Errorf("%+v with %d pages", stats, len(m.pages))
	}
	for p, state := range map[string]crawl.State{"/docs/broken": crawl.Failed, "/docs/missing": crawl.Gone, "/docs/noindex": crawl.NoIndex, "/docs/private/secret": crawl.Forbidden, "/docs/copy/1": crawl.Duplicate,
		"/docs/print/1": crawl.Canonical, "/docs/moves": crawl.Redirect, "/docs/leaves": crawl.Other, "/docs/old/5": crawl.Redirect} {
		if r := states[o.Start.Scheme+"://"+o.Start.Host+p]; r.State != state {
			t.Errorf("%s: %c %v, want %c", p, r.State, r.Err, state)
		}
	}
}

// TestACrawlGoesOn interrupts a crawl again and again, with a journal that is cut anywhere, and counts repeated
// requests.
func TestACrawlGoesOn(t *testing.T) {
	site, m, client, o := serveTestSite(t, 40)
	o.Workers = 3
	var journal bytes.Buffer
	interrupted := 0
	for run := 0; ; run++ {
		ctx, cancel := context.WithCancel(t.Context())
		done := 0
		written := bytes.Clone(journal.Bytes())
		o.Journal = &journal
		o.Done = func(crawl.Result) {
			if done++; done == 9 && run < 8 {
				cancel()
			}
		}
		c := must(crawl.New(client, o))
		if run > 0 {
			if err := c.Resume(bytes.NewReader(written)); err != nil {
				t.Fatal(err)
			}
		}
		err := c.Run(ctx)
		cancel()
		if err == nil {
			break
		}
		if !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		interrupted++
		journal.WriteString(`{"u":"http://cut`)
		m.mu.Lock() // pages that are not in the journal are stored again
		earlier, err := crawl.ReadEarlier(bytes.NewReader(journal.Bytes()), o)
		if err != nil || !earlier.Same || earlier.Ended {
			t.Fatalf("%+v, %v", earlier, err)
		}
		kept := keptPages(earlier)
		maps.DeleteFunc(m.pages, func(p, _ string) bool { return !kept[must(o.Start.Parse(p)).String()] })
		m.mu.Unlock()
	}
	if interrupted != 8 {
		t.Errorf("%d interruptions", interrupted)
	}
	again := 0
	for p, n := range site.Asked() {
		if n > 1 && p != "/docs/flaky" && p != "/docs/broken" && p != "/robots.txt" && !strings.HasSuffix(p, ".xml") && p != "/llms.txt" && p != "/docs/llms.txt" {
			again += n - 1
		}
		if isForbidden(p) {
			t.Errorf("%s was asked", p)
		}
	}
	if again > interrupted*3 {
		t.Errorf("%d requests were repeated in %d interruptions with 3 workers", again, interrupted)
	}
	for p := range site.Want() {
		if _, ok := m.pages[p]; !ok {
			t.Errorf("%s is not kept", p)
		}
	}
	earlier, err := crawl.ReadEarlier(bytes.NewReader(journal.Bytes()), o)
	if kept := keptPages(earlier); err != nil || !earlier.Ended || len(kept) != len(m.pages) || earlier.Aliases[o.Start.String()+"copy/1"] == "" {
		t.Errorf("%d of %d pages, ended %v, %v", len(kept), len(m.pages), earlier.Ended, err)
	}
}

func keptPages(e *crawl.EarlierCrawl) map[string]bool {
	kept := make(map[string]bool)
	for _, k := range e.Known {
		if k.Kept {
			kept[k.URL] = true
		}
	}
	return kept
}
