package main

import (
	"fmt"
	"time"
)

const (
	inFlight   = 16 // requests that are sent before the first answer is awaited
	manyConns  = 64
	largeReads = 24
)

var figures = []figure{
	{"start: spawn to initialize", "ms", timed(func(*bench, *session) error { return nil }), nil},
	{"start: spawn to the first file read", "ms", timed(func(b *bench, s *session) error { return s.read(b.project.equal[0]) }), nil},
	{"start: spawn to full list", "ms", timed((*bench).fullList), walk},
	{"list: warm, all pages", "ms", ours(lists), fromMemory(lists)},
	{"read: text of 1 MiB", "ms", ours(texts), fromMemory(texts)},
	{"read: peak memory, 5 MiB, 16 in flight", "MB", ours(blobs), nil},
	{"http: text of 4 KB on 64 connections", "/s", overHTTP(crowd), bare(crowd)},
	{"http: peak memory, 24 reads of 5 MiB at the same time", "MB", overHTTP(heavy), nil},
}

// A measurement is made in a new session over standard input and output.
type measurement func(*bench, *session) (float64, error)

func (b *bench) command() command { return command{b.server, "serve", b.project.dir} }

func ours(m measurement) func(*bench) (float64, error) {
	return func(b *bench) (float64, error) { return m.with(b, b.command()) }
}

func fromMemory(m measurement) func(*bench) (float64, error) {
	return func(b *bench) (float64, error) { return m.with(b, command{b.self, memoryCommand, b.recorded()}) }
}

// timed measures the time from the start of the server to the end of first, in milliseconds.
func timed(first func(*bench, *session) error) func(*bench) (float64, error) {
	return ours(func(b *bench, s *session) (float64, error) {
		err := first(b, s)
		return milliseconds(time.Since(s.started)), err
	})
}

func (m measurement) with(b *bench, c command) (float64, error) {
	s, err := start(c)
	if err != nil {
		return 0, err
	}
	defer s.stop()
	return m(b, s)
}

// lists reads the whole list again.
func lists(b *bench, s *session) (float64, error) {
	if err := b.fullList(s); err != nil {
		return 0, err
	}
	return repeated(3, func() error { return b.fullList(s) })
}

func (b *bench) fullList(s *session) error {
	n, err := s.list()
	if err == nil && n != b.project.files {
		err = fmt.Errorf("the list has %d resources, the project %d", n, b.project.files)
	}
	return err
}

// texts reads a text again, after the server has read the project.
func texts(b *bench, s *session) (float64, error) {
	if err := b.fullList(s); err != nil {
		return 0, err
	}
	if err := s.read(b.project.text); err != nil {
		return 0, err
	}
	return repeated(20, func() error {
		line, err := s.ask("resources/read", readParams(b.project.text))
		if err == nil && len(line) < len(b.project.text.data) { // comparing all would take the time of the server
			err = fmt.Errorf("%d bytes are the answer", len(line))
		}
		return err
	})
}

// blobs returns the peak memory of the server while it answers several requests.
func blobs(b *bench, s *session) (float64, error) {
	const n = 64
	for i := range n + inFlight {
		if i < n {
			if err := s.send("resources/read", readParams(b.project.blob)); err != nil {
				return 0, err
			}
		}
		if i >= inFlight {
			line, err := s.receive()
			if err != nil {
				return 0, err
			}
			if err := check(line, b.project.blob); err != nil {
				return 0, err
			}
		}
	}
	return peakOf(s.cmd.Process.Pid)
}

// repeated calls do n times, and returns the median time in milliseconds.
func repeated(n int, do func() error) (float64, error) {
	times := make([]float64, n)
	for i := range times {
		start := time.Now()
		if err := do(); err != nil {
			return 0, err
		}
		times[i] = milliseconds(time.Since(start))
	}
	return median(times), nil
}

func milliseconds(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1e6 }
