package crawltool

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/firecrawl"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/firecrawl/testservice"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/store"
)

// remoteSite is a site that refuses programs but not Firecrawl, and a simulated Firecrawl.
type remoteSite struct {
	*testservice.Service
	site, service *httptest.Server
	polls         chan struct{} // has an element when a job waits for the service
	asked         atomic.Int64  // requests to the site
}

func newRemoteSite(t *testing.T, pages int) *remoteSite {
	t.Helper()
	r := &remoteSite{Service: new(testservice.Service), polls: make(chan struct{}, 1000)}
	r.site = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		r.asked.Add(1)
		w.WriteHeader(http.StatusForbidden)
	}))
	r.service = httptest.NewServer(r.Service)
	t.Cleanup(r.site.Close)
	t.Cleanup(r.service.Close)
	t.Cleanup(func() {
		for _, problem := range r.Problems() {
			t.Error(problem)
		}
	})
	for i := range pages {
		r.Pages = append(r.Pages, testservice.Page{
			URL: fmt.Sprintf("%s/page/%d", r.site.URL, i), Title: fmt.Sprintf("Page %d", i), HTML: fmt.Sprintf("<!doctype html><title>Page %d</title><h1>Page %d</h1><p>Text %d.", i, i, i),
		})
	}
	return r
}

// begin starts a process in which the service is configured.
func (r *remoteSite) begin(t *testing.T, dir string, change ...func(*store.Settings)) *process {
	t.Helper()
	c, err := firecrawl.New(r.service.URL, testservice.Key, "1")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return beginWith(t, dir, func(o *Options) {
		o.Firecrawl = &firecrawl.Strategy{Client: c, Rules: o.Client, Pictures: o.Client}
		o.Pause = func(ctx context.Context, _ time.Duration) error {
			select {
			case r.polls <- struct{}{}:
			default:
			}
			timer := time.NewTimer(time.Millisecond)
			defer timer.Stop()
			select {
			case <-timer.C:
				return nil
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		}
	}, change...)
}

// await waits for the end of a job, and returns its status.
func (p *process) await(t *testing.T, id string) (string, []page) {
	t.Helper()
	for range 100 {
		if text, pages, _ := p.call(t, "me", fmt.Sprintf(`{"jobId":%q,"wait":2000}`, id)); !strings.HasPrefix(text, "Crawl Status: scraping") {
			return text, pages
		}
	}
	t.Fatal("a crawl does not end")
	return "", nil
}

func contains(t *testing.T, text string, wants ...string) {
	t.Helper()
	for _, want := range wants {
		if !strings.Contains(text, want) {
			t.Errorf("%s\ndoes not have %q", text, want)
		}
	}
}

// A site that refuses this program is crawled by Firecrawl, in one crawl.
func TestFirecrawlCrawls(t *testing.T) {
	for _, dir := range []string{"", t.TempDir()} {
		r := newRemoteSite(t, 5)
		r.Part = 3
		r.Pages = append(r.Pages,
			testservice.Page{URL: r.site.URL + "/copy", HTML: r.Pages[0].HTML}, testservice.Page{URL: r.site.URL + "/gone", Status: 404, HTML: "no"},
			testservice.Page{URL: r.site.URL + "/hidden", HTML: `<meta name="robots" content="noindex"><p>Hidden`}, testservice.Page{URL: r.site.URL + "/private/x", HTML: "<p>Private"},
			testservice.Page{URL: "http://10.0.0.1/", HTML: "<p>Inside"}, testservice.Page{URL: r.site.URL + "/new?x=1", From: r.site.URL + "/old", Markdown: "# New"})
		r.Errors, r.Forbidden = []map[string]string{{"url": r.site.URL + "/slow", "error": "timed out\nafter all"}}, []string{r.site.URL + "/robots"}
		r.Ready(-1)
		p := r.begin(t, dir)
		id := p.startJob(t, "me", fmt.Sprintf(`{"url":%q,"limit":50,"maxDepth":4,"delay":90000,"maxConcurrency":3,"sitemap":"skip","allowSubdomains":true,"includePaths":["page/*","copy","gone","hidden","{new,old}","private/**"],
			"excludePaths":["*/private/*","ä"],"scrapeOptions":{"headers":{"accept-language":"de"},"formats":["rawHtml"]}}`, r.site.URL))
		text, pages := p.await(t, id)
		if !strings.HasPrefix(text, "Crawl Status: completed\nProgress: 6/6 pages\nCredits used: 11\nExpires at: ") {
			t.Error(text)
		}
		contains(t, text, "Errors: 4, see the command errors", "Crawled by: Firecrawl ("+r.site.URL+"/: answers 403 Forbidden)")
		if len(pages) != 6 || pages[0].URL != r.site.URL+"/page/0" || !strings.Contains(pages[0].Markdown, "Text 0.") || !strings.HasPrefix(pages[0].HTML, "<!doctype") || pages[5].URL != r.site.URL+"/new" {
			t.Errorf("%+v", pages)
		}
		kept, err := p.store.Get(t.Context(), pages[0].URI[strings.LastIndex(pages[0].URI, "/")+1:])
		if err != nil || kept.Meta.Source != "firecrawl" || kept.Meta.Owner != "me" || kept.Meta.Job != id {
			t.Errorf("%+v, %v", kept, err)
		}
		faults, _, _ := p.call(t, "me", fmt.Sprintf(`{"jobId":%q,"command":"errors"}`, id))
		contains(t, faults, "/gone: answers 404", "/slow: Firecrawl: timed out after all", "/robots: Firecrawl: robots.txt does not allow it", "10.0.0.1")
		crawls := r.Crawls()
		if len(crawls) != 1 || r.Requests("DELETE") != 0 {
			t.Fatalf("%+v, %d cancelled", crawls, r.Requests("DELETE"))
		}
		body := crawls[0].Body
		scrape := body["scrapeOptions"].(map[string]any)
		for name, want := range map[string]string{
			"url": r.site.URL + "/", "limit": "50", "maxDiscoveryDepth": "4", "delay": "60", "maxConcurrency": "3", "sitemap": "skip", "allowSubdomains": "true", "ignoreQueryParameters": "true",
			"excludePaths": `[^/?(?:(?:[^/]*/)*private(?:/[^/]*)*)/?$]`,
		} {
			if got := fmt.Sprint(body[name]); got != want {
				t.Errorf("%s is %s, want %s", name, got, want)
			}
		}
		if include := fmt.Sprint(body["includePaths"]); !strings.HasSuffix(include, " ^/$]") {
			t.Errorf("the start is not included: %s", include)
		}
		if fmt.Sprint(scrape["formats"], scrape["headers"], scrape["onlyMainContent"]) != "[rawHtml markdown] map[Accept-Language:de] false" {
			t.Errorf("%v", scrape)
		}
	}
}

// A crawl at the service continues after a kill: it is neither started nor paid for again.
func TestFirecrawlSurvivesKills(t *testing.T) { each(t, testFirecrawlSurvivesKills) }

func testFirecrawlSurvivesKills(t *testing.T, dir string) {
	r := newRemoteSite(t, 9)
	p := r.begin(t, dir)
	r.Ready(2)
	id := p.startJob(t, "me", fmt.Sprintf(`{"url":%q,"scrapeOptions":{"headers":{"accept-language":"de"}}}`, r.site.URL))
	for done := range 3 {
		<-r.polls
		for { // until all complete pages have come
			if text, _, _ := p.call(t, "me", fmt.Sprintf(`{"jobId":%q}`, id)); strings.Contains(text, fmt.Sprintf("Progress: %d/9 pages\nCredits used: %d\nExpires at: ", 2+2*done, 2+2*done)) {
				break
			}
			<-r.polls
		}
		p.end()
		without := begin(t, dir) // it leaves the job to other processes
		text, _, _ := without.call(t, "me", fmt.Sprintf(`{"jobId":%q}`, id))
		contains(t, text, "Crawl Status: scraping", "Note: this process cannot ask Firecrawl: start a server with FIRECRAWL_API_KEY")
		without.end()
		r.Ready(4 + 2*done)
		p = r.begin(t, dir)
	}
	r.Ready(-1)
	text, pages := p.await(t, id)
	if !strings.HasPrefix(text, "Crawl Status: completed\nProgress: 9/9 pages\nCredits used: 9\n") || len(pages) != 9 {
		t.Error(text)
	}
	if n := r.Requests("POST"); n != 1 || r.Requests("DELETE") != 0 {
		t.Errorf("%d crawls were requested", n)
	}
}

func TestFirecrawlIsCancelled(t *testing.T) {
	r := newRemoteSite(t, 3)
	dir := t.TempDir()
	p := r.begin(t, dir)
	for _, id := range []string{
		p.startJob(t, "me", fmt.Sprintf(`{"url":%q}`, r.site.URL)),
		p.startJob(t, "me", fmt.Sprintf(`{"url":%q}`, r.site.URL+"/page/")),
	} {
		<-r.polls
		if text, _, _ := p.call(t, "me", fmt.Sprintf(`{"jobId":%q,"cancel":true}`, id)); text != "Crawl job "+id+" has been cancelled." {
			t.Error(text)
		}
	}
	for _, c := range r.Crawls() {
		if c.State != "cancelled" {
			t.Errorf("%+v", c)
		}
	}
	// A crawl that the service does not cancel is cancelled at the next start.
	var broken atomic.Bool
	broken.Store(true)
	r.Fail = func(q *http.Request) (int, string) {
		if q.Method == http.MethodDelete && broken.Load() {
			return http.StatusUnauthorized, `{"error":"no"}`
		}
		return 0, ""
	}
	id := p.startJob(t, "me", fmt.Sprintf(`{"url":%q}`, r.site.URL))
	<-r.polls
	for r.Requests("POST") < 3 {
		<-r.polls
	}
	for _, command := range []string{"cancel", "status"} {
		text, _, _ := p.call(t, "me", fmt.Sprintf(`{"jobId":%q,"command":%q}`, id, command))
		contains(t, text, "\nNote: it could not be cancelled at Firecrawl, which may continue and use credits: ", "(category: authentication)")
	}
	p.end()
	broken.Store(false)
	r.begin(t, dir).end()
	if c := r.Crawls()[2]; c.State != "cancelled" {
		t.Errorf("%+v", c)
	}
	r.begin(t, dir).end()
	if n := r.Requests("DELETE"); n != 3 {
		t.Errorf("%d requests to cancel", n)
	}
	// Without files, a job ends with its process.
	p = r.begin(t, "")
	p.startJob(t, "me", fmt.Sprintf(`{"url":%q}`, r.site.URL))
	for r.Requests("GET /v2/crawl/0199c0de-0000-7000-8000-000000000003") == 0 {
		<-r.polls
	}
	p.end()
	if c := r.Crawls()[3]; c.State != "cancelled" {
		t.Errorf("%+v", c)
	}
}

// A crawl is found if the answer to its start was lost, unless it could be another one.
func TestFirecrawlLosesAnAnswer(t *testing.T) {
	r := newRemoteSite(t, 2)
	r.Ready(-1)
	r.Started = func(*testservice.Crawl) { r.Ready(0) } // the crawl is active
	r.Lost = true
	p := r.begin(t, t.TempDir())
	id := p.startJob(t, "me", fmt.Sprintf(`{"url":%q}`, r.site.URL))
	<-r.polls
	r.Ready(-1)
	if text, _ := p.await(t, id); !strings.HasPrefix(text, "Crawl Status: completed\nProgress: 2/2 pages") || len(r.Crawls()) != 1 {
		t.Errorf("%s, %d crawls", text, len(r.Crawls()))
	}
	// This crawl has ended before it is looked for.
	r.Started = func(*testservice.Crawl) { r.Ready(-1) }
	id = p.startJob(t, "me", fmt.Sprintf(`{"url":%q}`, r.site.URL))
	text, _ := p.await(t, id)
	contains(t, text, "Crawl Status: failed", "Firecrawl may have started the crawl")
	if len(r.Crawls()) != 2 {
		t.Errorf("%d crawls", len(r.Crawls()))
	}
}

// The job reports the error of Firecrawl with its category.
func TestFirecrawlFails(t *testing.T) {
	for status, want := range map[int]string{
		401: "category: authentication", 402: "category: payment", 429: "category: rate limit", 400: "category: validation", 503: "category: server",
	} {
		r := newRemoteSite(t, 2)
		r.Fail = func(q *http.Request) (int, string) { return status, `{"success":false,"error":"because"}` }
		p := r.begin(t, "")
		text, _ := p.await(t, p.startJob(t, "me", fmt.Sprintf(`{"url":%q}`, r.site.URL)))
		contains(t, text, "Crawl Status: failed\nProgress: 0/0 pages", want)
		if status != 503 { // after 503, the crawl may have been started
			contains(t, text, "Error: Firecrawl API error", "because")
		}
	}
	r := newRemoteSite(t, 2)
	r.service.Close()
	p := r.begin(t, "")
	text, _ := p.await(t, p.startJob(t, "me", fmt.Sprintf(`{"url":%q}`, r.site.URL)))
	contains(t, text, "Crawl Status: failed", "category: network")

	// During a crawl, temporary errors do not end the job, and other errors do.
	r = newRemoteSite(t, 3)
	var fails atomic.Int64
	r.Fail = func(q *http.Request) (int, string) {
		if q.Method == http.MethodGet && fails.Add(1) <= 2 {
			return http.StatusTooManyRequests, `{"error":"slow down"}`
		}
		return 0, ""
	}
	r.Ready(-1)
	p = r.begin(t, "")
	if text, _ := p.await(t, p.startJob(t, "me", fmt.Sprintf(`{"url":%q}`, r.site.URL))); !strings.HasPrefix(text, "Crawl Status: completed\nProgress: 3/3") {
		t.Error(text)
	}
	r.Fail = func(q *http.Request) (int, string) {
		if q.Method == http.MethodGet {
			return http.StatusNotFound, `{"error":"Job expired"}`
		}
		return 0, ""
	}
	text, _ = p.await(t, p.startJob(t, "me", fmt.Sprintf(`{"url":%q}`, r.site.URL)))
	contains(t, text, "Crawl Status: failed", "Job expired")
}

// If the pages do not fit into the store, the crawl at the service is cancelled too.
func TestFirecrawlDoesNotFit(t *testing.T) {
	r := newRemoteSite(t, 30)
	r.Ready(20)
	p := r.begin(t, "", func(s *store.Settings) { s.MaxItems = 10 })
	id := p.startJob(t, "me", fmt.Sprintf(`{"url":%q}`, r.site.URL))
	text, _ := p.await(t, id)
	contains(t, text, "Crawl Status: failed", store.MaxItemsVariable)
	p.Manager.mu.Lock()
	j := p.Manager.jobs[id]
	p.Manager.mu.Unlock()
	<-j.ended
	if c := r.Crawls()[0]; c.State != "cancelled" {
		t.Errorf("%+v", c)
	}
}

// Firecrawl crawls if there are actions, or if the operator wants it. Headers that may be secret are not sent to it,
// and actions are not saved.
func TestFirecrawlIsWanted(t *testing.T) {
	r := newRemoteSite(t, 2)
	r.Ready(-1)
	p := r.begin(t, t.TempDir())
	actions := `"actions":[{"type":"write","selector":"#password","text":"secret-of-mine"},{"type":"wait","milliseconds":5}]`
	text, _ := p.await(t, p.startJob(t, "me", fmt.Sprintf(`{"url":%q,"scrapeOptions":{%s}}`, r.site.URL, actions)))
	contains(t, text, "Crawl Status: completed\nProgress: 2/2 pages", "Crawled by: Firecrawl (the pages need actions)")
	if sent := fmt.Sprint(r.Crawls()[0].Body); !strings.Contains(sent, "secret-of-mine") || !strings.Contains(sent, "storeInCache:false") {
		t.Error(sent)
	}
	if hasText(t, p.dir, "secret-of-mine") {
		t.Error("the actions are on disk")
	}
	if text, _, isError := p.call(t, "me", fmt.Sprintf(`{"url":%q,"scrapeOptions":{"headers":{"Authorization":"x"},%s}}`, r.site.URL, actions)); !isError || !strings.Contains(text, "may be a secret") {
		t.Error(text)
	}
	if text, _, isError := begin(t, "").call(t, "me", fmt.Sprintf(`{"url":%q,"scrapeOptions":{%s}}`, r.site.URL, actions)); !isError || !strings.Contains(text, "the operator has to set FIRECRAWL_API_KEY") {
		t.Error(text)
	}
	text, _ = p.await(t, p.startJob(t, "me", fmt.Sprintf(`{"url":%q,"scrapeOptions":{"headers":{"Authorization":"x"}}}`, r.site.URL)))
	contains(t, text, "Crawl Status: failed", "answers 403")
	if n := r.Requests("POST"); n != 1 {
		t.Errorf("the service got %d requests", n)
	}
	p.options.Always = true
	before := r.asked.Load()
	text, _ = p.await(t, p.startJob(t, "me", fmt.Sprintf(`{"url":%q}`, r.site.URL)))
	contains(t, text, "Crawl Status: completed\nProgress: 2/2 pages")
	if n := r.asked.Load() - before; n > 1 { // robots.txt
		t.Errorf("the site got %d requests", n)
	}
}

// Single pages that a site refuses are fetched one by one, and their credits are counted.
func TestFirecrawlFetchesPages(t *testing.T) {
	r := newRemoteSite(t, 8)
	dir := t.TempDir()
	s := &site{n: 8}
	mixed := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if strings.HasSuffix(q.URL.Path, "/5") || strings.HasSuffix(q.URL.Path, "/6") || strings.HasSuffix(q.URL.Path, "/7") {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		s.ServeHTTP(w, q)
	}))
	defer mixed.Close()
	for i := range r.Pages {
		r.Pages[i].URL = strings.Replace(r.Pages[i].URL, r.site.URL, mixed.URL, 1)
	}
	p := r.begin(t, dir)
	id := p.startJob(t, "me", fmt.Sprintf(`{"url":%q}`, mixed.URL))
	text, pages := p.await(t, id)
	if !strings.HasPrefix(text, "Crawl Status: completed\nProgress: 9/9 pages\nCredits used: 3\n") || len(pages) != 9 || r.Requests("POST /v2/crawl") != 0 {
		t.Error(text)
	}
	for _, page := range pages {
		kept, err := p.store.Get(t.Context(), page.URI[strings.LastIndex(page.URI, "/")+1:])
		paid := strings.HasSuffix(page.URL, "/5") || strings.HasSuffix(page.URL, "/6") || strings.HasSuffix(page.URL, "/7")
		if err != nil || (kept.Meta.Source == "firecrawl") != paid {
			t.Errorf("%s: %+v, %v", page.URL, kept, err)
		}
	}
	p.end()
	p = r.begin(t, dir)
	if text, _, _ := p.call(t, "me", fmt.Sprintf(`{"jobId":%q}`, id)); !strings.Contains(text, "\nCredits used: 3\n") {
		t.Error(text)
	}
	// After an answer that the account has no credits, Firecrawl is not asked again.
	var asked atomic.Int64
	r.Fail = func(*http.Request) (int, string) {
		asked.Add(1)
		return http.StatusPaymentRequired, `{"error":"none left"}`
	}
	id = p.startJob(t, "me", fmt.Sprintf(`{"url":%q,"maxConcurrency":1}`, mixed.URL))
	if text, _ := p.await(t, id); !strings.HasPrefix(text, "Crawl Status: completed\nProgress: 6/6 pages\nExpires") || asked.Load() != 1 {
		t.Errorf("%s, asked %d times", text, asked.Load())
	}
	text, _, _ = p.call(t, "me", fmt.Sprintf(`{"jobId":%q,"command":"errors"}`, id))
	if strings.Count(text, "category: payment") != 3 {
		t.Error(text)
	}
}
