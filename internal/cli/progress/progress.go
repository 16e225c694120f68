// Package progress shows the progress of long work on a terminal, in one line on standard error:
//
//	looking for secrets [=======>------------]  1.2 GiB / 2.9 GiB
//	reading examples/acme /  12s, 10400 folders
//
// What happens, in order:
//
//  1. Nothing is shown in the first second: shorter work needs no line. Nothing is shown at all if standard error is not a
//     terminal, if the terminal has no columns, or if TERM is "dumb".
//  2. The line is redrawn several times a second, without colours, and cut to the width of the terminal.
//  3. Text that is written through the [Line] meanwhile appears above the line.
//  4. When the work ends, also with an error, the line is removed without a trace.
//
// github.com/vbauerster/mpb draws the line. Of the libraries for this, it adds the least to the start
// of the program and to its size.
package progress

import (
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
	"golang.org/x/term"
)

const (
	// delay is the time before work gets a line.
	delay = time.Second
	// refresh is the interval between two drawings of the line.
	refresh = 150 * time.Millisecond
	// barWidth is the maximum width of a bar, in columns.
	barWidth = 40
)

// Bytes is the unit of work that is measured in bytes.
const Bytes = "bytes"

// A Work is the work that a line shows.
type Work struct {
	Name  string // such as "packing"; it must be printable
	Total int64  // the amount of work; 0: unknown
	Unit  string // of Total and [Line.Add]: Bytes or a noun in the plural; "": nothing is counted
	// Text returns how much is done after some time, instead of calls of [Line.Add]; it may be nil.
	Text func(passed time.Duration) string
}

// A Line is the line of one terminal. It shows one work at a time.
type Line struct {
	out   io.Writer
	file  *os.File // out, if it is a terminal; otherwise nil
	delay time.Duration
	done  atomic.Int64 // the finished part of the work

	mu   sync.Mutex    // guards all fields below; held while they draw
	bars *mpb.Progress // nil: nothing is shown
}

// On returns the line of standard error. It shows nothing if standard error is not a terminal.
func On(w io.Writer) *Line {
	l := &Line{out: w, delay: delay}
	if f, ok := w.(*os.File); ok && term.IsTerminal(int(f.Fd())) && os.Getenv("TERM") != "dumb" {
		if columns, _, err := term.GetSize(int(f.Fd())); err != nil || columns > 0 { // script in a pipe has a terminal without columns
			l.file = f
		}
	}
	return l
}

// Terminal reports whether the line can be shown.
func (l *Line) Terminal() bool { return l.file != nil }

// Out returns standard error itself.
func (l *Line) Out() io.Writer { return l.out }

// Write writes text to standard error, above the line if it is shown. Text must be whole lines.
func (l *Line) Write(text []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.bars != nil {
		if n, err := l.bars.Write(text); err == nil {
			return n, nil
		}
	}
	return l.out.Write(text)
}

// Add adds n units of finished work.
func (l *Line) Add(n int) { l.done.Add(int64(n)) }

// During does some work, and shows a line if it takes long. The work must write to the terminal only
// through the line.
func (l *Line) During(w Work, do func() error) error {
	l.done.Store(0)
	if l.file == nil {
		return do()
	}
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		l.show(w, stop)
	}()
	defer func() {
		close(stop)
		<-stopped
	}()
	return do()
}

// show draws the line until stop is closed.
func (l *Line) show(w Work, stop <-chan struct{}) {
	select {
	case <-stop:
		return
	case <-time.After(l.delay):
	}
	begun := time.Now().Add(-l.delay)
	bars := mpb.New(mpb.WithOutput(l.file), mpb.WithRefreshRate(refresh))
	l.mu.Lock()
	l.bars = bars
	l.mu.Unlock()
	defer func() {
		l.mu.Lock() // text that is written now waits until the line is removed
		defer l.mu.Unlock()
		bars.Wait()
		l.bars = nil
	}()
	bar := bars.New(0, w.style(), mpb.BarRemoveOnComplete(), mpb.BarFillerTrim(), mpb.BarWidth(w.width()),
		mpb.PrependDecorators(decor.Name(w.Name+" ")),
		mpb.AppendDecorators(decor.Any(func(decor.Statistics) string { return "  " + w.amount(l.done.Load(), time.Since(begun)) })))
	bar.SetTotal(w.Total, false)
	ticker := time.NewTicker(refresh)
	defer ticker.Stop()
	for {
		bar.SetCurrent(min(l.done.Load(), w.Total))
		select {
		case <-stop:
			bar.Abort(true)
			return
		case <-ticker.C:
		}
	}
}

// style returns a bar if the total is known, and otherwise a spinner.
func (w Work) style() mpb.BarFillerBuilder {
	if w.Total > 0 {
		return mpb.BarStyle().Lbound("[").Filler("=").Tip(">").Padding("-").Rbound("]")
	}
	return mpb.SpinnerStyle("|", "/", "-", `\`)
}

func (w Work) width() int {
	if w.Total > 0 {
		return barWidth
	}
	return 1
}

// amount says how much is done.
func (w Work) amount(done int64, passed time.Duration) string {
	since := passed.Truncate(time.Second).String()
	switch {
	case w.Text != nil:
		return since + ", " + w.Text(passed)
	case w.Total > 0 && w.Unit == Bytes:
		return fmt.Sprintf("% .1f / % .1f", decor.SizeB1024(done), decor.SizeB1024(w.Total))
	case w.Total > 0:
		return fmt.Sprintf("%d / %d %s", done, w.Total, w.Unit)
	case done > 0 && w.Unit == Bytes:
		return fmt.Sprintf("%s, % .1f", since, decor.SizeB1024(done))
	case done > 0 && w.Unit != "":
		return fmt.Sprintf("%s, %d %s", since, done, w.Unit)
	}
	return since
}
