package serverlog

import (
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// Lines wait for each other, in their order; a warning waits for nothing.
func TestOutput(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var to writes
		out := NewOutput(&to)
		logger := slog.New(out.Urgent(slog.NewTextHandler(out.Lazy(), &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey || a.Key == slog.LevelKey {
				return slog.Attr{}
			}
			return a
		}})))
		expect := func(want ...string) {
			t.Helper()
			if got := to.taken(); strings.Join(got, "|") != strings.Join(want, "|") {
				t.Errorf("%q is written, not %q", got, want)
			}
		}
		logger.Info("1")
		logger.Info("2")
		expect()
		time.Sleep(delay)
		synctest.Wait()
		expect("msg=1\nmsg=2\n")
		logger.Info("3")
		logger.With("a", 1).WithGroup("g").Warn("4")
		expect("msg=3\nmsg=4 a=1\n")
		logger.Info("5")
		fmt.Fprintln(out, "6")
		expect("msg=5\n6\n")
		fmt.Fprintln(out, "7")
		expect("7\n")
		long := strings.Repeat("x", full)
		logger.Info(long)
		expect("msg=" + long + "\n")
		logger.Info("8")
		if err := out.Close(); err != nil {
			t.Error(err)
		}
		expect("msg=8\n")
		logger.Info("9")
		expect("msg=9\n")
	})
}

// Many who write at the same time lose nothing.
func TestOutputOfMany(t *testing.T) {
	var to writes
	out := NewOutput(&to)
	lazy := out.Lazy()
	var work sync.WaitGroup
	for i := range 8 {
		work.Go(func() {
			for j := range 500 {
				w := lazy
				if j%50 == 0 {
					w = out
				}
				fmt.Fprintf(w, "%d %d\n", i, j)
			}
		})
	}
	work.Wait()
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	next := make(map[int]int)
	for line := range strings.Lines(strings.Join(to.taken(), "")) {
		var i, j int
		if _, err := fmt.Sscanf(line, "%d %d\n", &i, &j); err != nil || next[i] != j {
			t.Fatalf("%q stands where line %d of %d is due", line, next[i], i)
		}
		next[i]++
	}
	for i := range 8 {
		if next[i] != 500 {
			t.Errorf("%d has %d lines", i, next[i])
		}
	}
}

// writes keeps what is written, call by call.
type writes struct {
	mu  sync.Mutex
	all []string // guarded by mu
}

func (w *writes) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.all = append(w.all, string(p))
	return len(p), nil
}

func (w *writes) taken() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	all := w.all
	w.all = nil
	return all
}

// What does a line cost that waits for others, beside one that is written by itself?
func BenchmarkOutput(b *testing.B) {
	line := []byte(strings.Repeat("x", 199) + "\n")
	run := func(b *testing.B, writer func(io.Writer) io.Writer) {
		r, w, err := os.Pipe()
		if err != nil {
			b.Fatal(err)
		}
		var reading sync.WaitGroup
		reading.Go(func() { _, _ = io.Copy(io.Discard, r) })
		out := writer(w)
		for b.Loop() {
			if _, err := out.Write(line); err != nil {
				b.Fatal(err)
			}
		}
		w.Close()
		reading.Wait()
		r.Close()
	}
	b.Run("lazy", func(b *testing.B) {
		run(b, func(w io.Writer) io.Writer {
			out := NewOutput(w)
			b.Cleanup(func() { out.Close() })
			return out.Lazy()
		})
	})
	b.Run("direct", func(b *testing.B) { run(b, func(w io.Writer) io.Writer { return w }) })
}
