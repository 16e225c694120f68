// Package terminal writes text for users. An [Output] is in colours and wrapped at the width of a terminal,
// and elsewhere plain and unwrapped. [Text] and [OneLine] escape text from files and clients, so that it cannot
// move the cursor, change colours or reorder a line. Only callers know which text needs this.
//
// Colours are left out if NO_COLOR is set to anything (https://no-color.org), or TERM is "dumb".
package terminal

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
	"golang.org/x/term"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/progress"
)

// An Output is a destination of text for users.
type Output struct {
	io.Writer
	// columns of the terminal; 0: it is not a terminal, and a line may have any length
	Width int

	colours bool
}

// Of returns the output to w.
func Of(w io.Writer) Output {
	o := Output{Writer: w}
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return o
	}
	o.Width = 80 // if the system does not report the width
	if width, _, err := term.GetSize(int(f.Fd())); err == nil && width > 0 {
		o.Width = width
	}
	o.colours = os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" && understands(f)
	return o
}

// Bold returns text that stands out, such as a heading.
func (o Output) Bold(text string) string { return o.style("1", text) }

// Faint returns text that is less important.
func (o Output) Faint(text string) string { return o.style("2", text) }

// Good returns text about what works.
func (o Output) Good(text string) string { return o.style("32", text) }

// Warning returns text about what may go wrong.
func (o Output) Warning(text string) string { return o.style("33", text) }

// Bad returns text about what does not work.
func (o Output) Bad(text string) string { return o.style("31", text) }

// style returns text in the style with a code of SGR (ECMA-48, 8.3.117).
func (o Output) style(code, text string) string {
	if !o.colours {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

// Indented writes text in lines of the width of the terminal, the first after one prefix and the
// others after another. A word that is too long for a line, such as a path, stays whole.
func (o Output) Indented(first, others, text string) string {
	width := o.Width
	var b strings.Builder
	b.WriteString(first)
	column, begun := utf8.RuneCountInString(others), false
	for word := range strings.FieldsSeq(text) {
		n := utf8.RuneCountInString(word)
		switch {
		case begun && width > 0 && column+1+n > width:
			b.WriteString("\n" + others)
			column = utf8.RuneCountInString(others)
		case begun:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += n
		begun = true
	}
	b.WriteByte('\n')
	return b.String()
}

// Text returns text of any number of lines that is safe to show on a terminal: control characters are
// escaped as in Go, such as \x1b. Line ends and tabs stay; CR LF becomes LF.
func Text(text string) string {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	if strings.IndexFunc(text, acts) < 0 && utf8.ValidString(text) {
		return text
	}
	var b strings.Builder
	for i, r := range text {
		switch {
		case r == utf8.RuneError && text[i] != "\ufffd"[0]:
			fmt.Fprintf(&b, `\x%02x`, text[i])
		case acts(r) && r < utf8.RuneSelf:
			fmt.Fprintf(&b, `\x%02x`, r)
		case acts(r):
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// OneLine is Text in one line: line ends and tabs are escaped too.
func OneLine(text string) string {
	return strings.NewReplacer("\n", `\n`, "\t", `\t`).Replace(Text(text))
}

// JSON returns a JSON text that is safe to show on a terminal: characters of its strings that Text escapes are
// written as escapes of JSON. encoding/json leaves those beyond ASCII and DEL.
func JSON(text []byte) []byte {
	if bytes.IndexFunc(text, acts) < 0 {
		return text
	}
	var b bytes.Buffer
	for _, r := range string(text) {
		if acts(r) {
			fmt.Fprintf(&b, `\u%04x`, r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.Bytes()
}

// acts reports whether a terminal treats a character as a command, or reorders the following text
// because of it.
func acts(r rune) bool {
	return r != '\n' && r != '\t' && unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)
}

const (
	// delay is the time before work gets a line.
	delay = time.Second
	// saidEvery is the interval between lines if the output is not a terminal.
	saidEvery = 30 * time.Second
	// refresh is the interval between two drawings of the line.
	refresh = 150 * time.Millisecond
	// barWidth is the maximum width of a bar, in columns.
	barWidth = 40
)

// Bytes is the unit of work that is measured in bytes.
const Bytes = progress.Bytes

// A Work is the work that a line shows.
type Work struct {
	Name  string // such as "packing"; it must be printable
	Total int64  // the amount of work; 0: unknown
	// of Total and [ProgressLine.Add]: Bytes or a noun in the plural; "": nothing is counted
	Unit string
	// Share returns how much is done and how much there is, if both change; it may be nil.
	Share func() (done, total int64)
}

// A ProgressLine shows the progress of long work in one line on standard error:
//
//	looking for secrets [=======>------------]  1.2 GiB of 2.9 GiB
//	reading [==>-----------------]  4,120 of 20,118 documents
//	reading /  12s, 10,400 folders
//
// What happens, in order:
//
//  1. Nothing is shown in the first second: shorter work needs no line.
//  2. The line is redrawn several times a second, without colours, and cut to the width of the terminal. It shows the newest [progress.Step]
//     of the work, or the work itself.
//  3. Text that is written through the [ProgressLine] meanwhile appears above the line.
//  4. When the work ends, also with an error, the line is removed without a trace.
//
// If standard error is not a terminal, if the terminal has no columns, or if TERM is "dumb", a line is printed every
// half a minute instead.
//
// github.com/vbauerster/mpb draws the line. Of the libraries for this, it adds the least to the start
// of the program and to its size.
// It shows one work at a time.
type ProgressLine struct {
	// Say prints a line of text if the output is not a terminal. nil: such an output gets nothing.
	Say func(text string)

	out   io.Writer
	file  *os.File // out, if it is a terminal; otherwise nil
	delay time.Duration
	every time.Duration                 // between lines without a terminal
	whole atomic.Pointer[progress.Step] // the work; nil: there was none yet

	mu    sync.Mutex       // guards all fields below; held while they draw
	steps []*progress.Step // of the work, which have begun and not ended
	bars  *mpb.Progress    // nil: nothing is shown
}

// On returns the line of standard error. It shows nothing if standard error is not a terminal.
func On(w io.Writer) *ProgressLine {
	l := &ProgressLine{out: w, delay: delay, every: saidEvery}
	if f, ok := w.(*os.File); ok && term.IsTerminal(int(f.Fd())) && os.Getenv("TERM") != "dumb" {
		// The program script, in a pipe, makes a terminal without columns.
		if columns, _, err := term.GetSize(int(f.Fd())); err != nil || columns > 0 {
			l.file = f
		}
	}
	return l
}

// Terminal reports whether the line can be shown.
func (l *ProgressLine) Terminal() bool { return l.file != nil }

// Out returns standard error itself.
func (l *ProgressLine) Out() io.Writer { return l.out }

// Write writes text to standard error, above the line if it is shown. Text must be whole lines.
func (l *ProgressLine) Write(text []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.bars != nil {
		if n, err := l.bars.Write(text); err == nil {
			return n, nil
		}
	}
	return l.out.Write(text)
}

// Begin shows a step until end is called ([progress.With]).
func (l *ProgressLine) Begin(s *progress.Step) (end func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.steps = append(l.steps, s)
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.steps = slices.DeleteFunc(l.steps, func(other *progress.Step) bool { return other == s })
	}
}

// Add adds n units of finished work.
func (l *ProgressLine) Add(n int) { l.whole.Load().Add(n) }

// Progress is [ProgressLine.During] for work with a result.
func Progress[T any](l *ProgressLine, w Work, do func() (T, error)) (result T, err error) {
	err = l.During(w, func() (err error) {
		result, err = do()
		return err
	})
	return result, err
}

// During does some work, and shows a line if it takes long. The work must write to the terminal only
// through the line.
func (l *ProgressLine) During(w Work, do func() error) error {
	whole := progress.New(w.Name, w.Unit, w.Total)
	l.whole.Store(whole)
	show := l.draw
	if l.file == nil {
		show = l.print
	}
	if l.file == nil && l.Say == nil {
		return do()
	}
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		show(func() *progress.Step { return l.now(whole, w.Share) }, stop)
	}()
	defer func() {
		close(stop)
		<-stopped
	}()
	return do()
}

// print prints a line at each interval until stop is closed.
func (l *ProgressLine) print(now func() *progress.Step, stop <-chan struct{}) {
	ticker := time.NewTicker(l.every)
	defer ticker.Stop()
	for {
		select {
		case <-stop:
			return
		case <-ticker.C:
			s := now()
			l.Say(s.Doing + ": " + amount(s))
		}
	}
}

// draw draws the line until stop is closed.
func (l *ProgressLine) draw(now func() *progress.Step, stop <-chan struct{}) {
	select {
	case <-stop:
		return
	case <-time.After(l.delay):
	}
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
	ticker := time.NewTicker(refresh)
	defer ticker.Stop()
	var shown *progress.Step
	var bar *mpb.Bar
	for {
		if newest := now(); newest != shown {
			if bar != nil {
				bar.Abort(true)
			}
			shown, bar = newest, newBar(bars, newest)
		}
		done, total := shown.Share()
		bar.SetTotal(total, false)
		bar.SetCurrent(min(done, total))
		select {
		case <-stop:
			bar.Abort(true)
			return
		case <-ticker.C:
		}
	}
}

// now returns the newest step of the work, or the whole work. share is [Work.Share].
func (l *ProgressLine) now(whole *progress.Step, share func() (done, total int64)) *progress.Step {
	if share != nil {
		whole.Set(share())
		return whole
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if n := len(l.steps); n > 0 {
		return l.steps[n-1]
	}
	return whole
}

// newBar returns a bar if the total is known, and otherwise a spinner.
func newBar(bars *mpb.Progress, now *progress.Step) *mpb.Bar {
	style, width := mpb.BarFillerBuilder(mpb.SpinnerStyle("|", "/", "-", `\`)), 1
	if _, total := now.Share(); total > 0 {
		style, width = mpb.BarStyle().Lbound("[").Filler("=").Tip(">").Padding("-").Rbound("]"), barWidth
	}
	return bars.New(0, style, mpb.BarRemoveOnComplete(), mpb.BarFillerTrim(), mpb.BarWidth(width),
		mpb.PrependDecorators(decor.Name(now.Doing+" ")),
		mpb.AppendDecorators(decor.Any(func(decor.Statistics) string { return "  " + amount(now) })))
}

// amount says how much of a step is done and, after some seconds, how long the rest may take.
func amount(s *progress.Step) string {
	passed := time.Since(s.Begun)
	since := passed.Truncate(time.Second).String()
	format, unit := number, " "+s.Unit
	if s.Unit == Bytes {
		format, unit = func(n int64) string { return fmt.Sprintf("% .1f", decor.SizeB1024(n)) }, ""
	}
	done, total := s.Share()
	switch {
	case total > 0 && done > 0 && done < total && passed > 5*time.Second:
		left := time.Duration(float64(passed) / float64(done) * float64(total-done)).Round(time.Second)
		return format(done) + " of " + format(total) + unit + ", " + left.String() + " left"
	case total > 0:
		return format(done) + " of " + format(total) + unit
	case done > 0 && s.Unit != "":
		return since + ", " + format(done) + unit
	}
	return since
}

// number returns a number with a comma after each thousand.
func number(n int64) string {
	text := strconv.FormatInt(n, 10)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}
