package stdio

import (
	"bufio"
	"bytes"

	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol"
)

// readBuffer is how many bytes one read of the input returns at most: the size of a pipe on Linux.
const readBuffer = 64 << 10

// line is one line of the input without its line ending.
type line struct {
	data    []byte
	tooLong bool // the line was too long, and data is nil
}

// readLine reads the next line. With an error it may also return the bytes before the error.
func readLine(buf *bufio.Reader, limit int) (line, error) {
	var l line
	for {
		part, err := buf.ReadSlice('\n')
		if !l.tooLong {
			l.data = append(l.data, part...)
			// A line of the maximum length may have a mark and an ending of two bytes.
			if len(l.data) > limit+2+len(protocol.ByteOrderMark) {
				l.data, l.tooLong = nil, true
			}
		}
		if err == bufio.ErrBufferFull {
			continue
		}
		if end, ok := bytes.CutSuffix(l.data, []byte("\n")); ok {
			l.data = bytes.TrimSuffix(end, []byte("\r"))
		}
		if l.data = bytes.TrimPrefix(l.data, protocol.ByteOrderMark); len(l.data) > limit {
			l.data, l.tooLong = nil, true
		}
		return l, err
	}
}
