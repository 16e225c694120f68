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
	name    string
	values  []value
	bare    bool // whether it can also be measured with the bare server
	measure func(*bench, *listening) ([]float64, error)
}

type value struct {
	name, unit string
	greater    bool // greater is better
}

const (
	manyConns  = 64
	largeReads = 24
)

var httpFigures = []httpFigure{
	{"http: text of 4 KB on 1 connection", []value{{"median", "ms", false}, {"processor", "µs", false}}, true,
		func(b *bench, l *listening) ([]float64, error) { return b.alternating(l, 6000, b.readRequest) }},
	{"http: text of 4 KB on 64 connections", []value{{"rate", "/s", true}, {"processor", "µs", false}}, true,
		func(b *bench, l *listening) ([]float64, error) { return b.crowd(l, 40_000) }},
	{"http: page of a list", []value{{"median", "ms", false}, {"processor", "µs", false}}, true,
		func(b *bench, l *listening) ([]float64, error) {
			return b.alternating(l, 300, func(c *conn, _ int) []byte { return listRequest(c) })
		}},
	{"http: 24 reads of 5 MiB at the same time", []value{{"peak memory", "MB", false}}, false, (*bench).heavy},
}

func (b *bench) readRequest(c *conn, i int) []byte {
	return c.request(fmt.Sprintf(`{"jsonrpc":"2.0","id":2,"method":"resources/read","params":%s}`, readParams(b.project.equal[i%len(b.project.equal)])))
}

func listRequest(c *conn) []byte {
	return c.request(`{"jsonrpc":"2.0","id":2,"method":"resources/list","params":{}}`)
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
			request := c.request(fmt.Sprintf(`{"jsonrpc":"2.0","id":2,"method":"resources/read","params":%s}`, readParams(b.project.blob)))
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

// overHTTP measures all figures of HTTP. The servers take turns within each figure.
func (b *bench) overHTTP(ours, bare command, answers string) error {
	if err := b.keepAnswers(ours, answers); err != nil {
		return err
	}
	out := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(out, "\nfigure\tserver\tbare\tratio\t\n")
	for _, f := range httpFigures {
		if !b.wanted(f.name) {
			continue
		}
		servers := []command{ours}
		if f.bare {
			path := "/read.json"
			if f.name == "http: page of a list" {
				path = "/list.json"
			}
			servers = append(servers, append(bare[:len(bare):len(bare)], path))
		}
		measured := make([][][]float64, len(servers)) // values, by server and round
		for range b.rounds {
			for i, c := range servers {
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
