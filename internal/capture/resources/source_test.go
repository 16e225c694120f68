package resources

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"math/rand/v2"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/store"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/postgres"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/database"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/docs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol/view"
)

func open(t testing.TB, change func(*store.Settings)) (*store.Store, *Source) {
	t.Helper()
	settings := store.DefaultSettings()
	if change != nil {
		change(&settings)
	}
	s := must.Get(store.Open(t.Context(), settings, slog.New(slog.DiscardHandler)))(t)
	t.Cleanup(func() { s.Close() })
	source := New(s)
	return s, source
}

func put(t testing.TB, s *store.Store, u, owner, text string, change func(*store.Meta, store.Contents)) *store.Capture {
	t.Helper()
	parsed := must.Get(url.Parse(u))(t)
	m := store.Meta{Key: store.Request{URL: parsed, Owner: owner}.Key(), URL: u, Owner: owner, Source: "native"}
	contents := store.Contents{store.Cleaned: []byte(text)}
	if change != nil {
		change(&m, contents)
	}
	return must.Get(s.Put(t.Context(), m, contents))(t)
}

func listed(n view.Snapshot, after string) (uris []string) {
	for r := range n.After(after) {
		uris = append(uris, r.URI)
	}
	return uris
}

// A snapshot lists and finds the same resources as a [view.List] of them.
func TestSnapshotIsAList(t *testing.T) {
	s, source := open(t, nil)
	for i := range 30 {
		host := fmt.Sprintf("%c%d.example.com", 'a'+rand.IntN(3), i)
		put(t, s, "https://"+host+"/", []string{"", "alice", "bob"}[i%3], host, func(m *store.Meta, c store.Contents) {
			if i%2 == 0 {
				c[store.Raw] = []byte("raw")
			}
			if i%5 == 0 {
				c[store.Extracted] = []byte("extracted")
			}
		})
	}
	for _, caller := range []string{"", "alice", "carol"} {
		n := source.Snapshot(nil, caller)
		var all []*view.Resource
		for r := range n.After("") {
			if r.Owner != "" && r.Owner != caller {
				t.Errorf("%q sees what is of %q", caller, r.Owner)
			}
			all = append(all, r)
		}
		must.Equal(t, map[string]int{"": 17, "alice": 34, "carol": 17}[caller], len(all), caller)
		oracle := view.NewList(all)
		probes := []string{"", "a://x", "z://x", "memory://", "memory://cleaned", "memory://cleaned/", "memory://cleaned%00/%00", "memory://b", "memory://zzz/a",
			"memory://extracted/zzz", "memory://cleaned/%00", "memory://raw/a%2Fb", "memory://cleaned/a/b", "memory://cleaned/a0.example.com_x/b"}
		for _, r := range all {
			probes = append(probes, r.URI, r.URI+"x", r.URI[:len(r.URI)-3], r.URI+"/a", strings.Replace(r.URI, "cleaned", "raw", 1))
		}
		for _, probe := range probes {
			var want []string
			for r := range oracle.After(probe) {
				want = append(want, r.URI)
			}
			if diff := cmp.Diff(want, listed(n, probe)); diff != "" {
				t.Fatalf("behind %s:\n%s", probe, diff)
			}
			for _, spelled := range []string{probe, probe + "/", strings.ToUpper(probe[:min(14, len(probe))]) + probe[min(14, len(probe)):], strings.ReplaceAll(probe, "a", "%61")} {
				a, found := n.Lookup(spelled)
				b, known := oracle.Lookup(spelled)
				if found != known || found && a.URI != b.URI {
					t.Errorf("%s is %v, want %v", spelled, a, b)
				}
			}
		}
	}
}

func TestResource(t *testing.T) {
	s, source := open(t, func(s *store.Settings) { s.Kind, s.Folder = store.Files, filepath.Join(t.TempDir(), "captures") })
	created := time.Date(2025, 1, 8, 12, 0, 0, 0, time.UTC)
	c := put(t, s, "https://example.com/a", "", "the text", func(m *store.Meta, c store.Contents) {
		m.Created, m.Title = created, "A"
		m.Prompt = "what?"
		c[store.Raw], c[store.Extracted] = []byte("<p>"), []byte("x")
		m.Parts = map[store.Tier]store.Part{store.Raw: {MIME: "text/html"}}
	})
	n := source.Snapshot(nil, "")
	r, ok := n.Lookup("capture://cleaned/" + c.Meta.Key)
	if !ok {
		t.Fatal("it is not found")
	}
	want := &view.Resource{
		URI: "capture://cleaned/" + c.Meta.Key, Name: "cleaned/example.com_2025-01-08", Title: "A", Description: "Fetched content from https://example.com/a",
		MIMEType: "text/markdown", Size: 8, Modified: created,
	}
	read := r.Read
	r.Read = nil
	must.Equal(t, want, r)
	data, err := read(t.Context(), func(n int) []byte { return make([]byte, n) })
	if err != nil || string(data) != "the text" {
		t.Errorf("%q, %v", data, err)
	}
	if r, ok := n.Lookup("capture://raw/" + c.Meta.Key); !ok || r.MIMEType != "text/html" {
		t.Errorf("raw: %v", r)
	}
	if r, ok := n.Lookup("capture://extracted/" + c.Meta.Key); !ok || r.Description != `Extracted information from https://example.com/a using query: "what?"` {
		t.Errorf("extracted: %v", r)
	}
	// Paths of the machine, and paths that lead out of the folder, are not found.
	for _, hostile := range []string{
		"capture://cleaned/../../etc/passwd", "capture://cleaned/%2e%2e%2f%2e%2e%2fetc%2fpasswd", "capture:///etc/passwd", "file:///etc/passwd", "memory://cleaned/" + c.Meta.Key,
		"capture://raw/" + c.Meta.Key + "/../../x", "capture://meta.json/" + c.Meta.Key, "capture://cleaned/.index",
	} {
		if r, ok := n.Lookup(hostile); ok {
			t.Errorf("%s is %s", hostile, r.URI)
		}
	}
	must.Do(t, s.Delete(t.Context(), c.Meta.Key))
	if _, err := read(t.Context(), func(n int) []byte { return make([]byte, n) }); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("it has gone: %v", err)
	}
}

func TestComplete(t *testing.T) {
	s, source := open(t, nil)
	a := put(t, s, "https://a.example.com/", "", "a", nil)
	put(t, s, "https://b.example.com/", "", "b", func(_ *store.Meta, c store.Contents) {
		c[store.Raw] = c[store.Cleaned]
		delete(c, store.Cleaned)
	})
	own := put(t, s, "https://a.example.com/own", "alice", "own", nil)
	n := source.Snapshot(nil, "alice")
	if got := len(n.Templates()); got != 1 || n.Templates()[0].URITemplate != "memory://{tier}/{key}" {
		t.Errorf("templates %v", n.Templates())
	}
	complete := func(variable, prefix string, given map[string]string) []string {
		return n.Complete(context.Background(), "", variable, prefix, given)
	}
	if got := complete("tier", "C", nil); !slices.Equal(got, []string{"cleaned"}) {
		t.Errorf("tiers %v", got)
	}
	if got := complete("key", "A.", map[string]string{"tier": "cleaned"}); !slices.Equal(got, []string{a.Meta.Key, own.Meta.Key}) && !slices.Equal(got, []string{own.Meta.Key, a.Meta.Key}) {
		t.Errorf("keys %v", got)
	}
	must.Equal(t, 1, len(complete("key", "", map[string]string{"tier": "raw"})), "keys")
	must.Equal(t, 1, len(source.Snapshot(nil, "").Complete(context.Background(), "", "key", "a", nil)), "keys of all callers")
}

func TestChanges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, source := open(t, nil)
		var mu sync.Mutex
		var all []view.Change
		source.Notify(func(c view.Change) {
			mu.Lock()
			defer mu.Unlock()
			slices.Sort(c.Updated)
			all = append(all, c)
		})
		ctx, cancel := context.WithCancel(t.Context())
		var work sync.WaitGroup
		work.Go(func() { s.Run(ctx) })
		expect := func(what string, want ...view.Change) {
			t.Helper()
			synctest.Wait()
			mu.Lock()
			defer mu.Unlock()
			must.Equal(t, want, all, what)
			all = nil
		}
		before := source.Snapshot(nil, "")
		if before != source.Snapshot(nil, "") {
			t.Error("two snapshots of the same differ")
		}
		c := put(t, s, "https://example.com/", "", "a", func(m *store.Meta, _ store.Contents) { m.TTL = time.Hour })
		if before == source.Snapshot(nil, "") {
			t.Error("snapshots of different captures are the same")
		}
		uri := s.URI(store.Cleaned, c.Meta.Key)
		expect("a capture comes", view.Change{List: true, Updated: []string{uri}})
		put(t, s, "https://example.com/", "", "a", func(m *store.Meta, _ store.Contents) { m.TTL = time.Hour })
		expect("it is captured again", view.Change{})
		put(t, s, "https://example.com/", "", "b", func(m *store.Meta, _ store.Contents) { m.TTL = time.Hour })
		expect("it has another text", view.Change{Updated: []string{uri}})
		own := put(t, s, "https://example.com/", "alice", "own", nil)
		expect("one of alice", view.Change{Owner: "alice", List: true, Updated: []string{s.URI(store.Cleaned, own.Meta.Key)}})
		time.Sleep(time.Hour)
		expect("it is an hour old")
		time.Sleep(time.Millisecond)
		expect("it has expired", view.Change{List: true, Updated: []string{uri}})
		must.Equal(t, 0, len(listed(source.Snapshot(nil, ""), "")), "resources")
		cancel()
		work.Wait()
	})
}

// A capture that another process has put is found by its URI, by callers that may see it, and within their bound of looks at
// the disk. It is found at once unless the last look took long: looks take a twentieth of the time.
func TestCapturesOfOtherProcesses(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "captures")
	files := func(s *store.Settings) { s.Kind, s.Folder = store.Files, dir }
	elsewhere, _ := open(t, files)
	here, source := open(t, files)
	lookup := func(caller string, c *store.Capture) bool {
		r, ok := source.Snapshot(nil, caller).Lookup(here.URI(store.Cleaned, c.Meta.Key))
		if ok {
			if data, err := r.Read(t.Context(), func(n int) []byte { return make([]byte, n) }); err != nil || string(data) != "text" {
				t.Errorf("%q, %v", data, err)
			}
		}
		return ok
	}
	soon := func(found func() bool) bool {
		for range 100 {
			if found() {
				return true
			}
			time.Sleep(100 * time.Millisecond) // a caller may look ten times a second
		}
		return false
	}
	before := source.Snapshot(nil, "bob")
	shared, private := put(t, elsewhere, "https://example.com/a", "", "text", nil), put(t, elsewhere, "https://example.com/b", "alice", "text", nil)
	if !soon(func() bool { _, ok := before.Lookup(here.URI(store.Cleaned, shared.Meta.Key)); return ok }) {
		t.Error("a snapshot that was made before does not find it")
	}
	if !soon(func() bool { return lookup("alice", private) }) { // which finds all others
		t.Error("the owner does not find a capture of another process")
	}
	if !lookup("bob", shared) || !lookup("", shared) || lookup("bob", private) || lookup("", private) || !lookup("alice", private) {
		t.Error("another process's captures are not found, or by others than their owner")
	}
	var late *store.Capture
	limited := false
	for n := 0; n < 20 && !limited; n++ { // a caller may look again after a tenth of a second, which a slow disk takes for a capture
		for i := range 2 * looksAtOnce {
			if source.Snapshot(nil, "mallory").Lookup(fmt.Sprintf("capture://cleaned/none-%d", i)); i == 0 && lookup("bob", private) {
				t.Error("a private capture is found")
			}
		}
		late = put(t, elsewhere, fmt.Sprintf("https://example.com/c%d", n), "", "text", nil)
		limited = !lookup("mallory", late)
	}
	if !limited {
		t.Error("a caller looks at the disk as often as it likes")
	}
	if !soon(func() bool { return lookup("bob", late) }) || !lookup("mallory", late) { // this process knows it now
		t.Error("the looks of one caller are taken from another")
	}
}

// Without the store, a capture that only other replicas know is not "not found": a client would forget it.
func TestCapturesOfAnUnreachableStore(t *testing.T) {
	url := postgres.URL(t)
	replica := func() (*store.Store, *Source) {
		db := must.Get(database.Open(t.Context(), database.Options{URL: url, Logger: slog.New(slog.DiscardHandler), Migrate: true}))(t)
		t.Cleanup(db.Close)
		return open(t, func(s *store.Settings) { s.Kind, s.DB, s.Project = store.Postgres, db, "test" })
	}
	elsewhere, _ := replica()
	here, source := replica()
	known := put(t, elsewhere, "https://example.com/known", "", "text", nil)
	unknown := put(t, elsewhere, "https://example.com/unknown", "", "text", nil)
	read := func(uri string) (found bool, err error) {
		r, found := source.Snapshot(nil, "bob").Lookup(uri)
		if found {
			_, err = r.Read(t.Context(), func(n int) []byte { return make([]byte, n) })
		}
		return found, err
	}
	if found, err := read(here.URI(store.Cleaned, known.Meta.Key)); !found || err != nil {
		t.Fatal(found, err)
	}
	name := url[strings.LastIndex(url, "/")+1 : strings.Index(url, "?")]
	admin := must.Get(pgx.Connect(t.Context(), strings.Replace(url, "/"+name+"?", "/postgres?", 1)))(t)
	defer admin.Close(context.Background())
	for _, sql := range []string{
		"ALTER DATABASE " + name + " ALLOW_CONNECTIONS false",
		"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '" + name + "'",
	} {
		must.Get(admin.Exec(t.Context(), sql))(t)
	}
	if found, err := read(here.URI(store.Cleaned, unknown.Meta.Key)); !found || err != database.ErrUnreachable {
		t.Errorf("a capture that may exist: %v, %v", found, err)
	}
	for _, uri := range []string{"capture://cleaned/Not a key", "capture://other/" + unknown.Meta.Key, "memory://cleaned/" + unknown.Meta.Key} {
		if found, err := read(uri); found {
			t.Errorf("%s: found, %v", uri, err)
		}
	}
}

// Only public captures are found, by the words of their cleaned text.
func TestSearch(t *testing.T) {
	s, source := open(t, nil)
	put(t, s, "https://example.com/zoo/walrus", "", "# Walrus\n\nThe walrus eats clams.", func(_ *store.Meta, c store.Contents) {
		c[store.Raw] = []byte("<p>html walrus rawword")
	})
	put(t, s, "https://example.com/extracted", "", "", func(m *store.Meta, c store.Contents) {
		c[store.Extracted] = []byte("A narwhal.")
		delete(c, store.Cleaned)
	})
	put(t, s, "https://example.com/private", "alice", "The walrus of alice has a secretword.", nil)
	var library *docs.Library
	search := func(query string) (found []string) {
		t.Helper()
		library = library.With(library, source.Texts())
		hits, _, err := library.Search(t.Context(), query, 10)
		must.Do(t, err)
		for _, h := range hits {
			found = append(found, h.Heading+": "+h.Snippet)
			if item, ok := source.Snapshot(nil, "").Lookup(h.URI); !ok || item.URI != h.URI {
				t.Errorf("%s cannot be read", h.URI)
			}
		}
		return found
	}
	for query, want := range map[string][]string{
		"walrus":                             {"Walrus: The walrus eats clams."},
		"narwhal":                            {": A narwhal."},
		"rawword":                            nil,
		"secretword":                         nil,
		"secretwrod":                         nil, // not even as a corrected spelling
		"walrus path:captures/example.com":   {"Walrus: The walrus eats clams."},
		"walrus path:captures/example.com/b": nil,
	} {
		if got := search(query); !slices.Equal(got, want) {
			t.Errorf("%q finds %q, want %q", query, got, want)
		}
	}
	if answer, err := library.Answer(t.Context(), docs.Request{Query: "walrus"}); err != nil || !strings.Contains(answer[0], "untrusted text from the web") {
		t.Errorf("the answer does not say that it is untrusted: %q, %v", answer, err)
	}
	put(t, s, "https://example.com/zoo/walrus", "", "# Seal\n\nThe seals eat clams.", nil)
	if got := search("seal"); len(got) != 1 || !strings.Contains(got[0], "seals eat") {
		t.Errorf("it finds %q", got)
	}
	if got := search("eats walrus -seal path:captures/*/walrus"); len(got) != 0 && strings.Contains(got[0], "eats") {
		t.Errorf("what was replaced is found: %q", got)
	}
}
