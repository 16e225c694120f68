// Command bench measures the server from outside: it makes a project of N files, drives the program
// over standard input and output with raw JSON-RPC lines, checks every byte that it reads, and
// prints each figure beside that of a naive server, which is what one writes with the Go SDK in an
// afternoon.
//
// Then it does the same over HTTP, with connections of its own, beside the SDK's handler and a
// handler of net/http that only has the bytes of the answer.
//
//	go run ./internal/dev/bench                  100,000 files
//	go run ./internal/dev/bench -files 1000000 -only start
//
// Times are medians. The two servers take turns within each figure, so that the ratio means
// something on a machine that does other things meanwhile.
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"
)

func main() {
	if len(os.Args) >= 3 {
		if serve, ok := servers[os.Args[1]]; ok {
			if err := serve(os.Args[2]); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
			return
		}
	}
	var b bench
	flag.IntVar(&b.files, "files", 100_000, "number of small files in the project")
	flag.IntVar(&b.rounds, "rounds", 5, "times that each server is started")
	flag.StringVar(&b.only, "only", "", "measure these figures only, by their first words, separated by commas")
	flag.StringVar(&b.server, "server", "", "program to measure; it is built if this is empty")
	flag.BoolVar(&b.alone, "alone", false, "leave out the naive server")
	flag.Parse()
	if err := b.run(); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// servers are those that this program is itself, by the command that makes it one.
var servers = map[string]func(dir string) error{
	naiveCommand:     serveNaively,
	naiveHTTPCommand: serveNaivelyOverHTTP,
	bareHTTPCommand:  serveBytes,
}

// A bench is one run.
type bench struct {
	files, rounds int
	only, server  string
	alone         bool
	project       *project
	out           *tabwriter.Writer
}

// A figure is something that is measured of a server.
type figure struct {
	name    string
	unit    string
	greater bool // greater is better
	measure func(*bench, command) (float64, error)
}

// A command starts a server.
type command []string

func (b *bench) run() error {
	dir, err := os.MkdirTemp("", "mcp-docs-server-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if b.server == "" {
		b.server = filepath.Join(dir, "mcp-docs-server")
		build := exec.Command("go", "build", "-o", b.server, "github.com/mcp-docs-server/mcp-docs-server/cmd/mcp-docs-server")
		build.Stderr = os.Stderr
		if err := build.Run(); err != nil {
			return fmt.Errorf("building the server: %w", err)
		}
	}
	start := time.Now()
	if b.project, err = makeProject(filepath.Join(dir, "project"), b.files); err != nil {
		return err
	}
	fmt.Printf("%d files, made in %v\n\n", b.files, time.Since(start).Round(time.Millisecond))
	self, err := os.Executable()
	if err != nil {
		return err
	}
	ours := command{b.server, "serve", b.project.dir}
	naive := command{self, naiveCommand, b.project.dir}

	b.out = tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(b.out, "figure\tserver\tnaive\tratio\t\n")
	for _, f := range figures {
		if !b.wanted(f.name) {
			continue
		}
		var mine, theirs []float64
		for range b.rounds {
			v, err := f.measure(b, ours)
			if err != nil {
				return fmt.Errorf("%s: %w", f.name, err)
			}
			mine = append(mine, v)
			if b.alone {
				continue
			}
			if v, err = f.measure(b, naive); err != nil {
				return fmt.Errorf("%s, naive server: %w", f.name, err)
			}
			theirs = append(theirs, v)
		}
		b.print(f, mine, theirs)
		b.out.Flush()
	}
	return b.overHTTP(
		command{b.server, "serve", "--http=127.0.0.1:0", b.project.dir},
		command{self, naiveHTTPCommand, b.project.dir},
		command{self, bareHTTPCommand, filepath.Join(dir, "answers")},
		filepath.Join(dir, "answers"))
}

func (b *bench) wanted(name string) bool {
	if b.only == "" {
		return true
	}
	for prefix := range strings.SplitSeq(b.only, ",") {
		if strings.HasPrefix(name, strings.TrimSpace(prefix)) {
			return true
		}
	}
	return false
}

func (b *bench) print(f figure, mine, theirs []float64) {
	v := median(mine)
	if len(theirs) == 0 {
		fmt.Fprintf(b.out, "%s\t%s\t\t\t\n", f.name, show(v, f.unit))
		return
	}
	w := median(theirs)
	ratio := w / v
	if f.greater {
		ratio = v / w
	}
	fmt.Fprintf(b.out, "%s\t%s\t%s\t%.1f\t\n", f.name, show(v, f.unit), show(w, f.unit), ratio)
}

func show(v float64, unit string) string {
	switch {
	case v >= 1000:
		return fmt.Sprintf("%.0f %s", v, unit)
	case v >= 10:
		return fmt.Sprintf("%.1f %s", v, unit)
	}
	return fmt.Sprintf("%.3f %s", v, unit)
}
