package capability

import (
	"encoding/json"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/docs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/prompts"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/site"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/tools"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol/view"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/latest"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/tokens"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// A fixture is a source of a project that a test changes.
type fixture struct {
	*Source
	t         *testing.T
	files     *latest.Value[loader.Catalog]
	documents *latest.Value[docs.Library]
	prompts   *latest.Value[prompts.Set]

	changes []view.Change
}

func newFixture(t *testing.T, s Settings) *fixture {
	f := &fixture{t: t, files: latest.New[loader.Catalog](), documents: latest.New[docs.Library](), prompts: latest.New[prompts.Set]()}
	f.Source = New(Options{
		Name: "Acme", Version: "1.2.3", Files: f.files, Documents: f.documents, Prompts: f.prompts, Settings: s,
		Tools: func() []tools.Tool {
			return []tools.Tool{{Name: "searchAcme", Title: "Search Acme", Description: "Read and search."}}
		},
		DocsTool: "searchAcme",
	})
	f.Notify(func(c view.Change) { f.changes = append(f.changes, c) })
	return f
}

// set makes a project folder the current one. Its documents are indexed if indexed says so.
func (f *fixture) set(fsys fs.FS, indexed bool) {
	f.t.Helper()
	p := open(f.t, fsys, definitions)
	if !indexed {
		var err error
		if p.Library, err = docs.Detect(f.t.Context(), fsys, docs.Reading{Sites: site.Options{Chosen: "docs"}}); err != nil {
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
	changes, f.changes = f.changes, nil
	return changes
}

var all = Settings{On: true, TTL: 5 * time.Minute}

// TestNotifications checks that clients are notified of each change, once, and get new documents.
func TestNotifications(t *testing.T) {
	f := newFixture(t, all)
	f.set(sample(), false)
	f.heard()
	expect := func(what string, times int, list bool) {
		t.Helper()
		changes := f.heard()
		if len(changes) != times {
			t.Errorf("%s: %d changes, want %d", what, len(changes), times)
		}
		for _, c := range changes {
			if c.List != list || !slices.Contains(c.Updated, SummaryURI) || !slices.Contains(c.Updated, ElementsURI(Tools)) {
				t.Errorf("%s: %+v", what, c)
			}
		}
	}
	f.Changed()
	expect("nothing", 0, false)
	must.Do(t, f.documents.Peek().Index(t.Context()))
	f.Changed()
	expect("the index is ready", 1, false)
	first := f.mustRead(SummaryURI)

	edited := sample()
	edited["resources/files/logo.svg"] = &fstest.MapFile{Data: []byte("<svg></svg>"), ModTime: time.Unix(1_800_000_000, 0)}
	f.set(edited, true)
	expect("a file has changed", 1, false)
	if !strings.Contains(f.mustRead(SummaryURI), "`files://logo.svg` (11 bytes)") {
		t.Errorf("the change does not show:\n%s", f.mustRead(SummaryURI))
	}
	f.set(sample(), true)
	expect("and back", 1, false)
	must.Equal(t, first, f.mustRead(SummaryURI), "the edits show")
	f.ToolsChanged()
	expect("the tools have changed", 1, false)
	f.Set(Settings{On: true, Expose: []string{"summary"}})
	expect("less is exposed", 1, true)
	f.Set(Settings{})
	expect("the index is off", 1, true)
	f.set(edited, true)
	expect("a change while it is off", 0, false)
}

// TestOff checks that an index that is off has no resources, and that only exposed documents exist.
func TestOff(t *testing.T) {
	f := newFixture(t, Settings{})
	f.set(sample(), true)
	if s := f.Snapshot(f.files.Peek(), ""); s != nil {
		t.Errorf("an index that is off has %v", s)
	}
	for _, names := range [][]string{{"summary"}, {"full"}, {"stats"}, {"elements"}} {
		f.Set(Settings{On: true, Expose: names})
		s := f.Snapshot(f.files.Peek(), "")
		for _, uri := range []string{SummaryURI, FullURI, StatsURI, ElementsURI(Tools)} {
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
	f := newFixture(t, all)
	f.set(sample(), true)
	s := f.Snapshot(f.files.Peek(), "")
	if s != f.Snapshot(f.files.Peek(), "someone") {
		t.Error("the snapshot differs without a change")
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
	if got := complete("type", ""); !slices.IsSorted(got) || len(got) != 6 {
		t.Errorf("completion: %v", got)
	}
}

// TestStats checks the statistics and their maximum age.
func TestStats(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, all)
		f.set(sample(), true)
		f.mustRead(SummaryURI)
		f.mustRead(SummaryURI)
		stats := func() (s stats) {
			t.Helper()
			text := f.mustRead(StatsURI)
			if n := tokens.Estimate(text); n > tokens.Bound(MaxStats) {
				t.Errorf("the statistics have %d tokens", n)
			}
			must.Do(t, json.Unmarshal([]byte(text), &s))
			return s
		}
		if s := stats(); s.Cache["hits"] != 1 || s.Cache["misses"] != 2 || s.Cache["ageSeconds"] != 0 || s.Counts[Resources] != 4 || !s.Ready {
			t.Errorf("%+v, %+v", s, s.Cache)
		}
		time.Sleep(4 * time.Minute)
		if s := stats(); s.Cache["hits"] != 1 || s.Cache["ageSeconds"] != 0 {
			t.Errorf("before the ttl: %+v", s.Cache)
		}
		time.Sleep(time.Minute)
		if s := stats(); s.Cache["hits"] != 2 || s.Cache["misses"] != 3 || s.Cache["ageSeconds"] != 300 {
			t.Errorf("after the ttl: %+v", s.Cache)
		}
	})
}

// TestPatience checks that a read waits briefly for a scan that is under way.
func TestPatience(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, all)
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
