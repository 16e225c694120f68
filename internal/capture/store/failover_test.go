package store

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/postgres"
)

// The database becomes an older copy of itself: from a backup, and by the promotion of a standby that was late. Afterwards no
// caller gets a page of another one, what is put again is found at every replica, and all replicas have the captures of the
// database.
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
			u := func(kind string, i int) string { return fmt.Sprintf("https://example.com/%s/%d", kind, i) }
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
				until(t, "the store can be reached", func() bool {
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
			until(t, "all replicas agree", func() bool {
				want := rowsOf(t, url, "")
				return len(want) == pages+1 && !slices.ContainsFunc(replicas, func(r replica) bool {
					return !slices.Equal(keys(r.Store, ""), want) || len(urls(r.Store, "alice")) > 0 || len(urls(r.Store, "bob")) != pages
				})
			})
			t.Logf("all replicas agree after %v", time.Since(began).Round(time.Millisecond))
		})
	}
}
