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
	reader *Reader
	file   loader.Resource
	isText bool
	size   int64
	sum    uint64
}

// chunkSize is the size of a part of a long file.
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
	l := &longFile{reader: t.reader, file: r}
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

// Scratch is working memory for the files of one answer, one after the other. The zero value is ready
// to use.
type Scratch []byte

func (m *Scratch) bytes() []byte {
	if *m == nil {
		*m = make([]byte, chunkSize)
	}
	return *m
}

// write reads the file again, up to the size that it had the first time, and writes each part before it reads the next one.
func (l *longFile) write(w *jsonwire.Writer, memory *Scratch) error {
	write := w.Base64
	if l.isText {
		write = w.Text
	}
	var f fs.File
	closeFile := func() {
		if f != nil {
			f.Close()
		}
	}
	var sum maphash.Hash
	sum.SetSeed(longSeed)
	buf := memory.bytes()
	// bytes of the part before, whose character or group of three bytes goes on
	carried := 0
	for left := l.size; ; {
		n, err := OnDisk(context.Background(), l.reader, l.file.Path(), nil, func(context.Context) (n int, err error) {
			if f == nil {
				f, err = l.file.Open()
			}
			if err == nil { // bytes that were appended since are ignored
				n, err = io.ReadFull(f, buf[carried:min(int64(len(buf)), int64(carried)+left)])
			}
			return n, err
		}, func(int) { closeFile() })
		if err != nil {
			if errors.Is(err, ErrSlow) {
				*memory = nil // the read may still write to it, and closes the file
				return err
			}
			closeFile()
			if err == io.EOF || err == io.ErrUnexpectedEOF {
				return errLongChanged
			}
			return err
		}
		chunk := buf[:carried+n]
		_, _ = sum.Write(chunk[carried:]) // never fails
		end := len(chunk)
		if left -= int64(n); left == 0 {
			closeFile()
			if sum.Sum64() != l.sum {
				return errLongChanged
			}
		} else if l.isText {
			end = wholeRunes(chunk)
		} else {
			end -= end % 3
		}
		write(chunk[:end])
		if left == 0 {
			return nil
		}
		if w.Err() != nil {
			closeFile()
			return w.Err()
		}
		carried = copy(buf, chunk[end:])
	}
}
