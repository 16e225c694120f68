package stdio

import (
	"bufio"
	"bytes"
)

// readBuffer is what one read of the input takes at most: the size of a pipe
// on Linux.
const readBuffer = 64 << 10

// line is one line of the input without its ending.
type line struct {
	data    []byte
	tooLong bool // data is gone
}

// readLine reads the next line. With an error it may still return the bytes
// before it.
func readLine(buf *bufio.Reader, limit int) (line, error) {
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
		return l, err
	}
}
