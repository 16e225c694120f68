// Command bench measures the server from outside. It makes a project of N files, drives the server with raw JSON-RPC messages
// over standard input and output and over HTTP, and checks all bytes at the first read of a file.
//
//	go run ./internal/dev/bench                  100,000 files
//	go run ./internal/dev/bench -files 1000000 -only start
//	go run ./internal/dev/bench -folder 10 -templates 200 -only start,list
//
// The column "limit" shows the limits of the machine: the time to read the tree with the size and time of each file, and the
// rate at which a program can write prepared answers to its output, or in a handler of net/http.
//
// Figures are medians. The server and its limit take turns, so that their ratio is meaningful on a machine with other work.
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
	if len(os.Args) == 3 && servers[os.Args[1]] != nil {
		exit(servers[os.Args[1]](os.Args[2]))
	}
	var b bench
	flag.IntVar(&b.files, "files", 100_000, "number of small files in the project")
	flag.IntVar(&b.folder, "folder", 1000, "number of small files in one folder")
	flag.IntVar(&b.templates, "templates", 0, "number of templates on the host of the small files")
	flag.IntVar(&b.rounds, "rounds", 5, "times that each server is started")
	flag.StringVar(&b.only, "only", "", "measure only these figures, by their first words, separated by commas")
	flag.StringVar(&b.server, "server", "", "program to measure; if empty, it is built")
	flag.Parse()
	exit(b.run())
}

func exit(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

// A bench is one run.
type bench struct {
	files, folder, templates, rounds int
	only, server                     string
	dir, self                        string
	project                          *project
}

// A figure is a measurement of the server. Its limit may be nil.
type figure struct {
	name, unit    string
	server, limit func(*bench) (float64, error)
}

// A command starts a server.
type command []string

func (b *bench) run() error {
	var err error
	if b.self, err = os.Executable(); err != nil {
		return err
	}
	if b.dir, err = os.MkdirTemp("", "mcp-docs-server-bench-"); err != nil {
		return err
	}
	defer os.RemoveAll(b.dir)
	if b.server == "" {
		b.server = filepath.Join(b.dir, "mcp-docs-server")
		build := exec.Command("go", "build", "-o", b.server, "github.com/mcp-docs-server/mcp-docs-server/cmd/mcp-docs-server")
		build.Stderr = os.Stderr
		if err := build.Run(); err != nil {
			return fmt.Errorf("building the server: %w", err)
		}
	}
	start := time.Now()
	if b.project, err = makeProject(filepath.Join(b.dir, "project"), b.files, b.folder, b.templates); err != nil {
		return err
	}
	fmt.Printf("%d files, made in %v\n\n", b.files, time.Since(start).Round(time.Millisecond))
	if err := b.record(); err != nil {
		return fmt.Errorf("recording the answers: %w", err)
	}
	out := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(out, "figure\tserver\tlimit\t\n")
	for _, f := range figures {
		if !b.wanted(f.name) {
			continue
		}
		var values [2][]float64 // of the server and its limit
		for range b.rounds {
			for i, measure := range []func(*bench) (float64, error){f.server, f.limit} {
				if measure == nil {
					continue
				}
				v, err := measure(b)
				if err != nil {
					return fmt.Errorf("%s: %w", f.name, err)
				}
				values[i] = append(values[i], v)
			}
		}
		fmt.Fprintf(out, "%s\t%s\t%s\t\n", f.name, show(values[0], f.unit), show(values[1], f.unit))
		out.Flush()
	}
	return nil
}

func (b *bench) wanted(name string) bool {
	return slices.ContainsFunc(strings.Split(b.only, ","), func(prefix string) bool { return strings.HasPrefix(name, strings.TrimSpace(prefix)) })
}

// show returns the median of values as text.
func show(values []float64, unit string) string {
	if len(values) == 0 {
		return ""
	}
	switch v := median(values); {
	case v >= 1000:
		return fmt.Sprintf("%.0f %s", v, unit)
	case v >= 10:
		return fmt.Sprintf("%.1f %s", v, unit)
	default:
		return fmt.Sprintf("%.3f %s", v, unit)
	}
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[len(sorted)/2]
}
