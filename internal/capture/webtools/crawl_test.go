package webtools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/firecrawl"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/store"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/given"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/postgres"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/database"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/tools"
)

// A process is a manager with its store, as in a process.
type process struct {
	*Crawler
	store *store.Store
	end   func()
}

// begin starts a process. dir is the folder of the captures; "": they are in memory.
func beginProcess(t *testing.T, dir string, change ...func(*store.Settings)) *process {
	t.Helper()
	return beginWith(t, dir, func(*Options) {}, change...)
}

func beginWith(t *testing.T, dir string, configure func(*Options), change ...func(*store.Settings)) *process {
	t.Helper()
	o := local(t, append(change, inFolder(dir))...)
	if db := connect(t, dir); db != nil {
		o.Jobs = DatabaseJobs(db, "docs")
	}
	configure(&o)
	m := NewCrawler(o)
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { m.Run(ctx) })
	p := &process{Crawler: m, store: o.Store}
	p.end = sync.OnceFunc(func() {
		cancel()
		running.Wait()
		o.Store.Close()
	})
	t.Cleanup(p.end)
	return p
}

// databases are the URLs of the databases with the jobs of processes, by their folders of captures.
var databases sync.Map

// shared returns a folder of captures for processes whose jobs are in a database.
func shared(t *testing.T) string {
	dir := t.TempDir()
	databases.Store(dir, postgres.URL(t))
	return dir
}

// connect connects to the database of a folder of captures; nil: it has none.
func connect(t *testing.T, dir string) *database.DB {
	t.Helper()
	url, ok := databases.Load(dir)
	if !ok {
		return nil
	}
	db, err := database.Open(t.Context(), database.Options{URL: url.(string), Instance: t.Name(), Logger: slog.New(slog.DiscardHandler), Migrate: true})
	must.Do(t, err)
	t.Cleanup(db.Close)
	return db
}

// quieten makes the last sign of life of all jobs older.
func quieten(t *testing.T, dir string, by time.Duration) {
	t.Helper()
	must.Get(connect(t, dir).Exec(t.Context(), "UPDATE mcp_docs.jobs SET sign = sign - make_interval(secs => $1)", by.Seconds()))(t)
}

// A mortal process writes nothing about its jobs after it was killed.
type mortal struct {
	Jobs
	killed atomic.Bool
}

func (m *mortal) Write(ctx context.Context, id string, d *jobReport) (bool, error) {
	if m.killed.Load() {
		return false, errors.New("killed")
	}
	return m.Jobs.Write(ctx, id, d)
}

// beginMortal starts a process that can be killed.
func beginMortal(t *testing.T, dir string) (*process, *mortal) {
	m := new(mortal)
	return beginWith(t, dir, func(o *Options) {
		m.Jobs = o.Jobs
		o.Jobs = m
	}), m
}

// ofJob returns the arguments of a call for a job. more begins with a comma, or is "".
func ofJob(id, more string) string { return fmt.Sprintf(`{"jobId":%q%s}`, id, more) }

// call calls the tool, and returns the text of its answer and the pages in it.
func (p *process) call(t *testing.T, caller, arguments string) (text string, pages []crawledPage, isError bool) {
	t.Helper()
	list, failed, err := run(t, p.Tool(), tools.Call{Caller: caller, Arguments: json.RawMessage(arguments)})
	if mistake, ok := errors.AsType[*tools.Mistake](err); ok {
		return mistake.Error(), nil, true
	}
	must.Do(t, err)
	size := 0
	for i, block := range list {
		if size += len(block.Text); i > 0 {
			must.Do(t, json.Unmarshal([]byte(block.Text), &pages))
		}
	}
	if size > 2*maxAnswer {
		t.Errorf("an answer has %d bytes", size)
	}
	return list[0].Text, pages, failed
}

// expect calls the tool, whose answer must contain a text.
func (p *process) expect(t *testing.T, caller, arguments, want string) {
	t.Helper()
	text, _, _ := p.call(t, caller, arguments)
	must.Contain(t, text, want)
}

// startJob starts a crawl, and returns its id.
func (p *process) startJob(t *testing.T, caller, arguments string) string {
	t.Helper()
	text, _, isError := p.call(t, caller, arguments)
	_, rest, found := strings.Cut(text, "Crawl job started successfully!\n\nJob ID: ")
	id, _, _ := strings.Cut(rest, "\n")
	if isError || !found || !validID(id) {
		t.Fatal(text)
	}
	return id
}

// site serves an index and n pages. wait is called for each page; it may be nil.
type site struct {
	n    int
	wait func(r *http.Request)

	mu    sync.Mutex
	asked map[string]int
	token string // required value of the header Authorization
}

func (s *site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	if s.asked == nil {
		s.asked = make(map[string]int)
	}
	s.asked[r.URL.Path]++
	s.mu.Unlock()
	if s.token != "" && r.Header.Get("Authorization") != s.token {
		http.Error(w, "no", http.StatusUnauthorized)
		return
	}
	var i int
	switch {
	case r.URL.Path == "/":
		fmt.Fprint(w, "<!doctype html><title>Index</title><h1>Index</h1><p>All pages <a href=/missing>missing</a>")
		for i := range s.n {
			fmt.Fprintf(w, "<a href=/page/%d>%d</a>", i, i)
		}
	case r.URL.Path != "/page/"+strings.TrimPrefix(r.URL.Path, "/page/"):
		http.NotFound(w, r)
	default:
		if _, err := fmt.Sscanf(r.URL.Path, "/page/%d", &i); err != nil {
			http.NotFound(w, r)
			return
		}
		if s.wait != nil {
			s.wait(r)
		}
		fmt.Fprintf(w, "<!doctype html><title>Page %d</title><h1>Page %d</h1><p>Text %d.", i, i, i)
	}
}

func TestACrawl(t *testing.T) {
	for _, dir := range []string{"", t.TempDir()} {
		server := httptest.NewServer(&site{n: 30})
		p := beginProcess(t, dir)
		id := p.startJob(t, "me", fmt.Sprintf(`{"url":%q,"wait":50000,"maxDepth":2,"scrapeOptions":{"formats":["markdown","rawHtml"]}}`, server.URL))
		text, pages, isError := p.call(t, "me", ofJob(id, `,"wait":50000`))
		if isError || !strings.HasPrefix(text, "Crawl Status: completed\nProgress: 31/31 pages\nExpires at: ") || !strings.Contains(text, "Showing: 1-20 of 31\n\n[More results available. Use startIndex: 20 to continue]") {
			t.Errorf("%s", text)
		}
		if len(pages) != 20 || pages[0].Title != "Index" || !strings.Contains(pages[0].Markdown, "All pages") || !strings.HasPrefix(pages[0].HTML, "<!doctype") {
			t.Errorf("%d pages, %+v", len(pages), pages[:min(1, len(pages))])
		}
		_, rest, _ := p.call(t, "me", ofJob(id, `,"startIndex":20,"maxResults":1000`))
		seen := make(map[string]bool)
		for _, page := range append(pages, rest...) {
			seen[page.URL] = true
			key := page.URI[strings.LastIndex(page.URI, "/")+1:]
			kept, err := p.store.Get(t.Context(), key)
			if err != nil || kept.Meta.Owner != "me" || kept.Meta.Job != id {
				t.Errorf("%s: %v", page.URI, err)
			}
		}
		must.Equal(t, 31, len(seen), "pages")
		lost := pages[3].URI[strings.LastIndex(pages[3].URI, "/")+1:]
		must.Do(t, p.store.Delete(t.Context(), lost))
		for end := time.Now().Add(30 * time.Second); !strings.Contains(text, "\nGone: 1 of 31 pages"); time.Sleep(50 * time.Millisecond) {
			if text, _, _ = p.call(t, "me", ofJob(id, "")); time.Now().After(end) {
				t.Fatal(text)
			}
		}
		p.expect(t, "me", ofJob(id, `,"command":"errors"`), "/missing: answers 404")
		p.expect(t, "me", `{"command":"list"}`, id+": completed, 31/31 pages of "+server.URL)
		p.expect(t, "other", ofJob(id, ""), "there is no crawl")
		p.expect(t, "other", `{"command":"list"}`, "There are no crawl jobs.")
		p.expect(t, "me", ofJob(id, `,"cancel":true`), "has ended already. Status: completed")
		server.Close()
	}
}

func TestACrawlIsCancelled(t *testing.T) {
	release := make(chan struct{})
	server := must.Serve(t, &site{n: 30, wait: func(r *http.Request) {
		select {
		case <-release:
		case <-r.Context().Done():
		}
	}})
	defer close(release)
	p := beginProcess(t, t.TempDir())
	id := p.startJob(t, "me", fmt.Sprintf(`{"url":%q,"sitemap":"skip"}`, server.URL))
	p.expect(t, "me", ofJob(id, `,"cancel":true`), "Crawl job "+id+" has been cancelled.")
	p.expect(t, "me", ofJob(id, `,"wait":1000`), "Crawl Status: cancelled\n")
}

// A job is cancelled from another process, and nobody but its caller sees it there.
func TestACrawlIsCancelledFromAnotherProcess(t *testing.T) {
	dir := shared(t)
	asked := make(chan struct{}, 100)
	server := must.Serve(t, &site{n: 30, wait: func(r *http.Request) {
		asked <- struct{}{}
		<-r.Context().Done()
	}})
	p, other := beginProcess(t, dir), beginProcess(t, dir)
	id := p.startJob(t, "me", fmt.Sprintf(`{"url":%q,"sitemap":"skip"}`, server.URL))
	<-asked
	for _, command := range []string{"status", "errors", "cancel"} {
		if text, _, isError := other.call(t, "you", fmt.Sprintf(`{"jobId":%q,"command":%q}`, id, command)); !isError || !strings.Contains(text, "there is no crawl") {
			t.Errorf("%s of another caller: %s", command, text)
		}
	}
	other.expect(t, "you", `{"command":"list"}`, "There are no crawl jobs.")
	other.expect(t, "me", `{"command":"list"}`, id+": scraping")
	other.expect(t, "me", ofJob(id, `,"cancel":true`), "runs in another process")
	other.await(t, id)
	for _, p := range []*process{p, other} {
		p.expect(t, "me", ofJob(id, ""), "Crawl Status: cancelled\n")
	}
}

// await waits until a job has ended.
func (p *process) await(t *testing.T, id string) (text string, pages []crawledPage) {
	t.Helper()
	for {
		text, pages, _ = p.call(t, "me", ofJob(id, `,"wait":5000,"maxResults":1000`))
		if !strings.HasPrefix(text, "Crawl Status: scraping") {
			return text, pages
		}
	}
}

// A killed process leaves its job interrupted. The same crawl, begun again, requests only what the first one did not capture.
func TestACrawlIsBegunAgain(t *testing.T) {
	dir := shared(t)
	asked, hold := make(chan struct{}, 100), make(chan struct{})
	s := &site{n: 30, wait: func(r *http.Request) {
		if r.URL.Path >= "/page/3" {
			asked <- struct{}{}
			select {
			case <-hold:
			case <-r.Context().Done():
			}
		}
	}}
	server := must.Serve(t, s)
	p, life := beginMortal(t, dir)
	arguments := fmt.Sprintf(`{"url":%q,"sitemap":"skip","maxConcurrency":1}`, server.URL)
	id := p.startJob(t, "me", arguments)
	<-asked
	other := beginProcess(t, dir)
	var saved int
	for saved < 4 { // until a sign of life has the index and the pages 0 to 2
		_, pages, _ := other.call(t, "me", ofJob(id, `,"wait":100`))
		saved = len(pages)
	}
	life.killed.Store(true)
	p.end()
	quieten(t, dir, silence+time.Second)
	if text, pages, _ := other.call(t, "me", ofJob(id, "")); !strings.HasPrefix(text, "Crawl Status: interrupted\n") || len(pages) != saved {
		t.Errorf("%d pages, want %d: %s", len(pages), saved, text)
	}
	other.expect(t, "me", ofJob(id, `,"cancel":true`), "has ended already. Status: interrupted")
	close(hold)
	again := other.startJob(t, "me", arguments)
	text, pages := other.await(t, again)
	if !strings.HasPrefix(text, fmt.Sprintf("Crawl Status: completed\nProgress: 31/31 pages\nNot requested again: %d pages", saved-1)) || len(pages) != 31 {
		t.Errorf("%d pages, %d before: %s", len(pages), saved, text)
	}
	for _, page := range pages {
		if page.Markdown == "" {
			t.Errorf("%s has no text", page.URL)
		}
	}
	total := 0
	s.mu.Lock()
	for path, n := range s.asked {
		if strings.HasPrefix(path, "/page/") {
			total += n
		}
	}
	s.mu.Unlock()
	if total > 30+2 {
		t.Errorf("%d requests for 30 pages", total)
	}
	// Another caller, other arguments and forceRescrape request everything.
	for _, test := range []struct{ caller, more string }{{"you", ""}, {"me", `,"limit":50`}, {"me", `,"forceRescrape":true`}, {"me", `,"scrapeOptions":{"headers":{"X-Key":"1"}}`}} {
		id := other.startJob(t, test.caller, strings.Replace(arguments, `,"sitemap"`, test.more+`,"sitemap"`, 1))
		for text = "Crawl Status: scraping"; strings.HasPrefix(text, "Crawl Status: scraping"); {
			text, _, _ = other.call(t, test.caller, ofJob(id, `,"wait":5000`))
		}
		if !strings.HasPrefix(text, "Crawl Status: completed\nProgress: 31/31 pages\nExpires at") {
			t.Errorf("%+v: %s", test, text)
		}
	}
}

// A process that was paused, or whose row was lost, shows its job again.
func TestASignOfLife(t *testing.T) {
	dir := shared(t)
	hold := make(chan struct{})
	server := must.Serve(t, &site{n: 3, wait: func(*http.Request) { <-hold }})
	p, other := beginProcess(t, dir), beginProcess(t, dir)
	id := p.startJob(t, "me", fmt.Sprintf(`{"url":%q,"sitemap":"skip"}`, server.URL))
	for _, lose := range []func(){func() { quieten(t, dir, time.Hour) }, func() { _ = other.Jobs.Remove(t.Context(), id) }} {
		lose()
		for text := ""; !strings.HasPrefix(text, "Crawl Status: scraping"); {
			time.Sleep(20 * time.Millisecond)
			text, _, _ = other.call(t, "me", ofJob(id, ""))
		}
	}
	close(hold)
	if text, _ := other.await(t, id); !strings.HasPrefix(text, "Crawl Status: completed\nProgress: 4/4 pages") {
		t.Error(text)
	}
}

// Jobs end while others list them and read their status, also if the store does not take their ends.
func TestJobsEndWhileTheyAreRead(t *testing.T) {
	server := must.Serve(t, &site{n: 5})
	dir := shared(t)
	p, life := beginMortal(t, dir)
	other := beginProcess(t, dir)
	ended := make(chan struct{})
	ids := make(chan string, 1000)
	var readers sync.WaitGroup
	for _, reader := range []*process{p, p, other} {
		readers.Go(func() {
			last := ""
			for {
				select {
				case <-ended:
					return
				case last = <-ids:
				case <-time.After(5 * time.Millisecond): // leaves the processors to the store
				}
				reader.call(t, "me", `{"command":"list"}`)
				if last != "" {
					reader.call(t, "me", ofJob(last, ""))
					reader.call(t, "me", ofJob(last, `,"command":"errors"`))
				}
			}
		})
	}
	for i := range 12 {
		life.killed.Store(false)
		id := p.startJob(t, "me", fmt.Sprintf(`{"url":%q,"limit":%d}`, server.URL, i+1))
		for range 3 {
			ids <- id
		}
		life.killed.Store(i >= 8) // then callers hear of no end
		if i%3 == 0 {
			p.call(t, "me", ofJob(id, `,"cancel":true`))
		}
		if i < 8 {
			p.await(t, id)
		}
	}
	close(ended)
	readers.Wait()
}

// Headers are neither in captures nor in the state of the job.
func TestHeadersAreNotSaved(t *testing.T) {
	dir := shared(t)
	server := must.Serve(t, &site{n: 3, token: "Bearer secret-of-mine"})
	p := beginProcess(t, dir)
	id := p.startJob(t, "me", fmt.Sprintf(`{"url":%q,"sitemap":"skip","scrapeOptions":{"headers":{"authorization":"Bearer secret-of-mine"}}}`, server.URL))
	if text, _ := p.await(t, id); !strings.HasPrefix(text, "Crawl Status: completed\nProgress: 4/4 pages") {
		t.Error(text)
	}
	for _, c := range p.store.All("me") {
		if shown := fmt.Sprintf("%+v", c.Meta); strings.Contains(shown, "secret-of-mine") {
			t.Errorf("the header is in %s", shown)
		}
	}
	n, err := connect(t, dir).Exec(t.Context(), "DELETE FROM mcp_docs.jobs WHERE position('secret-of-mine'::bytea IN status || kept) > 0")
	if n != 0 || err != nil {
		t.Errorf("the header is in %d rows, %v", n, err)
	}
}

func TestACrawlThatDoesNotFit(t *testing.T) {
	server := must.Serve(t, &site{n: 30})
	p := beginProcess(t, "", func(s *store.Settings) { s.MaxItems = 10 })
	id := p.startJob(t, "me", fmt.Sprintf(`{"url":%q,"wait":50000}`, server.URL))
	text, _, _ := p.call(t, "me", ofJob(id, `,"wait":50000`))
	if !strings.HasPrefix(text, "Crawl Status: failed\nProgress: 8/8 pages") || !strings.Contains(text, store.MaxItemsVariable) {
		t.Error(text)
	}
}

func TestCrawlArguments(t *testing.T) {
	p := beginProcess(t, "")
	for _, c := range given.Cases(t, "crawl-mistakes.txt") {
		if text, _, isError := p.call(t, "me", c.Name); !isError || !strings.Contains(text, c.Text) {
			t.Errorf("%s: %s, want %q", c.Name, text, c.Text)
		}
	}
	if text, _, _ := p.call(t, "me", `{}`); strings.Contains(text, "url:") {
		t.Errorf("a missing URL is reported as wrong: %s", text)
	}
	if text, _, _ := p.call(t, "me", `{"url":"a.example","scrapeOptions":{"formats":["a"`+strings.Repeat(`,"a"`, 10*20)+`]}}`); strings.Count(text, `"a"`) > 20 {
		t.Errorf("more than %d mistakes are reported: %s", 20, text)
	}
	q, err := parseCrawl(json.RawMessage(`{"url":"a.example","includePaths":["*/library/*","guide/**"],"scrapeOptions":{"headers":{"X-Key":"k"}}}`))
	if err != nil || q.crawl.Include[0].String() != "**/library/**" || !q.crawl.Include[0].Match("3/x/library/a/b") || q.headers.Get("X-Key") != "k" || q.crawl.Start.String() != "https://a.example/" {
		t.Errorf("%+v, %v", q, err)
	}
	if text := q.same(); text != nil {
		t.Errorf("crawls with headers are like others: %s", text)
	}
	for i := range 1000 {
		if id := newID(); !validID(id) {
			t.Fatal(i, id)
		}
	}
}

// TestOneCallerLeavesRoom has callers that start as many crawls as possible.
func TestOneCallerLeavesRoom(t *testing.T) {
	block := make(chan struct{})
	server := must.Serve(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-block }))
	defer close(block)
	p := beginProcess(t, "")
	start := func(caller string) string {
		t.Helper()
		list, _, err := run(t, p.Tool(), tools.Call{Caller: caller, Shared: true, Arguments: json.RawMessage(`{"url":"` + server.URL + `/"}`)})
		must.Do(t, err)
		return list[0].Text
	}
	const started, alice, bob, carol = "started successfully", "4 of your crawls are running", "2 of your crawls are running", "1 of your crawls are running"
	for _, test := range []struct{ caller, want string }{
		{"alice", started}, {"alice", started}, {"alice", started}, {"alice", started}, {"alice", alice}, {"bob", started}, {"bob", started}, {"bob", bob},
		{"carol", started}, {"carol", carol}, {"dave", started}, {"erin", "8 crawls are running"},
	} {
		must.Contain(t, start(test.caller), test.want)
	}
}

// Jobs are invisible a day after their last sign of life, and leave the store.
func TestOldJobs(t *testing.T) {
	dir := shared(t)
	server := must.Serve(t, http.NotFoundHandler())
	first := beginProcess(t, dir)
	id := first.startJob(t, "me", `{"url":"`+server.URL+`/","wait":20000}`)
	if text, _ := first.await(t, id); !strings.HasPrefix(text, "Crawl Status: failed") {
		t.Fatal(text)
	}
	first.end()
	second := beginProcess(t, dir)
	second.expect(t, "me", ofJob(id, ""), "Crawl Status: failed")
	quieten(t, dir, jobTime+time.Second)
	if _, _, isError := second.call(t, "me", ofJob(id, "")); !isError {
		t.Error("an old job is visible")
	}
	second.tidy(t.Context())
	quieten(t, dir, -time.Hour*48)
	if _, _, isError := second.call(t, "me", ofJob(id, "")); !isError {
		t.Error("an old job is in the store")
	}
}

// Pages that a site refuses come from Firecrawl, one by one, also if it refuses all of them. A crawl with a secret header does
// not use it.
func TestRefusedPages(t *testing.T) {
	for name, refused := range map[string]func(path string) bool{
		"some": func(path string) bool { return path == "/page/1" },
		"all":  func(string) bool { return true },
	} {
		t.Run(name, func(t *testing.T) {
			pages := &site{n: 3}
			server := must.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if refused(r.URL.Path) && r.Header.Get("By") == "" && r.URL.Path != "/robots.txt" {
					w.WriteHeader(http.StatusForbidden)
					return
				}
				pages.ServeHTTP(w, r)
			}))
			var asked atomic.Int64
			service := must.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				var body struct{ URL string }
				if err := json.NewDecoder(r.Body).Decode(&body); err != nil || r.URL.Path != "/v2/scrape" {
					t.Errorf("%s, %v", r.URL, err)
				}
				asked.Add(1)
				page := httptest.NewRecorder()
				pages.ServeHTTP(page, httptest.NewRequest(http.MethodGet, body.URL, nil))
				_ = json.NewEncoder(w).Encode(map[string]any{"data": map[string]any{"rawHtml": page.Body.String(), "metadata": map[string]any{"url": body.URL, "statusCode": page.Code, "creditsUsed": 1}}})
			}))
			client := must.Get(firecrawl.New(service.URL, "key", "1"))(t)
			p := beginWith(t, "", func(o *Options) {
				o.Firecrawl = &firecrawl.Strategy{Client: client, Rules: o.Client, Pictures: o.Client}
			})
			text, found := p.await(t, p.startJob(t, "me", fmt.Sprintf(`{"url":%q,"sitemap":"skip"}`, server.URL)))
			credits := map[string]string{"some": "\nCredits used: 1\n", "all": "\nCredits used: 4\n"}[name]
			if !strings.HasPrefix(text, "Crawl Status: completed\nProgress: 4/4 pages") || !strings.Contains(text, credits) || len(found) != 4 {
				t.Errorf("%d pages: %s", len(found), text)
			}
			before := asked.Load()
			p.await(t, p.startJob(t, "me", fmt.Sprintf(`{"url":%q,"sitemap":"skip","scrapeOptions":{"headers":{"X-Key":"1"}}}`, server.URL)))
			must.Equal(t, before, asked.Load(), "requests for pages with a secret header")
		})
	}
}
