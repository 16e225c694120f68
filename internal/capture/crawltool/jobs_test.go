package crawltool

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/store"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/postgres"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/database"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/rootfs"
)

// databases are the URLs of databases by folders of captures whose jobs they have, instead of the folder.
var databases sync.Map

// each runs a test with each implementation of [Jobs]. dir is the folder of captures.
func each(t *testing.T, test func(t *testing.T, dir string)) {
	t.Run("folder", func(t *testing.T) { test(t, t.TempDir()) })
	t.Run("database", func(t *testing.T) {
		dir := t.TempDir()
		databases.Store(dir, postgres.URL(t))
		test(t, dir)
	})
}

// jobsOf returns the jobs of another process.
func jobsOf(t *testing.T, dir string) Jobs {
	t.Helper()
	if url, ok := databases.Load(dir); ok {
		jobs, _ := serve(t, url.(string), false)
		return jobs
	}
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
}

// serve returns the jobs of a replica, and its connection. Closing the jobs ends the connection. A paused replica does not
// renew its leases.
func serve(t *testing.T, url string, paused bool) (Jobs, *database.DB) {
	t.Helper()
	db, err := database.Open(t.Context(), database.Options{URL: url, Instance: t.Name(), Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	var run sync.WaitGroup
	if !paused {
		run.Go(func() { db.Run(ctx) })
	}
	end := sync.OnceFunc(func() {
		cancel()
		run.Wait()
		db.Close()
	})
	t.Cleanup(end)
	return connected{DatabaseJobs(db, "docs"), end}, db
}

type connected struct {
	Jobs
	end func()
}

func (c connected) Close() error {
	c.end()
	return nil
}

// mortal are jobs whose process is killed by a write to a journal, or when it saves a job: neither this write nor a later
// one has an effect.
type mortal struct {
	Jobs
	kills func(lines []byte) bool // before lines are written; or "save " and the state that is saved

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
	if !l.m.kills(lines) {
		return false
	}
	close(l.m.killed)
	return true
}

func (l *mortalLease) Write(lines []byte) (int, error) {
	if l.dead(lines) {
		return 0, database.ErrLost
	}
	return l.Lease.Write(lines)
}

func (l *mortalLease) Save(ctx context.Context, s saved) error {
	if l.dead([]byte("save " + s.State)) {
		return database.ErrLost
	}
	return l.Lease.Save(ctx, s)
}

// No page is requested again that is in the store, although the process is killed again and again: directly after a page
// was stored, before any write, or when the journal has ended and the end of the job is to be saved.
func TestNoStoredPageIsRequestedAgain(t *testing.T) {
	for name, kills := range map[string]func(write int, lines []byte) bool{
		"stored": func(_ int, lines []byte) bool { return bytes.Contains(lines, []byte(`"s":"k"`)) },
		"any":    func(write int, _ []byte) bool { return write%7 == 6 },
		"ended":  func(_ int, lines []byte) bool { return string(lines) == "save "+completed },
	} {
		t.Run(name, func(t *testing.T) { each(t, func(t *testing.T, dir string) { testKills(t, dir, kills) }) })
	}
}

func testKills(t *testing.T, dir string, kills func(int, []byte) bool) {
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
	const maxKills = 8
	for killed := 0; ; killed++ {
		writes := 0
		m := &mortal{Jobs: jobsOf(t, dir), killed: make(chan struct{})}
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
		if killed < 4 {
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

// Both implementations keep jobs alike.
func TestJobs(t *testing.T) { each(t, testJobs) }

func testJobs(t *testing.T, dir string) {
	ctx := t.Context()
	ours, other := jobsOf(t, dir), jobsOf(t, dir)
	me, you := "me", "you"
	id := newID()
	if _, err := ours.Read(ctx, id); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v", err)
	}
	lease, err := ours.Lease(ctx, id, true)
	if err != nil {
		t.Fatal(err)
	}
	for _, jobs := range []Jobs{ours, other} {
		if _, err := jobs.Lease(ctx, id, false); !errors.Is(err, database.ErrHeld) {
			t.Errorf("a second lease: %v", err)
		}
	}
	s := saved{ID: id, Owner: me, Arguments: json.RawMessage(`{"url":"a.example"}`), Created: time.Now().UTC(), State: running}
	if err := lease.Save(ctx, s); err != nil {
		t.Fatal(err)
	}
	read := func(offset int64) string {
		journal, err := other.Journal(ctx, id, offset)
		if errors.Is(err, fs.ErrNotExist) {
			return ""
		}
		if err != nil {
			t.Fatal(err)
		}
		defer journal.Close()
		data, err := io.ReadAll(journal)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	if text := read(0); text != "" {
		t.Errorf("%q", text)
	}
	var want strings.Builder
	for i, size := range []int{1, 100, 1000, 1 << 20, 3 << 20, 5} {
		var lines strings.Builder
		for lines.Len() < size {
			fmt.Fprintf(&lines, "%d %s\n", i, strings.Repeat("x", min(size, 500_000)))
		}
		if n, err := lease.Write([]byte(lines.String())); err != nil || n != lines.Len() {
			t.Fatal(n, err)
		}
		from := want.Len()
		want.WriteString(lines.String())
		if got := read(int64(from)); got != lines.String() {
			t.Errorf("%d bytes from %d, want %d", len(got), from, lines.Len())
		}
	}
	if got := read(0); got != want.String() {
		t.Errorf("%d bytes, want %d", len(got), want.Len())
	}
	for _, test := range []struct {
		selection
		want int
	}{{selection{}, 1}, {selection{running: true}, 1}, {selection{owner: &me}, 1}, {selection{owner: &you}, 0}, {selection{true, &me}, 1}} {
		if list, err := other.List(ctx, test.selection); err != nil || len(list) != test.want || test.want > 0 && list[0].ID != id {
			t.Errorf("%+v: %+v, %v", test.selection, list, err)
		}
	}
	late := time.Now().Add(time.Hour).UTC().Truncate(time.Millisecond)
	if err := errors.Join(other.Attend(ctx, id, late), other.Cancel(ctx, id)); err != nil {
		t.Error(err)
	}
	if e, err := ours.Read(ctx, id); err != nil || !e.cancel || !e.attended.Equal(late) || e.Owner != me {
		t.Errorf("%+v, %v", e, err)
	}
	lease.Release()
	if lease, err = other.Lease(ctx, id, false); err != nil {
		t.Fatal(err)
	}
	if _, err := lease.Write([]byte("the end\n")); err != nil {
		t.Error(err)
	}
	if got := read(int64(want.Len())); got != "the end\n" {
		t.Errorf("%q", got)
	}
	s.State, s.Ended = completed, time.Now().UTC()
	if err := lease.Save(ctx, s); err != nil {
		t.Error(err)
	}
	lease.Release()
	for range 2 {
		if list, err := ours.List(ctx, selection{running: true}); err != nil || len(list) != 0 {
			t.Errorf("%+v, %v", list, err)
		}
	}
	if list, err := ours.List(ctx, selection{}); err != nil || len(list) != 1 || list[0].State != completed {
		t.Errorf("%+v, %v", list, err)
	}
	if err := errors.Join(ours.Remove(ctx, id), other.Remove(ctx, id)); err != nil {
		t.Error(err)
	}
	if list, err := other.List(ctx, selection{}); err != nil || len(list) != 0 || read(0) != "" {
		t.Errorf("%+v, %v", list, err)
	}
	if err := errors.Join(other.Attend(ctx, id, late)); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

// A replica that was paused wakes up after another one has continued its crawl. What it writes then fails, it stores no
// page, and it leaves the job to the other replica.
func TestAPausedReplicaLeavesItsCrawl(t *testing.T) {
	url := postgres.URL(t)
	dir := t.TempDir()
	paused, hold := make(chan struct{}), make(chan struct{})
	s := &site{n: 12}
	var once sync.Once
	s.wait = func(r *http.Request) {
		if r.URL.Path == "/page/5" {
			first := false
			once.Do(func() { first = true })
			if first {
				close(paused)
				<-hold
			}
		}
	}
	server := httptest.NewServer(s)
	defer server.Close()
	ours, _ := serve(t, url, true)
	others, db := serve(t, url, false)
	p := beginWith(t, dir, func(o *Options) { o.Jobs = ours })
	id := p.startJob(t, "me", fmt.Sprintf(`{"url":%q,"sitemap":"skip","maxConcurrency":1}`, server.URL))
	<-paused
	p.Manager.mu.Lock()
	j := p.jobs[id]
	p.Manager.mu.Unlock()
	if n, err := db.Exec(t.Context(), "UPDATE mcp_docs.leases SET until = clock_timestamp() - interval '1 second' WHERE name = $1", LeaseName("docs", id)); err != nil || n != 1 {
		t.Fatal(n, err)
	}
	other := beginWith(t, dir, func(o *Options) { o.Jobs = others })
	if text, pages := other.await(t, id); !strings.HasPrefix(text, "Crawl Status: completed\nProgress: 13/13 pages") || len(pages) != 13 {
		t.Error(text)
	}
	journal := func() string {
		r, err := others.Journal(t.Context(), id, 0)
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	before := journal()
	close(hold)
	<-j.ended
	if after := journal(); after != before {
		t.Errorf("the paused replica wrote to the journal: %q", strings.TrimPrefix(after, before))
	}
	if text, pages, _ := p.call(t, "me", fmt.Sprintf(`{"jobId":%q}`, id)); !strings.HasPrefix(text, "Crawl Status: completed\nProgress: 13/13 pages") || len(pages) != 13 {
		t.Errorf("%d pages, %s", len(pages), text)
	}
}
