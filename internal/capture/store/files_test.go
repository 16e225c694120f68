package store

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.yaml.in/yaml/v4"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/postgres"
)

func openFolder(t testing.TB, dir string, change func(*Settings)) *Store {
	t.Helper()
	settings := DefaultSettings()
	settings.Kind, settings.Folder = Files, dir
	if change != nil {
		change(&settings)
	}
	s := must.Get(Open(t.Context(), settings, slog.New(slog.DiscardHandler)))(t)
	t.Cleanup(func() { s.Close() })
	return s
}

// each runs a test with each kind of store.
func each(t *testing.T, test func(t *testing.T, open func(change func(*Settings)) *Store)) {
	t.Run(Memory, func(t *testing.T) {
		test(t, func(change func(*Settings)) *Store { return memoryStore(t, change) })
	})
	t.Run(Files, func(t *testing.T) {
		test(t, func(change func(*Settings)) *Store {
			return openFolder(t, filepath.Join(t.TempDir(), "captures"), change)
		})
	})
	t.Run(Postgres, func(t *testing.T) {
		test(t, func(change func(*Settings)) *Store { return openReplica(t, postgres.URL(t), change).Store })
	})
}

func content(t testing.TB, c *Capture, tier Tier) string {
	t.Helper()
	data, err := c.Content(t.Context(), tier)
	if err != nil {
		t.Fatalf("%s of %s: %v", tier, c.Meta.URL, err)
	}
	return string(data)
}

// folderOf returns the path of the folder of a capture.
func folderOf(t testing.TB, dir string, c *Capture) string {
	t.Helper()
	name := filepath.Join(dir, folderName(c.Meta.Key, c.version))
	must.Get(os.Stat(name))(t)
	return name
}

// hostile is text that a careless store would change: leading white space, invalid UTF-8, \r\n, and
// front matter of its own.
const hostile = "\n \t---\r\nurl: \"https://evil.example/\"\r\n---\r\n\xff\xfe\x00 ends without a line end"

// everything has a value in each field.
func everything(t testing.TB) Meta {
	return Meta{
		Key: request(t, "https://example.com/Guide?q=1").Key(), Owner: "token:alice", URL: "https://example.com/Guide?q=1", Location: "https://example.com/guide",
		TTL: time.Hour, Source: "browser", Title: "A \"title\": \u2028 # \u0085 \x00 undefined", Description: "undefined", ETag: `W/"1"`,
		LastModified: "Wed, 21 Oct 2015 07:28:00 GMT", Options: map[string]string{"cleanScrape": "true"}, Prompt: "undefined",
		Job: "job-1", Diagnostics: []string{"native: 403"},
		Parts: map[Tier]Part{Raw: {MIME: "text/html; charset=iso-8859-1"}, Cleaned: {MIME: "text/markdown"}},
	}
}

func TestFilesKeepEverything(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "captures")
	s := openFolder(t, dir, nil)
	m := everything(t)
	for _, text := range []string{hostile, "---\nurl: \"https://evil.example/\"\n---\n\ntext", "", "\ufeffmark"} {
		contents := Contents{Raw: []byte(text), Cleaned: []byte(text), Extracted: []byte(text)}
		put, err := s.Put(t.Context(), m, contents)
		must.Do(t, err)
		other := openFolder(t, dir, nil)
		got := must.Get(other.Get(t.Context(), m.Key))(t)
		must.Equal(t, put.Meta, got.Meta)
		for tier := range contents {
			must.Equal(t, text, content(t, got, tier), tier)
		}
		raw, err := os.ReadFile(filepath.Join(folderOf(t, dir, put), "raw.html"))
		if err != nil || string(raw) != text {
			t.Errorf("the raw file has %q, %v", raw, err)
		}
		file := must.Get(os.ReadFile(filepath.Join(folderOf(t, dir, put), "cleaned.md")))(t)
		front, _, _ := strings.Cut(strings.TrimPrefix(string(file), "---\n"), "\n---\n")
		var fields map[string]any
		if err := yaml.Unmarshal([]byte(front), &fields); err != nil {
			t.Fatalf("%v in %s", err, front)
		}
		if fields["url"] != m.URL || fields["title"] != m.Title || fields["resourceType"] != "cleaned" || fields["contentType"] != "text/markdown" {
			t.Errorf("front matter %v", fields)
		}
	}
	must.Equal(t, 2, len(must.Get(os.ReadDir(dir))(t)), "versions, and .gitignore")
}

// A folder that the version of November 2026 wrote opens as it is.
func TestFolderOfAnEarlierVersion(t *testing.T) {
	dir := t.TempDir()
	must.Do(t, os.CopyFS(dir, os.DirFS("testdata/earlier")))
	names := must.Get(filepath.Glob(filepath.Join(dir, "*", "*")))(t)
	for _, name := range names {
		_, version, _ := splitName(filepath.Base(filepath.Dir(name)))
		must.Do(t, os.Chtimes(name, timeOf(version), timeOf(version)))
	}
	s := openFolder(t, dir, nil)
	for owner, u := range map[string]string{"": "https://example.com/guide", "token:alice": "https://example.com/mine"} {
		c := must.Get(s.Get(t.Context(), Request{URL: request(t, u).URL, Owner: owner}.Key()))(t)
		want := Meta{
			Key: c.Meta.Key, Owner: owner, URL: u, Created: time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC), Source: "native", Title: "A guide", ETag: `"1"`,
			Parts: map[Tier]Part{
				Raw:     {"text/html", 16, "f2996cf8cd609c69c514f3932d603c885a57cbe8f550ebdf2696aa6e9c661fb7"},
				Cleaned: {"text/markdown", 10, "86e52230f7551620deaece529b480ba3b909c30f25c98bb82772d07821c486dc"},
			},
		}
		must.Equal(t, want, c.Meta)
		if content(t, c, Cleaned) != "# A guide\n" || content(t, c, Raw) != "<h1>A guide</h1>" || !slices.Equal(urls(s, owner), []string{strings.TrimPrefix(u, site)}) {
			t.Errorf("%s has other text, or is listed for others", u)
		}
	}
}

// After a restart, the store knows which captures were read last.
func TestRecencySurvivesARestart(t *testing.T) {
	dir := t.TempDir()
	s := openFolder(t, dir, nil)
	clock := time.Now().Add(-time.Hour)
	s.now = func() time.Time { clock = clock.Add(time.Minute); return clock }
	first := put(t, s, "1", "1", nil)
	put(t, s, "2", "2", nil)
	must.Get(s.Get(t.Context(), first.Meta.Key))(t)
	must.Do(t, s.Close())
	s = openFolder(t, dir, func(s *Settings) { s.MaxItems = 2 })
	put(t, s, "3", "3", nil)
	has(t, s, "1 3")
}

func TestTwoProcesses(t *testing.T) {
	dir := t.TempDir()
	a, b := openFolder(t, dir, func(s *Settings) { s.MaxItems = 3 }), openFolder(t, dir, func(s *Settings) { s.MaxItems = 3 })
	get := func(s *Store, c *Capture) (string, error) {
		found, err := s.Get(t.Context(), c.Meta.Key)
		if err != nil {
			return "", err
		}
		text, err := s.Use(t.Context(), found, Cleaned, func(n int) []byte { return make([]byte, n) })
		return string(text), err
	}
	eventually := func(s *Store, c *Capture, want string) {
		t.Helper()
		for range 1000 {
			if text, err := get(s, c); err == nil && text == want || errors.Is(err, ErrNotFound) && want == "" {
				return
			}
			time.Sleep(10 * time.Millisecond) // a scan waits if the last one took long
		}
		text, err := get(s, c)
		t.Errorf("%s is %q, %v, want %q", c.Meta.URL, text, err, want)
	}
	one := put(t, a, "1", "one", nil)
	eventually(b, one, "one")
	put(t, b, "1", "one of b", nil)
	eventually(a, one, "one of b")
	put(t, a, "1", "one of a", nil)
	eventually(b, one, "one of a")
	must.Do(t, b.Delete(t.Context(), one.Meta.Key))
	eventually(a, one, "")
	// A capture that one process has read is not removed by the other.
	two := put(t, a, "2", "two", nil)
	put(t, a, "3", "three", nil)
	put(t, a, "4", "four", nil)
	eventually(b, two, "two")
	b.keepUse()
	put(t, a, "5", "five", nil)
	must.Do(t, a.look(t.Context()))
	a.clean(t.Context())
	has(t, a, "2 4 5")
	must.Do(t, b.look(t.Context()))
	if got := urls(b, ""); !slices.Equal(got, urls(a, "")) {
		t.Errorf("the other has %v", got)
	}
}

// Captures of another process appear in lists by themselves.
func TestOthersAreNoticed(t *testing.T) {
	dir := t.TempDir()
	a, b := openFolder(t, dir, nil), openFolder(t, dir, nil)
	changes := make(chan []Change, 10)
	b.Watch(func(c []Change) { changes <- c })
	ctx, cancel := context.WithCancel(t.Context())
	var work sync.WaitGroup
	work.Go(func() { b.Run(ctx) })
	defer work.Wait()
	defer cancel()
	c := put(t, a, "start", "a", nil)
	if got := <-changes; len(got) != 1 || got[0].Key != c.Meta.Key || got[0].New == nil || got[0].New.version != c.version {
		t.Errorf("changes %v", got)
	}
	must.Do(t, os.RemoveAll(folderOf(t, dir, c)))
	if got := <-changes; len(got) != 1 || got[0].New != nil {
		t.Errorf("changes %v", got)
	}
}

// Lists are complete while other goroutines look for missing captures and write new ones.
func TestListsAreWhole(t *testing.T) {
	each(t, func(t *testing.T, open func(func(*Settings)) *Store) {
		s := open(nil)
		const n = 50
		for i := range n {
			put(t, s, fmt.Sprint(i), "a", nil)
		}
		done := make(chan struct{})
		var work sync.WaitGroup
		for worker := range 3 {
			work.Go(func() {
				for i := 0; ; i++ {
					select {
					case <-done:
						return
					default:
					}
					if _, err := s.Get(t.Context(), fmt.Sprintf("missing-%d-%d", worker, i)); !errors.Is(err, ErrNotFound) {
						t.Error(err)
					}
				}
			})
		}
		for i := range 20 {
			must.Equal(t, n, len(urls(s, "")), "captures")
			put(t, s, fmt.Sprint(i), "b", nil)
		}
		close(done)
		work.Wait()
	})
}

// The folder of all captures may be removed, and another may take its place.
func TestFolderRemoved(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no folder that is open can be removed there")
	}
	dir := filepath.Join(t.TempDir(), "captures")
	s := openFolder(t, dir, nil)
	lost := put(t, s, "lost", "a", nil)
	must.Do(t, os.RemoveAll(dir))
	if _, err := lost.Content(t.Context(), Cleaned); !errors.Is(err, ErrNotFound) {
		t.Errorf("it is there: %v", err)
	}
	c := put(t, s, "kept", "b", nil)
	must.Equal(t, "*\n", string(must.Get(os.ReadFile(filepath.Join(dir, ".gitignore")))(t)))
	for _, s := range []*Store{s, openFolder(t, dir, nil)} {
		found, err := s.Get(t.Context(), c.Meta.Key)
		if err != nil || content(t, found, Cleaned) != "b" {
			t.Errorf("%v", err)
		}
	}
	must.Do(t, os.Rename(dir, dir+"2"))
	other := openFolder(t, dir, nil)
	d := put(t, other, "other", "c", nil)
	must.Equal(t, "c", content(t, must.Get(s.Get(t.Context(), d.Meta.Key))(t), Cleaned))
	has(t, s, "other")
}
