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
		return b.timed(c, func(s *session) error { return b.read(s, b.project.small[0], true) })
	}},
	{"start: spawn to full list", "ms", false, func(b *bench, c command) (float64, error) {
		return b.timed(c, b.fullList)
	}},
	{"start: peak memory after it", "MB", false, func(b *bench, c command) (float64, error) {
		return b.with(c, func(s *session) (float64, error) {
			if err := b.fullList(s); err != nil {
				return 0, err
			}
			return s.peak()
		})
	}},
	{"list: warm, all pages", "ms", true, func(b *bench, c command) (float64, error) {
		return b.warm(c, func(s *session) (float64, error) {
			return repeated(3, func() error { return b.fullList(s) })
		})
	}},
	{"read: text of 2-8 KB, one at a time", "ms", true, func(b *bench, c command) (float64, error) {
		return b.warm(c, func(s *session) (float64, error) {
			i := 0
			return repeated(3000, func() error {
				i++
				return b.read(s, b.project.small[i%len(b.project.small)], i <= len(b.project.small))
			})
		})
	}},
	{"read: text of 2-8 KB, 16 in flight", "/s", true, func(b *bench, c command) (float64, error) {
		return b.warm(c, func(s *session) (float64, error) {
			const n = 20_000
			if err := b.reads(s, 1000, func(i int) document { return b.project.small[i%len(b.project.small)] }, true); err != nil {
				return 0, err
			}
			start := time.Now()
			err := b.reads(s, n, func(i int) document { return b.project.small[i%len(b.project.small)] }, false)
			return n / time.Since(start).Seconds(), err
		})
	}},
	{"read: text of 1 MiB", "ms", true, func(b *bench, c command) (float64, error) {
		return b.large(c, b.project.text)
	}},
	{"read: blob of 5 MiB", "ms", true, func(b *bench, c command) (float64, error) {
		return b.large(c, b.project.blob)
	}},
	{"read: peak memory, 5 MiB, 16 in flight", "MB", false, func(b *bench, c command) (float64, error) {
		return b.with(c, func(s *session) (float64, error) {
			if err := b.reads(s, 64, func(int) document { return b.project.blob }, true); err != nil {
				return 0, err
			}
			return s.peak()
		})
	}},
	{"read: peak memory, the same after the full list", "MB", false, func(b *bench, c command) (float64, error) {
		return b.warm(c, func(s *session) (float64, error) {
			if err := b.reads(s, 64, func(int) document { return b.project.blob }, true); err != nil {
				return 0, err
			}
			return s.peak()
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

// large measures reads of a large file, one at a time.
func (b *bench) large(c command, d document) (float64, error) {
	return b.warm(c, func(s *session) (float64, error) {
		if err := b.read(s, d, true); err != nil {
			return 0, err
		}
		return repeated(20, func() error { return b.read(s, d, false) })
	})
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

// reads reads n files, inFlight of them at a time.
func (b *bench) reads(s *session, n int, which func(i int) document, whole bool) error {
	pending := make(map[int]document, inFlight)
	sent := 0
	send := func() error {
		d := which(sent)
		id, err := s.send("resources/read", readParams(d))
		pending[id] = d
		sent++
		return err
	}
	for sent < min(n, inFlight) {
		if err := send(); err != nil {
			return err
		}
	}
	for range n {
		id, line, err := s.receive()
		if err != nil {
			return err
		}
		d, ok := pending[id]
		if !ok {
			return fmt.Errorf("answer %d has no request", id)
		}
		delete(pending, id)
		if sent < n {
			if err := send(); err != nil {
				return err
			}
		}
		if whole {
			err = check(line, d)
		} else if len(line) < len(d.data) {
			err = fmt.Errorf("%s is answered with %d bytes", d.uri, len(line))
		}
		if err != nil {
			return err
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
