package crawltool

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/firecrawl/testservice"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/store"
)

// writeJob writes a job as an earlier process would have left it.
func writeJob(t *testing.T, dir string, s saved, journal string) {
	t.Helper()
	data, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(dir, Folder, s.ID)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"job.json": string(data), "journal.jsonl": journal} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// job.json may be damaged, or written by somebody else.
func TestDamagedJobs(t *testing.T) {
	dir := t.TempDir()
	for _, arguments := range []string{`{"command":"list"}`, `{"command":"status","jobId":"abcdefgh-abcdefgh-abcdefghij"}`, `{"cancel":true,"jobId":"abcdefgh-abcdefgh-abcdefghij"}`, `[]`, `null`} {
		writeJob(t, dir, saved{ID: newID(), Arguments: json.RawMessage(arguments), State: running, Created: time.Now()}, "")
	}
	p := begin(t, dir)
	if text, _, _ := p.call(t, "", `{"command":"list"}`); text != "There are no crawl jobs." {
		t.Error(text)
	}
}

// Jobs of callers with few jobs are remembered, however many jobs others start.
func TestANeighbourWithManyJobs(t *testing.T) {
	p := begin(t, "")
	q, err := parse(json.RawMessage(`{"url":"127.0.0.1:9"}`))
	if err != nil {
		t.Fatal(err)
	}
	add := func(owner string) string {
		j := p.job(saved{ID: newID(), Owner: owner, State: completed, Ended: time.Now()}, q)
		p.keep(j)
		return j.id
	}
	for range 2 * maxJobs {
		add("mallory")
	}
	var mine []string
	for range 5 {
		mine = append(mine, add("me"))
		add("mallory")
	}
	for _, id := range mine {
		if _, err := p.find(t.Context(), id, "me"); err != nil {
			t.Errorf("%s is forgotten for another caller", id)
		}
	}
	if n := len(p.order); n != maxJobs {
		t.Errorf("%d jobs are remembered", n)
	}
}

// A process that lists jobs sees the changes of other processes.
func TestJobsOfOtherProcesses(t *testing.T) { each(t, testJobsOfOtherProcesses) }

func testJobsOfOtherProcesses(t *testing.T, dir string) {
	hold := make(chan struct{})
	server := httptest.NewServer(&site{n: 3, wait: func(*http.Request) { <-hold }})
	defer server.Close()
	p, other := begin(t, dir), begin(t, dir)
	id := p.startJob(t, "me", fmt.Sprintf(`{"url":%q,"sitemap":"skip"}`, server.URL))
	if text, _, _ := other.call(t, "me", `{"command":"list"}`); !strings.Contains(text, id+": scraping") {
		t.Error(text)
	}
	close(hold)
	p.await(t, id)
	if text, _, _ := other.call(t, "me", `{"command":"list"}`); !strings.Contains(text, id+": completed, 4/4") {
		t.Error(text)
	}
}

// endless makes the service report a crawl that never ends.
func endless(r *remoteSite, pages func(skip string) string) *atomic.Int64 {
	asked := new(atomic.Int64)
	r.Fail = func(q *http.Request) (int, string) {
		if q.Method != http.MethodGet || strings.HasSuffix(q.URL.Path, "/errors") {
			return 0, ""
		}
		n := asked.Add(1)
		return http.StatusOK, fmt.Sprintf(`{"success":true,"status":"scraping","completed":1000000000,"total":1000000000,"next":"http://169.254.169.254/?skip=%d","data":[%s]}`, n, pages(q.URL.Query().Get("skip")))
	}
	return asked
}

// A service sends more pages than it was asked for, forever.
func TestFirecrawlNeverEnds(t *testing.T) {
	for name, page := range map[string]string{
		"nothing": `null`, "no page": `{}`, "the same page": `{"rawHtml":"<p>x","metadata":{"sourceURL":"SITE/a","url":"SITE/a"}}`, "another host": `{"rawHtml":"<p>x","metadata":{"url":"http://169.254.169.254/"}}`,
	} {
		r := newRemoteSite(t, 1)
		asked := endless(r, func(string) string { return strings.ReplaceAll(page, "SITE", r.site.URL) })
		p := r.begin(t, t.TempDir())
		id := p.startJob(t, "me", fmt.Sprintf(`{"url":%q,"limit":5}`, r.site.URL))
		text, _, _ := p.call(t, "me", fmt.Sprintf(`{"jobId":%q,"wait":10000}`, id))
		contains(t, text, "Crawl Status: failed", "more pages than")
		if n := asked.Load(); n > 1000 {
			t.Errorf("%s: the service was asked %d times", name, n)
		}
	}
}

// A service asks for a pause that is too long.
func TestFirecrawlNextYear(t *testing.T) {
	r := newRemoteSite(t, 1)
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if q.Method == http.MethodGet {
			w.Header().Set("Retry-After", "31536000")
			w.WriteHeader(http.StatusTooManyRequests)
			return
		}
		r.Service.ServeHTTP(w, q)
	}))
	defer front.Close()
	r.service.Close()
	r.service = front
	p := r.begin(t, "")
	p.options.Pause = func(ctx context.Context, d time.Duration) error {
		t.Errorf("a pause of %v", d)
		return ctx.Err()
	}
	id := p.startJob(t, "me", fmt.Sprintf(`{"url":%q}`, r.site.URL))
	text, _ := p.await(t, id)
	contains(t, text, "Crawl Status: failed", "8760h")
	p.Manager.mu.Lock()
	j := p.jobs[id]
	p.Manager.mu.Unlock()
	<-j.ended
	if r.Requests("DELETE") != 1 {
		t.Error("the crawl still runs at the service")
	}
}

// Texts of a service do not make a journal unreadable, and become printable.
func TestFirecrawlSaysTooMuch(t *testing.T) {
	r := newRemoteSite(t, 3)
	long := strings.Repeat("x", 2<<20)
	r.Errors = []map[string]string{{"url": r.site.URL + "/\x1b[2J\u202e\u0007" + long, "error": "\x1b]0;title\x07 no\u202e"}}
	r.Pages = append([]testservice.Page{{URL: "http://\x1b[2J/" + long, HTML: "<p>x"}}, r.Pages...)
	r.Ready(-1)
	dir := t.TempDir()
	p := r.begin(t, dir)
	id := p.startJob(t, "me", fmt.Sprintf(`{"url":%q}`, r.site.URL))
	before, _ := p.await(t, id)
	p.end()
	p = r.begin(t, dir)
	after, _, _ := p.call(t, "me", fmt.Sprintf(`{"jobId":%q}`, id))
	contains(t, before, "Progress: 3/3 pages", "Errors: 2,")
	contains(t, after, "Progress: 3/3 pages", "Errors: 2,")
	text, _, _ := p.call(t, "me", fmt.Sprintf(`{"jobId":%q,"command":"errors"}`, id))
	if strings.ContainsAny(text, "\x1b\a\u202e") {
		t.Errorf("%q", text)
	}
}

// Pages of other hosts are not part of the crawl, and no request goes to these hosts, not even for robots.txt.
func TestFirecrawlSendsOtherPages(t *testing.T) {
	var asked atomic.Int64
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1) }))
	defer other.Close()
	r := newRemoteSite(t, 2)
	r.Pages = append(r.Pages, testservice.Page{URL: other.URL + "/x", HTML: "<p>Other"}, testservice.Page{URL: "file:///etc/passwd", HTML: "<p>File"},
		testservice.Page{URL: "http://169.254.169.254/", HTML: "<p>Inside"})
	r.Ready(-1)
	p := r.begin(t, "")
	id := p.startJob(t, "me", fmt.Sprintf(`{"url":%q}`, r.site.URL))
	text, pages := p.await(t, id)
	if len(pages) != 2 || asked.Load() != 0 {
		t.Errorf("%d pages, the other host got %d requests: %s", len(pages), asked.Load(), text)
	}
	// If the start URL redirects, its target is the site.
	moved := newRemoteSite(t, 2)
	moved.Pages = append([]testservice.Page{{URL: other.URL + "/", From: moved.site.URL + "/", HTML: "<p>Start"}, {URL: other.URL + "/x", HTML: "<p>Other"}}, moved.Pages...)
	moved.Ready(-1)
	p = moved.begin(t, "")
	if text, pages := p.await(t, p.startJob(t, "me", fmt.Sprintf(`{"url":%q}`, moved.site.URL))); len(pages) != 4 {
		t.Errorf("%d pages: %s", len(pages), text)
	}
}

// Captures of another process with the same folder do not displace the pages of a running job.
func TestAnotherProcessKeepsThePagesOfAJob(t *testing.T) {
	each(t, testAnotherProcessKeepsThePagesOfAJob)
}

func testAnotherProcessKeepsThePagesOfAJob(t *testing.T, dir string) {
	hold := make(chan struct{})
	server := httptest.NewServer(&site{n: 20, wait: func(r *http.Request) {
		if r.URL.Path == "/page/15" {
			<-hold
		}
	}})
	defer server.Close()
	small := func(s *store.Settings) { s.MaxItems = 40 }
	p, other := begin(t, dir, small), begin(t, dir, small)
	id := p.startJob(t, "me", fmt.Sprintf(`{"url":%q,"sitemap":"skip"}`, server.URL))
	p.Manager.mu.Lock()
	j := p.jobs[id]
	p.Manager.mu.Unlock()
	for {
		j.mu.Lock()
		n, changed := len(j.results), j.changed
		j.mu.Unlock()
		if n >= 20 {
			break
		}
		<-changed
	}
	other.guard(t.Context())
	running, stop := context.WithCancel(t.Context())
	var work sync.WaitGroup
	work.Go(func() { other.store.Run(running) })
	defer work.Wait()
	defer stop()
	for n, _ := other.store.Totals(); n < 20; n, _ = other.store.Totals() { // until a scan has found the pages
		time.Sleep(10 * time.Millisecond)
	}
	keep := func(from int) {
		for i := range 100 {
			r := store.Request{URL: &url.URL{Scheme: "http", Host: "x.example", Path: fmt.Sprint("/", from+i)}, Owner: "bob"}
			meta := store.Meta{Key: r.Key(), Owner: "bob", URL: r.URL.String(), Source: "native", Parts: map[store.Tier]store.Part{store.Cleaned: {MIME: "text/markdown"}}}
			if _, err := other.store.Put(t.Context(), meta, store.Contents{store.Cleaned: []byte("x")}); err != nil {
				t.Fatal(err)
			}
		}
	}
	left := func() (n int) {
		_, pages, _ := p.call(t, "me", fmt.Sprintf(`{"jobId":%q,"maxResults":100}`, id))
		for _, page := range pages {
			if page.URI != "" {
				n++
			}
		}
		return n
	}
	keep(0)
	if n := left(); n != 20 {
		t.Errorf("%d pages of 20 are left", n)
	}
	close(hold)
	p.await(t, id)
	other.guard(t.Context())
	n := 20
	for i := 1; i <= 20 && n > 0; i++ { // a scan must find the last page first
		keep(100 * i)
		if n = left(); n > 0 {
			time.Sleep(200 * time.Millisecond)
		}
	}
	if n != 0 {
		t.Errorf("%d pages are pinned although the job has ended", n)
	}
}

// A job whose crawl at the service cannot be cancelled expires like others.
func TestJobsThatCannotBeCancelledExpire(t *testing.T) {
	r := newRemoteSite(t, 1)
	r.Fail = func(*http.Request) (int, string) { return http.StatusUnauthorized, `{"error":"no"}` }
	dir := t.TempDir()
	writeJob(t, dir, saved{
		ID: newID(), Arguments: json.RawMessage(`{"url":"http://127.0.0.1:9/"}`), State: cancelled, Created: time.Now(), Ended: time.Now().Add(-time.Hour),
		Firecrawl: &remote{ID: "0199c0de-0000-7000-8000-000000000000", Open: true},
	}, "")
	r.begin(t, dir, func(s *store.Settings) { s.TTL = time.Minute }).end()
	if names, err := os.ReadDir(filepath.Join(dir, Folder)); err != nil || len(names) != 0 {
		t.Errorf("%v, %v", names, err)
	}
}

// Answers are bounded, whatever the URLs and texts of a site contain.
func TestLongAnswers(t *testing.T) {
	long := strings.Repeat("x", 1480)
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, number, page := strings.Cut(r.URL.Path, "/"+long)
		switch {
		case r.URL.Path == "/":
			for i := range 150 {
				fmt.Fprintf(w, "<a href=/%s%d>a</a><a href=/%s-gone-%d>b</a>", long, i, long, i)
			}
		case !page || strings.HasPrefix(number, "-"):
			http.NotFound(w, r)
		default:
			fmt.Fprintf(w, "<!doctype html><title>%s</title><pre>%s%s", number, number, strings.Repeat("&lt;\x01\"", 1000))
		}
	}))
	defer site.Close()
	p := begin(t, "")
	id := p.startJob(t, "me", fmt.Sprintf(`{"url":%q,"limit":1000,"sitemap":"skip"}`, site.URL))
	p.await(t, id)
	p.await(t, id)
	seen := make(map[string]bool)
	for from := 0; ; {
		text, pages, _ := p.call(t, "me", fmt.Sprintf(`{"jobId":%q,"startIndex":%d,"maxResults":1000}`, id, from))
		for _, page := range pages {
			seen[page.URL] = true
		}
		if from += len(pages); len(pages) == 0 || !strings.Contains(text, fmt.Sprintf("startIndex: %d to", from)) {
			break
		}
	}
	if len(seen) != 151 {
		t.Errorf("%d pages", len(seen))
	}
	errors := 0
	for from := 0; ; {
		text, _, _ := p.call(t, "me", fmt.Sprintf(`{"jobId":%q,"command":"errors","startIndex":%d,"maxResults":1000}`, id, from))
		n := strings.Count(text, "\n- ")
		errors += n
		if from += n; n == 0 || !strings.Contains(text, fmt.Sprintf("startIndex: %d to", from)) {
			break
		}
	}
	if errors != 150 {
		t.Errorf("%d errors", errors)
	}
}

// A crawl that could not be started is not confused with a crawl of the same site by another process.
func TestFirecrawlOfAnotherProcess(t *testing.T) { each(t, testFirecrawlOfAnotherProcess) }

func testFirecrawlOfAnotherProcess(t *testing.T, dir string) {
	r := newRemoteSite(t, 2)
	var failing atomic.Bool
	r.Fail = func(q *http.Request) (int, string) {
		if failing.Load() && q.Method == http.MethodPost {
			return http.StatusInternalServerError, `{"error":"no"}`
		}
		return 0, ""
	}
	p, other := r.begin(t, dir), r.begin(t, dir)
	id := p.startJob(t, "me", fmt.Sprintf(`{"url":%q}`, r.site.URL))
	for r.Requests("GET /v2/crawl/0199") == 0 {
		<-r.polls
	}
	failing.Store(true)
	text, _ := other.await(t, other.startJob(t, "me", fmt.Sprintf(`{"url":%q}`, r.site.URL)))
	contains(t, text, "Crawl Status: failed", "Firecrawl may have started the crawl")
	r.Ready(-1)
	if text, _ := p.await(t, id); !strings.HasPrefix(text, "Crawl Status: completed\nProgress: 2/2 pages") {
		t.Error(text)
	}
}
