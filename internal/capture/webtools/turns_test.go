package webtools

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/fairqueue"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/fetch"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/store"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/conversiontest"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/tools"
)

// slow is a strategy with endless pages.
type slow struct{ atWork atomic.Int32 }

func (s *slow) Name() string                  { return fetch.NativeName }
func (s *slow) Refuses(*fetch.Request) string { return "" }
func (s *slow) Close() error                  { return nil }
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
	strategy, converter := &slow{}, conversiontest.New()
	t.Cleanup(converter.Close)
	return NewScraper(Options{Chain: fetch.NewChain(strategy), Store: openStore(t), Now: time.Now, Converter: converter}), strategy
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
			if a := <-answers; !strings.Contains(a, "A page that comes at once.") {
				t.Error(a)
			}
		}
		if n := strategy.atWork.Load(); n < maxFetching/2 || time.Since(began) != 0 {
			t.Errorf("with %d slow pages at work, another caller had to wait for %v", n, time.Since(began))
		}
		cancel()
		synctest.Wait()
		if s.fetching.Held() != 0 {
			t.Error("turns are left")
		}
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
		if n := strategy.atWork.Load(); n != maxFetching {
			t.Errorf("%d pages are at work", n)
		}
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
		if s.fetching.Held() != held {
			t.Errorf("%d turns are held", s.fetching.Held())
		}
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
		if got := <-calls(t.Context(), s, "bob", "quick", 1); !strings.Contains(got, "A page that comes at once.") {
			t.Error(got)
		}
		cancel()
	})
}

// Few captures are opened at a time: each may have some 50 MiB.
func TestOpeningInTurn(t *testing.T) {
	b := startScraper(t, servePage)
	b.call(map[string]any{})
	if n := b.scraper.opened.Held(); n != 0 {
		t.Errorf("%d captures are open after a call that found none", n)
	}
	b.call(map[string]any{})
	if n := b.scraper.opened.Held(); n != 0 {
		t.Errorf("%d captures are open after a call", n)
	}
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
		if got := strings.Join(said, ", "); got != "native: u, native: u (5s), native: u (10s), browser: u" {
			t.Error(got)
		}
	})
}
