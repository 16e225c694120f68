package webui

import (
	"bytes"
	"cmp"
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
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/site"
	"github.com/mcp-docs-server/mcp-docs-server/internal/mcp/server"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol/view"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/uri"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

const (
	// rawPolicy is for raw files: they have no origin and no script, and load nothing.
	rawPolicy = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; media-src 'self'; frame-ancestors 'self'; base-uri 'none'; form-action 'none'"
	// pdfPolicy has no sandbox, because browsers show no PDF in one. Their viewers do not run a
	// script of a PDF in the page's origin.
	pdfPolicy = "default-src 'none'; style-src 'unsafe-inline'; object-src 'self'; plugin-types application/pdf; frame-ancestors 'self'; base-uri 'none'; form-action 'none'"

	// rawTime is how long a client may take to receive a piece of a large answer.
	rawTime = 30 * time.Second
)

// raw sends the bytes of a resource.
func (q *request) raw(path string) {
	requested := uriOf(path)
	q.rawVisit("resources/read", requested, func(ctx context.Context, v server.View) error {
		all, err := v.Everything(ctx)
		if err != nil {
			return err
		}
		found, ok := all.Lookup(requested)
		switch {
		case !ok:
			return fs.ErrNotExist
		case found.Other == nil:
			return q.sendFile(ctx, v, found.File.Name(), func() (fs.File, error) { return found.File.Open() }, func(head []byte) string {
				return all.Files.ClassifyHead(found.File, head, isUTF8(head)).MIME
			})
		}
		read, err := v.Read(ctx, all, found)
		if err != nil {
			return err
		}
		defer read.Release()
		c := &read.Files[0]
		q.setRaw(nameOf(found.URI()), c.MIME, c.Bytes(), c.Bytes())
		q.serve(found.Other.Modified, bytes.NewReader(c.Bytes()))
		return nil
	})
}

// sourcePath returns the path within the site for the source of a document.
func sourcePath(name string) string {
	if !strings.HasSuffix(name, ".md") {
		name += ".md"
	}
	return "/docs/" + escapePath(name)
}

// documentRaw sends the source of a document, or another file in the folder of the documents.
func (q *request) documentRaw(library *docs.Library, name string) {
	q.rawVisit("page/document", "docs/"+name, func(ctx context.Context, v server.View) error {
		return q.sendFile(ctx, v, path.Base(name), func() (fs.File, error) { return library.Open(name) }, func([]byte) string {
			if library.Has(name) && !site.IsPDF(name) {
				return "text/markdown; charset=utf-8"
			}
			kind, _ := media.ByName(name)
			return kind
		})
	})
}

// rawVisit runs a visit that sends a file.
func (q *request) rawVisit(what, about string, work func(context.Context, server.View) error) {
	err := q.visit(what, about, work)
	if q.broken {
		panic(http.ErrAbortHandler)
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

// sendFile sends an open file. kindOf returns its type from its beginning. If the file changes
// meanwhile, the connection ends, so that no client takes parts of two versions for one file.
func (q *request) sendFile(ctx context.Context, v server.View, name string, open func() (fs.File, error), kindOf func(head []byte) string) error {
	type opened struct {
		fs.File
		content io.ReadSeeker
		info    fs.FileInfo
		head    []byte
	}
	o, err := server.OnDisk(ctx, v, name, func(context.Context) (o opened, err error) {
		if o.File, err = open(); err != nil {
			return o, err
		}
		var ok bool
		if o.content, ok = o.File.(io.ReadSeeker); ok {
			o.info, o.head, err = lookAt(o.File, o.content)
		} else {
			err = errors.New("the file cannot be read in parts")
		}
		if err != nil {
			o.Close()
		}
		return o, err
	})
	if err != nil {
		return err
	}
	defer o.Close()
	if o.info.Size() > v.MaxRead() {
		return fmt.Errorf("%d bytes are more than limits.maxReadBytes allows (%d)", o.info.Size(), v.MaxRead())
	}
	q.setRaw(name, kindOf(o.head), o.head, fmt.Appendf(nil, "%x-%x", o.info.Size(), o.info.ModTime().UnixNano()))
	if time.Since(o.info.ModTime()) < settled {
		q.w.Header().Set("ETag", "W/"+q.w.Header().Get("ETag"))
	}
	q.serve(o.info.ModTime(), o.content)
	after, err := o.Stat()
	if err != nil || !after.ModTime().Equal(o.info.ModTime()) || after.Size() != o.info.Size() {
		q.broken = true
		return errors.New("only a part of the file was sent")
	}
	return nil
}

// lookAt returns the description and the beginning of a file.
func lookAt(file fs.File, content io.ReadSeeker) (info fs.FileInfo, head []byte, err error) {
	if info, err = file.Stat(); err != nil {
		return nil, nil, err
	}
	head = make([]byte, loader.HeadLen)
	n, err := io.ReadFull(file, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, nil, err
	}
	_, err = content.Seek(0, io.SeekStart)
	return info, head[:n], err
}

// settled is how old a modification time must be so that a further change alters it.
const settled = 3 * time.Second

// isUTF8 reports whether a text that may end within a character begins as UTF-8.
func isUTF8(head []byte) bool {
	for i := 0; i < utf8.UTFMax && len(head) > 0; i++ {
		if r, size := utf8.DecodeLastRune(head); r != utf8.RuneError || size > 1 {
			break
		}
		head = head[:len(head)-1]
	}
	return utf8.Valid(head) && bytes.IndexByte(head, 0) < 0
}

// inline reports whether a browser may show a type. All other types are downloaded.
func inline(kind string) bool {
	kind, _, _ = strings.Cut(kind, ";")
	return mediaKind(kind) != "" || strings.HasPrefix(kind, "text/") && kind != "text/html" || kind == "application/json" || strings.HasSuffix(kind, "+json")
}

// setRaw sets the headers of a raw file. identity is its bytes or something else that identifies them.
func (q *request) setRaw(name, kind string, head, identity []byte) {
	h := q.w.Header()
	h.Set("Content-Security-Policy", rawPolicy)
	if mediaKind(kind) == "pdf" {
		h.Set("Content-Security-Policy", pdfPolicy)
	}
	if kind == "" || strings.ContainsAny(kind, "\r\n") {
		kind = "application/octet-stream"
	}
	if strings.HasPrefix(kind, "text/") && !strings.Contains(kind, "charset") && isUTF8(head) {
		kind += "; charset=utf-8"
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
	// The type is part of the tag: at status 304, browsers keep the type of their copy but use the
	// new policy and disposition, which may be for a type without scripts.
	sum := sha256.Sum256(append([]byte(kind+"\x00"), identity...))
	h.Set("ETag", `"`+hex.EncodeToString(sum[:16])+`"`)
}

// serve sends a file or a range of it. The modification time, in seconds, is left out if a further
// change may not alter it.
func (q *request) serve(modified time.Time, content io.ReadSeeker) {
	if time.Since(modified) < settled {
		modified = time.Time{}
	}
	http.ServeContent(&patient{q.w, http.NewResponseController(q.w)}, q.r, "", modified, content)
}

// A patient writer gives the client time for each piece.
type patient struct {
	http.ResponseWriter
	control *http.ResponseController
}

func (p *patient) Write(b []byte) (int, error) {
	_ = p.control.SetWriteDeadline(time.Now().Add(rawTime))
	return p.ResponseWriter.Write(b)
}

const (
	maxListed = 1000 // documents, and resources, in /llms.txt
	maxFull   = 16 << 20
)

// documentAbout returns the title and description in a document. The title is never empty.
func documentAbout(library *docs.Library, path string) (title, description string) {
	title, description = library.About(path)
	return cmp.Or(title, uri.Display(path)), description
}

// markdownLine escapes a text for one line of Markdown.
func markdownLine(s string) string {
	return strings.NewReplacer("\n", " ", "\r", " ", "[", `\[`, "]", `\]`).Replace(s)
}

// publicBase returns the URL of the site without a slash at the end.
func (q *request) publicBase() string { return strings.TrimSuffix(q.endpoint(), "/mcp") }

// llms lists documents and resources in the form of https://llmstxt.org.
func (q *request) llms() {
	all, err := q.everything()
	if err != nil {
		q.failed(err)
		return
	}
	out, err := onDisk(q, "page/llms.txt", "", func(ctx context.Context, library *docs.Library) ([]byte, error) { return q.index(ctx, all, library) })
	if err != nil {
		q.failed(err)
		return
	}
	send(q.w, q.r, http.StatusOK, "text/plain; charset=utf-8", out)
}

func (q *request) index(ctx context.Context, all view.View, library *docs.Library) ([]byte, error) {
	var b bytes.Buffer
	base := q.publicBase()
	fmt.Fprintf(&b, "# %s\n\n> Documents and resources of %s. An MCP server for them is at %s\n", markdownLine(q.site.Title), markdownLine(q.site.Title), q.endpoint())
	entry := func(title, href, description string) {
		fmt.Fprintf(&b, "- [%s](%s)", markdownLine(title), href)
		if description != "" {
			b.WriteString(": " + markdownLine(description))
		}
		b.WriteByte('\n')
	}
	n := 0
	section := ""
	for _, d := range library.Documents() {
		path := d.Path
		if n++; n > maxListed {
			continue
		}
		group := ""
		if p := library.Page(path); p != nil && len(p.Groups) > 0 {
			group = p.Groups[0]
		}
		if n == 1 || group != section {
			section = group
			fmt.Fprintf(&b, "\n## %s\n\n", markdownLine(cmp.Or(group, "Documents")))
		}
		title, description := documentAbout(library, path)
		entry(title, base+sourcePath(path), description)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	if n > maxListed {
		fmt.Fprintf(&b, "\n%d more documents are left out.\n", n-maxListed)
	}
	n = 0
	for it := range all.After("") {
		if it.Other == nil && strings.HasPrefix(it.File.LogicalPath(), library.Dir()+"/") || it.Other != nil && it.Other.Document != "" {
			continue
		}
		if n++; n == 1 {
			b.WriteString("\n## Resources\n\n")
		}
		if n > maxListed {
			fmt.Fprintf(&b, "\nMore resources are left out. %s/r/ lists all.\n", base)
			break
		}
		about := describe(all, it)
		entry(cmp.Or(about.Title, it.URI()), base+resourcePath("/raw/", it.URI()), about.Description)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	return b.Bytes(), nil
}

// llmsFull sends the texts of the documents one after the other.
func (q *request) llmsFull() {
	w := &patient{q.w, http.NewResponseController(q.w)}
	began := false
	err := q.visit("page/llms-full.txt", "", func(ctx context.Context, v server.View) error {
		library, err := v.Library(ctx)
		if err != nil {
			return err
		}
		q.w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		began = true
		if _, err := fmt.Fprintf(w, "# %s\n", markdownLine(q.site.Title)); err != nil {
			return err
		}
		room := int64(maxFull)
		omitted := 0
		for _, d := range library.Documents() {
			if site.IsPDF(d.Path) { // reading it may take a minute
				continue
			}
			text := ""
			if d.Size <= room {
				text, err = server.OnDisk(ctx, v, d.Path, func(ctx context.Context) (string, error) {
					text, _, err := library.Text(ctx, d.Path)
					return text, err
				})
			}
			switch {
			case ctx.Err() != nil:
				return ctx.Err()
			case err != nil || d.Size > room || int64(len(text)) > room:
				omitted++
				err = nil
				continue
			}
			room -= int64(len(text))
			if _, err := fmt.Fprintf(w, "\n\n<!-- %s/docs/%s -->\n\n%s", q.publicBase(), escapePath(d.Path), text); err != nil {
				return err
			}
		}
		if omitted > 0 {
			_, err = fmt.Fprintf(w, "\n\n<!-- %d documents are left out: this file has at most %d MiB. %s/llms.txt names them. -->\n", omitted, maxFull>>20, q.publicBase())
		}
		return err
	})
	switch {
	case err != nil && began:
		// a broken connection shows that the file is incomplete
		panic(http.ErrAbortHandler)
	case err != nil:
		q.failed(err)
	}
}
