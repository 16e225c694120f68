package crawltool

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/conversion"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/store"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/webclient"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/tools"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/jsonwire"
)

// A process is a manager with its store, as in a process.
type process struct {
	*Manager
	store *store.Store
	dir   string
	end   func() // ends like a killed process: saved jobs stay as they are
}

// begin starts a process. dir is the folder of the captures; "": they are in memory.
func begin(t *testing.T, dir string, change ...func(*store.Settings)) *process {
	t.Helper()
	return beginWith(t, dir, func(*Options) {}, change...)
}

func beginWith(t *testing.T, dir string, configure func(*Options), change ...func(*store.Settings)) *process {
	t.Helper()
	settings := store.DefaultSettings()
	if dir != "" {
		settings.Kind, settings.Folder = store.Files, dir
	}
	for _, f := range change {
		f(&settings)
	}
	logger := slog.New(slog.DiscardHandler)
	kept, err := store.Open(t.Context(), settings, logger)
	if err != nil {
		t.Fatal(err)
	}
	rule, err := webclient.ParseRule("127.0.0.1:*")
	if err != nil {
		t.Fatal(err)
	}
	client := webclient.New(webclient.Options{Allow: []webclient.Rule{rule}})
	o := Options{Client: client, Store: kept, Logger: logger, Now: time.Now, Converter: conversion.New(nil)}
	configure(&o)
	if dir != "" && o.Jobs == nil {
		o.Jobs = jobsOf(t, dir)
	}
	m := New(o)
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { m.Run(ctx) })
	p := &process{Manager: m, store: kept, dir: dir}
	p.end = sync.OnceFunc(func() {
		cancel()
		running.Wait()
		kept.Close()
	})
	t.Cleanup(p.end)
	return p
}

// call calls the tool, and returns the text of its answer and the pages in it.
func (p *process) call(t *testing.T, caller, arguments string) (text string, pages []page, isError bool) {
	t.Helper()
	out, err := p.Tool().Run(t.Context(), tools.Call{Caller: caller, Arguments: json.RawMessage(arguments)})
	if mistake, ok := errors.AsType[*tools.Mistake](err); ok {
		return mistake.Error(), nil, true
	}
	if err != nil {
		t.Fatal(err)
	}
	defer out.Release()
	var b bytes.Buffer
	b.WriteString("{")
	w := jsonwire.NewWriter(&b)
	if err := errors.Join(out.WriteJSON(w), w.Flush()); err != nil {
		t.Fatal(err)
	}
	b.WriteString("}")
	var answer struct {
		Content []struct {
			Text     string
			Resource struct{ URI, Text string }
		}
		IsError bool
	}
	if err := json.Unmarshal(b.Bytes(), &answer); err != nil {
		t.Fatalf("%s: %v", b.Bytes(), err)
	}
	if b.Len() > 2*maxAnswer {
		t.Errorf("an answer has %d bytes", b.Len())
	}
	for _, block := range answer.Content[1:] {
		text := block.Resource.Text
		if text == "" { // the store is full
			text = block.Text
		}
		if err := json.Unmarshal([]byte(text), &pages); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
	return answer.Content[0].Text, pages, answer.IsError
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
		p := begin(t, dir)
		id := p.startJob(t, "me", fmt.Sprintf(`{"url":%q,"wait":50000,"maxDepth":2,"scrapeOptions":{"formats":["markdown","rawHtml"]}}`, server.URL))
		text, pages, isError := p.call(t, "me", fmt.Sprintf(`{"jobId":%q,"wait":50000}`, id))
		if isError || !strings.HasPrefix(text, "Crawl Status: completed\nProgress: 31/31 pages\nExpires at: ") || !strings.Contains(text, "Showing: 1-20 of 31\n\n[More results available. Use startIndex: 20 to continue]") {
			t.Errorf("%s", text)
		}
		if len(pages) != 20 || pages[0].Title != "Index" || !strings.Contains(pages[0].Markdown, "All pages") || !strings.HasPrefix(pages[0].HTML, "<!doctype") {
			t.Errorf("%d pages, %+v", len(pages), pages[:min(1, len(pages))])
		}
		_, rest, _ := p.call(t, "me", fmt.Sprintf(`{"jobId":%q,"startIndex":20,"maxResults":1000}`, id))
		seen := make(map[string]bool)
		for _, page := range append(pages, rest...) {
			seen[page.URL] = true
			key := page.URI[strings.LastIndex(page.URI, "/")+1:]
			kept, err := p.store.Get(t.Context(), key)
			if err != nil || kept.Meta.Owner != "me" || kept.Meta.Job != id {
				t.Errorf("%s: %v", page.URI, err)
			}
		}
		if len(seen) != 31 {
			t.Errorf("%d pages", len(seen))
		}
		if text, _, _ := p.call(t, "me", fmt.Sprintf(`{"jobId":%q,"command":"errors"}`, id)); !strings.Contains(text, "/missing: answers 404") {
			t.Error(text)
		}
		if text, _, _ := p.call(t, "me", `{"command":"list"}`); !strings.Contains(text, id+": completed, 31/31 pages of "+server.URL) {
			t.Error(text)
		}
		if text, _, isError := p.call(t, "other", fmt.Sprintf(`{"jobId":%q}`, id)); !isError || !strings.Contains(text, "there is no crawl") {
			t.Error(text)
		}
		if text, _, _ := p.call(t, "other", `{"command":"list"}`); text != "There are no crawl jobs." {
			t.Error(text)
		}
		if text, _, _ := p.call(t, "me", fmt.Sprintf(`{"jobId":%q,"cancel":true}`, id)); !strings.Contains(text, "has ended already. Status: completed") {
			t.Error(text)
		}
		server.Close()
	}
}

func TestACrawlIsCancelled(t *testing.T) {
	release := make(chan struct{})
	server := httptest.NewServer(&site{n: 30, wait: func(r *http.Request) {
		select {
		case <-release:
		case <-r.Context().Done():
		}
	}})
	defer server.Close()
	defer close(release)
	p := begin(t, t.TempDir())
	id := p.startJob(t, "me", fmt.Sprintf(`{"url":%q,"sitemap":"skip"}`, server.URL))
	if text, _, isError := p.call(t, "me", fmt.Sprintf(`{"jobId":%q,"cancel":true}`, id)); isError || text != "Crawl job "+id+" has been cancelled." {
		t.Error(text)
	}
	if text, _, _ := p.call(t, "me", fmt.Sprintf(`{"jobId":%q,"wait":1000}`, id)); !strings.HasPrefix(text, "Crawl Status: cancelled\n") {
		t.Error(text)
	}
}

// A job is cancelled from another process, while it waits for its site, and after its own process has ended.
func TestACrawlIsCancelledFromAnotherProcess(t *testing.T) {
	each(t, testACrawlIsCancelledFromAnotherProcess)
}

func testACrawlIsCancelledFromAnotherProcess(t *testing.T, dir string) {
	asked := make(chan struct{}, 100)
	server := httptest.NewServer(&site{n: 30, wait: func(r *http.Request) {
		asked <- struct{}{}
		<-r.Context().Done()
	}})
	defer server.Close()
	p, other := begin(t, dir), begin(t, dir)
	id := p.startJob(t, "me", fmt.Sprintf(`{"url":%q,"sitemap":"skip"}`, server.URL))
	<-asked
	if text, _, isError := other.call(t, "me", fmt.Sprintf(`{"jobId":%q,"cancel":true}`, id)); isError || text != "Crawl job "+id+" has been cancelled." {
		t.Error(text)
	}
	for _, p := range []*process{p, other} {
		if text, _, _ := p.call(t, "me", fmt.Sprintf(`{"jobId":%q}`, id)); !strings.HasPrefix(text, "Crawl Status: cancelled\n") {
			t.Error(text)
		}
	}
	id = p.startJob(t, "me", fmt.Sprintf(`{"url":%q,"sitemap":"skip"}`, server.URL))
	<-asked
	p.end()
	if text, _, isError := other.call(t, "me", fmt.Sprintf(`{"jobId":%q,"cancel":true}`, id)); isError || text != "Crawl job "+id+" has been cancelled." {
		t.Error(text)
	}
	p = begin(t, dir)
	if text, _, _ := p.call(t, "me", fmt.Sprintf(`{"jobId":%q}`, id)); !strings.HasPrefix(text, "Crawl Status: cancelled\n") {
		t.Error(text)
	}
}

// The pages of a job are pinned only while its caller requests the job.
func TestPagesOfAnUnwatchedJobAreUnpinned(t *testing.T) {
	each(t, testPagesOfAnUnwatchedJobAreUnpinned)
}

func testPagesOfAnUnwatchedJobAreUnpinned(t *testing.T, dir string) {
	hold := make(chan struct{})
	asked := make(chan struct{}, 100)
	server := httptest.NewServer(&site{n: 3, wait: func(r *http.Request) {
		asked <- struct{}{}
		select {
		case <-hold:
		case <-r.Context().Done():
		}
	}})
	defer server.Close()
	defer close(hold)
	var late atomic.Int64
	clock := func(o *Options) { o.Now = func() time.Time { return time.Now().Add(time.Duration(late.Load())) } }
	p, other := beginWith(t, dir, clock), beginWith(t, dir, clock)
	id := p.startJob(t, "me", fmt.Sprintf(`{"url":%q,"sitemap":"skip"}`, server.URL))
	<-asked
	p.Manager.mu.Lock()
	j := p.Manager.jobs[id]
	p.Manager.mu.Unlock()
	pinned := func() bool {
		j.look(t.Context())
		j.pin.mu.Lock()
		defer j.pin.mu.Unlock()
		return j.pin.unpins != nil
	}
	status := fmt.Sprintf(`{"jobId":%q}`, id)
	for i, test := range []struct {
		later time.Duration
		ask   *process
		want  bool
	}{{0, nil, true}, {59 * time.Minute, nil, true}, {2 * time.Minute, nil, false}, {0, p, true}, {2 * time.Hour, nil, false}, {0, other, true}, {50 * time.Minute, p, true}, {20 * time.Minute, nil, true}} {
		late.Add(int64(test.later))
		if test.ask != nil {
			if text, _, _ := test.ask.call(t, "me", status); !strings.HasPrefix(text, "Crawl Status: scraping") {
				t.Error(text)
			}
			if _, _, isError := test.ask.call(t, "another", status); !isError {
				t.Error("another caller sees the job")
			}
		}
		if got := pinned(); got != test.want {
			t.Errorf("%d: the pages are pinned: %v", i, got)
		}
	}
	late.Add(int64(2 * time.Hour))
	if _, _, isError := p.call(t, "another", status); !isError || pinned() {
		t.Error("another caller keeps the pages")
	}
}

// TestACrawlSurvivesKills ends processes in the middle of a crawl.
func TestACrawlSurvivesKills(t *testing.T) { each(t, testACrawlSurvivesKills) }

func testACrawlSurvivesKills(t *testing.T, dir string) {
	var p *process
	s := &site{n: 40}
	stop := make(chan struct{}, 3)
	var mu sync.Mutex // guards count and pause
	count, pause := 0, chan struct{}(nil)
	s.wait = func(r *http.Request) {
		mu.Lock()
		if count++; count%11 == 0 && count < 40 && pause == nil {
			pause = make(chan struct{})
			stop <- struct{}{}
		}
		held := pause
		mu.Unlock()
		if held != nil {
			select {
			case <-held:
			case <-r.Context().Done():
			}
		}
	}
	server := httptest.NewServer(s)
	defer server.Close()
	p = begin(t, dir)
	id := p.startJob(t, "me", fmt.Sprintf(`{"url":%q,"scrapeOptions":{}}`, server.URL))
	ends := 0
	for ; ends < 3; ends++ {
		<-stop
		other := begin(t, dir) // does not take a job from another process
		if text, _, _ := other.call(t, "me", fmt.Sprintf(`{"jobId":%q}`, id)); !strings.HasPrefix(text, "Crawl Status: ") {
			t.Error(text)
		}
		other.end()
		p.end()
		mu.Lock()
		close(pause)
		pause = nil
		mu.Unlock()
		p = begin(t, dir)
	}
	var text string
	for range 100 {
		if text, _, _ = p.call(t, "me", fmt.Sprintf(`{"jobId":%q,"wait":2000}`, id)); !strings.HasPrefix(text, "Crawl Status: scraping") {
			break
		}
	}
	if !strings.HasPrefix(text, "Crawl Status: completed\nProgress: 41/41 pages") {
		t.Error(text)
	}
	repeated := 0
	s.mu.Lock()
	defer s.mu.Unlock()
	for path, n := range s.asked {
		if strings.HasPrefix(path, "/page/") {
			repeated += n - 1
		}
	}
	if repeated > ends*4 {
		t.Errorf("%d requests were repeated", repeated)
	}
}

// A job whose process has ended is continued by another running process when its caller requests it.
func TestAnotherProcessContinuesACrawl(t *testing.T) { each(t, testAnotherProcessContinuesACrawl) }

func testAnotherProcessContinuesACrawl(t *testing.T, dir string) {
	asked, hold := make(chan struct{}, 100), make(chan struct{})
	server := httptest.NewServer(&site{n: 30, wait: func(r *http.Request) {
		asked <- struct{}{}
		select {
		case <-hold:
		case <-r.Context().Done():
		}
	}})
	defer server.Close()
	p, other := begin(t, dir), begin(t, dir)
	id := p.startJob(t, "me", fmt.Sprintf(`{"url":%q,"sitemap":"skip"}`, server.URL))
	<-asked
	if text, _, _ := other.call(t, "me", fmt.Sprintf(`{"jobId":%q}`, id)); !strings.HasPrefix(text, "Crawl Status: scraping\nProgress: 1/3") {
		t.Error(text)
	}
	p.end()
	close(hold)
	if text, _ := other.await(t, id); !strings.HasPrefix(text, "Crawl Status: completed\nProgress: 31/31 pages") {
		t.Error(text)
	}
	if all, mine := other.store.Listing(""), other.store.Listing("me"); all != nil || len(mine.Captures) < 31 {
		t.Errorf("pages of a caller are public: %v", all)
	}
}

// A job that is being started is not continued by another process that starts at that moment.
func TestANewJobIsNotTakenUp(t *testing.T) { each(t, testANewJobIsNotTakenUp) }

func testANewJobIsNotTakenUp(t *testing.T, dir string) {
	p := begin(t, dir)
	q, err := parse(json.RawMessage(`{"url":"127.0.0.1:9"}`))
	if err != nil {
		t.Fatal(err)
	}
	raw, err := q.saved()
	if err != nil {
		t.Fatal(err)
	}
	j := p.job(saved{ID: newID(), Owner: "me", Arguments: raw, State: running}, q)
	if err := p.secure(t.Context(), j); err != nil {
		t.Fatal(err)
	}
	begin(t, dir).end()
	if text, _, _ := p.call(t, "me", fmt.Sprintf(`{"jobId":%q}`, j.id)); !strings.HasPrefix(text, "Crawl Status: scraping") {
		t.Error(text)
	}
	j.release()
}

// hasText reports whether a file in a folder contains a text.
func hasText(t *testing.T, dir, text string) (has bool) {
	t.Helper()
	files := 0
	_ = filepath.WalkDir(dir, func(name string, d os.DirEntry, _ error) error {
		if data, err := os.ReadFile(name); err == nil {
			files++
			has = has || bytes.Contains(data, []byte(text))
		}
		return nil
	})
	if files == 0 {
		t.Errorf("%s has no files", dir)
	}
	return has
}

func TestHeadersAreNotSaved(t *testing.T) { each(t, testHeadersAreNotSaved) }

func testHeadersAreNotSaved(t *testing.T, dir string) {
	asked := make(chan struct{}, 100)
	hold := make(chan struct{})
	server := httptest.NewServer(&site{n: 3, token: "Bearer secret-of-mine", wait: func(r *http.Request) {
		asked <- struct{}{}
		select {
		case <-hold:
		case <-r.Context().Done():
		}
	}})
	defer server.Close()
	defer close(hold)
	p := begin(t, dir)
	id := p.startJob(t, "me", fmt.Sprintf(`{"url":%q,"sitemap":"skip","scrapeOptions":{"headers":{"authorization":"Bearer secret-of-mine"}}}`, server.URL))
	<-asked
	p.end()
	if hasText(t, dir, "secret-of-mine") {
		t.Error("the header is on disk")
	}
	p = begin(t, dir)
	var text string
	for range 100 {
		if text, _, _ = p.call(t, "me", fmt.Sprintf(`{"jobId":%q,"wait":50}`, id)); !strings.HasPrefix(text, "Crawl Status: scraping") {
			break
		}
	}
	if !strings.HasPrefix(text, "Crawl Status: failed") || !strings.Contains(text, "start it again") {
		t.Error(text)
	}
}

func TestACrawlThatDoesNotFit(t *testing.T) {
	server := httptest.NewServer(&site{n: 30})
	defer server.Close()
	p := begin(t, "", func(s *store.Settings) { s.MaxItems = 10 })
	id := p.startJob(t, "me", fmt.Sprintf(`{"url":%q,"wait":50000}`, server.URL))
	text, _, _ := p.call(t, "me", fmt.Sprintf(`{"jobId":%q,"wait":50000}`, id))
	if !strings.HasPrefix(text, "Crawl Status: failed\nProgress: 8/8 pages") || !strings.Contains(text, store.MaxItemsVariable) {
		t.Error(text)
	}
}

func TestArguments(t *testing.T) {
	p := begin(t, "")
	for arguments, want := range map[string]string{
		`{}`: `Provide either "url" to start a crawl, or "jobId" of one that was started`, `{"url":"a.example","jobId":"x"}`: `Provide either "url"`,
		`{"jobId":"../../etc"}`: "jobId: is not the id", `{"command":"start","jobId":"abcdefgh-abcdefgh-abcdefghij"}`: "takes url, not jobId",
		`{"command":"list","url":"a.example"}`: "takes neither", `{"command":"status","url":"a.example"}`: "takes jobId, not url",
		`{"jobId":"abcdefgh-abcdefgh-abcdefghij"}`: "there is no crawl abcdefgh-abcdefgh-abcdefghij",
		`{"url":"a.example","limit":0,"maxDepth":0,"delay":-1,"maxConcurrency":11,"sitemap":"only","includePaths":["a["]}`:                    "limit: is 0, must be from 1 to 100000, maxConcurrency: is 11, must be from 1 to 10, maxDepth: is 0",
		`{"url":"a.example","scrapeOptions":{"formats":["screenshot"],"headers":{"Host":"x","a b":"c"},"includeTags":["a["],"actions":[{}]}}`: "screenshot",
		`{"url":"a.example","prompt":"only the guide"}`: "set LLM_PROVIDER and LLM_API_KEY",
		`{"url":"file:///etc/passwd"}`:                  "must have http or https", `{"url":"a.example","x":1}`: "x",
	} {
		text, _, isError := p.call(t, "me", arguments)
		if !isError || !strings.Contains(text, want) {
			t.Errorf("%s: %s, want %q", arguments, text, want)
		}
	}
	if text, _, _ := p.call(t, "me", `{}`); strings.Contains(text, "url:") {
		t.Errorf("a missing URL is reported as wrong: %s", text)
	}
	if text, _, _ := p.call(t, "me", `{"url":"a.example","scrapeOptions":{"formats":["a"`+strings.Repeat(`,"a"`, 10*20)+`]}}`); strings.Count(text, `"a"`) > 20 {
		t.Errorf("more than %d mistakes are reported: %s", 20, text)
	}
	q, err := parse(json.RawMessage(`{"url":"a.example","includePaths":["*/library/*","guide/**"],"scrapeOptions":{"headers":{"X-Key":"k"}}}`))
	if err != nil || q.crawl.Include[0].String() != "**/library/**" || !q.crawl.Include[0].Match("3/x/library/a/b") || q.headers.Get("X-Key") != "k" || q.crawl.Start.String() != "https://a.example/" {
		t.Errorf("%+v, %v", q, err)
	}
	if saved, err := q.saved(); err != nil || strings.Contains(string(saved), "X-Key") {
		t.Errorf("%s, %v", saved, err)
	}
	for i := range 1000 {
		if id := newID(); !validID(id) {
			t.Fatal(i, id)
		}
	}
}

// TestOneCallerLeavesRoom has a caller that starts as many crawls as possible, many of which end.
func TestOneCallerLeavesRoom(t *testing.T) {
	block := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-block }))
	defer server.Close()
	defer close(block)
	p := begin(t, "")
	start := func(caller string) string {
		t.Helper()
		out, err := p.Tool().Run(t.Context(), tools.Call{Caller: caller, Shared: true, Arguments: json.RawMessage(`{"url":"` + server.URL + `/"}`)})
		if err != nil {
			t.Fatal(err)
		}
		defer out.Release()
		var b bytes.Buffer
		w := jsonwire.NewWriter(&b)
		if err := errors.Join(out.WriteJSON(w), w.Flush()); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	first := func() string {
		list, err := p.all(t.Context(), "bob")
		if err != nil || len(list) == 0 {
			t.Fatal("a job is forgotten for another caller")
		}
		return list[0].id
	}
	start("bob")
	id := first()
	p.call(t, "bob", `{"command":"cancel","jobId":"`+id+`"}`)
	for range maxRunning / 2 {
		if text := start("alice"); !strings.Contains(text, "started successfully") {
			t.Fatal(text)
		}
	}
	if text := start("alice"); !strings.Contains(text, "4 of your crawls are running") {
		t.Error(text)
	}
	if text := start("bob"); !strings.Contains(text, "started successfully") {
		t.Error(text)
	}
	for _, test := range []struct{ caller, want string }{
		{"bob", "started successfully"}, {"bob", "2 of your crawls are running"}, {"carol", "started successfully"}, {"carol", "1 of your crawls are running"},
		{"dave", "started successfully"}, {"erin", "8 crawls are running"},
	} {
		if text := start(test.caller); !strings.Contains(text, test.want) {
			t.Errorf("%s: %s", test.caller, text)
		}
	}
	for range maxJobs {
		last, err := p.all(t.Context(), "alice")
		if err != nil {
			t.Fatal(err)
		}
		p.call(t, "alice", `{"command":"cancel","jobId":"`+last[len(last)-1].id+`"}`)
		start("alice")
	}
	if first() != id {
		t.Error("another job is the first")
	}
}

func TestExpiredJobsLeaveTheDisk(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	dir := t.TempDir()
	short := func(s *store.Settings) { s.TTL = time.Nanosecond }
	first := begin(t, dir, short)
	text, _, _ := first.call(t, "", `{"url":"`+server.URL+`/","wait":20000}`)
	if !strings.Contains(text, "Crawl Status: failed") {
		t.Fatal(text)
	}
	first.end()
	begin(t, dir, short).end() // it checks all jobs before it ends
	if names, err := os.ReadDir(filepath.Join(dir, Folder)); err != nil || len(names) != 0 {
		t.Errorf("%v, %v", names, err)
	}
}
