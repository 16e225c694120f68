package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"
)

const (
	manyConns  = 64
	largeReads = 24
)

func (b *bench) readRequest(c *conn, d document) []byte {
	return c.request(fmt.Sprintf(`{"jsonrpc":"2.0","id":2,"method":"resources/read","params":%s}`, readParams(d)))
}

// crowd returns the rate of reads on many connections at the same time.
func (b *bench) crowd(l *listening) (float64, error) {
	const n = 40_000
	all, err := l.sessions(manyConns)
	if err != nil {
		return 0, err
	}
	defer closeAll(all)
	each := func(n int) error {
		var work sync.WaitGroup
		failures := make([]error, len(all))
		for i, c := range all {
			work.Go(func() {
				request := b.readRequest(c, b.project.equal[i%len(b.project.equal)])
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
	if err := each(n / 10); err != nil { // warms up the server
		return 0, err
	}
	start := time.Now()
	err = each(n)
	return n / time.Since(start).Seconds(), err
}

// heavy returns the peak memory of the server while many clients read a large file, in MB.
func (b *bench) heavy(l *listening) (float64, error) {
	all, err := l.sessions(largeReads)
	if err != nil {
		return 0, err
	}
	defer closeAll(all)
	var work sync.WaitGroup
	failures := make([]error, len(all))
	for i, c := range all {
		work.Go(func() {
			request := b.readRequest(c, b.project.blob)
			for range 4 {
				var body []byte
				if body, failures[i] = c.ask(request); failures[i] != nil {
					return
				}
				if failures[i] = check(body, b.project.blob); failures[i] != nil {
					return
				}
			}
		})
	}
	work.Wait()
	if err := errors.Join(failures...); err != nil {
		return 0, err
	}
	return peakOf(l.cmd.Process.Pid)
}

// overHTTP measures the figures of HTTP. The servers take turns.
func (b *bench) overHTTP(ours, bare command) error {
	const crowd, heavy = "http: text of 4 KB on 64 connections", "http: peak memory, 24 reads of 5 MiB at the same time"
	if b.wanted(crowd) {
		if err := b.keepAnswer(ours, bare[2]); err != nil {
			return err
		}
	}
	var rates, bareRates, peaks []float64
	for range b.rounds {
		for _, f := range []struct {
			name    string
			server  command
			measure func(*listening) (float64, error)
			out     *[]float64
		}{{crowd, ours, b.crowd, &rates}, {crowd, bare, b.crowd, &bareRates}, {heavy, ours, b.heavy, &peaks}} {
			if !b.wanted(f.name) {
				continue
			}
			v, err := b.once(f.server, f.measure)
			if err != nil {
				return fmt.Errorf("%s, %s: %w", f.name, filepath.Base(f.server[0]), err)
			}
			*f.out = append(*f.out, v)
		}
	}
	if len(rates) > 0 {
		fmt.Fprintf(b.out, "%s\t%s\tbare: %s\t\n", crowd, show(median(rates), "/s"), show(median(bareRates), "/s"))
	}
	if len(peaks) > 0 {
		fmt.Fprintf(b.out, "%s\t%s\t\t\n", heavy, show(median(peaks), "MB"))
	}
	return b.out.Flush()
}

// once starts a server and measures a figure.
func (b *bench) once(c command, measure func(*listening) (float64, error)) (float64, error) {
	l, err := listen(c)
	if err != nil {
		return 0, err
	}
	defer l.stop()
	return measure(l)
}

// keepAnswer checks the answer of the program to a read, and writes it to a file for the bare server.
func (b *bench) keepAnswer(ours command, name string) error {
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
	answer, err := c.ask(b.readRequest(c, b.project.equal[0]))
	if err != nil {
		return err
	}
	if err := check(answer, b.project.equal[0]); err != nil {
		return err
	}
	return os.WriteFile(name, answer, 0o600)
}
