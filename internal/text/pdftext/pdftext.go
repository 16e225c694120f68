// Package pdftext makes text of PDF files, in a child process. A PDF can ask for any amount of
// memory and time, and the library that reads it is not made for hostile ones: so what it may use
// is bounded by the process, and a crash ends nothing but that.
//
// [Text] starts the child and gives it the file as standard input. The child calls [Main], which
// bounds itself: [MaxMemory] of memory and [maxCPU] of processor time. The parent bounds the whole
// time and the size of the text, and hands the child neither its environment nor its files.
//
// The text has a form feed behind each page. Lines are made of where characters stand, since a PDF
// has no others; columns are read one after the other only if the file has them in this order.
package pdftext

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"time"
)

const (
	// MaxMemory is how much memory the child may use, in bytes.
	MaxMemory = 512 << 20
	maxCPU    = 20 // seconds
	maxTime   = 30 * time.Second
	maxText   = 8 << 20 // bytes
	maxReason = 1 << 10 // bytes of standard error
)

// Text returns the text of the pages of a PDF. command starts a child that calls [Main].
func Text(ctx context.Context, command func(context.Context) *exec.Cmd, pdf []byte) ([]string, error) {
	return text(ctx, command, pdf, maxTime)
}

func text(ctx context.Context, command func(context.Context) *exec.Cmd, pdf []byte, most time.Duration) ([]string, error) {
	slow := fmt.Errorf("the PDF is not read within %v", most)
	bounded, cancel := context.WithTimeoutCause(ctx, most, slow)
	defer cancel()
	long, stop := context.WithCancelCause(bounded)
	defer stop(nil)
	cmd := command(long)
	cmd.Stdin = bytes.NewReader(pdf)
	cmd.Env = []string{"LC_ALL=C"} // not nil, which would be the environment of this process
	cmd.WaitDelay = time.Second
	out := &limited{most: maxText, full: func() { stop(errLong) }}
	reason := &limited{most: maxReason}
	cmd.Stdout, cmd.Stderr = out, reason
	err := cmd.Run()
	if cause := context.Cause(long); cause != nil && err != nil {
		return nil, cause
	}
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		first, _, _ := strings.Cut(strings.TrimSpace(strings.ToValidUTF8(reason.String(), "")), "\n")
		if first == "" {
			first = exit.String()
		}
		return nil, fmt.Errorf("the PDF cannot be read: %s", first)
	}
	if err != nil {
		return nil, fmt.Errorf("the PDF cannot be read: no process for it: %w", err)
	}
	pages := strings.Split(strings.ToValidUTF8(out.String(), "\ufffd"), "\f")
	return pages[:len(pages)-1], nil
}

var errLong = fmt.Errorf("the text of the PDF has more than %d MiB", maxText>>20)

// A limited is the beginning of what is written to it.
type limited struct {
	bytes.Buffer
	most int
	full func() // called when there is more; nil: the rest is dropped
}

func (l *limited) Write(p []byte) (int, error) {
	n := min(len(p), l.most-l.Len())
	l.Buffer.Write(p[:n])
	if n < len(p) && l.full != nil {
		l.full()
		return n, io.ErrShortWrite
	}
	return len(p), nil
}

// ReadFrom hides that of the buffer, which has no limit.
func (l *limited) ReadFrom(r io.Reader) (int64, error) {
	return io.Copy(struct{ io.Writer }{l}, r)
}
