package cli

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/term"
)

const (
	// progressAfter is the delay before the first line: shorter work needs none.
	progressAfter = time.Second
	// A terminal shows one line, which is overwritten; a log keeps every line.
	progressOnTerminal = 200 * time.Millisecond
	progressInLog      = 10 * time.Second
)

// A progress reports on standard error how far long work has come:
//
//	mcp-docs-server: looking for secrets: 1200.0 MiB of 2900.0 MiB
type progress struct {
	w        io.Writer
	terminal bool
	done     atomic.Int64 // bytes of the current work
}

func (a *app) progress() *progress {
	f, ok := a.streams.Err.(*os.File)
	return &progress{w: a.streams.Err, terminal: ok && term.IsTerminal(int(f.Fd()))}
}

// add counts n more bytes.
func (p *progress) add(n int) { p.done.Add(int64(n)) }

// during runs work and prints its progress if it takes long. total is in bytes, 0 if unknown. work
// must not print.
func (p *progress) during(what string, total int64, work func() error) error {
	p.done.Store(0)
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		p.show(what, total, stop)
	}()
	defer func() {
		close(stop)
		<-stopped
	}()
	return work()
}

// show writes lines until stop is closed, and then clears the line on a terminal.
func (p *progress) show(what string, total int64, stop <-chan struct{}) {
	timer := time.NewTimer(progressAfter)
	defer timer.Stop()
	width := 0 // of the line on the terminal
	for {
		select {
		case <-stop:
			if width > 0 {
				fmt.Fprintf(p.w, "\r%*s\r", width, "")
			}
			return
		case <-timer.C:
		}
		line := "mcp-docs-server: " + what + p.amount(total)
		if !p.terminal {
			fmt.Fprintln(p.w, line)
			timer.Reset(progressInLog)
			continue
		}
		fmt.Fprintf(p.w, "\r%s%s", line, strings.Repeat(" ", max(0, width-len(line))))
		width = len(line)
		timer.Reset(progressOnTerminal)
	}
}

func (p *progress) amount(total int64) string {
	const mega = 1 << 20
	done := p.done.Load()
	switch {
	case done == 0:
		return ""
	case total == 0:
		return fmt.Sprintf(": %.1f MiB", float64(done)/mega)
	}
	return fmt.Sprintf(": %.1f MiB of %.1f MiB", float64(done)/mega, float64(total)/mega)
}
