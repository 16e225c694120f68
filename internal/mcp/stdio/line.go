package stdio

import (
	"bufio"
	"bytes"
	"io"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/jsonwire"
)

// readBuffer is what one read of the input takes at most: the size of a pipe
// on Linux.
const readBuffer = 64 << 10

// line is one line of the input without its ending, or the error that ended
// the input.
type line struct {
	data    []byte
	tooLong bool // data is gone
	err     error
}

// lineReader cuts the input into lines. Its goroutine, run, is one line ahead
// of who receives from lines.
type lineReader struct {
	in     io.Reader
	limit  int
	lines  chan line
	closed <-chan struct{}
	done   chan struct{}
}

func newLineReader(in io.Reader, limit int, closed <-chan struct{}) *lineReader {
	return &lineReader{in: in, limit: limit, lines: make(chan line), closed: closed, done: make(chan struct{})}
}

func (r *lineReader) run() {
	defer close(r.done)
	buf := bufio.NewReaderSize(r.in, readBuffer)
	for {
		l := readLine(buf, r.limit)
		err := l.err
		l.err = nil
		if l.tooLong || jsonwire.Space(l.data, 0) < len(l.data) {
			select {
			case r.lines <- l:
			case <-r.closed:
				return
			}
		}
		if err != nil {
			select {
			case r.lines <- line{err: err}:
			case <-r.closed:
			}
			return
		}
	}
}

// readLine reads the next line. With an error it may still return the bytes
// before it.
func readLine(buf *bufio.Reader, limit int) line {
	var l line
	for {
		part, err := buf.ReadSlice('\n')
		if !l.tooLong {
			l.data = append(l.data, part...)
			// The ending of a line that just fits is two bytes.
			if len(l.data) > limit+2 {
				l.data, l.tooLong = nil, true
			}
		}
		if err == bufio.ErrBufferFull {
			continue
		}
		if end, ok := bytes.CutSuffix(l.data, []byte("\n")); ok {
			l.data = bytes.TrimSuffix(end, []byte("\r"))
		}
		if len(l.data) > limit {
			l.data, l.tooLong = nil, true
		}
		l.err = err
		return l
	}
}
