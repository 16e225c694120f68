package postgres

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A Cluster is a PostgreSQL of one test, whose data can be copied and replaced. Its address stays.
type Cluster struct {
	t      testing.TB
	dir    string // of its socket and its data
	server io.Closer
	copies int
}

// NewCluster starts a cluster that ends with the test. It skips a test if PostgreSQL is not installed.
func NewCluster(t testing.TB) *Cluster {
	t.Helper()
	if bin() == "" {
		t.Skip("PostgreSQL is not installed")
	}
	c := &Cluster{t: t, dir: folder(t)}
	c.run(prelude+`run "$2/initdb" -D "$1/data" -U postgres -A trust -E UTF8 --locale=C --no-sync`, c.dir, bin())
	c.Start()
	return c
}

// folder returns a new folder with a path that is short enough for a socket.
func folder(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "mds-pg")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

func (c *Cluster) run(script string, args ...string) {
	c.t.Helper()
	if out, err := exec.Command("sh", append([]string{"-c", script, "sh"}, args...)...).CombinedOutput(); err != nil {
		c.t.Fatalf("%v: %s", err, out)
	}
}

// URL returns the URL of the database.
func (c *Cluster) URL() string { return at(c.dir, "postgres") }

// Start starts the cluster again.
func (c *Cluster) Start() {
	c.t.Helper()
	server, err := launch(prelude+serve, c.dir, bin())
	if err != nil {
		c.t.Fatal(err)
	}
	c.server = server
	c.t.Cleanup(func() { _ = server.Close() })
}

// Stop ends the cluster at once, as a crash does.
func (c *Cluster) Stop() { _ = c.server.Close() }

// Logged returns how many lines of the log contain one of some texts.
func (c *Cluster) Logged(texts ...string) (n int) {
	data, err := os.ReadFile(filepath.Join(c.dir, "log"))
	if err != nil {
		c.t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		if slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(line, text) }) {
			n++
		}
	}
	return n
}

// Backup copies the cluster as it is now, and returns the folder of the copy.
func (c *Cluster) Backup() string {
	c.t.Helper()
	c.copies++
	name := filepath.Join(c.dir, fmt.Sprint("copy", c.copies))
	c.run(prelude+`run "$2/pg_basebackup" -h "$1" -U postgres -D "$3" -c fast --no-sync`, c.dir, bin(), name)
	return name
}

// Restore replaces the cluster by a copy, at the same address.
func (c *Cluster) Restore(backup string) {
	c.t.Helper()
	c.Stop()
	c.run(`rm -rf "$1/data" && mv "$2" "$1/data"`, c.dir, backup)
	c.Start()
}

// Standby starts an asynchronous standby.
func (c *Cluster) Standby() *Cluster {
	c.t.Helper()
	s := &Cluster{t: c.t, dir: folder(c.t)}
	s.run(prelude+`run "$2/pg_basebackup" -h "$3" -U postgres -D "$1/data" -R -c fast --no-sync`, s.dir, bin(), c.dir)
	s.Start()
	return s
}

// Detach ends the connection of a standby to its primary, so that it gets no more changes.
func (c *Cluster) Detach() {
	c.t.Helper()
	c.run(prelude+`run "$2/psql" -h "$1" -U postgres -Xqc "ALTER SYSTEM SET primary_conninfo = ''" -c "SELECT pg_reload_conf()"
until [ -z "$(run "$2/psql" -h "$1" -U postgres -XAtc 'SELECT pid FROM pg_stat_wal_receiver')" ]; do sleep 0.02; done`, c.dir, bin())
}

// Promote makes a standby a primary.
func (c *Cluster) Promote() {
	c.t.Helper()
	c.run(prelude+`run "$2/psql" -h "$1" -U postgres -Xqc "SELECT pg_promote(true, 60)"`, c.dir, bin())
}

// A Pooler is a PgBouncer in transaction mode, in front of a cluster.
type Pooler struct {
	t   testing.TB
	dir string
}

// NewPooler starts PgBouncer, which ends with the test. It skips a test if PgBouncer is not installed.
func NewPooler(t testing.TB, c *Cluster) *Pooler {
	t.Helper()
	program, err := exec.LookPath("pgbouncer")
	if err != nil {
		t.Skip("PgBouncer is not installed")
	}
	p := &Pooler{t, folder(t)}
	p.configure(c)
	server, err := launch(prelude+`
run "$2" -q "$1/pgbouncer.ini" < /dev/null > "$1/log" 2>&1 &
n=0
until [ -S "$1/.s.PGSQL.5432" ]; do n=$((n+1)); [ $n -lt 600 ] || break; sleep 0.05; done
[ $n -lt 600 ] && echo ready || cat "$1/log"
exec > /dev/null 2>&1
read -r _ || true
kill -KILL "$(cat "$1/pid")" || true
wait
`, p.dir, program)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	return p
}

func (p *Pooler) configure(c *Cluster) {
	p.t.Helper()
	if err := os.WriteFile(filepath.Join(p.dir, "pgbouncer.ini"), fmt.Appendf(nil, `[databases]
postgres = host=%s user=postgres
[pgbouncer]
listen_addr =
listen_port = 5432
unix_socket_dir = %s
pidfile = %[2]s/pid
auth_type = any
pool_mode = transaction
server_login_retry = 0.1
`, c.dir, p.dir), 0o644); err != nil {
		p.t.Fatal(err)
	}
}

// Switch passes what comes from now on to another cluster. Connections of clients stay.
func (p *Pooler) Switch(to *Cluster) {
	p.t.Helper()
	p.configure(to)
	if out, err := exec.Command("sh", "-c", `kill -HUP "$(cat "$1/pid")"`, "sh", p.dir).CombinedOutput(); err != nil {
		p.t.Fatalf("%v: %s", err, out)
	}
}

// URL returns the URL of the database.
func (p *Pooler) URL() string { return at(p.dir, "postgres") }
