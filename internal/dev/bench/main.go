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
	if err := try(run); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// A failure is what [do] and [get] panic with: the first error ends a bench, and deferred functions end its servers.
type failure struct{ error }

// do panics if err is not nil.
func do(err error) {
	if err != nil {
		panic(failure{err})
	}
}

// get returns the first result of a call, and panics if the second is an error.
func get[T any](v T, err error) T {
	do(err)
	return v
}

// try calls a function, and returns the error that it panics with.
func try(f func()) (err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case failure:
			err = r.error
		default:
			panic(r)
		}
	}()
	f()
	return nil
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
	server, limit func(*bench) float64
}

// A command starts a server.
type command []string

func run() {
	if len(os.Args) == 3 && servers[os.Args[1]] != nil {
		servers[os.Args[1]](os.Args[2])
		return
	}
	b := bench{self: get(os.Executable())}
	flag.IntVar(&b.files, "files", 100_000, "number of small files in the project")
	flag.IntVar(&b.folder, "folder", 1000, "number of small files in one folder")
	flag.IntVar(&b.templates, "templates", 0, "number of templates on the host of the small files")
	flag.IntVar(&b.rounds, "rounds", 5, "times that each server is started")
	flag.StringVar(&b.only, "only", "", "measure only these figures, by their first words, separated by commas")
	flag.StringVar(&b.server, "server", "", "program to measure; if empty, it is built")
	flag.Parse()
	b.dir = get(os.MkdirTemp("", "mcp-docs-server-bench-"))
	defer os.RemoveAll(b.dir)
	if b.server == "" {
		b.server = filepath.Join(b.dir, "mcp-docs-server")
		build := exec.Command("go", "build", "-o", b.server, "github.com/mcp-docs-server/mcp-docs-server/cmd/mcp-docs-server")
		build.Stderr = os.Stderr
		do(build.Run())
	}
	start := time.Now()
	b.project = makeProject(filepath.Join(b.dir, "project"), b.files, b.folder, b.templates)
	fmt.Printf("%d files, made in %v\n\n", b.files, time.Since(start).Round(time.Millisecond))
	b.record()
	out := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(out, "figure\tserver\tlimit\t\n")
	for _, f := range figures {
		if !b.wanted(f.name) {
			continue
		}
		var values [2][]float64 // of the server and its limit
		for range b.rounds {
			for i, measure := range []func(*bench) float64{f.server, f.limit} {
				if measure != nil {
					values[i] = append(values[i], measure(&b))
				}
			}
		}
		fmt.Fprintf(out, "%s\t%s\t%s\t\n", f.name, show(values[0], f.unit), show(values[1], f.unit))
		out.Flush()
	}
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

const (
	inFlight   = 16 // requests that are sent before the first answer is awaited
	manyConns  = 64
	largeReads = 24
)

var figures = []figure{
	{"start: spawn to initialize", "ms", timed(func(*bench, *session) {}), nil},
	{"start: spawn to the first file read", "ms", timed(func(b *bench, s *session) { s.read(b.project.equal[0]) }), nil},
	{"start: spawn to full list", "ms", timed((*bench).fullList), walk},
	{"list: warm, all pages", "ms", ours(lists), fromMemory(lists)},
	{"read: text of 1 MiB", "ms", ours(texts), fromMemory(texts)},
	{"read: peak memory, 5 MiB, 16 in flight", "MB", ours(blobs), nil},
	{"http: text of 4 KB on 64 connections", "/s", overHTTP(crowd), bare(crowd)},
	{"http: peak memory, 24 reads of 5 MiB at the same time", "MB", overHTTP(heavy), nil},
}

// A measurement is made in a new session over standard input and output.
type measurement func(*bench, *session) float64

func (b *bench) command() command { return command{b.server, "serve", b.project.dir} }

func ours(m measurement) func(*bench) float64 {
	return func(b *bench) float64 { return m.with(b, b.command()) }
}

func fromMemory(m measurement) func(*bench) float64 {
	return func(b *bench) float64 { return m.with(b, command{b.self, memoryCommand, b.recorded()}) }
}

// timed measures the time from the start of the server to the end of first, in milliseconds.
func timed(first func(*bench, *session)) func(*bench) float64 {
	return ours(func(b *bench, s *session) float64 {
		first(b, s)
		return milliseconds(time.Since(s.started))
	})
}

func (m measurement) with(b *bench, c command) float64 {
	s := start(c)
	defer s.stop()
	s.handshake()
	return m(b, s)
}

// lists reads the whole list again.
func lists(b *bench, s *session) float64 {
	b.fullList(s)
	return repeated(3, func() { b.fullList(s) })
}

func (b *bench) fullList(s *session) {
	if n := s.list(); n != b.project.files {
		do(fmt.Errorf("the list has %d resources, the project %d", n, b.project.files))
	}
}

// texts reads a text again, after the server has read the project.
func texts(b *bench, s *session) float64 {
	b.fullList(s)
	s.read(b.project.text)
	return repeated(20, func() {
		line := s.ask("resources/read", readParams(b.project.text))
		// Comparing all bytes would take the time of the server.
		if len(line) < len(b.project.text.data) {
			do(fmt.Errorf("%d bytes are the answer", len(line)))
		}
	})
}

// blobs returns the peak memory of the server while it answers several requests.
func blobs(b *bench, s *session) float64 {
	const n = 64
	for i := range n + inFlight {
		if i < n {
			s.send("resources/read", readParams(b.project.blob))
		}
		if i >= inFlight {
			check(s.receive(), b.project.blob)
		}
	}
	return peakOf(s.cmd.Process.Pid)
}

// repeated calls f n times, and returns the median time in milliseconds.
func repeated(n int, f func()) float64 {
	times := make([]float64, n)
	for i := range times {
		start := time.Now()
		f()
		times[i] = milliseconds(time.Since(start))
	}
	return median(times)
}

func milliseconds(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1e6 }
