// Command bench measures the server from outside. It makes a project of N files, drives the server over
// standard input and output with raw JSON-RPC lines, and checks every byte that it reads. Then it does the
// same over HTTP.
//
//	go run ./internal/dev/bench                  100,000 files
//	go run ./internal/dev/bench -files 1000000 -only start
//
// "from memory" is a program that only finds and writes prepared answers, and "bare" a handler of net/http
// that only writes the bytes of the answer. The row called limit says how long the machine takes to read
// the tree with the size and time of each file.
//
// Times are medians. The servers take turns within each figure, so that ratios are meaningful on a
// machine with other work.
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
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
	flag.StringVar(&b.only, "only", "", "measure only these figures, by their first words, separated by commas")
	flag.StringVar(&b.server, "server", "", "program to measure; if empty, it is built")
	flag.Parse()
	if err := b.run(); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// servers are the servers that this program contains, by their commands.
var servers = map[string]func(dir string) error{
	memoryCommand: serveFromMemory,
	bareCommand:   serveBytes,
}

// A bench is one run.
type bench struct {
	files, rounds int
	only, server  string
	project       *project
	out           *tabwriter.Writer
}

// A figure is a measurement of a server.
type figure struct {
	name    string
	unit    string
	limited bool // the server with answers from memory is measured too
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
	memory := command{self, memoryCommand, filepath.Join(dir, "recorded")}
	if slices.ContainsFunc(figures, func(f figure) bool { return f.limited && b.wanted(f.name) }) {
		if err := b.record(ours, memory[2]); err != nil {
			return fmt.Errorf("recording the answers: %w", err)
		}
	}

	b.out = tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(b.out, "figure\tserver\tfrom memory\t\n")
	for _, f := range figures {
		if !b.wanted(f.name) {
			continue
		}
		var mine, best []float64
		for range b.rounds {
			v, err := f.measure(b, ours)
			if err != nil {
				return fmt.Errorf("%s: %w", f.name, err)
			}
			mine = append(mine, v)
			if f.limited {
				if v, err = f.measure(b, memory); err != nil {
					return fmt.Errorf("%s, from memory: %w", f.name, err)
				}
				best = append(best, v)
			}
		}
		b.print(f, mine, best)
		b.out.Flush()
	}
	if err := b.limit(); err != nil {
		return err
	}
	return b.overHTTP(
		command{b.server, "serve", "--http=127.0.0.1:0", b.project.dir},
		command{self, bareCommand, filepath.Join(dir, "answer")})
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

// print prints a figure of the program, and of the server with answers from memory, which may be missing.
func (b *bench) print(f figure, mine, best []float64) {
	memory := ""
	if len(best) > 0 {
		memory = show(median(best), f.unit)
	}
	fmt.Fprintf(b.out, "%s\t%s\t%s\t\n", f.name, show(median(mine), f.unit), memory)
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
