package store

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/postgres"
)

// The database becomes an older copy of itself: from a backup, and by the promotion of a standby that was late. Afterwards no
// caller gets a page of another caller, every replica finds a page that was put again, and all replicas have the captures of
// the database.
func TestFailover(t *testing.T) {
	for name, prepare := range map[string]func(t *testing.T, c *postgres.Cluster) (url string, copied, replaced func()){
		"backup": func(_ *testing.T, c *postgres.Cluster) (string, func(), func()) {
			copied := ""
			return c.URL(), func() { copied = c.Backup() }, func() { c.Restore(copied) }
		},
		"backup behind PgBouncer": func(t *testing.T, c *postgres.Cluster) (string, func(), func()) {
			copied := ""
			return postgres.NewPooler(t, c).URL(), func() { copied = c.Backup() }, func() { c.Restore(copied) }
		},
		"standby behind PgBouncer": func(t *testing.T, c *postgres.Cluster) (string, func(), func()) {
			pooler := postgres.NewPooler(t, c)
			var standby *postgres.Cluster
			return pooler.URL(), func() { standby = c.Standby(); standby.Detach() }, func() {
				standby.Promote()
				pooler.Switch(standby) // no connection of a client is cut
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			url, copied, replaced := prepare(t, postgres.NewCluster(t))
			var replicas []replica
			for range 3 {
				r := openReplica(t, url, nil)
				r.run(t)
				replicas = append(replicas, r)
			}
			const pages = 10
			u := func(kind string, i int) string { return fmt.Sprintf("%s/%d", kind, i) }
			all := func(kind, owner, text string) (made []*Capture) {
				for i := range pages {
					made = append(made, put(t, replicas[i%3].Store, u(kind, i), text, func(m *Meta) {
						m.Owner = owner
						m.Key = Request{URL: request(t, m.URL).URL, Owner: owner}.Key()
					}))
				}
				return made
			}
			all("shared", "", "one")
			copied()
			shared := all("shared", "", "two") // lost
			private := all("private", "alice", "of alice")
			all("lost", "", "of nobody") // and never read
			replaced()
			for _, r := range replicas { // their connections were cut
				must.Until(t, "the store can be reached", func() bool {
					_, err := r.Put(t.Context(), Meta{Key: "first"}, Contents{Raw: nil})
					return err == nil
				})
			}
			ofBob := all("private", "bob", "of bob")
			check := func(what string, made []*Capture, want string) {
				t.Helper()
				for _, r := range replicas {
					for _, c := range made {
						data, err := r.Use(t.Context(), c, Cleaned, func(n int) []byte { return make([]byte, n) })
						if string(data) != want && !(want == "" && errors.Is(err, ErrNotFound)) {
							t.Fatalf("%s: %q, %v, want %q", what, data, err, want)
						}
					}
				}
			}
			check("what was lost", private, "")
			check("what was put afterwards", ofBob, "of bob")
			check("what was put before the copy", shared, "one")
			check("what was put again", all("shared", "", "three"), "three")
			began := time.Now()
			must.Until(t, "all replicas agree", func() bool {
				want := rowsOf(t, url, "")
				return len(want) == pages+1 && !slices.ContainsFunc(replicas, func(r replica) bool {
					return !slices.Equal(keys(r.Store, ""), want) || len(urls(r.Store, "alice")) > 0 || len(urls(r.Store, "bob")) != pages
				})
			})
			t.Logf("all replicas agree after %v", time.Since(began).Round(time.Millisecond))
		})
	}
}

// The statements of docs/serve/replicas-operations.md.
func TestStatements(t *testing.T) {
	c := postgres.NewCluster(t)
	for _, sql := range []string{"ALTER SYSTEM SET log_statement = 'all'", "ALTER SYSTEM SET log_line_prefix = '%a '", "SELECT pg_reload_conf()"} {
		conn := must.Get(pgx.Connect(t.Context(), c.URL()))(t)
		must.Get(conn.Exec(t.Context(), sql))(t)
		conn.Close(t.Context())
	}
	one, other := openReplica(t, c.URL()+"&application_name=one", nil), openReplica(t, c.URL()+"&application_name=other", nil)
	put(t, one.Store, "start", "the first describes statements", nil)
	statements := func(name string) int { return c.Logged(name+" LOG:  execute", name+" LOG:  statement") }
	must.Until(t, "statements are logged", func() bool {
		_ = other.look(t.Context())
		other.engine.changed(nil, true)
		return statements("other") > 0
	})
	must.Do(t, other.look(t.Context()))
	for _, test := range []struct {
		what, name string
		call       func() error
		want       int
	}{
		{"a capture", "one", func() error { put(t, one.Store, "1", "text", nil); return nil }, 6},
		{"ten captures", "one", func() error {
			for i := range 10 {
				put(t, one.Store, fmt.Sprint(i), "text", nil)
			}
			return nil
		}, 60},
		{"what the log says of ten captures", "other", func() error {
			for i := range 10 {
				other.engine.again(request(t, fmt.Sprint(i)).Key())
			}
			return other.look(t.Context())
		}, 1},
		{"a read", "one", func() error {
			c, err := one.Get(t.Context(), request(t, "1").Key())
			if err == nil {
				_, err = c.Content(t.Context(), Cleaned)
			}
			return err
		}, 1},
		{"an unknown key", "one", func() error {
			if _, err := one.Get(t.Context(), "unknown"); !errors.Is(err, ErrNotFound) {
				return err
			}
			return nil
		}, 1},
		{"a list", "one", func() error { urls(one.Store, ""); return nil }, 0},
	} {
		before := statements(test.name)
		must.Do(t, test.call())
		must.Equal(t, test.want, statements(test.name)-before, test.what)
	}
	if n, _ := other.Totals(); n != 11 {
		t.Errorf("the other replica has %d captures", n)
	}
}
