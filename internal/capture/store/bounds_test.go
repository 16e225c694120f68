package store

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

func TestLeastRecentlyUsedGoFirst(t *testing.T) {
	each(t, func(t *testing.T, open func(func(*Settings)) *Store) {
		s := open(func(s *Settings) { s.MaxItems = 3 })
		clock := time.Now()
		s.now = func() time.Time {
			clock = clock.Add(time.Microsecond)
			return clock
		}
		a := put(t, s, "a", "a", nil)
		put(t, s, "b", "b", nil)
		put(t, s, "c", "c", nil)
		must.Get(s.Get(t.Context(), a.Meta.Key))(t)
		urls(s, "") // listing does not count as a read
		put(t, s, "c", "c again", nil)
		put(t, s, "d", "d", nil)
		has(t, s, "a c d")
		s = open(func(s *Settings) { s.MaxBytes = 1000 })
		for i := range 20 {
			put(t, s, fmt.Sprint(i), strings.Repeat("x", 100), nil) // of 203 bytes
			if n, bytes := s.Totals(); n != min(i+1, 4) || bytes != int64(203*n) {
				t.Fatalf("there are %d of %d bytes", n, bytes)
			}
		}
	})
}

// Expired captures are removed before all others.
func TestExpiredGoFirst(t *testing.T) {
	each(t, func(t *testing.T, open func(func(*Settings)) *Store) {
		s := open(func(s *Settings) { s.MaxItems = 2 })
		put(t, s, "old", "a", nil)
		put(t, s, "expired", "a", func(m *Meta) { m.TTL, m.Created = time.Second, time.Now().Add(-time.Hour) })
		put(t, s, "new", "a", nil)
		has(t, s, "new old")
	})
}

func TestTooLarge(t *testing.T) {
	each(t, func(t *testing.T, open func(func(*Settings)) *Store) {
		s := open(func(s *Settings) { s.MaxBytes = 1000 })
		put(t, s, "a", "a", nil)
		m, contents := page(t, "large", strings.Repeat("x", 500))
		_, err := s.Put(t.Context(), m, contents)
		if !errors.Is(err, ErrTooLarge) || err.Error() != "has no room in the store: it has 1003 bytes, and the limit for all captures together is 1000 (MCP_RESOURCE_MAX_SIZE)" {
			t.Errorf("error %v", err)
		}
		m, contents = page(t, "a", strings.Repeat("x", 500))
		if _, err := s.Put(t.Context(), m, contents); !errors.Is(err, ErrTooLarge) {
			t.Errorf("error %v", err)
		}
		c, err := s.Get(t.Context(), m.Key)
		if err != nil || content(t, c, Cleaned) != "a" {
			t.Errorf("what was there has gone: %v", err)
		}
	})
}

func TestPins(t *testing.T) {
	each(t, func(t *testing.T, open func(func(*Settings)) *Store) {
		s := open(func(s *Settings) { s.MaxItems = 4 })
		job := func(m *Meta) { m.Job = "job" }
		put(t, s, "1", "1", job)
		release := s.Pin("job")
		put(t, s, "2", "2", job)
		put(t, s, "1", "1 without a job", nil)
		put(t, s, "a", "a", nil)
		put(t, s, "b", "b", nil)
		put(t, s, "b2", "b2", nil)
		has(t, s, "1 2 b b2")
		put(t, s, "3", "3", job)
		m, contents := page(t, "4", "4")
		m.Job = "job"
		_, err := s.Put(t.Context(), m, contents)
		if want := "pages of running crawls hold 3 of 4 captures (MCP_RESOURCE_MAX_ITEMS); raise it"; !errors.Is(err, ErrTooLarge) || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v", err)
		}
		put(t, s, "3", "again", job) // replaces a pinned capture
		put(t, s, "c", "c", nil)     // other captures have room
		put(t, s, "d", "d", nil)
		again := s.Pin("job")
		release()
		release()
		if _, err := s.Put(t.Context(), m, contents); !errors.Is(err, ErrTooLarge) {
			t.Errorf("error %v", err)
		}
		again()
		put(t, s, "c", "c", nil)
		if n, _ := s.Totals(); n != 4 || len(s.index.pins) != 0 {
			t.Errorf("%d captures, pins %v", n, s.index.pins)
		}
	})
}

// Bounds hold and sums are right during concurrent use.
func TestConcurrentUse(t *testing.T) {
	each(t, func(t *testing.T, open func(func(*Settings)) *Store) {
		s := open(func(s *Settings) { s.MaxItems, s.MaxBytes = 10, 4000 })
		s.Watch(func([]Change) {})
		go s.Run(t.Context())
		var wg sync.WaitGroup
		for worker := range 4 {
			wg.Go(func() {
				r := rand.New(rand.NewPCG(uint64(worker), 1))
				for range 40 {
					m, contents := page(t, fmt.Sprint(r.IntN(30)), strings.Repeat("x", r.IntN(400)))
					if r.IntN(3) == 0 {
						m.Owner = "alice"
						m.Key += "a"
					}
					switch r.IntN(5) {
					case 0:
						if c, err := s.Get(t.Context(), m.Key); err == nil {
							if _, err := c.Content(t.Context(), Raw); err != nil && !errors.Is(err, ErrNotFound) {
								t.Error(err)
							}
						}
					case 1:
						if err := s.Delete(t.Context(), m.Key); err != nil && !errors.Is(err, ErrNotFound) {
							t.Error(err)
						}
					case 2:
						m.Job = "job"
						release := s.Pin("job")
						if _, err := s.Put(t.Context(), m, contents); err != nil && !errors.Is(err, ErrTooLarge) {
							t.Error(err)
						}
						release()
					default:
						if _, err := s.Put(t.Context(), m, contents); err != nil && !errors.Is(err, ErrTooLarge) {
							t.Error(err)
						}
					}
				}
			})
		}
		wg.Wait()
		s.clean(t.Context())
		s.mu.Lock()
		defer s.mu.Unlock()
		var bytes int64
		n := 0
		for _, l := range s.index.lists {
			if !slices.IsSortedFunc(l.Captures, func(a, b *Capture) int { return strings.Compare(a.Meta.Key, b.Meta.Key) }) {
				t.Error("a list is not sorted")
			}
			for _, c := range l.Captures {
				bytes += c.Meta.Size()
				n++
			}
		}
		if bytes != s.index.bytes || n != len(s.index.byKey) || n > 10 || bytes > 4000 {
			t.Errorf("%d of %d bytes, counted %d of %d", n, bytes, len(s.index.byKey), s.index.bytes)
		}
		if e, ok := s.engine.(*files); ok {
			names := must.Get(e.folder.Names("."))(t)
			folders := 0
			for _, name := range names {
				if _, _, ok := splitName(name); ok {
					folders++
				} else if name[0] != '.' || temporaryName(name) {
					t.Errorf("there is %s", name)
				}
			}
			must.Equal(t, n, folders, "folders")
		}
	})
}

func temporaryName(name string) bool {
	return strings.HasPrefix(name, ".new-") || strings.HasPrefix(name, ".old-")
}

func TestSettings(t *testing.T) {
	env := func(values map[string]string) func(string) string {
		return func(name string) string { return values[name] }
	}
	got, err := DefaultSettings().FromEnvironment(env(map[string]string{
		StorageVariable: "FileSystem", RootVariable: "/srv/captures", TTLVariable: "0", MaxSizeVariable: "0.5", MaxItemsVariable: "7", CleanupVariable: " 1500 ",
	}))
	if want := (Settings{Kind: Files, Folder: "/srv/captures", MaxBytes: 1 << 19, MaxItems: 7, Cleanup: 1500 * time.Millisecond}); err != nil || got != want {
		t.Errorf("%+v, %v", got, err)
	}
	must.Equal(t, DefaultSettings(), must.Get(DefaultSettings().FromEnvironment(env(nil)))(t))
	_, err = DefaultSettings().FromEnvironment(env(map[string]string{
		StorageVariable: "redis", TTLVariable: "-1", MaxSizeVariable: "0", MaxItemsVariable: "NaN", CleanupVariable: "soon",
	}))
	want := `MCP_RESOURCE_STORAGE is "redis", must be memory or files
MCP_RESOURCE_TTL is "-1", must be a number of seconds (0: captures never expire) from 0 to 3153600000
MCP_RESOURCE_MAX_SIZE is "0", must be a number of MB from 0.001 to 4194304
MCP_RESOURCE_MAX_ITEMS is "NaN", must be a number of captures from 1 to 10000000
MCP_RESOURCE_CLEANUP_INTERVAL is "soon", must be a number of milliseconds from 10 to 86400000`
	if err == nil || err.Error() != want {
		t.Errorf("error %v", err)
	}
}

func TestPutRefuses(t *testing.T) {
	s := memoryStore(t, nil)
	for name, change := range map[string]func(*Meta, Contents){
		"no key":       func(m *Meta, _ Contents) { m.Key = "" },
		"path":         func(m *Meta, _ Contents) { m.Key = "../../etc/passwd" },
		"hidden":       func(m *Meta, _ Contents) { m.Key = ".git" },
		"device":       func(m *Meta, _ Contents) { m.Key = "nul.txt" },
		"upper case":   func(m *Meta, _ Contents) { m.Key = "A" },
		"long":         func(m *Meta, _ Contents) { m.Key = strings.Repeat("a", 201) },
		"negative TTL": func(m *Meta, _ Contents) { m.TTL = -1 },
		"no contents":  func(_ *Meta, c Contents) { clear(c) },
		"other tier":   func(_ *Meta, c Contents) { c["../x"] = nil },
	} {
		m, contents := page(t, "start", "a")
		change(&m, contents)
		if _, err := s.Put(t.Context(), m, contents); err == nil {
			t.Errorf("%s is kept", name)
		}
	}
	if n, _ := s.Totals(); n != 0 {
		t.Error("something was kept")
	}
}

// Pinned captures leave a quarter of the store free, even if many are put at the same time.
func TestPinsLeaveRoom(t *testing.T) {
	each(t, func(t *testing.T, open func(func(*Settings)) *Store) {
		s := open(func(s *Settings) { s.MaxItems, s.MaxBytes = 8, 1000 })
		var wg sync.WaitGroup
		for job := range 2 {
			name := string(rune('a' + job))
			defer s.Pin(name)()
			for number := range 10 {
				wg.Go(func() {
					m, contents := page(t, "start"+name+string(rune('0'+number)), "text")
					m.Job = name
					if _, err := s.Put(t.Context(), m, contents); err != nil && !errors.Is(err, ErrTooLarge) {
						t.Error(err)
					}
				})
			}
		}
		wg.Wait()
		if n, _ := s.Totals(); n != 6 {
			t.Errorf("%d pages of crawls", n)
		}
		put(t, s, "1", "other", nil)
		put(t, s, "2", "other", nil)
		put(t, s, "3", "other", nil)
		m, contents := page(t, "4", strings.Repeat("x", 200))
		if _, err := s.Put(t.Context(), m, contents); err != nil {
			t.Error(err)
		}
	})
}
