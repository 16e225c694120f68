package guard

import (
	"bytes"
	"cmp"
	"context"
	"io"
	"slices"
	"sync"
)

const (
	// reach is the maximum number of bytes around a mark that a rule may read: an RSA key of 16384
	// bits has 9 KB.
	reach = 16 << 10
	// chunk is the number of bytes that are read at a time; an interruption waits for one chunk.
	chunk = 256 << 10
	// perFile is the maximum number of findings in one file: nobody fixes a key file line by line.
	perFile = 10
)

// A scanner examines bytes that arrive in parts. It keeps reach bytes before and after the bytes
// that it examines.
type scanner struct {
	set     *ruleSet
	buf     []byte
	start   int64 // offset of buf in the file
	lines   int   // line ends before buf
	looked  int   // offset in buf up to which marks have been found
	covered int64 // offset in the file of the end of the last secret, so that each is reported once
	found   []Finding
}

// scanners keeps the buffers for the next files: a server checks each document alone.
var scanners = sync.Pool{New: func() any { return newScanner() }}

func newScanner() *scanner {
	return &scanner{set: loadRules(), buf: make([]byte, 0, chunk+2*reach)}
}

// reset prepares the scanner for another file.
func (s *scanner) reset() { *s = scanner{set: s.set, buf: s.buf[:0]} }

// scan reads all of r, also writes it to sum, and returns the findings, without a file name.
func (s *scanner) scan(ctx context.Context, r io.Reader, sum io.Writer) ([]Finding, error) {
	s.reset()
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		end := len(s.buf)
		n, err := io.ReadAtLeast(r, s.buf[end:cap(s.buf)], min(chunk, cap(s.buf)-end))
		s.buf = s.buf[:end+n]
		sum.Write(s.buf[end:])
		switch err {
		case nil:
			s.look(len(s.buf) - reach)
			s.drop(s.looked - reach)
		case io.EOF, io.ErrUnexpectedEOF:
			s.look(len(s.buf))
			slices.SortStableFunc(s.found, func(a, b Finding) int { return cmp.Compare(a.Line, b.Line) })
			return s.found, nil
		default:
			return nil, err
		}
	}
}

// look runs the rules on the buffer up to end.
func (s *scanner) look(end int) {
	if end <= s.looked || len(s.found) == perFile {
		s.looked = max(s.looked, end)
		return
	}
	s.set.finder.run(s.buf, s.looked, end, s.examine)
	s.looked = end
}

// drop removes the first n bytes of the buffer.
func (s *scanner) drop(n int) {
	if n <= 0 {
		return
	}
	s.lines += bytes.Count(s.buf[:n], []byte("\n"))
	s.start += int64(n)
	s.looked -= n
	s.buf = s.buf[:copy(s.buf, s.buf[n:])]
}

// examine runs the rule of a mark at an offset in the buffer.
func (s *scanner) examine(mark, offset int) {
	m := &s.set.marks[mark]
	if len(s.found) == perFile || s.start+int64(offset) < s.covered {
		return
	}
	step := 1
	if m.wide {
		step = 2
	}
	first := offset - step*min(m.rule.before, offset/step)
	text := s.buf[first:min(len(s.buf), offset+step*m.rule.after)]
	if m.wide {
		text = narrow(text)
	}
	what, from, to := m.rule.find(text, (offset-first)/step)
	from, to = first+from*step, first+to*step
	if what == "" || s.start+int64(from) < s.covered {
		return
	}
	s.covered = s.start + int64(to)
	s.found = append(s.found, Finding{Line: 1 + s.lines + bytes.Count(s.buf[:from], []byte("\n")), What: what})
}

// narrow returns every second byte, which turns ASCII text in UTF-16 into ASCII.
func narrow(data []byte) []byte {
	text := make([]byte, 0, (len(data)+1)/2)
	for i := 0; i < len(data); i += 2 {
		text = append(text, data[i])
	}
	return text
}
