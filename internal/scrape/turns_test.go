package scrape

import (
	"context"
	"errors"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/fetch"
	"github.com/mcp-docs-server/mcp-docs-server/internal/store"
	"github.com/mcp-docs-server/mcp-docs-server/internal/tools"
)

// A caller with slow pages leaves turns for others, and what nobody waits for is forgotten.
func TestTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		turns := newTurns()
		slow, cancel := context.WithCancel(t.Context())
		for range 3 * maxFetching {
			go func() {
				if done, err := turns.wait(slow, "alice"); err == nil {
					<-slow.Done()
					done()
				}
			}()
		}
		synctest.Wait()
		began := time.Now()
		for range 2 {
			done, err := turns.wait(t.Context(), "bob")
			if err != nil {
				t.Fatal(err)
			}
			defer done()
		}
		if len(turns.all) != maxOfCaller+2 || time.Since(began) != 0 {
			t.Errorf("%d turns are taken", len(turns.all))
		}
		cancel()
		synctest.Wait()
		if len(turns.all) != 2 || len(turns.own) != 1 {
			t.Errorf("%d turns of %d callers are left", len(turns.all), len(turns.own))
		}
	})
}

// Waiting for a turn counts as time of the call.
func TestNoTurnInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := New(Options{})
		for range maxFetching {
			s.fetching.all <- struct{}{}
		}
		began := time.Now()
		_, err := s.turn(t.Context(), "alice", &fetch.Request{URL: &url.URL{Scheme: "https", Host: "example.com"}, Timeout: time.Second})
		if failed, ok := errors.AsType[*fetch.Failed](err); !ok || !strings.Contains(failed.Error(), "no turn within 1s") || time.Since(began) != time.Second {
			t.Errorf("%v after %v", err, time.Since(began))
		}
		if len(s.fetching.own) != 0 {
			t.Errorf("%d callers still wait", len(s.fetching.own))
		}
	})
}

// Whatever an answer has, only so many pages are read at a time: each takes many times its size.
func TestReadingInTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := New(Options{})
		j, err := parse([]byte(`{"url":"https://example.com/"}`), false)
		if err != nil {
			t.Fatal(err)
		}
		d := &document{contents: store.Contents{store.Raw: []byte(`<p>text <a href="/a">link</a><img src="/i.png">`)}}
		d.meta.Parts = map[store.Tier]store.Part{store.Raw: {MIME: "text/html"}}
		for range maxReading {
			s.reading <- struct{}{}
		}
		var read atomic.Int32
		for _, f := range []func() string{
			func() string { return s.html(t.Context(), j, d) }, func() string { return s.leads(t.Context(), j, d) }, func() string { return s.images(t.Context(), j, d) },
			func() string { return s.converted(t.Context(), j, d, extra{data: []byte("<p>part")}) },
		} {
			go func() {
				if text := f(); text == "" || text == "none" {
					t.Errorf("%q", text)
				}
				read.Add(1)
			}()
		}
		synctest.Wait()
		if n := read.Load(); n != 0 {
			t.Errorf("%d pages are read beyond the bound", n)
		}
		<-s.reading
		synctest.Wait()
		if n := read.Load(); n != 4 {
			t.Errorf("%d pages are read", n)
		}
	})
}

// Captures are opened in turn: each may have some 50 MiB.
func TestOpeningInTurn(t *testing.T) {
	b := start(t, page)
	b.call(map[string]any{})
	if n := len(b.scraper.opened); n != 0 {
		t.Errorf("%d captures are open after a call that found none", n)
	}
	b.call(map[string]any{})
	if n := len(b.scraper.opened); n != 0 {
		t.Errorf("%d captures are open after a call", n)
	}
	for range maxOpened {
		b.scraper.opened <- struct{}{}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := b.scraper.Tool().Run(ctx, tools.Call{Arguments: []byte(`{"url":"` + b.url + `/a"}`)})
	if !errors.Is(err, context.Canceled) || b.count() != 1 {
		t.Errorf("%v after %d requests", err, b.count())
	}
}

// A client is notified of each step, and that a call goes on.
func TestReporter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var said []string
		last := -1.0
		r, end := begin(tools.Call{Progress: func(done, _ float64, message string) {
			if done <= last {
				t.Errorf("%v after %v", done, last)
			}
			last = done
			said = append(said, message)
		}}, "u")
		r.next("native")
		time.Sleep(11 * time.Second)
		r.next("browser")
		end()
		time.Sleep(time.Minute)
		if got := strings.Join(said, ", "); got != "native: u, native: u (5s), native: u (10s), browser: u" {
			t.Error(got)
		}
	})
}
