package contents

import (
	"bytes"
	"context"
	"errors"
	"hash/maphash"
	"io"
	"io/fs"
	"unicode/utf8"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/media"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/jsonwire"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// A longFile is a file that is too large to be held in memory. It was read once, for its type, size and
// digest, and is read again while it is written.
type longFile struct {
	reader  *Reader
	catalog *loader.Catalog
	file    loader.Resource
	isText  bool
	size    int64
	sum     uint64
}

// chunkSize is the size of a part of a long file. Two parts are in memory at a time.
const chunkSize = 256 << 10

var longSeed = maphash.MakeSeed()

// long reads a file for the first time. It is one loop, whose state is what is known of the file.
func (t *task) long(ctx context.Context, r loader.Resource) (Content, error) {
	f, err := r.Open()
	if err != nil {
		return Content{}, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return Content{}, err
	}
	confirm, err := t.catalog.Look(r, f, info, t.attempts)
	if err != nil {
		return Content{}, err
	}
	l := &longFile{reader: t.reader, catalog: t.catalog, file: r}
	var sum maphash.Hash
	sum.SetSeed(longSeed)
	var head []byte
	valid, escaped := true, int64(0)
	buf := t.scratch()
	for carried := 0; ; {
		if ctx.Err() != nil {
			return Content{}, context.Cause(ctx)
		}
		n, err := io.ReadFull(f, buf[carried:])
		last := err == io.EOF || err == io.ErrUnexpectedEOF
		if err != nil && !last {
			return Content{}, err
		}
		_, _ = sum.Write(buf[carried : carried+n]) // never fails
		if l.size += int64(n); l.size > t.most {
			return Content{}, &loader.TooLargeError{Size: l.size, Limit: t.most}
		}
		chunk := buf[:carried+n]
		if head == nil {
			head = bytes.Clone(chunk[:min(len(chunk), media.SniffLen)])
			if media.StartsUTF16(head) && !r.Exact() {
				return t.held(ctx, r)
			}
		}
		end := len(chunk)
		if !last {
			end = wholeRunes(chunk)
		}
		if valid = valid && media.IsText(chunk[:end]); valid {
			escaped += int64(jsonwire.EscapedLen(chunk[:end]))
		}
		if last {
			break
		}
		carried = copy(buf, chunk[end:])
	}
	l.sum = sum.Sum64()
	if info, err = f.Stat(); err != nil {
		return Content{}, err
	}
	if err := confirm(l.size, info, sum.Sum64); err != nil {
		return Content{}, err
	}
	c := Content{URI: r.URI(), long: l}
	classified := t.catalog.ClassifyHead(r, head, valid)
	c.MIME, c.IsText = classified.MIME, classified.Text()
	l.isText = c.IsText
	err = t.admit(&c, l.size, func() int64 {
		if c.IsText {
			return escaped
		}
		return c.EncodedSize()
	})
	return c, err
}

// wholeRunes returns where to cut a chunk so that it does not end inside a character.
func wholeRunes(chunk []byte) int {
	for i := len(chunk) - 1; i >= 0 && i >= len(chunk)-utf8.UTFMax; i-- {
		if utf8.RuneStart(chunk[i]) {
			if !utf8.FullRune(chunk[i:]) {
				return i
			}
			break
		}
	}
	return len(chunk)
}

// A part has some bytes of a long file.
type part struct {
	data []byte
	buf  []byte // holds data, after room for utf8.UTFMax bytes
	err  error  // io.EOF for the last part
}

// Scratch is working memory for the files of one answer, one after the other. The zero value is ready
// to use.
type Scratch [2][]byte

func (m *Scratch) first() []byte {
	if m[0] == nil {
		m[0] = make([]byte, chunkSize)
	}
	return m[0]
}

// A rereading is the second reading of a long file, part by part.
type rereading struct {
	long *longFile
	file fs.File
	all  io.Reader
}

// next reads a part into buf. It closes the file after the last part or an error.
func (s *rereading) next(buf []byte) (part, error) {
	if s.file == nil {
		f, err := s.long.file.Open()
		if err != nil {
			return part{}, err
		}
		s.file, s.all = f, io.LimitReader(f, s.long.size) // ignore bytes that were appended since
	}
	n, err := io.ReadFull(s.all, buf[utf8.UTFMax:])
	if err == io.ErrUnexpectedEOF {
		err = io.EOF
	}
	if err != nil {
		s.close()
	}
	p := part{data: buf[utf8.UTFMax : utf8.UTFMax+n], buf: buf, err: err}
	if err == io.EOF {
		err = nil
	}
	return p, err
}

func (s *rereading) close() {
	if s.file != nil {
		s.file.Close()
		s.file = nil
	}
}

// write reads the file again, up to the size that it had the first time, and writes it. While a part
// is written, at the speed of the client, the next one is read. It is one loop: each part begins with the rest of the one before.
func (l *longFile) write(w *jsonwire.Writer, memory *Scratch) error {
	write := w.Base64
	if l.isText {
		write = w.Text
	}
	spare := memory.first()
	if memory[1] == nil {
		memory[1] = make([]byte, chunkSize)
	}
	source := &rereading{long: l}
	ahead := make(chan part, 1)
	read := func(buf []byte) {
		go func() {
			p, err := OnDisk(context.Background(), l.reader, l.file.Path(), nil,
				func(context.Context) (part, error) { return source.next(buf) },
				func(part) { source.close() })
			if err != nil {
				p.err = err
			}
			if errors.Is(err, ErrHanging) { // the work was not begun, so no other goroutine uses the file
				source.close()
			}
			ahead <- p
		}()
	}
	read(memory[1])
	var sum maphash.Hash
	sum.SetSeed(longSeed)
	var size int64
	var rest [utf8.UTFMax]byte // of the previous part
	for carried := 0; ; {
		p := <-ahead
		last := p.err == io.EOF
		switch {
		case p.err != nil && !last:
			*memory = Scratch{} // a late read may still write to it
			return p.err
		case w.Err() != nil:
			source.close()
			return w.Err()
		}
		_, _ = sum.Write(p.data) // never fails
		size += int64(len(p.data))
		if last && (size != l.size || sum.Sum64() != l.sum) {
			return errLongChanged
		}
		if !last {
			read(spare)
		}
		// The rest of the previous part goes in front of this part, where buf has room.
		chunk := p.buf[utf8.UTFMax-carried : utf8.UTFMax+len(p.data)]
		copy(chunk, rest[:carried])
		end := len(chunk)
		switch {
		case last:
		case l.isText:
			end = wholeRunes(chunk)
		default:
			end -= end % 3
		}
		write(chunk[:end])
		if last {
			return nil
		}
		carried = copy(rest[:], chunk[end:])
		spare = p.buf
	}
}
