package server

import (
	"bytes"
	"context"
	"errors"
	"hash/maphash"
	"io"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/mcp-docs-server/mcp-docs-server/internal/jsonwire"
	"github.com/mcp-docs-server/mcp-docs-server/internal/media"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// A longFile is a file that is too large to be held. It was read once, to learn what it is, and is read again while it is
// written.
type longFile struct {
	catalog *loader.Catalog
	file    loader.Resource
	isText  bool
	size    int64
	sum     uint64
}

// chunkSize is how much of one is held at a time, twice.
const chunkSize = 256 << 10

var longSeed = maphash.MakeSeed()

// errLongChanged ends a frame that has a part of a file as it was and a part of it as it is.
var errLongChanged = errors.New("a file changed while it was sent")

// long reads a file for the first time.
func (j *job) long(ctx context.Context, r loader.Resource) (content, error) {
	f, err := j.catalog.Open(r)
	if err != nil {
		return content{}, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return content{}, err
	}
	look, err := j.catalog.Look(r, f, info, j.doubts)
	if err != nil {
		return content{}, err
	}
	l := &longFile{catalog: j.catalog, file: r}
	var sum maphash.Hash
	sum.SetSeed(longSeed)
	var head []byte
	valid, escaped := true, int64(0)
	if j.chunk == nil {
		j.chunk = make([]byte, chunkSize)
	}
	buf := j.chunk
	for carried := 0; ; {
		if err := ctx.Err(); err != nil {
			return content{}, err
		}
		n, err := io.ReadFull(f, buf[carried:])
		last := err == io.EOF || err == io.ErrUnexpectedEOF
		if err != nil && !last {
			return content{}, err
		}
		_, _ = sum.Write(buf[carried : carried+n]) // never fails
		if l.size += int64(n); l.size > j.most {
			return content{}, &loader.TooLargeError{Size: l.size, Limit: j.most}
		}
		chunk := buf[:carried+n]
		if head == nil {
			head = bytes.Clone(chunk[:min(len(chunk), media.SniffLen)])
			if media.StartsUTF16(head) {
				return j.held(r)
			}
		}
		end := len(chunk)
		if !last {
			end = wholeRunes(chunk)
		}
		if valid = valid && bytes.IndexByte(chunk[:end], 0) < 0 && utf8.Valid(chunk[:end]); valid {
			escaped += int64(jsonwire.EscapedLen(chunk[:end]))
		}
		if last {
			break
		}
		carried = copy(buf, chunk[end:])
	}
	l.sum = sum.Sum64()
	if info, err = f.Stat(); err != nil {
		return content{}, err
	}
	if _, err := look.End(l.size, info, sum.Sum64); err != nil {
		return content{}, err
	}
	c := content{uri: r.URI(), long: l}
	judged := j.catalog.JudgeHead(r, head, valid)
	c.mime, c.isText = judged.MIME, judged.Text()
	l.isText = c.isText
	err = j.admit(&c, l.size, func() int64 {
		if c.isText {
			return escaped
		}
		return (l.size + 2) / 3 * 4
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

// A part is some bytes of a long file, which are free again once they are back.
type part struct {
	data []byte // of the file's length at the most
	buf  []byte // that data begins in
	err  error
}

// chunks are the memory that long files are read into, one after the other.
type chunks [2][]byte

// each reads the file again, as far as it went the first time, and calls write with its parts. They end between characters of a
// text, or groups of three bytes.
func (s *longFile) each(memory *chunks, write func([]byte)) error {
	if memory[0] == nil {
		memory[0], memory[1] = make([]byte, chunkSize), make([]byte, chunkSize)
	}
	parts, back, stop := make(chan part), make(chan []byte, 2), make(chan struct{})
	back <- memory[0]
	back <- memory[1]
	var reader sync.WaitGroup
	hangs := false
	defer func() {
		close(stop)
		if hangs {
			*memory = chunks{} // it is still being read into
		} else {
			reader.Wait()
		}
	}()
	reader.Go(func() {
		f, err := s.catalog.Open(s.file)
		if err != nil {
			select {
			case parts <- part{err: err}:
			case <-stop:
			}
			return
		}
		defer f.Close()
		all := io.LimitReader(f, s.size) // what was appended since is of no concern
		for {
			var p part
			select {
			case p.buf = <-back:
			case <-stop:
				return
			}
			n, err := io.ReadFull(all, p.buf[utf8.UTFMax:])
			if p.data, p.err = p.buf[utf8.UTFMax:utf8.UTFMax+n], err; err == io.ErrUnexpectedEOF {
				p.err = io.EOF
			}
			select {
			case parts <- p:
			case <-stop:
				return
			}
			if err != nil {
				return
			}
		}
	})
	var sum maphash.Hash
	sum.SetSeed(longSeed)
	var size int64
	var rest [utf8.UTFMax]byte // of the part before
	carried := 0
	hung := time.NewTimer(readTimeout)
	defer hung.Stop()
	for {
		hung.Reset(readTimeout)
		var p part
		select {
		case p = <-parts:
		case <-hung.C:
			hangs = true
			return errHanging
		}
		_, _ = sum.Write(p.data) // never fails
		size += int64(len(p.data))
		last := p.err == io.EOF
		if p.err != nil && !last {
			return p.err
		}
		if last && (size != s.size || sum.Sum64() != s.sum) {
			return errLongChanged
		}
		// What the part before left over goes in front, where there is room for it.
		chunk := p.buf[utf8.UTFMax-carried : utf8.UTFMax+len(p.data)]
		copy(chunk, rest[:carried])
		end := len(chunk)
		switch {
		case last:
		case s.isText:
			end = wholeRunes(chunk)
		default:
			end -= end % 3
		}
		write(chunk[:end])
		if last {
			return nil
		}
		carried = copy(rest[:], chunk[end:])
		back <- p.buf
	}
}
