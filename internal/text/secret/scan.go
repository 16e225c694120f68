package secret

import (
	"bytes"
	"cmp"
	"context"
	"io"
	"slices"
	"sync"

	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

const (
	// reach is the maximum number of bytes around a mark that a rule may read: an RSA key of 16384
	// bits has 9 KB.
	reach = 16 << 10
	// chunk is the number of bytes that are read at a time; an interruption waits for one chunk.
	chunk = 256 << 10
	// perText is the maximum number of findings in one text: nobody fixes a key file line by line.
	perText = 10
)

// A Finding is a secret in a text.
type Finding struct {
	Line int    // from 1
	What string // "holds a private key", without the secret itself

	from, to int64 // the bytes, after UTF-16 was decoded
	whole    bool  // these are all bytes of the secret
}

// Scan reads all of r and returns the secrets in it, at most ten. Text in UTF-16 with a byte order mark is decoded first.
// The error is that of ctx or of r.
func Scan(ctx context.Context, r io.Reader) ([]Finding, error) {
	s := scanners.Get().(*scanner)
	defer scanners.Put(s)
	return s.scan(ctx, r, perText)
}

// A scanner examines bytes that arrive in parts. It keeps reach bytes before and after the bytes
// that it examines.
type scanner struct {
	set     *ruleSet
	most    int // findings
	buf     []byte
	start   int64 // offset of buf in the text
	lines   int   // line ends before buf
	looked  int   // offset in buf up to which marks have been found
	covered int64 // offset in the text of the end of the last secret, so that each is reported once
	found   []Finding
	failed  map[*rule]failures // of rules that read far
}

// failures are marks of a rule without a secret.
type failures struct {
	count int
	until int64 // offset in the text
}

const (
	// far is how many bytes after a mark a rule may read for any number of marks. Another rule reads at most maxFailed marks without
	// a secret in as many bytes as it reads: a text can have a mark in each line, or every ten bytes.
	far       = 1 << 10
	maxFailed = 50
)

// scanners keeps the buffers for the next texts: a server checks each document alone.
var scanners = sync.Pool{New: func() any { return &scanner{set: loadRules(), buf: make([]byte, 0, chunk+2*reach)} }}

// scan is [Scan] with a bound on the number of findings.
func (s *scanner) scan(ctx context.Context, r io.Reader, most int) ([]Finding, error) {
	*s = scanner{set: s.set, buf: s.buf[:0], most: most}
	var first [2]byte
	n, err := io.ReadFull(r, first[:])
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return nil, err
	}
	r = io.MultiReader(bytes.NewReader(first[:n]), r)
	if first == [2]byte{0xff, 0xfe} || first == [2]byte{0xfe, 0xff} {
		r = transform.NewReader(r, unicode.UTF16(unicode.BigEndian, unicode.ExpectBOM).NewDecoder())
	}
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		end := len(s.buf)
		n, err := io.ReadAtLeast(r, s.buf[end:cap(s.buf)], min(chunk, cap(s.buf)-end))
		s.buf = s.buf[:end+n]
		if s.start == 0 && end == 0 {
			if what := ofKeyFile(s.buf[:min(n, reach)]); what != "" {
				s.found = append(s.found, Finding{Line: 1, What: what})
			}
		}
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
	if end <= s.looked || len(s.found) == s.most {
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
	if len(s.found) == s.most || s.start+int64(offset) < s.covered || m.rule.exact && string(s.buf[offset:][:len(m.text)]) != m.text {
		return
	}
	at := s.start + int64(offset)
	failed := s.failed[m.rule]
	if at < failed.until && failed.count == maxFailed {
		return
	}
	first := max(0, offset-m.rule.before)
	what, from, to := m.rule.find(s.buf[first:min(len(s.buf), offset+m.rule.after)], offset-first)
	start, end := s.start+int64(first+from), s.start+int64(first+to)
	if to == 0 && m.rule.after > far {
		if at >= failed.until {
			failed = failures{until: at + int64(m.rule.after)}
		}
		failed.count++
		if s.failed == nil {
			s.failed = make(map[*rule]failures)
		}
		s.failed[m.rule] = failed
	}
	if to == 0 || start < s.covered {
		return
	}
	if s.covered = end; what != "" {
		s.found = append(s.found, Finding{
			Line: 1 + s.lines + bytes.Count(s.buf[:first+from], []byte("\n")), What: what, from: start, to: end, whole: m.rule.whole,
		})
	}
}
