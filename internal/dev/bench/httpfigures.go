package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"text/tabwriter"
	"time"
)

// An httpFigure is a measurement of servers over HTTP. It has several values, such as a rate and the
// processor time for it.
type httpFigure struct {
	name        string
	values      []value
	naive, bare bool // whether it can also be measured with these servers
	measure     func(*bench, *listening) ([]float64, error)
}

type value struct {
	name, unit string
	greater    bool // greater is better
}

const (
	manyConns   = 64
	idleStreams = 1000
	deafStreams = 100 // how many of idleStreams do not read
	largeReads  = 24
	// changed is a file that a measurement creates.
	changed = "bench/read/changed.md"
)

var httpFigures = []httpFigure{
	{"http: text of 4 KB on 1 connection", []value{{"median", "ms", false}, {"processor", "µs", false}}, true, true,
		func(b *bench, l *listening) ([]float64, error) { return b.alternating(l, 6000, b.readRequest) }},
	{"http: text of 4 KB on 64 connections", []value{{"rate", "/s", true}, {"processor", "µs", false}}, true, true,
		func(b *bench, l *listening) ([]float64, error) { return b.crowd(l, 40_000) }},
	{"http: page of a list", []value{{"median", "ms", false}, {"processor", "µs", false}}, true, true,
		func(b *bench, l *listening) ([]float64, error) {
			return b.alternating(l, 300, func(c *conn, _ int) []byte { return listRequest(c) })
		}},
	{"http: session with an idle stream", []value{{"memory", "KB", false}}, true, false, (*bench).idle},
	{"http: 24 reads of 5 MiB at the same time", []value{{"peak memory", "MB", false}}, true, false, (*bench).heavy},
	{"http: 1,000 streams, 100 of which do not read", []value{{"the others notified", "ms", false}}, false, false, (*bench).announce},
}

func (b *bench) readRequest(c *conn, i int) []byte {
	return c.request("POST", fmt.Sprintf(`{"jsonrpc":"2.0","id":2,"method":"resources/read","params":%s}`, readParams(b.project.equal[i%len(b.project.equal)])))
}

func listRequest(c *conn) []byte {
	return c.request("POST", `{"jsonrpc":"2.0","id":2,"method":"resources/list","params":{}}`)
}

// alternating sends each request after the answer to the previous one. It returns the median time of a
// request in milliseconds, and its processor time at the server in microseconds.
func (b *bench) alternating(l *listening, n int, request func(c *conn, i int) []byte) ([]float64, error) {
	c, err := l.session()
	if err != nil {
		return nil, err
	}
	defer c.Close()
	requests := make([][]byte, min(n, len(b.project.equal)))
	for i := range requests {
		requests[i] = request(c, i)
		if _, err := c.ask(requests[i]); err != nil { // warms up the server
			return nil, err
		}
	}
	before, err := l.cpu()
	if err != nil {
		return nil, err
	}
	i := 0
	middle, err := repeated(n, func() error {
		i++
		_, err := c.ask(requests[i%len(requests)])
		return err
	})
	if err != nil {
		return nil, err
	}
	after, err := l.cpu()
	return []float64{middle, float64((after - before).Microseconds()) / float64(n)}, err
}

// crowd reads on many connections at the same time. It returns the rate, and the processor time of a
// read at the server in microseconds.
func (b *bench) crowd(l *listening, n int) ([]float64, error) {
	all, err := l.sessions(manyConns)
	if err != nil {
		return nil, err
	}
	defer closeAll(all)
	each := func(n int) error {
		var work sync.WaitGroup
		failures := make([]error, len(all))
		for i, c := range all {
			work.Go(func() {
				request := b.readRequest(c, i)
				for range n / len(all) {
					if _, failures[i] = c.ask(request); failures[i] != nil {
						return
					}
				}
			})
		}
		work.Wait()
		return errors.Join(failures...)
	}
	if err := each(n / 10); err != nil {
		return nil, err
	}
	before, err := l.cpu()
	if err != nil {
		return nil, err
	}
	start := time.Now()
	if err := each(n); err != nil {
		return nil, err
	}
	took := time.Since(start)
	after, err := l.cpu()
	return []float64{float64(n) / took.Seconds(), float64((after - before).Microseconds()) / float64(n)}, err
}

// idle returns how many KB a session with an open stream takes.
func (b *bench) idle(l *listening) ([]float64, error) {
	// The first sessions allocate what all sessions share.
	warm, err := b.streams(l, idleStreams/10)
	if err != nil {
		return nil, err
	}
	defer closeAll(warm)
	before, err := l.memory("VmRSS")
	if err != nil {
		return nil, err
	}
	all, err := b.streams(l, idleStreams)
	if err != nil {
		return nil, err
	}
	defer closeAll(all)
	after, err := l.memory("VmRSS")
	return []float64{(after - before) / idleStreams}, err
}

func (b *bench) streams(l *listening, n int) ([]*conn, error) {
	all, err := l.sessions(n)
	if err != nil {
		return nil, err
	}
	for _, c := range all {
		if err := c.stream(); err != nil {
			closeAll(all)
			return nil, err
		}
	}
	return all, nil
}

// heavy returns the peak memory of the server while many clients read a large file, in MB.
func (b *bench) heavy(l *listening) ([]float64, error) {
	all, err := l.sessions(largeReads)
	if err != nil {
		return nil, err
	}
	defer closeAll(all)
	var work sync.WaitGroup
	failures := make([]error, len(all))
	for i, c := range all {
		work.Go(func() {
			request := c.request("POST", fmt.Sprintf(`{"jsonrpc":"2.0","id":2,"method":"resources/read","params":%s}`, readParams(b.project.blob)))
			for range 4 {
				var body []byte
				if body, failures[i] = c.ask(request); failures[i] != nil {
					return
				}
				if failures[i] = check(message(body), b.project.blob); failures[i] != nil {
					return
				}
			}
		})
	}
	work.Wait()
	if err := errors.Join(failures...); err != nil {
		return nil, err
	}
	peak, err := l.memory("VmHWM")
	return []float64{peak / 1024}, err
}

// announce returns the time until all clients that read are notified of a new file, in milliseconds.
func (b *bench) announce(l *listening) ([]float64, error) {
	all, err := b.streams(l, idleStreams)
	if err != nil {
		return nil, err
	}
	defer closeAll(all)
	path := filepath.Join(b.project.dir, "resources", changed)
	start := time.Now()
	if err := os.WriteFile(path, []byte("new\n"), 0o600); err != nil {
		return nil, err
	}
	defer os.Remove(path)
	var work sync.WaitGroup
	failures := make([]error, len(all))
	for i, c := range all[deafStreams:] {
		work.Go(func() { failures[i] = c.notified("notifications/resources/list_changed", 10*time.Second) })
	}
	work.Wait()
	return []float64{milliseconds(time.Since(start))}, errors.Join(failures...)
}

// overHTTP measures all figures of HTTP. The servers take turns within each figure.
func (b *bench) overHTTP(ours, naive, bare command, answers string) error {
	if err := b.keepAnswers(ours, answers); err != nil {
		return err
	}
	out := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(out, "\nfigure\tserver\tnaive\tratio\tbare\tratio\t\n")
	for _, f := range httpFigures {
		if !b.wanted(f.name) {
			continue
		}
		servers := []command{ours, nil, nil}
		if f.naive && !b.alone {
			servers[1] = naive
		}
		if f.bare {
			servers[2] = append(bare[:len(bare):len(bare)], "/read.json")
			if f.name == "http: page of a list" {
				servers[2][len(bare)] = "/list.json"
			}
		}
		measured := make([][][]float64, len(servers)) // values, by server and round
		for range b.rounds {
			for i, c := range servers {
				if c == nil {
					continue
				}
				v, err := b.once(f, c)
				if err != nil {
					return fmt.Errorf("%s, %s: %w", f.name, filepath.Base(c[0]), err)
				}
				measured[i] = append(measured[i], v)
			}
		}
		for i, v := range f.values {
			fmt.Fprintf(out, "%s, %s\t", f.name, v.name)
			var mine float64
			for server, rounds := range measured {
				if len(rounds) == 0 {
					fmt.Fprint(out, "\t\t")
					continue
				}
				values := make([]float64, len(rounds))
				for round := range rounds {
					values[round] = rounds[round][i]
				}
				m := median(values)
				fmt.Fprintf(out, "%s\t", show(m, v.unit))
				switch {
				case server == 0:
					mine = m
				case v.greater:
					fmt.Fprintf(out, "%.2f\t", mine/m)
				default:
					fmt.Fprintf(out, "%.2f\t", m/mine)
				}
			}
			fmt.Fprint(out, "\n")
		}
		out.Flush()
	}
	return nil
}

// once starts a server and measures a figure.
func (b *bench) once(f httpFigure, c command) ([]float64, error) {
	l, err := listen(c)
	if err != nil {
		return nil, err
	}
	defer l.stop()
	return f.measure(b, l)
}

// keepAnswers checks the answers of the program, and writes them to files for the bare server.
func (b *bench) keepAnswers(ours command, dir string) error {
	l, err := listen(ours)
	if err != nil {
		return err
	}
	defer l.stop()
	c, err := l.session()
	if err != nil {
		return err
	}
	defer c.Close()
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	for i, document := range b.project.equal {
		answer, err := c.ask(b.readRequest(c, i))
		if err != nil {
			return err
		}
		if err := check(answer, document); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, "read.json"), answer, 0o600); err != nil {
			return err
		}
	}
	answer, err := c.ask(listRequest(c))
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "list.json"), answer, 0o600)
}
