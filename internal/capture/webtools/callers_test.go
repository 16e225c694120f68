package webtools

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/fairqueue"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/fetch"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/store"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/webclient"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/capturetest"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/tools"
)

// other is a strategy after native, whose pages all have the same text.
type other struct {
	name    string
	secrecy *webclient.Secrecy
}

func (o *other) Name() string                  { return o.name }
func (o *other) Refuses(*fetch.Request) string { return "" }
func (o *other) Fetch(_ context.Context, r *fetch.Request) (*fetch.Answer, error) {
	return &fetch.Answer{URL: r.URL, ContentType: "text/html", Body: []byte(pageText), Secrecy: o.secrecy, Extras: []fetch.Extra{{Name: "summary", MIME: "text/markdown", Data: []byte("a summary")}}}, nil
}

// seen returns the callers that see captures: "all", "alice", "bob", or "" for none.
func seen(s *store.Store) string {
	var list []string
	for _, owner := range []string{"", "alice", "bob"} {
		n := 0
		for range s.All(owner) {
			n++
		}
		if n > 0 {
			list = append(list, map[bool]string{true: "all", false: owner}[owner == ""])
		}
	}
	return strings.Join(list, " ")
}

const shell = `<html><body><div id="root"></div><script src="a.js"></script></body></html>`

// Whichever way a capture replaces another, only the callers that the server allows see it. When the
// server makes a page private, other callers lose its capture.
func TestSecrecyOfSuccessors(t *testing.T) {
	browser, service := &other{name: fetch.BrowserName, secrecy: &webclient.Secrecy{}}, &other{name: fetch.FirecrawlName}
	force, only := map[string]any{"forceRescrape": true}, map[string]any{"resultHandling": "returnOnly"}
	for _, test := range []struct {
		strategy      *other
		arguments     map[string]any // of the second call
		first, second string         // answers for /a, then for /b: a status, Cache-Control, "shell"
		before, after string         // callers that see captures after each call
	}{
		{first: "200 private", second: "304", before: "alice", after: "alice"},
		{first: "200 private", second: "304 public, max-age=60", before: "alice", after: "alice"},
		{first: "200", second: "304", before: "all", after: "all"},
		{first: "200", second: "304 private", before: "all", after: "alice"},
		{arguments: only, first: "200", second: "304 private", before: "all", after: ""},
		{first: "200", second: "304 No-Store", before: "all", after: ""},
		{first: "200 private", second: "304 no-store", before: "alice", after: ""},
		{first: "200", second: `200 private="x"`, before: "all", after: "alice"},
		{first: "200 private", second: "200 no-store", before: "alice", after: ""},
		{first: "200 private", second: "200", before: "alice", after: "all alice"},
		{first: "302 > 200 private", second: "302 > 304", before: "alice", after: "alice"},
		{first: "302 private > 200", second: "302 > 304", before: "alice", after: "alice"},
		{first: "302 > 200", second: "302 private > 304", before: "all", after: "alice"},
		{first: "302 no-store > 200", second: "200", before: "", after: "all"},
		{strategy: browser, first: "200 private shell", second: "200 private shell", before: "alice", after: "alice"},
		{strategy: service, first: "200 private shell", second: "200 no-store shell", before: "alice", after: ""},
		{strategy: service, first: "200 private", second: "403", before: "alice", after: "alice"},
		{strategy: service, arguments: force, first: "200 private", second: "403", before: "alice", after: "alice"},
		{strategy: browser, first: "200 private", second: "403", before: "alice", after: "all alice"}, // the server says so
		{strategy: service, first: "200", second: "403", before: "all", after: "all"},
	} {
		for _, elsewhere := range []bool{false, true} { // true: another process makes the second call
			t.Run(fmt.Sprintf("%s, then %s, another process %v", test.first, test.second, elsewhere), func(t *testing.T) {
				dir := filepath.Join(t.TempDir(), "captures")
				change := func(b *bench, o *Options) {
					o.Store = local(t, inFolder(dir)).Store
					b.store = o.Store
					strategies := []fetch.Strategy{&fetch.Native{Client: capturetest.Client(true)}}
					if test.strategy != nil {
						strategies = append(strategies, test.strategy)
					}
					o.Chain = fetch.NewChain(strategies...)
				}
				answers := test.first
				b := startScraper(t, func(w http.ResponseWriter, r *http.Request) {
					a, b, _ := strings.Cut(answers, " > ")
					status, control, _ := strings.Cut(map[string]string{"/a": a, "/b": b}[r.URL.Path], " ")
					control, isShell := strings.CutSuffix(control, " shell")
					w.Header().Set("Content-Type", "text/html")
					w.Header().Set("Cache-Control", control)
					w.Header().Set("Etag", `"1"`)
					w.Header().Set("Location", "/b")
					if status == "304" && r.Header.Get("If-None-Match") != `"1"` {
						t.Errorf("%s is asked without the condition", r.URL)
					}
					w.WriteHeader(must.Get(strconv.Atoi(status))(t))
					fmt.Fprint(w, map[bool]string{false: pageText, true: shell}[isShell])
				}, change)
				b.callAs("alice", map[string]any{})
				must.Equal(t, test.before, seen(b.store), "callers that see it at first")
				second := b
				if elsewhere {
					second = startScraper(t, nil, change)
				}
				answers = test.second
				second.now = b.now.Add(time.Hour)
				arguments := map[string]any{"maxAge": 1, "url": b.url + "/a"}
				for name, value := range test.arguments {
					arguments[name] = value
				}
				second.callAs("alice", arguments)
				must.Equal(t, test.after, seen(second.store), "callers that see it then")
			})
		}
	}
}

// A 304 updates the validators of the stored version, and says nothing about other versions.
func TestValidatorsAfter304(t *testing.T) {
	var etag, modified, asked string
	b := startScraper(t, func(w http.ResponseWriter, r *http.Request) {
		asked += r.Header.Get("If-None-Match") + " " + r.Header.Get("If-Modified-Since") + ";"
		w.Header().Set("Content-Type", "text/plain")
		w.Header().Set("Etag", etag)
		w.Header().Set("Last-Modified", modified)
		if r.Header.Get("If-None-Match")+r.Header.Get("If-Modified-Since") != "" {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		fmt.Fprint(w, "version "+etag+modified)
	})
	for i, step := range []struct{ etag, modified, asked, text string }{
		{"", "Monday", " ;", "version Monday"},
		{`W/"1"`, "Tuesday", " Monday;", "version Monday"},
		{`"1"`, "", `W/"1" Tuesday;`, "version Monday"},
		{"", "", `"1" Tuesday;`, "version Monday"},
		{`"2"`, "", `"1" Tuesday; ;`, `version "2"`}, // a 304 of another version: the page is fetched again
		{`"2"`, "", `"2" ;`, `version "2"`},
	} {
		etag, modified, asked = step.etag, step.modified, ""
		b.now = b.now.Add(time.Minute)
		if got := b.callAs("alice", map[string]any{"maxAge": 1})[0].Resource.Text; asked != step.asked || !strings.Contains(got, step.text) {
			t.Errorf("step %d: asked %q, got %q", i, asked, got)
		}
	}
}

// slow is a strategy with endless pages.
type slow struct{ atWork atomic.Int32 }

func (s *slow) Name() string                  { return fetch.NativeName }
func (s *slow) Refuses(*fetch.Request) string { return "" }
func (s *slow) Fetch(ctx context.Context, r *fetch.Request) (*fetch.Answer, error) {
	if strings.HasPrefix(r.URL.Host, "quick") {
		return &fetch.Answer{URL: r.URL, ContentType: "text/html", Body: []byte("<h1>Quick</h1><p>A page that comes at once.")}, nil
	}
	s.atWork.Add(1)
	defer s.atWork.Add(-1)
	<-ctx.Done()
	return nil, ctx.Err()
}

// calls makes a caller scrape different pages of a host, and returns the answers.
func calls(ctx context.Context, s *Scraper, caller, host string, n int) <-chan string {
	answers := make(chan string, n)
	for i := range n {
		go func() {
			q, err := parseScrape([]byte(fmt.Sprintf(`{"url":"https://%s.example/%s/%d","resultHandling":"returnOnly"}`, host, caller, i)), false)
			if err != nil {
				panic(err)
			}
			q.caller = caller
			d, err := s.page(ctx, q, func(string) {})
			if err != nil {
				answers <- err.Error()
				return
			}
			answers <- string(d.contents[store.Cleaned])
		}()
	}
	return answers
}

func slowScraper(t *testing.T) (*Scraper, *slow) {
	strategy, o := &slow{}, local(t)
	o.Chain = fetch.NewChain(strategy)
	return NewScraper(o), strategy
}

// Callers with slow pages leave turns for other callers.
func TestSlowPagesOfSomeCallers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, strategy := slowScraper(t)
		hanging, cancel := context.WithCancel(t.Context())
		for _, caller := range []string{"alice", "bob"} {
			calls(hanging, s, caller, "slow", 2*maxFetching)
			synctest.Wait()
		}
		began := time.Now()
		answers := calls(t.Context(), s, "carol", "quick", 20)
		for range cap(answers) {
			must.Contain(t, <-answers, "A page that comes at once.")
		}
		if n := strategy.atWork.Load(); n < maxFetching/2 || time.Since(began) != 0 {
			t.Errorf("with %d slow pages at work, another caller had to wait for %v", n, time.Since(began))
		}
		cancel()
		synctest.Wait()
		must.Equal(t, 0, s.fetching.Held(), "turns")
	})
}

// The only caller of a process may use all turns.
func TestTheOnlyCaller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, strategy := slowScraper(t)
		hanging, cancel := context.WithCancel(t.Context())
		defer cancel()
		calls(hanging, s, "", "slow", 2*maxFetching)
		synctest.Wait()
		must.Equal(t, int32(maxFetching), strategy.atWork.Load(), "pages at work")
	})
}

// Waiting for a turn counts towards the timeout of the call.
func TestNoTurnInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, _ := slowScraper(t)
		hanging, cancel := context.WithCancel(t.Context())
		calls(hanging, s, "alice", "slow", maxFetching)
		synctest.Wait()
		held := s.fetching.Held()
		began := time.Now()
		q := &scrapeQuery{caller: "alice", url: &url.URL{Scheme: "https", Host: "example.com"}}
		_, err := s.turn(t.Context(), q, &fetch.Request{URL: q.url, Timeout: time.Second})
		if failed, ok := errors.AsType[*fetch.Failed](err); !ok || !strings.Contains(failed.Error(), "no turn within 1s: try again in about 1s") || time.Since(began) != time.Second {
			t.Errorf("%v after %v", err, time.Since(began))
		}
		must.Equal(t, held, s.fetching.Held(), "turns")
		cancel()
	})
}

// If too many calls wait, a call fails at once.
func TestTooManyWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, _ := slowScraper(t)
		hanging, cancel := context.WithCancel(t.Context())
		calls(hanging, s, "alice", "slow", maxFetching/2+maxWaiting/2)
		synctest.Wait()
		began := time.Now()
		got := <-calls(t.Context(), s, "alice", "quick", 1)
		if got != "Failed to scrape https://quick.example/alice/0: the server is busy: 200 requests wait already, 200 of them of this caller: try again in about 1s" || time.Since(began) != 0 {
			t.Error(got)
		}
		must.Contain(t, <-calls(t.Context(), s, "bob", "quick", 1), "A page that comes at once.")
		cancel()
	})
}

// Few captures are opened at a time: each may have some 50 MiB.
func TestOpeningInTurn(t *testing.T) {
	b := startScraper(t, servePage)
	b.call(map[string]any{})
	must.Equal(t, 0, b.scraper.opened.Held(), "open captures after a call that found none")
	b.call(map[string]any{})
	must.Equal(t, 0, b.scraper.opened.Held(), "open captures after a call")
	for range maxOpened {
		must.Get(b.scraper.opened.Wait(t.Context(), fairqueue.Ask{Unshared: true}))(t)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := b.scraper.Tool().Run(ctx, tools.Call{Arguments: []byte(`{"url":"` + b.url + `/a"}`)})
	if !errors.Is(err, context.Canceled) || b.count() != 1 {
		t.Errorf("%v after %d requests", err, b.count())
	}
}

// A client is notified of each step, and regularly while a step lasts.
func TestReporter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var said []string
		last := -1.0
		next, end := beginReport(tools.Call{Progress: func(done, _ float64, message string) {
			if done <= last {
				t.Errorf("%v after %v", done, last)
			}
			last = done
			said = append(said, message)
		}}, "u")
		next("native")
		time.Sleep(11 * time.Second)
		next("browser")
		end()
		time.Sleep(time.Minute)
		must.Equal(t, "native: u, native: u (5s), native: u (10s), browser: u", strings.Join(said, ", "))
	})
}
