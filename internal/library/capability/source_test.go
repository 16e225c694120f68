package capability

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-docs-server/mcp-docs-server/internal/library/docs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/prompts"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol/view"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/current"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// A fixture is a source of a project that a test changes.
type fixture struct {
	*Source
	t         *testing.T
	files     *current.Value[loader.Catalog]
	documents *current.Value[docs.Library]
	prompts   *current.Value[prompts.Set]
	log       bytes.Buffer

	mu      sync.Mutex
	changes []view.Change // guarded by mu
}

func newFixture(t *testing.T, s Settings, cache *Cache) *fixture {
	f := &fixture{t: t, files: current.New[loader.Catalog](), documents: current.New[docs.Library](), prompts: current.New[prompts.Set]()}
	f.Source = New(Options{
		Name: "Acme", Version: "1.2.3", Files: f.files, Documents: f.documents, Prompts: f.prompts, Settings: s, Cache: cache,
		Offer: func() Offer {
			return Offer{Tools: []Tool{{"searchAcme", "Search Acme", "Read and search."}}, DocsTool: "searchAcme"}
		},
		Logger: slog.New(slog.NewTextHandler(&f.log, nil)),
	})
	f.Notify(func(c view.Change) {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.changes = append(f.changes, c)
	})
	return f
}

// set makes a project folder the current one. Its documents are indexed if indexed says so.
func (f *fixture) set(fsys fs.FS, indexed bool) {
	f.t.Helper()
	p := open(f.t, fsys, definitions)
	if !indexed {
		var err error
		if p.Library, err = docs.Scan(f.t.Context(), fsys, "docs", nil, nil, nil); err != nil {
			f.t.Fatal(err)
		}
	}
	f.files.Publish(p.Files)
	f.documents.Publish(p.Library)
	f.prompts.Publish(p.Prompts)
	f.Changed()
}

func (f *fixture) read(uri string) (string, error) {
	f.t.Helper()
	s := f.Snapshot(f.files.Peek(), "")
	if s == nil {
		return "", fs.ErrNotExist
	}
	r, ok := s.Lookup(uri)
	if !ok {
		return "", fs.ErrNotExist
	}
	data, err := r.Read(f.t.Context(), func(n int) []byte { return make([]byte, n) })
	return string(data), err
}

func (f *fixture) mustRead(uri string) string {
	f.t.Helper()
	text, err := f.read(uri)
	if err != nil {
		f.t.Fatalf("%s: %v", uri, err)
	}
	return text
}

// heard returns the changes since the last call.
func (f *fixture) heard() (changes []view.Change) {
	time.Sleep(time.Second)
	synctest.Wait()
	f.mu.Lock()
	defer f.mu.Unlock()
	changes, f.changes = f.changes, nil
	return changes
}

var all = Settings{true, Expose(nil), 5 * time.Minute}

// TestNotifications checks that clients are notified of documents with other bytes, and of no others.
func TestNotifications(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, all, nil)
		ctx, cancel := context.WithCancel(t.Context())
		var work sync.WaitGroup
		work.Go(func() { f.Run(ctx) })
		f.set(sample(), false)
		f.heard()
		page := ElementsURI(Documents, "", 0, "")
		for _, uri := range []string{SummaryURI, FullURI, StatsURI, page} {
			f.mustRead(uri)
		}
		expect := func(what string, want ...string) {
			t.Helper()
			slices.Sort(want)
			var updated []string
			for _, c := range f.heard() {
				if updated = append(updated, c.Updated...); c.List {
					t.Errorf("%s: the list has changed", what)
				}
			}
			if diff := cmp.Diff(want, updated); diff != "" {
				t.Errorf("%s (-want +got):\n%s", what, diff)
			}
		}
		f.set(sample(), false)
		expect("the same project")
		if err := f.documents.Peek().Index(t.Context()); err != nil {
			t.Fatal(err)
		}
		f.Changed()
		expect("the index is ready", SummaryURI, FullURI, StatsURI, page)
		first := f.mustRead(SummaryURI)

		edited := sample()
		edited["resources/files/logo.svg"] = &fstest.MapFile{Data: []byte("<svg></svg>"), ModTime: time.Unix(1_800_000_000, 0)}
		f.set(edited, true)
		expect("a file has changed", SummaryURI, FullURI, StatsURI)
		f.set(sample(), true)
		expect("and back", SummaryURI, FullURI, StatsURI)
		if diff := cmp.Diff(first, f.mustRead(SummaryURI)); diff != "" {
			t.Errorf("the edits show:\n%s", diff)
		}

		f.Set(Settings{true, Expose([]string{"summary"}), time.Minute})
		if got := f.heard(); len(got) == 0 || !got[0].List || !slices.Contains(got[0].Updated, FullURI) {
			t.Errorf("less is exposed: %+v", got)
		}
		f.Set(Settings{})
		if got := f.heard(); len(got) != 1 || !got[0].List {
			t.Errorf("the index is off: %+v", got)
		}
		cancel()
		work.Wait()
	})
}

// TestOff checks that an index that is off has no resources, and that only exposed documents exist.
func TestOff(t *testing.T) {
	f := newFixture(t, Settings{}, nil)
	f.set(sample(), true)
	if s := f.Snapshot(f.files.Peek(), ""); s != nil {
		t.Errorf("an index that is off has %v", s)
	}
	for _, names := range [][]string{{"summary"}, {"full"}, {"stats"}, {"elements"}} {
		f.Set(Settings{true, Expose(names), time.Minute})
		s := f.Snapshot(f.files.Peek(), "")
		for _, uri := range []string{SummaryURI, FullURI, StatsURI, ElementsURI(Tools, "", 0, "")} {
			_, there := s.Lookup(uri)
			if want := strings.Contains(uri, names[0]); there != want {
				t.Errorf("with %v, %s: %v", names, uri, there)
			}
		}
		elements := names[0] == "elements"
		listed := len(slices.Collect(s.After("")))
		if listed != 1 && !elements || listed != 0 && elements || (len(s.Templates()) == 1) != elements {
			t.Errorf("with %v, %d resources are listed, and %d templates", names, listed, len(s.Templates()))
		}
	}
}

func TestSnapshot(t *testing.T) {
	f := newFixture(t, all, nil)
	f.set(sample(), true)
	s := f.Snapshot(f.files.Peek(), "")
	if s != f.Snapshot(f.files.Peek(), "someone") {
		t.Error("the snapshot differs without a change")
	}
	f.OfferChanged()
	if s == f.Snapshot(f.files.Peek(), "") {
		t.Error("the snapshot stays though the tools have changed")
	}
	var refusal *view.Refusal
	if _, err := f.read("capability-index://elements/document?limit=0"); !errors.As(err, &refusal) {
		t.Errorf("limit=0: %v", err)
	}
	for _, uri := range []string{"capability-index://elements/x", "capability-index://nothing", "capability-index://", "capability-index://elements/", "other://summary"} {
		if _, err := f.read(uri); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v", uri, err)
		}
	}
	for _, uri := range []string{"CAPABILITY-INDEX://summary", "capability-index://%73ummary", "capability-index://summary/"} {
		f.mustRead(uri)
	}
	complete := func(variable, prefix string) []string {
		return s.Complete(t.Context(), Template, variable, prefix, nil)
	}
	if got := complete("type", "T"); !slices.Equal(got, []string{"template", "tool"}) {
		t.Errorf("completion of T: %v", got)
	}
	if got := complete("type", ""); !slices.Equal(got, Types()) || !slices.IsSorted(got) || len(got) != 6 {
		t.Errorf("completion: %v", got)
	}
	if got := complete("q", ""); got != nil {
		t.Errorf("completion of q: %v", got)
	}
}

// TestStats checks the statistics and their maximum age.
func TestStats(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, all, nil)
		f.set(sample(), true)
		f.mustRead(SummaryURI)
		f.mustRead(SummaryURI)
		stats := func() (s stats) {
			t.Helper()
			text := f.mustRead(StatsURI)
			if n := newText(text).Tokens; n > spendable(MaxStats) {
				t.Errorf("the statistics have %d tokens", n)
			}
			if err := json.Unmarshal([]byte(text), &s); err != nil {
				t.Fatal(err)
			}
			return s
		}
		s := stats()
		if s.Reads["summary"] != 2 || s.Cache.Hits != 1 || s.Cache.Misses != 1 || s.Cache.AgeSeconds != 0 || s.Counts[Resources] != 4 || !s.Ready {
			t.Errorf("%+v, %+v", s, s.Cache)
		}
		if text := f.mustRead(SummaryURI); s.Documents["summary"] != (statsSize{len(text), newText(text).Tokens, MaxSummary}) {
			t.Errorf("%+v", s.Documents)
		}
		time.Sleep(4 * time.Minute)
		if s := stats(); s.Reads["summary"] != 2 || s.Cache.AgeSeconds != 0 {
			t.Errorf("before the ttl: %+v", s)
		}
		time.Sleep(time.Minute)
		if s := stats(); s.Reads["summary"] != 3 || s.Reads["stats"] != 2 || s.Cache.AgeSeconds != 300 {
			t.Errorf("after the ttl: %+v", s)
		}
	})
}

// TestPatience checks that a read waits briefly for a scan that is under way.
func TestPatience(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, all, nil)
		f.options.Patience = time.Second
		p := open(t, sample(), definitions)
		f.files.Publish(p.Files)
		began := time.Now()
		if text := f.mustRead(SummaryURI); !strings.Contains(text, "still being read") || time.Since(began) != time.Second {
			t.Errorf("after %v:\n%s", time.Since(began), text)
		}
		go func() {
			time.Sleep(time.Second / 2)
			f.documents.Publish(p.Library)
			f.prompts.Publish(p.Prompts)
		}()
		began = time.Now()
		if text := f.mustRead(SummaryURI); strings.Contains(text, "still being") || time.Since(began) != time.Second/2 {
			t.Errorf("after %v:\n%s", time.Since(began), text)
		}
	})
}

// TestReplaced checks that a file of the same URI is reported.
func TestReplaced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, all, nil)
		ctx, cancel := context.WithCancel(t.Context())
		var work sync.WaitGroup
		work.Go(func() { f.Run(ctx) })
		fsys := sample()
		fsys["resources/capability-index/summary"] = &fstest.MapFile{Data: []byte("mine")}
		for range 3 {
			f.set(fsys, true)
			f.heard()
		}
		cancel()
		work.Wait()
		if n := strings.Count(f.log.String(), "resources/capability-index/summary"); n != 1 {
			t.Errorf("%d warnings: %s", n, f.log.String())
		}
	})
}

// TestCache checks that documents are kept between starts, and that only documents of the same project
// are used.
func TestCache(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "cache")
	start := func(fsys fs.FS, indexed bool) *fixture {
		t.Helper()
		cache, err := NewCache(dir, "/project", slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		f := newFixture(t, all, cache)
		f.set(fsys, indexed)
		return f
	}
	f := start(sample(), false)
	f.mustRead(SummaryURI) // not complete: not kept
	f.announce(t.Context())
	f = start(sample(), true)
	summary, full := f.mustRead(SummaryURI), f.mustRead(FullURI)
	f.announce(t.Context())
	if f.cache.fromDisk != 0 {
		t.Error("something was kept before it was made")
	}
	f = start(sample(), false) // the index is not needed for what was kept
	f.options.Patience = time.Minute
	if f.mustRead(SummaryURI) != summary || f.mustRead(FullURI) != full || f.cache.fromDisk != 2 {
		t.Errorf("%d documents come from the disk", f.cache.fromDisk)
	}
	if f.documents.Peek().Indexed() {
		t.Error("the documents were indexed for what was kept")
	}
	edited := sample()
	edited["docs/index.md"].ModTime = time.Unix(1, 0)
	if f = start(edited, true); f.mustRead(SummaryURI) == summary || f.cache.fromDisk != 0 {
		t.Error("what was kept of another state is used")
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	f = start(sample(), true)
	f.mustRead(SummaryURI)
	f.announce(t.Context())
	files, err := os.ReadDir(dir)
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	file := filepath.Join(dir, files[0].Name())
	good, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, change := range []func(string) string{
		func(s string) string { return "" },
		func(s string) string { return s[:len(s)/2] },
		func(s string) string { return "null" },
		func(s string) string { return strings.Replace(s, `"format":1`, `"format":2`, 1) },
		func(s string) string { return strings.Replace(s, `"documents"`, `"texts"`, 1) },
		func(s string) string { return strings.Replace(s, "# Acme", "Acme", 1) },
		func(s string) string { return strings.Replace(s, "# Acme", `# \u001b[31mAcme`, 1) },
		func(s string) string { return strings.Replace(s, "# Acme", `# Acme\u202e`, 1) },
		func(s string) string { return strings.Replace(s, "# Acme", "# "+strings.Repeat("word ", 3000), 1) },
		func(s string) string { return s + strings.Repeat(" ", maxCache) },
	} {
		if err := os.WriteFile(file, []byte(change(string(good))), 0o600); err != nil {
			t.Fatal(err)
		}
		if f = start(sample(), true); f.mustRead(SummaryURI) != summary || f.cache.fromDisk != 0 {
			t.Errorf("%.60q is used", change(string(good)))
		}
		f.announce(t.Context())
		if again, err := os.ReadFile(file); err != nil || !bytes.Equal(again, good) {
			t.Errorf("%.60q was not replaced: %.60q, %v", change(string(good)), again, err)
		}
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	target := filepath.Join(t.TempDir(), "target")
	if err := os.WriteFile(target, good, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, file); err != nil {
		t.Skip("no link can be made here: ", err)
	}
	if f = start(sample(), true); f.mustRead(SummaryURI) != summary || f.cache.fromDisk != 0 {
		t.Error("a link is followed")
	}
	f.announce(t.Context())
	if info, err := os.Lstat(file); err != nil || !info.Mode().IsRegular() {
		t.Error("a link was not replaced", err)
	}
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	if _, err := NewCache(dir, "/project", slog.New(slog.DiscardHandler)); err == nil || !strings.Contains(err.Error(), "chmod go-w") {
		t.Errorf("a folder that everybody can write to: %v", err)
	}
}
