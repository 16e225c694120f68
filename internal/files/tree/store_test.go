package tree

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/postgres"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/database"
)

func connect(t testing.TB, url string) *database.DB {
	t.Helper()
	db := must.Get(database.Open(t.Context(), database.Options{URL: url, Instance: t.Name(), Logger: quiet, Migrate: true}))(t)
	t.Cleanup(db.Close)
	return db
}

func exec(t testing.TB, db *database.DB, sql string, args ...any) {
	t.Helper()
	must.Get(db.Exec(t.Context(), sql, args...))(t)
}

func number(t testing.TB, db *database.DB, sql string, args ...any) (n int) {
	t.Helper()
	must.Do(t, db.Query(t.Context(), func(rows pgx.Rows) error { return rows.Scan(&n) }, sql, args...))
	return n
}

func publish(t testing.TB, db *database.DB, f files) int {
	t.Helper()
	p, _, err := Publish(t.Context(), db, "p", "1.0.0", f.list())
	must.Do(t, err)
	return p.Number
}

// start opens a replica.
func start(t testing.TB, url string, cache *Cache) *Replica {
	t.Helper()
	return must.Get(Open(t.Context(), connect(t, url), cache, "p", quiet))(t)
}

// follow has a replica follow the store until the test ends, and returns what it reports.
func follow(t testing.TB, r *Replica) <-chan Change {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	reported := make(chan Change, 1000)
	var work sync.WaitGroup
	work.Go(func() { r.db.Run(ctx) })
	work.Go(func() { r.Follow(ctx, func(c Change) { reported <- c }) })
	t.Cleanup(func() { cancel(); work.Wait() })
	return reported
}

func same(t testing.TB, got, want files) {
	t.Helper()
	if !maps.Equal(got, want) {
		t.Errorf("got %.200q, want %.200q", fmt.Sprint(got), fmt.Sprint(want))
	}
}

func TestPublishAndFollow(t *testing.T) {
	url := postgres.URL(t)
	db := connect(t, url)
	_, err := Open(t.Context(), connect(t, url), openCache(t), "p", quiet)
	if err == nil || !strings.Contains(err.Error(), `no project "p"`) {
		t.Fatalf("got %v", err)
	}
	large := make([]byte, 3<<20+17)
	for i := range large {
		large[i] = byte(rand.Uint32())
	}
	first := files{"docs/a.md": "A", "\xff\xfe": "B", "empty": "", "x/y/z": "A", "large": string(large), "exact": string(large[:1<<20])}
	if n := publish(t, db, first); n != 1 {
		t.Fatalf("version %d", n)
	}
	cache := openCache(t)
	r := start(t, url, cache)
	same(t, texts(t, r), first)
	reported := follow(t, r)

	second := maps.Clone(first)
	second["docs/a.md"] = "A2"
	delete(second, "x/y/z")
	old := r.Now()
	if n := publish(t, db, second); n != 2 {
		t.Fatalf("version %d", n)
	}
	c := <-reported
	must.Equal(t, "{[. docs x x/y] [docs/a.md x/y/z]}", fmt.Sprint(c), "reported")
	same(t, texts(t, r), second)
	same(t, texts(t, old), first)

	if n, err := Rollback(t.Context(), db, "p", 0); err != nil || n != 1 {
		t.Fatalf("got %d, %v", n, err)
	}
	<-reported
	same(t, texts(t, r), first)
	if _, err := Rollback(t.Context(), db, "p", 0); err == nil || !strings.Contains(err.Error(), "no version of p before version 1") {
		t.Errorf("got %v", err)
	}
	if _, err := Rollback(t.Context(), db, "p", 9); err == nil || !strings.Contains(err.Error(), "no version 9 of p") {
		t.Errorf("got %v", err)
	}
	if _, err := Rollback(t.Context(), db, "q", 0); err == nil || !strings.Contains(err.Error(), `no project "q"`) {
		t.Errorf("got %v", err)
	}
	must.Equal(t, 1, publish(t, db, first), "the same files are version")
	if n := publish(t, db, files{"only": "time@1s"}); n != 3 {
		t.Errorf("version %d after a rollback", n)
	}
	<-reported
	for _, e := range r.now.Load().tree.entries {
		if e.Modified != usual.Add(time.Second).UnixNano() {
			t.Errorf("%s has the time %v", e.Path, e.Modified)
		}
	}
	all, err := Versions(t.Context(), db, "p")
	if err != nil || len(all) != 3 || all[0].Number != 3 || !all[0].Current || all[1].Current || all[2].Bytes != int64(len(large)+1<<20+3) {
		t.Errorf("got %+v, %v", all, err)
	}
}

// A publication reads only files that the store lacks, and a replica fetches only files that its cache lacks.
func TestOnlyWhatIsMissing(t *testing.T) {
	url := postgres.URL(t)
	db := connect(t, url)
	publish(t, db, files{"a": "1", "b": "2"})
	cache := openCache(t)
	r := start(t, url, cache)
	follow(t, r)
	list := files{"a": "1", "moved": "2", "c": "3"}.list()
	var read []string
	for i, f := range list {
		copied := f.Copy
		list[i].Copy = func(w io.Writer) error { read = append(read, f.Path); return copied(w) }
	}
	// What the cache has need not be in the store.
	exec(t, db, "DELETE FROM mcp_docs.blob_parts WHERE data IN ('1', '2')")
	if _, _, err := Publish(t.Context(), db, "p", "", list); err != nil {
		t.Fatal(err)
	}
	must.Equal(t, "[c]", fmt.Sprint(read), "read")
	must.Until(t, "the new version", func() bool { return r.Number() == 2 })
	same(t, texts(t, r), files{"a": "1", "moved": "2", "c": "3"})
}

func TestFiveVersionsAreKept(t *testing.T) {
	url := postgres.URL(t)
	db := connect(t, url)
	for i := range 8 {
		publish(t, db, files{"a": fmt.Sprint(i), "b": "same"})
	}
	if n := number(t, db, "SELECT count(*) FROM mcp_docs.trees"); n != 5 {
		t.Errorf("%d versions", n)
	}
	exec(t, db, "UPDATE mcp_docs.blobs SET created = created - interval '2 hours'")
	must.Get(Rollback(t.Context(), db, "p", 4))(t)
	publish(t, db, files{"a": "another", "b": "same"})
	if n := number(t, db, "SELECT count(*) FROM mcp_docs.blobs"); n != 6 { // a of five versions, and b
		t.Errorf("%d files", n)
	}
	if n := number(t, db, "SELECT count(*) FROM mcp_docs.blob_parts"); n != 6 {
		t.Errorf("%d parts", n)
	}
	if n := number(t, db, "SELECT count(*) FROM mcp_docs.tree_files"); n != 10 {
		t.Errorf("%d entries", n)
	}
}

// A version that was removed leaves nothing in the store, nor in the caches of replicas.
func TestRemove(t *testing.T) {
	url := postgres.URL(t)
	db := connect(t, url)
	publish(t, db, files{"a": "shared", "b": "secret"})
	cache := openCache(t)
	r := start(t, url, cache)
	if err := Remove(t.Context(), db, "p", 1); err == nil || !strings.Contains(err.Error(), "is served") {
		t.Errorf("got %v", err)
	}
	reported := follow(t, r)
	publish(t, db, files{"a": "shared"})
	<-reported
	must.Do(t, Remove(t.Context(), db, "p", 1))
	if n := number(t, db, "SELECT count(*) FROM mcp_docs.blob_parts"); n != 1 {
		t.Errorf("%d files are left", n)
	}
	must.Until(t, "the cache forgets the version", func() bool {
		cache.mu.Lock()
		defer cache.mu.Unlock()
		return len(cache.used["p"]) == 1
	})
	if err := Remove(t.Context(), db, "p", 1); err == nil || !strings.Contains(err.Error(), "no version 1") {
		t.Errorf("got %v", err)
	}
	must.Do(t, Remove(t.Context(), db, "p", 0))
	if n := number(t, db, "SELECT (SELECT count(*) FROM mcp_docs.blobs) + (SELECT count(*) FROM mcp_docs.trees)"); n != 0 {
		t.Errorf("%d rows are left", n)
	}
	same(t, texts(t, r), files{"a": "shared"})
	must.Equal(t, 1, publish(t, db, files{"a": "again"}), "version")
	must.Until(t, "the new version", func() bool { return maps.Equal(texts(t, r), files{"a": "again"}) })
}

// A publication removes the file that another one has found in the store, and counts on.
func TestRemovedDuringPublication(t *testing.T) {
	url := postgres.URL(t)
	db := connect(t, url)
	publish(t, db, files{"a": "shared"})
	list := files{"a": "shared", "b": "new"}.list()
	removed := false
	for i, f := range list {
		if f.Path != "b" {
			continue
		}
		copied := f.Copy
		list[i].Copy = func(w io.Writer) error { // after "shared" was found in the store
			if !removed {
				removed = true
				exec(t, db, "UPDATE mcp_docs.blobs SET created = created - interval '2 hours'")
				other := connect(t, url)
				for n := range 6 {
					publish(t, other, files{"a": fmt.Sprint(n)})
				}
				must.Equal(t, 0, number(t, other, "SELECT count(*) FROM mcp_docs.blob_parts WHERE data = 'shared'"), "the file was not removed")
			}
			return copied(w)
		}
	}
	if _, _, err := Publish(t.Context(), db, "p", "", list); err != nil {
		t.Fatal(err)
	}
	same(t, texts(t, start(t, url, openCache(t))), files{"a": "shared", "b": "new"})
}

// Publications at the same time, of projects that share files, and with files that become old at once, are whole; replicas
// that follow them see whole versions only.
func TestPublicationsAtTheSameTime(t *testing.T) {
	url := postgres.URL(t)
	admin := connect(t, url)
	version := func(writer, n int) files {
		f := files{"mark": fmt.Sprintf("%d-%d", writer, n)}
		for i := range 40 {
			f[fmt.Sprintf("shared/%d", i)] = fmt.Sprint("shared ", (n+i)%50)
			f[fmt.Sprintf("own/%d", i)] = fmt.Sprintf("%d-%d", writer, n)
		}
		return f
	}
	publish(t, admin, version(0, 0))
	var replicas []*Replica
	for range 3 {
		r := start(t, url, openCache(t))
		follow(t, r)
		replicas = append(replicas, r)
	}
	var writers, others sync.WaitGroup
	done := make(chan struct{})
	others.Go(func() {
		for {
			select {
			case <-done:
				return
			case <-time.After(20 * time.Millisecond):
				_, _ = admin.Exec(context.Background(), "UPDATE mcp_docs.blobs SET created = created - interval '2 hours'") // the next one may do it
			}
		}
	})
	for _, r := range replicas {
		others.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				got := texts(t, r.Now())
				var writer, n int
				fmt.Sscanf(got["mark"], "%d-%d", &writer, &n)
				same(t, got, version(writer, n))
			}
		})
	}
	last := make([]files, 4)
	for writer := range 4 {
		db := connect(t, url)
		writers.Go(func() {
			for n := range 12 {
				last[writer] = version(writer, n)
				if _, _, err := Publish(context.Background(), db, "p", "", last[writer].list()); err != nil {
					var pg interface{ SQLState() string }
					if errors.Is(err, errRemoved) || errors.As(err, &pg) && pg.SQLState() == "40P01" { // because of the statement above
						continue
					}
					t.Error(err)
				}
			}
		})
	}
	writers.Wait()
	newest := number(t, admin, "SELECT t.number FROM mcp_docs.projects p JOIN mcp_docs.trees t ON t.id = p.tree")
	for _, r := range replicas {
		must.Until(t, "the last version", func() bool { return r.Number() == newest })
	}
	close(done)
	others.Wait()
	if !slices.ContainsFunc(last, func(f files) bool { return maps.Equal(f, texts(t, replicas[0])) }) {
		t.Error("no writer published the version that is served last")
	}
}

// An error in the middle leaves the version that is served, and what was uploaded is not uploaded again.
func TestInterruptedPublication(t *testing.T) {
	url := postgres.URL(t)
	db := connect(t, url)
	publish(t, db, files{"a": "1"})
	list := make([]File, 30)
	var read []int
	for i := range list {
		text := fmt.Sprint(i, strings.Repeat("x", 1<<20))
		list[i] = textFile(fmt.Sprintf("f%02d", i), text, usual)
	}
	failure := errors.New("gone")
	slices.SortFunc(list, func(a, b File) int { return bytes.Compare(a.Digest[:], b.Digest[:]) })
	for i := range list {
		copied := list[i].Copy
		list[i].Copy = func(w io.Writer) error {
			if read = append(read, i); len(read) == 20 {
				return failure
			}
			return copied(w)
		}
	}
	if _, _, err := Publish(t.Context(), db, "p", "", list); !errors.Is(err, failure) {
		t.Fatalf("got %v", err)
	}
	same(t, texts(t, start(t, url, openCache(t))), files{"a": "1"})
	read = read[:0]
	if _, _, err := Publish(t.Context(), db, "p", "", list); err != nil {
		t.Fatal(err)
	}
	if len(read) < 11 || len(read) > 15 {
		t.Errorf("%d files were read the second time", len(read))
	}
	if got := texts(t, start(t, url, openCache(t))); len(got) != 30 {
		t.Errorf("%d files", len(got))
	}
}

// What a replica cannot fetch leaves the old version.
func TestDamagedStore(t *testing.T) {
	for name, sql := range map[string]string{
		"path":    "UPDATE mcp_docs.tree_files SET path = '../x' WHERE path = 'b'",
		"folder":  "UPDATE mcp_docs.tree_files SET path = 'a/b' WHERE path = 'b'",
		"list":    "UPDATE mcp_docs.tree_files SET modified = modified + 1 WHERE path = 'b'",
		"lacks":   "DELETE FROM mcp_docs.tree_files WHERE path = 'b'",
		"bytes":   "UPDATE mcp_docs.blob_parts SET data = '3' WHERE data = '2'",
		"size":    "UPDATE mcp_docs.blobs SET bytes = -1 WHERE digest IN (SELECT digest FROM mcp_docs.tree_files WHERE path = 'b')",
		"part":    "DELETE FROM mcp_docs.blob_parts WHERE data = '2'",
		"content": "DELETE FROM mcp_docs.blobs WHERE digest IN (SELECT digest FROM mcp_docs.tree_files WHERE path = 'b')",
	} {
		t.Run(name, func(t *testing.T) {
			url := postgres.URL(t)
			db := connect(t, url)
			publish(t, db, files{"a": "1"})
			r := start(t, url, openCache(t))
			publish(t, db, files{"a": "1", "b": "2"})
			exec(t, db, sql)
			if _, _, err := r.fetch(t.Context()); err == nil || r.Number() != 1 {
				t.Fatalf("got %v, version %d", err, r.Number())
			} else {
				t.Log(err)
			}
			same(t, texts(t, r), files{"a": "1"})
			publish(t, db, files{"a": "1", "c": "4"})
			if _, replaced, err := r.fetch(t.Context()); err != nil || !replaced {
				t.Errorf("got %v, %v", replaced, err)
			}
			same(t, texts(t, r), files{"a": "1", "c": "4"})
		})
	}
}

// Replicas that look at the store at any time have the version that is served then.
func TestRandomHistory(t *testing.T) {
	url := postgres.URL(t)
	db := connect(t, url)
	r := rand.New(rand.NewPCG(7, 7))
	versions := map[int]files{}
	now := 0
	add := func(f files) {
		f["always"] = "x"
		now = publish(t, db, f)
		versions[now] = f
	}
	add(files{})
	var replicas []*Replica
	for range 3 {
		replicas = append(replicas, start(t, url, openCache(t)))
	}
	for range 150 {
		if r.IntN(4) == 0 {
			all, err := Versions(t.Context(), db, "p")
			must.Do(t, err)
			if now, err = Rollback(t.Context(), db, "p", all[r.IntN(len(all))].Number); err != nil {
				t.Fatal(err)
			}
		} else {
			add(random(r))
		}
		one := replicas[r.IntN(len(replicas))]
		if _, _, err := one.fetch(t.Context()); err != nil {
			t.Fatal(err)
		}
		same(t, texts(t, one), versions[now])
		if got, want := one.now.Load().tree.Digest(), versions[now].tree(t).Digest(); got != want {
			t.Fatalf("version %d differs", now)
		}
	}
}

func TestStartWithACache(t *testing.T) {
	url := postgres.URL(t)
	db := connect(t, url)
	publish(t, db, files{"a": "1", "b": "2"})
	dir := t.TempDir()
	cache, err := OpenCache(dir)
	must.Do(t, err)
	r := start(t, url, cache)
	// The store of another database, whose versions have the same numbers.
	other := postgres.URL(t)
	publish(t, connect(t, other), files{"a": "other"})
	damaged := fmt.Sprintf("%s/files/%x", dir, r.now.Load().tree.file("b").Digest)
	cache.Close()
	must.Write(t, damaged, "3")
	for _, test := range []struct {
		url  string
		want files
	}{{url, files{"a": "1", "b": "2"}}, {other, files{"a": "other"}}} {
		if cache, err = OpenCache(dir); err != nil {
			t.Fatal(err)
		}
		same(t, texts(t, start(t, test.url, cache)), test.want)
		cache.Close()
	}
	// Without the store, the last version is served.
	if cache, err = OpenCache(dir); err != nil {
		t.Fatal(err)
	}
	defer cache.Close()
	gone := must.Get(database.Open(t.Context(), database.Options{URL: "postgres://docs@127.0.0.1:1/docs", Logger: quiet, Later: true}))(t)
	defer gone.Close()
	if r, err = Open(t.Context(), gone, cache, "p", quiet); err != nil {
		t.Fatal(err)
	}
	same(t, texts(t, r), files{"a": "other"})
	waiting, end := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer end()
	if _, err := Open(waiting, gone, openCache(t), "p", quiet); err == nil {
		t.Error("an empty cache was served")
	}
}

// A copy that something else has changed is fetched again while the server runs.
func TestRepairWhileServing(t *testing.T) {
	url := postgres.URL(t)
	publish(t, connect(t, url), files{"a": "12345"})
	cache := openCache(t)
	r := start(t, url, cache)
	reported := follow(t, r)
	name := fmt.Sprintf("%x", r.now.Load().tree.file("a").Digest)
	must.Do(t, cache.copies.Remove(name))
	if _, err := r.Open("a"); err == nil {
		t.Error("a removed copy was opened")
	}
	must.Until(t, "the copy", func() bool { _, err := cache.copies.Stat(name); return err == nil })
	same(t, texts(t, r), files{"a": "12345"})
	if len(reported) > 0 {
		t.Errorf("reported %v", <-reported)
	}
}
