// Package postgres runs Debian's PostgreSQL and PgBouncer for tests. [URL] is for tests that need only a database; a [Cluster] can
// crash, become an older copy of itself, and have a standby; a [Pooler] is a PgBouncer in front of a cluster. All processes end with
// the process of the tests, however it ends. The package installs nothing: without the programs, it skips the test.
package postgres

import (
	"bufio"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

// A Cluster is a PostgreSQL whose data can be copied and replaced. Its address stays.
type Cluster struct {
	t      testing.TB
	dir    string // of its socket, its data and its log
	stop   func()
	copies int
}

var (
	shared = sync.OnceValues(func() (c *Cluster, err error) {
		c = &Cluster{}
		if c.dir, err = os.MkdirTemp("", "mds-pg"); err == nil {
			c.stop, err = launch(c.dir, initdb+serve+`rm -rf "$1"`)
		}
		return c, err
	})
	databases atomic.Int64
)

// URL returns the URL of a new database, in a cluster that ends with the process. It skips a test if PostgreSQL is not
// installed.
func URL(t testing.TB) string {
	t.Helper()
	skip(t)
	c := must.Get(shared())(t)
	name := fmt.Sprint("test", databases.Add(1))
	query(t, at(c.dir, "postgres"), "CREATE DATABASE "+name)
	return at(c.dir, name)
}

func skip(t testing.TB) {
	t.Helper()
	if bin() == "" {
		t.Skip("PostgreSQL is not installed")
	}
}

func at(socket, name string) string {
	return "postgres://postgres@/" + name + "?host=" + url.QueryEscape(socket)
}

// query runs a statement, and returns the text that it returns.
func query(t testing.TB, url, sql string) (text string) {
	t.Helper()
	conn := must.Get(pgx.Connect(t.Context(), url))(t)
	defer conn.Close(context.Background())
	if err := conn.QueryRow(t.Context(), sql, pgx.QueryExecModeSimpleProtocol).Scan(&text); err != nil && !errors.Is(err, pgx.ErrNoRows) {
		t.Fatal(err)
	}
	return text
}

// bin returns the folder of the programs of PostgreSQL, or "" if it is not installed.
func bin() string {
	if path, err := exec.LookPath("initdb"); err == nil {
		if path, err = filepath.EvalSymlinks(path); err == nil {
			return filepath.Dir(path)
		}
	}
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if len(found) == 0 {
		return ""
	}
	return filepath.Dir(slices.Max(found))
}

//go:embed prelude.sh
var prelude string

const initdb = `run "$2/initdb" -D data -U postgres -A trust -E UTF8 --locale=C --no-sync > log 2>&1 || { cat log; exit 1; }
`

const serve = `run "$2/postgres" -D "$1/data" -k "$1" -c listen_addresses= -c fsync=off -c max_connections=300 -c shared_buffers=32MB < /dev/null >> log 2>&1 &
supervise 'run "$PG/pg_isready" -q -h "$PWD" -U postgres' QUIT data/postmaster.pid
`

// launch runs a script in a folder, and returns when it has printed ready. stop ends its input, and waits for its end.
func launch(dir, script string) (stop func(), err error) {
	cmd := exec.Command("sh", "-c", prelude+script, "sh", dir, bin())
	cmd.Env = append(os.Environ(), "PG="+bin())
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	output, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	stop = func() {
		_ = in.Close()
		_ = cmd.Wait()
	}
	from := bufio.NewReader(output)
	if line, _ := from.ReadString('\n'); line != "ready\n" {
		rest, _ := io.ReadAll(from)
		stop()
		return nil, errors.New(line + string(rest))
	}
	return stop, nil
}

// start runs a script in a folder until the test ends.
func start(t testing.TB, dir, script string) (stop func()) {
	t.Helper()
	stop = must.Get(launch(dir, script))(t)
	t.Cleanup(stop)
	return stop
}

// folder returns a new folder with a path that is short enough for a socket.
func folder(t testing.TB) string {
	t.Helper()
	dir := must.Get(os.MkdirTemp("", "mds-pg"))(t)
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// NewCluster starts a cluster that ends with the test. It skips a test if PostgreSQL is not installed.
func NewCluster(t testing.TB) *Cluster {
	t.Helper()
	skip(t)
	c := &Cluster{t: t, dir: folder(t)}
	c.stop = start(t, c.dir, initdb+serve)
	return c
}

// URL returns the URL of the database.
func (c *Cluster) URL() string { return at(c.dir, "postgres") }

// Start starts the cluster again.
func (c *Cluster) Start() {
	c.t.Helper()
	c.stop = start(c.t, c.dir, serve)
}

// Stop ends the cluster at once, as a crash does.
func (c *Cluster) Stop() { c.stop() }

// Logged returns how many lines of the log contain one of some texts.
func (c *Cluster) Logged(texts ...string) (n int) {
	data := must.Get(os.ReadFile(filepath.Join(c.dir, "log")))(c.t)
	for line := range strings.Lines(string(data)) {
		if slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(line, text) }) {
			n++
		}
	}
	return n
}

// copyTo copies the cluster as it is now.
func (c *Cluster) copyTo(folder, options string) {
	c.t.Helper()
	script := fmt.Sprintf(`run "$2/pg_basebackup" -h '%s' -U postgres -D '%s' %s -c fast --no-sync && echo ready`, c.dir, folder, options)
	start(c.t, filepath.Dir(folder), script)
}

// Backup copies the cluster as it is now, and returns the folder of the copy.
func (c *Cluster) Backup() string {
	c.t.Helper()
	c.copies++
	name := filepath.Join(c.dir, fmt.Sprint("copy", c.copies))
	c.copyTo(name, "")
	return name
}

// Restore replaces the cluster by a copy, at the same address.
func (c *Cluster) Restore(backup string) {
	c.t.Helper()
	c.Stop()
	data := filepath.Join(c.dir, "data")
	must.Do(c.t, errors.Join(os.RemoveAll(data), os.Rename(backup, data)))
	c.Start()
}

// Standby starts an asynchronous standby.
func (c *Cluster) Standby() *Cluster {
	c.t.Helper()
	s := &Cluster{t: c.t, dir: folder(c.t)}
	c.copyTo(filepath.Join(s.dir, "data"), "-R")
	s.Start()
	return s
}

// Detach ends the connection of a standby to its primary, so that it gets no more changes.
func (c *Cluster) Detach() {
	c.t.Helper()
	query(c.t, c.URL(), "ALTER SYSTEM SET primary_conninfo = ''")
	query(c.t, c.URL(), "SELECT pg_reload_conf()::text")
	for query(c.t, c.URL(), "SELECT count(*)::text FROM pg_stat_wal_receiver") != "0" {
	}
}

// Promote makes a standby a primary.
func (c *Cluster) Promote() {
	c.t.Helper()
	query(c.t, c.URL(), "SELECT pg_promote(true, 60)::text")
}

// A Pooler is a PgBouncer in transaction mode, in front of a cluster.
type Pooler struct {
	t   testing.TB
	dir string
}

// NewPooler starts PgBouncer, which ends with the test. It skips a test if PgBouncer is not installed.
func NewPooler(t testing.TB, c *Cluster) *Pooler {
	t.Helper()
	if _, err := exec.LookPath("pgbouncer"); err != nil {
		t.Skip("PgBouncer is not installed")
	}
	p := &Pooler{t, folder(t)}
	p.configure(c)
	start(t, p.dir, `run pgbouncer -q pgbouncer.ini < /dev/null > log 2>&1 &
supervise '[ -S .s.PGSQL.5432 ]' KILL pid`)
	return p
}

func (p *Pooler) configure(c *Cluster) {
	p.t.Helper()
	must.Do(p.t, os.WriteFile(filepath.Join(p.dir, "pgbouncer.ini"), fmt.Appendf(nil, `[databases]
postgres = host=%s user=postgres
[pgbouncer]
listen_addr =
listen_port = 5432
unix_socket_dir = %s
pidfile = %[2]s/pid
auth_type = any
pool_mode = transaction
server_login_retry = 0.1
`, c.dir, p.dir), 0o644))
}

// Switch passes what comes from now on to another cluster. Connections of clients stay.
func (p *Pooler) Switch(to *Cluster) {
	p.t.Helper()
	p.configure(to)
	start(p.t, p.dir, `kill -HUP "$(cat pid)" && echo ready`)
}

// URL returns the URL of the database.
func (p *Pooler) URL() string { return at(p.dir, "postgres") }
