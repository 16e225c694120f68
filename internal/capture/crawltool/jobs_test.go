package crawltool

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/store"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/rootfs"
)

// eachJobs runs a test with each implementation of [Jobs]. Each call of jobs returns those of another process.
func eachJobs(t *testing.T, test func(t *testing.T, jobs func() Jobs)) {
	t.Run("folder", func(t *testing.T) {
		dir := t.TempDir()
		test(t, func() Jobs {
			captures, err := rootfs.Open(dir)
			if err != nil {
				t.Fatal(err)
			}
			defer captures.Close()
			jobs, err := FolderJobs(captures, slog.New(slog.DiscardHandler))
			if err != nil {
				t.Fatal(err)
			}
			return jobs
		})
	})
}

// mortal are jobs whose process is killed by a write to a journal: neither this write nor a later one has an effect.
type mortal struct {
	Jobs
	kills func(lines []byte) bool // before lines are written

	mu     sync.Mutex // guards killed
	killed chan struct{}
}

func (m *mortal) Lease(ctx context.Context, id string, fresh bool) (Lease, error) {
	l, err := m.Jobs.Lease(ctx, id, fresh)
	return &mortalLease{l, m}, err
}

type mortalLease struct {
	Lease
	m *mortal
}

func (l *mortalLease) dead(lines []byte) bool {
	l.m.mu.Lock()
	defer l.m.mu.Unlock()
	select {
	case <-l.m.killed:
		return true
	default:
	}
	if lines == nil || !l.m.kills(lines) {
		return false
	}
	close(l.m.killed)
	return true
}

func (l *mortalLease) Write(lines []byte) (int, error) {
	if l.dead(lines) {
		return 0, errTaken
	}
	return l.Lease.Write(lines)
}

func (l *mortalLease) Save(ctx context.Context, s saved) error {
	if l.dead(nil) {
		return errTaken
	}
	return l.Lease.Save(ctx, s)
}

// No page is requested again that is in the store, although the process is killed again and again: in the first test
// directly after a page was stored, in the second one before any write to the journal.
func TestNoStoredPageIsRequestedAgain(t *testing.T) {
	for name, kills := range map[string]func(write int, lines []byte) bool{
		"stored": func(_ int, lines []byte) bool { return bytes.Contains(lines, []byte(`"s":"k"`)) },
		"any":    func(write int, _ []byte) bool { return write%7 == 6 },
	} {
		t.Run(name, func(t *testing.T) { eachJobs(t, func(t *testing.T, jobs func() Jobs) { testKills(t, jobs, kills) }) })
	}
}

func testKills(t *testing.T, jobs func() Jobs, kills func(int, []byte) bool) {
	dir := t.TempDir()
	var origin, id string
	var mu sync.Mutex // guards requests and again
	requests, again := 0, []string(nil)
	s := &site{n: 12}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		if strings.HasPrefix(r.URL.Path, "/page/") {
			requests++
		}
		if id != "" {
			u, _ := r.URL.Parse(origin + r.URL.Path)
			key := store.Request{URL: u, Owner: "me", Options: map[string]string{"crawl": id}}.Key()
			if found, _ := filepath.Glob(filepath.Join(dir, key+".*")); len(found) > 0 {
				again = append(again, r.URL.Path)
			}
		}
		mu.Unlock()
		s.ServeHTTP(w, r)
	}))
	defer server.Close()
	origin = server.URL
	const maxKills = 20
	for killed := 0; ; killed++ {
		writes := 0
		m := &mortal{Jobs: jobs(), killed: make(chan struct{})}
		m.kills = func(lines []byte) bool {
			writes++
			return killed < maxKills && kills(writes-1, lines)
		}
		p := beginWith(t, dir, func(o *Options) { o.Jobs = m })
		if id == "" {
			mu.Lock()
			id = p.startJob(t, "me", fmt.Sprintf(`{"url":%q,"sitemap":"skip","scrapeOptions":{"formats":["markdown"]}}`, server.URL))
			mu.Unlock()
		}
		text, dead := "", false
		for text = ""; !dead && (text == "" || strings.HasPrefix(text, "Crawl Status: scraping")); {
			text, _, _ = p.call(t, "me", fmt.Sprintf(`{"jobId":%q,"wait":100}`, id))
			select {
			case <-m.killed:
				dead = true
			default:
			}
		}
		if p.end(); dead {
			continue
		}
		if !strings.HasPrefix(text, "Crawl Status: completed\nProgress: 13/13 pages") {
			t.Error(text)
		}
		if killed < 5 {
			t.Errorf("%d kills", killed)
		}
		break
	}
	if len(again) > 0 {
		t.Errorf("pages were requested although they were stored: %v", again)
	}
	if requests < 12 || requests > 12+4*maxKills {
		t.Errorf("%d requests", requests)
	}
}
