package store

import (
	"bytes"
	"crypto/rand"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

const site = "https://example.com/"

// request returns a request for a URL, or for a page of site.
func request(t testing.TB, u string) Request {
	t.Helper()
	if !strings.Contains(u, "://") {
		u = site + u
	}
	return Request{URL: must.Get(url.Parse(u))(t)}
}

func page(t testing.TB, u, text string) (Meta, Contents) {
	r := request(t, u)
	return Meta{Key: r.Key(), URL: r.URL.String(), Source: "native", Title: "Title of " + u, Parts: map[Tier]Part{Raw: {MIME: "text/html"}}},
		Contents{Raw: []byte("<p>" + text), Cleaned: []byte(text)}
}

func memoryStore(t testing.TB, change func(*Settings)) *Store {
	t.Helper()
	settings := DefaultSettings()
	if change != nil {
		change(&settings)
	}
	return must.Get(Open(t.Context(), settings, slog.New(slog.DiscardHandler)))(t)
}

func put(t testing.TB, s *Store, u, text string, change func(*Meta)) *Capture {
	t.Helper()
	m, contents := page(t, u, text)
	if change != nil {
		change(&m)
	}
	return must.Get(s.Put(t.Context(), m, contents))(t)
}

func urls(s *Store, owner string) (all []string) {
	for _, c := range s.All(owner) {
		all = append(all, strings.TrimPrefix(c.Meta.URL, site))
	}
	slices.Sort(all)
	return all
}

// has checks which pages of site a store has for all callers.
func has(t testing.TB, s *Store, want string) {
	t.Helper()
	must.Equal(t, want, strings.Join(urls(s, ""), " "))
}

func TestKeys(t *testing.T) {
	seen := make(map[string]string)
	for name, r := range map[string]Request{
		"https":        request(t, "https://example.com/a/b"),
		"http":         request(t, "http://example.com/a/b"),
		"underscore":   request(t, "https://example.com/a_b"),
		"port":         request(t, "https://example.com:8443/a/b"),
		"case":         request(t, "A/b"),
		"slash":        request(t, "https://example.com/a/b/"),
		"query":        request(t, "https://example.com/a/b?x=1"),
		"empty query":  request(t, "https://example.com/a/b?"),
		"other query":  request(t, "https://example.com/a/b?X=1"),
		"escaped":      request(t, "https://example.com/a%2Fb"),
		"owner":        {URL: request(t, "https://example.com/a/b").URL, Owner: "alice"},
		"other owner":  {URL: request(t, "https://example.com/a/b").URL, Owner: "bob"},
		"option":       {URL: request(t, "https://example.com/a/b").URL, Options: map[string]string{"onlyMainContent": "true"}},
		"header":       {URL: request(t, "https://example.com/a/b").URL, Header: http.Header{"Cookie": {"secret=1"}}},
		"other header": {URL: request(t, "https://example.com/a/b").URL, Header: http.Header{"Cookie": {"secret=2"}}},
		"two headers":  {URL: request(t, "https://example.com/a/b").URL, Header: http.Header{"Cookie": {"secret=1", "secret=2"}}},
		"device":       request(t, "https://nul/"),
		"device, dot":  request(t, "https://con.example.com/"),
		"long":         request(t, "https://example.com/"+strings.Repeat("long/", 500)),
		"unicode":      request(t, "https://example.com/日本語/ünïcödé"),
		"hidden":       request(t, "https://.git/"),
		"dots":         request(t, "https://..../...."),
	} {
		key := r.Key()
		if other, twice := seen[key]; twice {
			t.Errorf("%s and %s have the key %s", name, other, key)
		}
		seen[key] = name
		if !validKey(key) || len(key) > 200 || key != strings.ToLower(key) || strings.Contains(key, "secret") {
			t.Errorf("%s: key %q", name, key)
		}
		must.Equal(t, key, r.Key(), name)
	}
	lower := Request{URL: request(t, "https://example.com/").URL, Header: http.Header{"cookie": {"a"}}}
	upper := Request{URL: request(t, "https://example.com/").URL, Header: http.Header{"Cookie": {"a"}}}
	must.Equal(t, upper.Key(), lower.Key(), "names of headers in another case")
	if key := request(t, "https://docs.example.com/start?q=a").Key(); !strings.HasPrefix(key, "docs.example.com_start_q_a_") {
		t.Errorf("key %q", key)
	}
}

func TestPutAndGet(t *testing.T) {
	s := memoryStore(t, nil)
	m, contents := page(t, "start", "  leading \xff\r\n")
	must.Get(s.Put(t.Context(), m, contents))(t)
	c := must.Get(s.Get(t.Context(), m.Key))(t)
	for tier, want := range contents {
		must.Equal(t, string(want), string(must.Get(c.Content(t.Context(), tier))(t)), tier)
	}
	if _, err := c.Content(t.Context(), Extracted); !errors.Is(err, ErrNotFound) {
		t.Errorf("extracted: %v", err)
	}
	if c.Meta.Parts[Raw].MIME != "text/html" || c.Meta.Parts[Cleaned].MIME != "text/markdown" {
		t.Errorf("types %v", c.Meta.Parts)
	}
	must.Equal(t, "memory://cleaned/"+m.Key, s.URI(Cleaned, m.Key))
	must.Do(t, s.Delete(t.Context(), m.Key))
	if _, err := s.Get(t.Context(), m.Key); !errors.Is(err, ErrNotFound) {
		t.Errorf("deleted: %v", err)
	}
	if _, err := c.Content(t.Context(), Raw); !errors.Is(err, ErrNotFound) {
		t.Errorf("content of a deleted one: %v", err)
	}
}

func TestExpiry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := memoryStore(t, nil)
		changes := make(chan []Change, 100)
		s.Watch(func(c []Change) { changes <- c })
		go s.Run(t.Context())
		put(t, s, "never", "a", nil)
		put(t, s, "soon", "a", func(m *Meta) { m.TTL = 90*time.Second + time.Millisecond })
		synctest.Wait()
		for len(changes) > 0 {
			<-changes
		}
		listing := s.Listing("")
		time.Sleep(90*time.Second + time.Millisecond)
		synctest.Wait()
		if s.Listing("") != listing || len(changes) != 0 {
			t.Error("it expired too early")
		}
		time.Sleep(time.Millisecond)
		synctest.Wait()
		has(t, s, "never")
		if batch := <-changes; len(changes) != 0 || len(batch) != 1 || batch[0].New != nil {
			t.Errorf("changes %v", batch)
		}
		must.Equal(t, 2, len(listing.Captures), "a listing has changed")
		time.Sleep(1000 * time.Hour)
		must.Equal(t, 1, len(urls(s, "")), "captures")
	})
}

// Contents do not change, whether or not they are packed. Only packed contents need a buffer.
func TestPack(t *testing.T) {
	random := make([]byte, 2*minPacked)
	_, _ = rand.Read(random)
	for _, test := range []struct {
		data   []byte
		packed bool
	}{
		{nil, false}, {[]byte{}, false}, {[]byte("short"), false}, {random, false},
		{bytes.Repeat([]byte("<p>text</p>\n"), minPacked), true}, {make([]byte, minPacked), true},
	} {
		p := pack(test.data)
		got, err := p.unpack(func(n int) []byte { return make([]byte, n+7) })
		if err != nil || !bytes.Equal(got, test.data) || (p.size >= 0) != test.packed || (got == nil) != (test.data == nil) {
			t.Errorf("%d bytes, packed %v: %d bytes, %v", len(test.data), p.size >= 0, len(got), err)
		}
		if _, err := p.unpack(func(int) []byte { return nil }); errors.Is(err, ErrNoBuffer) != test.packed {
			t.Errorf("%d bytes without a buffer: %v", len(test.data), err)
		}
	}
}

// A store full of pages takes less memory than the pages have bytes.
func TestMemoryOfPages(t *testing.T) {
	heap := func() int64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.GC() // the first run keeps the contents of pools
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	before := heap()
	var all []*Capture
	total := 0
	for i := range 200 {
		var page strings.Builder
		for j := range 500 {
			page.WriteString("<p class=\"paragraph\">Sentence " + strconv.Itoa(i*j*7919) + " of the page.</p>\n")
		}
		total += page.Len()
		all = append(all, new(Capture))
		must.Do(t, memory{}.write(t.Context(), all[i], nil, Contents{Raw: []byte(page.String())}))
	}
	if taken := heap() - before; taken > int64(total)/2 {
		t.Errorf("%d bytes of pages take %d", total, taken)
	}
	runtime.KeepAlive(all)
}
