package terminal

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/progress"
)

// A screen is a terminal with some width. It records all text that is written to it.
type screen struct {
	terminal *os.File

	mu   sync.Mutex // guards text
	text bytes.Buffer
	more *sync.Cond
}

// newScreen opens a terminal of the system (pts(4)).
func newScreen(t *testing.T, columns uint16) *screen {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skipf("needs a terminal: %v", err)
	}
	t.Cleanup(func() { master.Close() })
	fd := int(master.Fd())
	number, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		err = unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: columns})
	}
	must.Do(t, err)
	s := &screen{}
	s.more = sync.NewCond(&s.mu)
	if s.terminal, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0); err != nil {
		t.Skipf("needs a terminal: %v", err)
	}
	t.Cleanup(func() { s.terminal.Close() })
	go func() {
		b := make([]byte, 4096)
		for {
			n, err := master.Read(b)
			s.mu.Lock()
			s.text.Write(b[:n])
			s.more.Broadcast()
			s.mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
	return s
}

// wait returns the written text when it contains want. If that never happens, the timeout of go
// test reports it.
func (s *screen) wait(want string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	for !strings.Contains(s.text.String(), want) {
		s.more.Wait()
	}
	return s.text.String()
}

// left returns what a terminal shows after some text was written to it. It supports moving the
// cursor up and erasing the lines below (ECMA-48, CUU and ED).
func left(text string) string {
	lines := []string{""}
	for text != "" {
		var up int
		if n, _ := fmt.Sscanf(text, "\x1b[%dA\x1b[J", &up); n == 1 {
			lines = append(lines[:len(lines)-1-up], "")
			text = text[len(fmt.Sprintf("\x1b[%dA\x1b[J", up)):]
			continue
		}
		if text[0] == '\n' {
			lines = append(lines, "")
		} else if text[0] != '\r' {
			lines[len(lines)-1] += text[:1]
		}
		text = text[1:]
	}
	return strings.Join(lines, "\n")
}

func TestLine(t *testing.T) {
	t.Setenv("TERM", "xterm")
	broken := errors.New("broken")
	for _, test := range []struct {
		work Work
		want []string
	}{
		{Work{Name: "packing", Total: 64 << 20, Unit: Bytes}, []string{"packing [", "=>-", "]  16.0 MiB of 64.0 MiB"}},
		{Work{Name: "packing", Total: 0, Unit: Bytes}, []string{"packing ", "s, 16.0 MiB"}},
		{Work{Name: "reading", Total: 0, Unit: "folders"}, []string{"reading ", "s, 16,777,216 folders"}},
		{Work{Name: "checking", Total: 32 << 20, Unit: "files"}, []string{"checking [", "16,777,216 of 33,554,432 files"}},
		{Work{Name: "crawling", Unit: "pages", Share: func() (int64, int64) { return 3, 4 }}, []string{"crawling [", "]  3 of 4 pages"}},
		{Work{Name: "waiting", Total: 0, Unit: ""}, []string{"waiting ", "0s"}},
	} {
		s := newScreen(t, 120)
		l := On(s.terminal)
		l.delay = 0
		fmt.Fprintln(l, "before")
		err := l.During(test.work, func() error {
			l.Add(16 << 20)
			for _, want := range test.want {
				s.wait(want)
			}
			fmt.Fprintln(l, "a warning\nof two lines")
			s.wait("of two lines")
			return broken
		})
		fmt.Fprintln(l, "after")
		text := s.wait("after")
		if want := "before\na warning\nof two lines\nafter"; err != broken || strings.TrimRight(left(text), "\n") != want {
			t.Errorf("%v: %v, left %q of %q", test.work, err, left(text), text)
		}
		if strings.Contains(text, "\x1b[3") || strings.Contains(text, "\x1b[0m") {
			t.Errorf("%v: colours in %q", test.work, text)
		}
	}
}

func TestLineFitsTheTerminal(t *testing.T) {
	t.Setenv("TERM", "xterm")
	s := newScreen(t, 30)
	l := On(s.terminal)
	l.delay = 0
	_ = l.During(Work{Name: strings.Repeat("a long name ", 10), Total: 64 << 20, Unit: Bytes}, func() error {
		s.wait("\x1b[1A")
		return nil
	})
	for _, line := range strings.Split(s.wait("\x1b[1A"), "\n") {
		line = strings.ReplaceAll(strings.TrimSuffix(line, "\r"), "\x1b[1A\x1b[J", "")
		if len([]rune(line)) > 30 {
			t.Errorf("%q is too wide", line)
		}
	}
}

// A library names the steps of the work. The newest step is shown while it lasts.
func TestSteps(t *testing.T) {
	t.Setenv("TERM", "xterm")
	s := newScreen(t, 80)
	l := On(s.terminal)
	l.delay = 0
	ctx := progress.With(t.Context(), l.Begin)
	_ = l.During(Work{Name: "checking"}, func() error {
		s.wait("checking ")
		folders := progress.Begin(ctx, "reading", "folders", 0)
		documents := progress.Begin(ctx, "indexing", "documents", 12480)
		documents.Add(4120)
		s.wait("4,120 of 12,480 documents")
		documents.End()
		s.wait("reading ")
		folders.End()
		return nil
	})
	fmt.Fprintln(l, "after")
	if text := s.wait("after"); strings.TrimRight(left(text), "\n") != "after" {
		t.Errorf("left %q of %q", left(text), text)
	}
	progress.Begin(t.Context(), "reading", "folders", 0).Add(1) // nobody is notified
}

// Without a terminal, a line is printed now and then.
func TestPrintedSteps(t *testing.T) {
	said := make(chan string)
	l := On(new(bytes.Buffer))
	l.every, l.Say = time.Millisecond, func(text string) { said <- text }
	ctx := progress.With(t.Context(), l.Begin)
	_ = l.During(Work{Name: "checking"}, func() error {
		s := progress.Begin(ctx, "reading", "documents", 2000)
		s.Add(1)
		for line := range said {
			if line == "reading: 1 of 2,000 documents" {
				break
			}
		}
		go func() {
			for range said { // until the work has ended
			}
		}()
		return nil
	})
	close(said)
}

// Nothing is shown for short work, or if standard error is not a terminal.
func TestNoLine(t *testing.T) {
	t.Setenv("TERM", "xterm")
	s := newScreen(t, 80)
	l := On(s.terminal)
	_ = l.During(Work{Name: "short"}, func() error { return nil })
	fmt.Fprintln(l, "end")
	if text := s.wait("end"); strings.Contains(text, "short") {
		t.Errorf("short work shows %q", text)
	}
	t.Setenv("TERM", "dumb")
	if On(s.terminal).Terminal() {
		t.Error("a dumb terminal has a line")
	}
	var b bytes.Buffer
	plain := On(&b)
	plain.delay = 0
	_ = plain.During(Work{Name: "long"}, func() error {
		plain.Add(1)
		fmt.Fprintln(plain, "text")
		return nil
	})
	if plain.Terminal() || b.String() != "text\n" {
		t.Errorf("no terminal: %q", b.String())
	}
}
