// Package postgres runs Debian's PostgreSQL for tests.
package postgres

import (
	"context"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// cluster starts the cluster of this process at its first call.
var cluster = sync.OnceValues(start)

// A running cluster ends when its input is closed, at the end of this process.
type running struct {
	socket string // the folder of its socket
	input  io.Closer
}

var (
	counting sync.Mutex
	count    int // of databases
)

// URL returns the URL of a new database, in a cluster that ends with the process. It skips a test if PostgreSQL is not
// installed.
func URL(t testing.TB) string {
	t.Helper()
	if bin() == "" {
		t.Skip("PostgreSQL is not installed")
	}
	c, err := cluster()
	if err != nil {
		t.Fatal(err)
	}
	counting.Lock()
	count++
	name := fmt.Sprintf("test%d", count)
	counting.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	conn, err := pgx.Connect(ctx, at(c.socket, "postgres"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx)
	if _, err := conn.Exec(ctx, "CREATE DATABASE "+name); err != nil {
		t.Fatal(err)
	}
	return at(c.socket, name)
}

func at(socket, name string) string {
	return "postgres://postgres@/" + name + "?host=" + url.QueryEscape(socket)
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

// script makes a cluster in the folder $1 with the programs in $2 and runs it, until standard input ends: when the process of the
// tests has ended, in whatever way. Then it removes the folder. PostgreSQL does not run as root.
const script = prelude + `
run "$2/initdb" -D "$1/data" -U postgres -A trust -E UTF8 --locale=C --no-sync > "$1/initdb.log" 2>&1 || { cat "$1/initdb.log"; exit 1; }
` + serve + `
rm -rf "$1"
`

const prelude = `
set -e
run() { "$@"; }
if [ "$(id -u)" = 0 ]; then
  chown postgres "$1"
  run() { setpriv --reuid=postgres --regid=postgres --clear-groups "$@"; }
fi
cd "$1"
`

// serve runs the cluster in the folder data.
const serve = `
run "$2/postgres" -D "$1/data" -k "$1" -c listen_addresses= -c fsync=off -c max_connections=300 -c shared_buffers=32MB < /dev/null >> "$1/log" 2>&1 &
n=0
until run "$2/pg_isready" -q -h "$1" -U postgres; do
  n=$((n+1)); [ $n -lt 600 ] || break
  sleep 0.05
done
[ $n -lt 600 ] && echo ready || cat "$1/log"
exec > /dev/null 2>&1
read -r _ || true
kill -QUIT "$(head -n 1 "$1/data/postmaster.pid")" || true
wait
`

// start starts the cluster of this process.
func start() (c running, err error) {
	dir, err := os.MkdirTemp("", "mds-pg")
	if err != nil {
		return c, err
	}
	input, err := launch(script, dir, bin())
	return running{dir, input}, err
}

// launch runs a script with arguments, and returns when it has printed ready.
func launch(script string, args ...string) (input io.Closer, err error) {
	cmd := exec.Command("sh", append([]string{"-c", script, "sh"}, args...)...)
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
	var text strings.Builder
	for buf := make([]byte, 1024); ; {
		n, err := output.Read(buf)
		text.Write(buf[:n])
		if strings.HasSuffix(text.String(), "ready\n") {
			return ended{in, cmd}, nil
		}
		if err != nil {
			_ = in.Close()
			return nil, fmt.Errorf("PostgreSQL cannot be started: %s", text.String())
		}
	}
}

// ended closes the input of a script, and waits for its end.
type ended struct {
	io.Closer
	cmd *exec.Cmd
}

func (e ended) Close() error {
	_ = e.Closer.Close()
	return e.cmd.Wait()
}
