package page

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/media"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/docs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/mcp/server"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/uri"
)

const (
	// rawPolicy is for raw files: they have no origin and no script, and load nothing.
	rawPolicy = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; media-src 'self'; frame-ancestors 'self'; base-uri 'none'; form-action 'none'"
	// pdfPolicy has no sandbox, because browsers show no PDF in one. Their viewers do not run a
	// script of a PDF in the page's origin.
	pdfPolicy = "default-src 'none'; style-src 'unsafe-inline'; object-src 'self'; plugin-types application/pdf; frame-ancestors 'self'; base-uri 'none'; form-action 'none'"

	// maxHeld is how many bytes of a file are held in memory to be sent. A larger file is sent
	// while it is read.
	maxHeld = 10 << 20
	// rawChunk is how many bytes of a large file are read at a time, and rawTime how long a client
	// may take to receive them.
	rawChunk = 256 << 10
	rawTime  = 30 * time.Second
)

// raw sends the bytes of a resource.
func (q *request) raw(path string) {
	requested := uriOf(path)
	err := q.visit("resources/read", requested, func(ctx context.Context, v server.View) error {
		catalog, err := v.Catalog(ctx)
		if err != nil {
			return err
		}
		r, ok := catalog.Lookup(requested)
		if !ok {
			all, err := v.Everything(ctx)
			if err != nil {
				return err
			}
			if found, ok := all.Lookup(requested); ok && found.Other != nil {
				return q.rawOther(ctx, v, found.Other)
			}
			return fs.ErrNotExist
		}
		if r.Size() > v.MaxRead() {
			return fmt.Errorf("%d bytes are more than limits.maxReadBytes allows (%d)", r.Size(), v.MaxRead())
		}
		if r.Size() > maxHeld {
			kind, err := server.OnDisk(ctx, v, "the type of a file", func(context.Context) (string, error) { return catalog.MIME(r), nil }, func(string) {})
			if err != nil {
				return err
			}
			return q.stream(ctx, v, func() (fs.File, error) { return catalog.Open(r) }, r.Name(), kind, v.MaxRead())
		}
		read, err := v.Read(ctx, catalog, r)
		if err != nil {
			return err
		}
		defer read.Release()
		c := &read.Files[0]
		kind := c.MIME
		if c.IsText && utf8.Valid(c.Bytes()) {
			kind = withCharset(kind)
		}
		q.setRaw(r.Name(), kind)
		q.w.Header().Set("ETag", tagOf(kind, c.Bytes()))
		q.serve(r.ModTime(), bytes.NewReader(c.Bytes()))
		return nil
	})
	q.rawFailed(err)
}

// documentRaw sends the source of a document, or another file in the folder of the documents.
func (q *request) documentRaw(library *docs.Library, name string) {
	err := q.visit("page/document", "docs/"+name, func(ctx context.Context, v server.View) error {
		kind, ok := media.ByName(name)
		if library.Has(name) {
			kind, ok = "text/markdown; charset=utf-8", true
		}
		if !ok {
			kind = "application/octet-stream"
		}
		return q.stream(ctx, v, func() (fs.File, error) { return library.Open(name) }, path.Base(name), kind, v.MaxRead())
	})
	q.rawFailed(err)
}

func (q *request) rawFailed(err error) {
	if q.broken {
		panic(http.ErrAbortHandler) // net/http ends the connection
	}
	if err == nil {
		return
	}
	for _, name := range []string{"Content-Disposition", "ETag", "Content-Type"} {
		q.w.Header().Del(name)
	}
	q.w.Header().Set("Content-Security-Policy", policy)
	if strings.Contains(explainError(err), "does not exist") {
		q.missing("There is no such file.")
		return
	}
	q.failed(err)
}

// errSent reports that only a part of a file was sent.
var errSent = errors.New("only a part of the file was sent")

func withCharset(kind string) string {
	if strings.Contains(kind, "charset") || !strings.HasPrefix(kind, "text/") {
		return kind
	}
	return kind + "; charset=utf-8"
}

// inline reports whether a browser may show a type. All other types are downloaded.
func inline(kind string) bool {
	kind, _, _ = strings.Cut(kind, ";")
	return mediaKind(kind) != "" || strings.HasPrefix(kind, "text/") && kind != "text/html" || kind == "application/json" || strings.HasSuffix(kind, "+json")
}

// setRaw sets the headers of a raw file.
func (q *request) setRaw(name, kind string) {
	h := q.w.Header()
	h.Set("Content-Security-Policy", rawPolicy)
	if mediaKind(kind) == "pdf" {
		h.Set("Content-Security-Policy", pdfPolicy)
	}
	if kind == "" || strings.ContainsAny(kind, "\r\n") {
		kind = "application/octet-stream"
	}
	h.Set("Content-Type", kind)
	h.Set("Referrer-Policy", "no-referrer")
	how := "attachment"
	if inline(kind) {
		how = "inline"
	}
	if disposition := mime.FormatMediaType(how, map[string]string{"filename": uri.Display(name)}); disposition != "" {
		how = disposition
	}
	h.Set("Content-Disposition", how)
}

// tagOf returns the ETag of a file. data is its bytes or something else that identifies them. The
// type is part of the tag: at status 304, browsers keep the type of their copy but use the new
// policy and disposition, which may be for a type without scripts.
func tagOf(kind string, data []byte) string {
	h := sha256.New()
	_, _ = io.WriteString(h, kind+"\x00") // a hash takes everything
	_, _ = h.Write(data)
	return `"` + hex.EncodeToString(h.Sum(nil)[:16]) + `"`
}

// serve sends a file or a range of it. The modification time, in seconds, is left out if a further
// change may not alter it.
func (q *request) serve(modified time.Time, content io.ReadSeeker) {
	if time.Since(modified) < settled {
		modified = time.Time{}
	}
	http.ServeContent(&pieceWriter{q.w, http.NewResponseController(q.w)}, q.r, "", modified, content)
}

// A pieceWriter gives the client time for each piece.
type pieceWriter struct {
	http.ResponseWriter
	control *http.ResponseController
}

func (p *pieceWriter) Write(b []byte) (int, error) {
	total := 0
	for len(b) > 0 {
		_ = p.control.SetWriteDeadline(time.Now().Add(rawTime))
		n, err := p.ResponseWriter.Write(b[:min(len(b), rawChunk)])
		total += n
		if err != nil {
			return total, err
		}
		b = b[n:]
	}
	return total, nil
}

// stream sends a file while it reads it. If the file changes meanwhile, the connection ends, so
// that no client takes parts of two versions for one file.
func (q *request) stream(ctx context.Context, v server.View, open func() (fs.File, error), name, kind string, most int64) error {
	type opened struct {
		file fs.File
		info fs.FileInfo
	}
	closeFile := func(o opened) { o.file.Close() }
	o, err := server.OnDisk(ctx, v, name, func(context.Context) (opened, error) {
		f, err := open()
		if err != nil {
			return opened{}, err
		}
		info, err := f.Stat()
		if err != nil {
			f.Close()
			return opened{}, err
		}
		return opened{f, info}, nil
	}, closeFile)
	if err != nil {
		return err
	}
	defer closeFile(o)
	seeker, ok := o.file.(io.ReadSeeker)
	switch {
	case o.info.Size() > most:
		return fmt.Errorf("%d bytes are more than limits.maxReadBytes allows (%d)", o.info.Size(), most)
	case !ok:
		return errors.New("the file cannot be read in parts")
	}
	tag := tagOf(kind, fmt.Appendf(nil, "%x-%x", o.info.Size(), o.info.ModTime().UnixNano()))
	if time.Since(o.info.ModTime()) < settled {
		tag = "W/" + tag // a further change may not alter the time
	}
	q.setRaw(name, kind)
	q.w.Header().Set("ETag", tag)
	chunks := &chunked{ctx: ctx, view: v, name: name, file: seeker, size: o.info.Size()}
	q.serve(o.info.ModTime(), chunks)
	after, err := o.file.Stat()
	if chunks.failed != nil || err != nil || !after.ModTime().Equal(o.info.ModTime()) || after.Size() != o.info.Size() {
		q.broken = true
		return errSent
	}
	return nil
}

// settled is how old a modification time must be so that a further change alters it.
const settled = 3 * time.Second

// A chunked file is read in chunks, each through [server.OnDisk].
type chunked struct {
	ctx    context.Context
	view   server.View
	name   string
	file   io.ReadSeeker
	size   int64
	offset int64
	chunk  []byte // the bytes from start
	start  int64
	failed error
}

func (c *chunked) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		offset += c.offset
	case io.SeekEnd:
		offset += c.size
	}
	if offset < 0 {
		return 0, errors.New("the offset is before the beginning of the file")
	}
	c.offset = offset
	return offset, nil
}

func (c *chunked) Read(p []byte) (int, error) {
	if c.offset >= c.size {
		return 0, io.EOF
	}
	if c.offset < c.start || c.offset >= c.start+int64(len(c.chunk)) {
		start := c.offset
		data, err := server.OnDisk(c.ctx, c.view, c.name, func(context.Context) ([]byte, error) {
			if _, err := c.file.Seek(start, io.SeekStart); err != nil {
				return nil, err
			}
			data := make([]byte, min(rawChunk, c.size-start))
			n, err := io.ReadFull(c.file, data)
			if errors.Is(err, io.ErrUnexpectedEOF) {
				err = errors.New("the file became shorter")
			}
			return data[:n], err
		}, func([]byte) {})
		if err != nil {
			c.failed = err
			return 0, err
		}
		c.chunk, c.start = data, start
	}
	n := copy(p, c.chunk[c.offset-c.start:])
	c.offset += int64(n)
	return n, nil
}
