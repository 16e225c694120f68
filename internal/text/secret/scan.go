// Package secret finds secrets in texts and files: private keys, tokens and passwords.
//
// The rules recognize secrets by the shape that their issuers define for that purpose, such as the
// prefix of a token, followed by random characters; a placeholder in a document does not match.
// Each rule has marks, such as "ghp_". One pass finds the marks of all rules, and a rule runs on a
// few kilobytes around each of its marks. So the time hardly depends on the number of rules, and
// the memory does not depend on the size of the file. A file that is a private key or a key store in
// ASN.1 is found by its beginning, also in base64.
//
// Secrets without such a shape, above all passwords in sentences, are not found. The package does
// not look for JSON Web Tokens: in documents they are nearly always examples and cannot be
// distinguished from real ones. Archives are not unpacked.
package secret

import (
	"bytes"
	"cmp"
	"context"
	"io"
	"slices"
	"strings"
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
	// near is how many bytes from an escape the mark of a secret stands that the escape splits.
	near = 512
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
// It returns the error of ctx or of r.
func Scan(ctx context.Context, r io.Reader) ([]Finding, error) {
	s := scanners.Get().(*scanner)
	defer scanners.Put(s)
	return s.scan(ctx, r, perText)
}

// A scanner examines bytes that arrive in parts. It keeps reach bytes before and after the bytes
// that it examines.
type scanner struct {
	set    *ruleSet
	most   int // findings
	buf    []byte
	start  int64 // offset of buf in the text
	lines  int   // line ends before buf
	looked int   // offset in buf up to which marks have been found
	found  []Finding

	passes    [3]pass
	unescaped unescaped // of buf
}

// The forms of a text that rules read.
const (
	plain = iota
	decoded
	joined
)

// A pass is the state of reading one form of the text.
type pass struct {
	// offset in the text of the end of the last secret, so that each is reported once
	covered int64
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
	*s = scanner{set: s.set, buf: s.buf[:0], most: most, unescaped: s.unescaped}
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
	s.set.finder.run(s.buf, s.looked, end, func(mark, offset int) { s.examine(plain, s.buf, mark, offset) })
	for _, form := range []int{decoded, joined} {
		u, done := &s.unescaped, 0
		u.read(s.buf, form == joined)
		for _, escape := range u.shifts {
			from, to := max(done, escape.to-near), min(len(u.text), escape.to+near)
			s.set.finder.run(u.text, from, to, func(mark, offset int) {
				if at := u.origin(offset); s.looked <= at && at < end {
					s.examine(form, u.text, mark, offset)
				}
			})
			done = max(done, to)
		}
	}
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

// examine runs the rule of a mark at an offset in a form of buf.
func (s *scanner) examine(form int, text []byte, mark, offset int) {
	p := &s.passes[form]
	origin := func(offset int) int64 {
		if form != plain {
			offset = s.unescaped.origin(offset)
		}
		return s.start + int64(offset)
	}
	m, at := &s.set.marks[mark], origin(offset)
	if len(s.found) == s.most || at < p.covered || m.rule.exact && string(text[offset:][:len(m.text)]) != m.text {
		return
	}
	failed := p.failed[m.rule]
	if at < failed.until && failed.count == maxFailed {
		return
	}
	first := max(0, offset-m.rule.before)
	what, from, to := m.rule.find(text[first:min(len(text), offset+m.rule.after)], offset-first)
	start, end := origin(first+from), origin(first+to)
	if to == 0 && m.rule.after > far {
		if at >= failed.until {
			failed = failures{until: at + int64(m.rule.after)}
		}
		failed.count++
		if p.failed == nil {
			p.failed = make(map[*rule]failures)
		}
		p.failed[m.rule] = failed
	}
	if to == 0 || start < p.covered {
		return
	}
	p.covered = end
	if what == "" {
		return
	}
	for i := range s.found {
		// an earlier pass may have found a part of it
		if f := &s.found[i]; form != plain && f.from < end && start < f.to {
			if f.whole && m.rule.whole {
				f.from, f.to = min(f.from, start), max(f.to, end)
			}
			return
		}
	}
	s.found = append(s.found, Finding{
		Line: 1 + s.lines + bytes.Count(s.buf[:start-s.start], []byte("\n")), What: what, from: start, to: end, whole: m.rule.whole,
	})
}

// maxMasked is the number of secrets that are replaced in a text; a text with more is a list of secrets.
const maxMasked = 1000

// Mask replaces the secrets of a text, each by a note that says so, and returns the secrets. Lines keep their numbers: a
// block of several lines becomes one line, and empty lines. ok is false if something that looks like a secret remains,
// such as a key whose end is missing. A text without secrets is returned as it is, another one in UTF-8.
func Mask(text []byte) (masked []byte, found []Finding, ok bool) {
	found = find(text)
	if len(found) == 0 {
		return text, nil, true
	}
	decoded := text
	if bytes.HasPrefix(text, []byte("\xff\xfe")) || bytes.HasPrefix(text, []byte("\xfe\xff")) {
		// an invalid unit becomes U+FFFD
		decoded, _ = unicode.UTF16(unicode.BigEndian, unicode.ExpectBOM).NewDecoder().Bytes(text)
	}
	slices.SortFunc(found, func(a, b Finding) int { return cmp.Compare(a.from, b.from) })
	var out []byte
	end := 0
	for _, f := range found {
		from, to := int(f.from), f.end(decoded)
		if to < 0 {
			return nil, found, false
		}
		if from < end { // in the last one
			continue
		}
		what := strings.TrimPrefix(f.What, "holds ")
		out = append(append(out, decoded[end:from]...), "[removed: looks like "+what+"]"...)
		lines := bytes.Repeat([]byte("\n"), bytes.Count(decoded[from:to], []byte("\n")))
		// the ends of the strings of a list stay
		if ends := bytes.Join(between().FindAll(decoded[from:to], -1), nil); bytes.Count(ends, []byte("\n")) == len(lines) {
			lines = ends
		}
		out = append(out, lines...)
		end = to
	}
	out = append(out, decoded[end:]...)
	return out, found, len(find(out)) == 0
}

// find returns the secrets of a text.
func find(text []byte) []Finding {
	s := scanners.Get().(*scanner)
	defer scanners.Put(s)
	// neither of the two has an error
	found, _ := s.scan(context.Background(), bytes.NewReader(text), maxMasked)
	return found
}

// end returns the end of a secret in its text, or -1 if it is not known. A key in PEM ends with its last line. In one
// that is written in another way, such as with escaped line ends, the end of the key is not certain.
func (f Finding) end(text []byte) int {
	if f.whole {
		return int(f.to)
	}
	block := text[f.from:]
	if strings.HasSuffix(f.What, inBase64) {
		if n := encodedEnd(block); n >= 0 {
			return int(f.from) + n
		}
		return -1
	}
	label, _, isPEM := bytes.Cut(bytes.TrimPrefix(block, pemBegin), []byte("-----"))
	if !isPEM || !bytes.HasPrefix(block, pemBegin) {
		return -1
	}
	last := slices.Concat(pemEnd, label, []byte("-----"))
	n := bytes.Index(block, last)
	if n < 0 || bytes.IndexByte(block[:n], '\\') >= 0 || bytes.IndexByte(block[:n], '\n') < 0 || bytes.Contains(block[len(pemBegin):n], pemBegin) {
		return -1
	}
	return int(f.from) + n + len(last)
}

// A finder finds a set of marks in one pass over bytes, ignoring case. For each mark it stores a
// triple: its last three bytes, reduced to their five lowest bits, which
// are the same in both cases. It compares the marks of a triple only where that triple occurs,
// which is once in a few hundred bytes. Each step depends on the previous one only by a shift,
// which makes this twice as fast as an automaton of all marks that loads its next state in each
// step.
type finder struct {
	triples [triples / 64]uint64 // a bit for each triple of a mark
	group   [triples]uint8       // by triple; 0 for none
	marks   [][]numbered         // by group
}

const triples = 1 << 15

// A numbered is a mark with its number.
type numbered struct {
	number int
	mark   []byte
}

// newFinder returns a finder for at most 255 marks of at least three bytes each.
func newFinder(marks [][]byte) *finder {
	f := &finder{marks: make([][]numbered, 1)}
	for i, mark := range marks {
		var h uint32
		for _, b := range mark[len(mark)-3:] {
			h = h<<5 | uint32(b&31)
		}
		f.triples[h/64] |= 1 << (h % 64)
		if f.group[h] == 0 {
			f.group[h] = uint8(len(f.marks))
			f.marks = append(f.marks, nil)
		}
		f.marks[f.group[h]] = append(f.marks[f.group[h]], numbered{i, mark})
	}
	return f
}

// run calls found with each mark whose triple ends in data[from:end], and with the offset of the
// mark in data.
func (f *finder) run(data []byte, from, end int, found func(mark, offset int)) {
	var h uint32
	for _, b := range data[max(0, from-2):from] {
		h = h<<5 | uint32(b&31)
	}
	for i, b := range data[from:end] {
		h = h<<5 | uint32(b&31)
		if t := h % triples; f.triples[t/64]>>(t%64)&1 != 0 {
			f.compare(data, t, from+i, found)
		}
	}
}

// compare finds the marks whose triple ends at last.
func (f *finder) compare(data []byte, triple uint32, last int, found func(mark, offset int)) {
	for _, m := range f.marks[f.group[triple]] {
		if offset := last + 1 - len(m.mark); offset >= 0 && bytes.EqualFold(data[offset:last+1], m.mark) {
			found(m.number, offset)
		}
	}
}
