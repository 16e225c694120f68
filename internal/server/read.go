package server

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"golang.org/x/sync/semaphore"

	"github.com/mcp-docs-server/mcp-docs-server/internal/jsonwire"
	"github.com/mcp-docs-server/mcp-docs-server/internal/media"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

const (
	// readTimeout ends a read that hangs, as on a network mount whose server is gone.
	readTimeout = 30 * time.Second
	// maxHanging is how many reads may hang at a time. Each keeps a thread until the system gives up.
	maxHanging = 64
	// readBudget is how many bytes of files may be held at a time, for all reads together. A read of more has it all for
	// itself.
	readBudget = 24 << 20
	// maxWhole is how many bytes a read may have to be held whole before the first of them goes out. It is the frame that
	// common clients take; an answer beyond it is read while it is written, and if a file changes meanwhile, the connection
	// ends rather than have the client take part of each for a file.
	maxWhole = 10 << 20
	// itemBytes is what surrounds the text, URI and type of a file in JSON.
	itemBytes = 50
	// envelopeBytes is what surrounds the contents in an answer, but for the name of the server and a long id.
	envelopeBytes = 256
	// itemCost is what a file takes in memory beside its bytes.
	itemCost = minBuffer
	// maxFolderFiles is how many files a folder may have to be read as one resource.
	maxFolderFiles = 1000
)

// A reading is files that were read, for an answer. It is the body of the answer to resources/read.
type reading struct {
	files  []contents
	budget *budget // or nil
}

// contents is one file (MCP, "Resources", data types TextResourceContents and BlobResourceContents).
type contents struct {
	uri, mime string
	isText    bool
	data      []byte    // the text in UTF-8, or the bytes
	long      *longFile // instead of data
	buffer    *buffer   // that data is in, or nil
}

func (c *contents) text() string { return string(c.data) }

// Release gives back the memory of the files.
func (r *reading) Release() {
	free(r.files)
	r.files = nil
	r.budget.release()
}

// free gives back the buffers of files.
func free(files []contents) {
	for i := range files {
		if b := files[i].buffer; b != nil {
			b.free()
		}
	}
}

func (r *reading) writeJSON(w *jsonwire.Writer) error {
	var memory chunks
	w.RawString(`"contents":[`)
	for i := range r.files {
		if i > 0 {
			w.RawString(",")
		}
		if err := r.files[i].writeJSON(w, &memory); err != nil {
			return err
		}
	}
	w.RawString("]")
	return nil
}

func (c *contents) writeJSON(w *jsonwire.Writer, memory *chunks) error {
	w.RawString(`{"uri":`)
	w.String(c.uri)
	w.RawString(`,"mimeType":`)
	w.String(c.mime)
	write := w.Base64
	if c.isText {
		w.RawString(`,"text":"`)
		write = w.Text
	} else {
		w.RawString(`,"blob":"`)
	}
	if c.long != nil {
		if err := c.long.each(memory, write); err != nil {
			return err
		}
	} else {
		write(c.data)
	}
	w.RawString(`"}`)
	return nil
}

// MarshalJSON is for files embedded in other results.
func (c *contents) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	w := jsonwire.NewWriter(&b)
	if err := c.writeJSON(w, new(chunks)); err != nil {
		return nil, err
	}
	if err := w.Flush(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// readResource returns a file, or the files directly in a folder.
func (s *Server) readResource(ctx context.Context, requested string, e era) (*reply, error) {
	if requested == "" {
		return nil, invalidParams("uri is missing")
	}
	if early, err := s.readEarly(ctx, requested); err != nil {
		return nil, err
	} else if early != nil {
		return &reply{outcome: e.cacheable(readTTL), body: early}, nil
	}
	catalog, err := s.catalog.Load(ctx)
	if err != nil {
		return nil, err
	}
	var r *reading
	if file, ok := catalog.Lookup(requested); ok {
		r, err = s.read(ctx, catalog, requested, []loader.Resource{file}, s.bounds.Load().FrameBytes)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, notFound(catalog, requested, e)
		}
	} else if folder, ok := catalog.LookupFolder(requested); ok {
		if folder.Len() > maxFolderFiles {
			return nil, resourceError(jsonrpc.CodeInternalError,
				fmt.Sprintf("cannot read the folder %s: it has %d files, more than %d; read them one by one", shown(requested), folder.Len(), maxFolderFiles),
				errorData{URI: requested, Size: int64(folder.Len()), Limit: maxFolderFiles})
		}
		r, err = s.read(ctx, catalog, requested, folder.Files(), s.bounds.Load().FrameBytes)
		if errors.Is(err, fs.ErrNotExist) { // its only one is gone
			r, err = &reading{}, nil
		}
	} else {
		return nil, notFound(catalog, requested, e)
	}
	if err != nil {
		return nil, err
	}
	return &reply{outcome: e.cacheable(readTTL), body: r}, nil
}

// readEarly reads a file while there is no catalog yet. It returns nil for what has to wait for one.
func (s *Server) readEarly(ctx context.Context, requested string) (*reading, error) {
	if s.find == nil {
		return nil, nil
	}
	ready := s.catalog.Ready()
	select {
	case <-ready:
		return nil, nil
	default:
	}
	select {
	case <-ready:
		return nil, nil
	case s.finding <- struct{}{}: // to look for files takes from the disk what reading the tree needs: one at a time
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	found := make(chan *loader.Resource, 1)
	go func() {
		defer func() { <-s.finding }()
		defer close(found)
		defer s.recovered("resources/read", func(error) {})
		if file, ok, err := s.find(ctx, requested); err == nil && ok {
			found <- &file
		}
	}()
	select {
	case file := <-found:
		if file == nil {
			return nil, nil
		}
		r, err := s.read(ctx, file.Catalog(), requested, []loader.Resource{*file}, s.bounds.Load().FrameBytes)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
		return r, err
	case <-ready:
		return nil, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// unlimited stands for a frame of any size, where what is read is not what goes out.
const unlimited = math.MaxInt64

// read reads files, which take up to frame bytes in JSON. Of several, those that are gone by now are left out. The caller
// releases the reading.
func (s *Server) read(ctx context.Context, catalog *loader.Catalog, requested string, files []loader.Resource, frame int64) (*reading, error) {
	var total int64
	most := s.bounds.Load().ReadBytes
	for _, r := range files {
		if total += r.Size(); total > most {
			break
		}
	}
	var doubts loader.Doubts
	for tries := 0; tries < readTries; {
		switch {
		case total > most:
			return nil, unreadable(requested, &loader.TooLargeError{Size: total, Limit: most})
		case total/2 > frame: // as the text of UTF-16 takes half the bytes of its file, and nothing takes less
			return nil, tooLong(requested, frame)
		}
		j := &job{server: s, catalog: catalog, requested: requested, most: most, frame: frame, used: s.envelope, total: total, room: total, longer: frame != unlimited && total > s.whole, doubts: &doubts}
		r, err := s.run(ctx, j, files)
		switch {
		case errors.Is(err, loader.ErrUnsettled):
			// Nothing is held meanwhile that another read could need.
			if err := doubts.Wait(ctx); err != nil {
				return nil, err
			}
		case errors.Is(err, loader.ErrNoRoom):
			// A file has grown since the catalog was made, and it may not be the only one.
			total = max(j.total, min(2*total, most))
			tries++
		default:
			return r, err
		}
	}
	return nil, unreadable(requested, loader.ErrChanging)
}

// readTries is how often files are read that grow meanwhile.
const readTries = 5

// run does a job under the budget, in the time that a read has.
func (s *Server) run(ctx context.Context, j *job, files []loader.Resource) (*reading, error) {
	if s.hanging.Load() >= maxHanging {
		return nil, unreadable(j.requested, errHanging)
	}
	// A client that is slow to take answers may make this wait for any time; those that hang do not.
	budget, err := acquire(ctx, s.reading, j.room+int64(len(files))*itemCost)
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithTimeout(ctx, readTimeout)
	defer stop()
	began := time.Now()
	// A system call that hangs cannot be interrupted: it is left behind.
	ended := make(chan done, 1)
	go func() {
		defer func() {
			if p := recover(); p != nil {
				s.logger.Error("a read failed", "panic", p)
				ended <- done{nil, errInternal}
			}
		}()
		out, err := j.files(ctx, files)
		ended <- done{out, err}
	}()
	select {
	case o := <-ended:
		r := &reading{files: o.files, budget: budget}
		if o.err != nil {
			r.Release()
			return nil, o.err
		}
		return r, nil
	case <-ctx.Done():
		go s.leave(readTimeout-time.Since(began), ended, budget)
		return nil, unreadable(j.requested, ctx.Err())
	}
}

// done is what a job ends with.
type done struct {
	files []contents
	err   error
}

// leave waits for a job that nobody waits for any more. When the time that it has left is over, what it holds is taken for lost.
func (s *Server) leave(left time.Duration, ended <-chan done, budget *budget) {
	late := time.NewTimer(left)
	defer late.Stop()
	select {
	case o := <-ended:
		free(o.files)
		budget.release()
		return
	case <-late.C:
	}
	budget.release()
	s.hanging.Add(1)
	free((<-ended).files)
	s.hanging.Add(-1)
}

var errHanging = errors.New("too many reads hang; is a network drive gone?")

// A budget is a part of what all reads together may hold.
type budget struct {
	of   *semaphore.Weighted
	size int64
	once sync.Once
}

// acquire waits for a part of that size, or for the whole.
func acquire(ctx context.Context, of *semaphore.Weighted, size int64) (*budget, error) {
	size = min(size, readBudget)
	if err := of.Acquire(ctx, size); err != nil {
		return nil, err
	}
	return &budget{of: of, size: size}, nil
}

func (b *budget) release() {
	if b != nil {
		b.once.Do(func() { b.of.Release(b.size) })
	}
}

// A job reads the files of one reading.
type job struct {
	server      *Server
	catalog     *loader.Catalog
	requested   string
	most, frame int64 // bytes that may still be read, and that all may take in JSON
	used        int64 // of frame
	total, room int64 // bytes that all files have, and that may still be held
	longer      bool  // than is held
	several     bool  // there is more than one
	chunk       []byte
	doubts      *loader.Doubts
}

// files reads the files. After an error it holds nothing.
func (j *job) files(ctx context.Context, files []loader.Resource) (out []contents, err error) {
	defer func() {
		if err != nil {
			free(out)
			out = nil
		}
	}()
	j.several = len(files) > 1
	out = make([]contents, 0, len(files))
	var unsettled error
	for _, r := range files {
		if err := ctx.Err(); err != nil {
			return out, err
		}
		c, err := j.file(ctx, r)
		switch {
		case errors.Is(err, loader.ErrUnsettled): // the others are looked at nevertheless, so that all wait together
			unsettled = err
			continue
		case errors.Is(err, loader.ErrNoRoom), errors.Is(err, context.Canceled):
			return out, err
		case errors.Is(err, fs.ErrNotExist):
			if len(files) == 1 {
				return out, err
			}
			continue
		case err != nil:
			var rpc *jsonrpc.Error
			if errors.As(err, &rpc) {
				return out, err
			}
			j.server.logger.Warn("a file cannot be read", "path", r.Path(), "error", err)
			return out, unreadable(j.requested, err)
		}
		out = append(out, c)
	}
	return out, unsettled
}

// file reads one file.
func (j *job) file(ctx context.Context, r loader.Resource) (contents, error) {
	if j.longer {
		return j.long(ctx, r)
	}
	return j.held(r)
}

// held reads one file whole.
func (j *job) held(r loader.Resource) (contents, error) {
	var b *buffer
	data, err := j.catalog.Read(r, j.most, func(n int) []byte {
		if b != nil {
			b.free()
			b = nil
		}
		if size := int64(n) - 1; size > j.room {
			j.total += size - j.room
			return nil
		}
		b = newBuffer(n)
		return b.data
	}, j.doubts)
	if err != nil {
		if b != nil {
			b.free()
		}
		return contents{}, err
	}
	c := contents{uri: r.URI(), data: data, buffer: b}
	var form media.Form
	c.mime, form = j.catalog.Judge(r, data)
	c.isText = form != media.Blob
	if form == media.UTF16 {
		c.data, c.buffer = media.Decode(data), nil
		b.free()
	}
	if err := j.admit(&c, int64(len(data)), func() int64 { return encodedSize(c.isText, c.data) }); err != nil {
		if c.buffer != nil {
			c.buffer.free()
		}
		return contents{}, err
	}
	return c, nil
}

// admit counts a file of that many bytes, and refuses it if the frame becomes too large. encoded is asked only where that is
// in question.
func (j *job) admit(c *contents, size int64, encoded func() int64) error {
	j.most -= size
	j.room -= size
	around := int64(len(c.uri) + len(c.mime) + itemBytes)
	if j.frame == unlimited {
		return nil
	}
	if !j.several && j.used+around+size*jsonwire.MaxEscaped <= j.frame {
		return nil // whatever it holds
	}
	if j.used += around + encoded(); j.used > j.frame {
		return tooLong(j.requested, j.frame)
	}
	return nil
}

// tooLong is the error for an answer that does not fit into a frame.
func tooLong(requested string, frame int64) error {
	return resourceError(jsonrpc.CodeInternalError,
		fmt.Sprintf("cannot read %s: the answer would have more bytes than limits.maxFrameBytes allows (%d)", shown(requested), frame),
		errorData{URI: requested, Limit: frame})
}

// encodedSize is the number of bytes that a file takes in JSON, but for what surrounds it.
func encodedSize(isText bool, data []byte) int64 {
	if isText {
		return int64(jsonwire.EscapedLen(data))
	}
	return int64(base64.StdEncoding.EncodedLen(len(data)))
}
