package main

import (
	"fmt"
	"slices"
	"time"
)

// inFlight is how many requests are sent before the first answer is awaited.
const inFlight = 16

var figures = []figure{
	{"start: spawn to initialize", "ms", false, func(b *bench, c command) (float64, error) {
		return b.timed(c, func(*session) error { return nil })
	}},
	{"start: spawn to the first file read", "ms", false, func(b *bench, c command) (float64, error) {
		return b.timed(c, func(s *session) error { return b.read(s, b.project.equal[0], true) })
	}},
	{"start: spawn to full list", "ms", false, func(b *bench, c command) (float64, error) {
		return b.timed(c, b.fullList)
	}},
	{"list: warm, all pages", "ms", true, func(b *bench, c command) (float64, error) {
		return b.warm(c, func(s *session) (float64, error) {
			return repeated(3, func() error { return b.fullList(s) })
		})
	}},
	{"read: text of 1 MiB", "ms", true, func(b *bench, c command) (float64, error) {
		return b.warm(c, func(s *session) (float64, error) {
			if err := b.read(s, b.project.text, true); err != nil {
				return 0, err
			}
			return repeated(20, func() error { return b.read(s, b.project.text, false) })
		})
	}},
	{"read: peak memory, 5 MiB, 16 in flight", "MB", false, func(b *bench, c command) (float64, error) {
		return b.with(c, func(s *session) (float64, error) {
			if err := b.reads(s, 64, b.project.blob); err != nil {
				return 0, err
			}
			return peakOf(s.cmd.Process.Pid)
		})
	}},
}

// with runs a measurement in a new session.
func (b *bench) with(c command, measure func(*session) (float64, error)) (float64, error) {
	s, err := start(c)
	if err != nil {
		return 0, err
	}
	defer s.stop()
	if err := s.ready(); err != nil {
		return 0, err
	}
	return measure(s)
}

// warm runs a measurement in a new session, after the server has read the project.
func (b *bench) warm(c command, measure func(*session) (float64, error)) (float64, error) {
	return b.with(c, func(s *session) (float64, error) {
		if err := b.fullList(s); err != nil {
			return 0, err
		}
		return measure(s)
	})
}

// timed measures the time from the start of the server to the end of first, in milliseconds.
func (b *bench) timed(c command, first func(*session) error) (float64, error) {
	return b.with(c, func(s *session) (float64, error) {
		if err := first(s); err != nil {
			return 0, err
		}
		return milliseconds(time.Since(s.started)), nil
	})
}

func (b *bench) fullList(s *session) error {
	n, err := s.list()
	if err == nil && n != b.project.files {
		err = fmt.Errorf("the list has %d resources, the project %d", n, b.project.files)
	}
	return err
}

// read reads a file. If whole is true, it checks the bytes; otherwise only the length of the answer,
// which takes no time worth mentioning.
func (b *bench) read(s *session, d document, whole bool) error {
	line, err := s.ask("resources/read", readParams(d))
	if err != nil {
		return err
	}
	if whole {
		return check(line, d)
	}
	if len(line) < len(d.data) {
		return fmt.Errorf("%s is answered with %d bytes", d.uri, len(line))
	}
	return nil
}

// reads reads a file n times, inFlight of them at a time.
func (b *bench) reads(s *session, n int, d document) error {
	for i := range n + inFlight {
		if i < n {
			if _, err := s.send("resources/read", readParams(d)); err != nil {
				return err
			}
		}
		if i >= inFlight {
			_, line, err := s.receive()
			if err != nil {
				return err
			}
			if err := check(line, d); err != nil {
				return err
			}
		}
	}
	return nil
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

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[len(sorted)/2]
}
