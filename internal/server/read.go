package server

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"io/fs"
	"math"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/mcp-docs-server/mcp-docs-server/internal/jsonwire"
	"github.com/mcp-docs-server/mcp-docs-server/internal/media"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

const (
	// readTimeout ends a read that hangs, as on a network mount whose server is gone.
	readTimeout = 30 * time.Second
	// maxHanging is how many reads may hang at a time. Each keeps a thread until the system gives up.
	maxHanging = 64
	// itemBytes is what surrounds the text, URI and type of a file in JSON.
	itemBytes = 50
	// envelopeBytes is what surrounds the contents in an answer, but for the name of the server and a long id.
	envelopeBytes = 256
	// itemCost is what a file takes in memory beside its bytes.
	itemCost = minBuffer
	// maxFolderFiles is how many files a folder may have to be read as one resource.
	maxFolderFiles = 1000
)

// A contents is files that were read, for an answer. It is the body of the answer to resources/read.
type contents struct {
	files  []content
	budget *budget // or nil
}

// content is one file (MCP, "Resources", data types TextResourceContents and BlobResourceContents).
type content struct {
	uri, mime string
	isText    bool
	data      []byte    // the text in UTF-8, or the bytes
	long      *longFile // instead of data
	buffer    *buffer   // that data is in, or nil
	absent    bool      // it was left out; only where the reader asked for each file by itself
}

func (c *content) text() string { return string(c.data) }

// release gives back the memory of the files.
func (r *contents) release() {
	free(r.files)
	r.files = nil
	r.budget.release()
}

// free gives back the buffers of files.
func free(files []content) {
	for i := range files {
		if b := files[i].buffer; b != nil {
			b.free()
		}
	}
}

func (r *contents) writeJSON(w *jsonwire.Writer) error {
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

func (c *content) writeJSON(w *jsonwire.Writer, memory *chunks) error {
	w.RawString(`{"uri":`)
	w.String(c.uri)
	w.RawString(`,"mimeType":`)
	w.String(c.mime)
	if c.isText {
		w.RawString(`,"text":"`)
	} else {
		w.RawString(`,"blob":"`)
	}
	if err := c.writeData(w, memory); err != nil {
		return err
	}
	w.RawString(`"}`)
	return nil
}

// writeData writes the text or the bytes, without the quotes around them.
func (c *content) writeData(w *jsonwire.Writer, memory *chunks) error {
	write := w.Base64
	if c.isText {
		write = w.Text
	}
	if c.long != nil {
		if err := c.long.each(memory, write); err != nil {
			return err
		}
	} else {
		write(c.data)
	}
	return nil
}

// readResource returns a file, or the files directly in a folder.
func (s *Server) readResource(ctx context.Context, req request) (*reply, error) {
	requested, err := uriOf(req)
	if err != nil {
		return nil, err
	}
	if requested == "" {
		return nil, protocol.InvalidParams("uri is missing")
	}
	outcome := cacheable(req.era, readTTL)
	if early, err := s.readEarly(ctx, requested); err != nil {
		return nil, err
	} else if early != nil {
		return &reply{Outcome: outcome, body: early}, nil
	}
	catalog, err := s.catalog.Load(ctx)
	if err != nil {
		return nil, err
	}
	var r *contents
	if file, ok := catalog.Lookup(requested); ok {
		r, err = s.read(ctx, catalog, requested, []loader.Resource{file}, s.bounds.Load().FrameBytes)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, notFound(catalog, requested, req.era)
		}
	} else if folder, ok := catalog.LookupFolder(requested); ok {
		if folder.Len() > maxFolderFiles {
			return nil, resourceError(jsonrpc.CodeInternalError,
				fmt.Sprintf("cannot read the folder %s: it has %d files, more than %d; read them one by one", protocol.Shown(requested), folder.Len(), maxFolderFiles),
				errorData{URI: requested, Size: int64(folder.Len()), Limit: maxFolderFiles})
		}
		r, err = s.read(ctx, catalog, requested, folder.Files(), s.bounds.Load().FrameBytes)
		if errors.Is(err, fs.ErrNotExist) { // its only one is gone
			r, err = &contents{}, nil
		}
	} else {
		return nil, notFound(catalog, requested, req.era)
	}
	if err != nil {
		return nil, err
	}
	return &reply{Outcome: outcome, body: r}, nil
}

// readEarly reads a file while there is no catalog yet. It returns nil for what has to wait for one.
func (s *Server) readEarly(ctx context.Context, requested string) (*contents, error) {
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
// releases the contents.
func (s *Server) read(ctx context.Context, catalog *loader.Catalog, requested string, files []loader.Resource, frame int64) (*contents, error) {
	var total int64
	most := s.bounds.Load().ReadBytes
	for _, r := range files {
		if total += r.Size(); total > most {
			break
		}
	}
	switch {
	case total > most:
		return nil, unreadable(requested, &loader.TooLargeError{Size: total, Limit: most})
	case total/2 > frame: // as the text of UTF-16 takes half the bytes of its file, and nothing takes less
		return nil, tooLong(requested, frame)
	}
	return s.readGrowing(ctx, &job{server: s, catalog: catalog, requested: requested, most: most, frame: frame, used: s.envelope, total: total}, files)
}

// readEach reads files, which take up to frame bytes in JSON together. Those that cannot be read,
// or for which there is no room, are absent from the contents, which has an item for each file.
func (s *Server) readEach(ctx context.Context, catalog *loader.Catalog, files []loader.Resource, frame int64) (*contents, error) {
	var total int64
	for _, r := range files {
		total += r.Size()
	}
	return s.readGrowing(ctx, &job{server: s, catalog: catalog, most: s.bounds.Load().ReadBytes, frame: frame, used: s.envelope, total: total, each: true}, files)
}

// readGrowing does a job, again with more room if files have grown since the catalog was made.
func (s *Server) readGrowing(ctx context.Context, plan *job, files []loader.Resource) (*contents, error) {
	total := plan.total
	var doubts loader.Doubts
	for tries := 0; tries < readTries; {
		if total > plan.most && !plan.each {
			return nil, unreadable(plan.requested, &loader.TooLargeError{Size: total, Limit: plan.most})
		}
		j := *plan
		j.total, j.room, j.longer, j.doubts = total, total, plan.frame != unlimited && total > s.whole, &doubts
		r, err := s.run(ctx, &j, files)
		switch {
		case errors.Is(err, loader.ErrUnsettled):
			// Nothing is held meanwhile that another read could need.
			if err := doubts.Wait(ctx); err != nil {
				return nil, err
			}
		case errors.Is(err, loader.ErrNoRoom):
			// A file has grown since the catalog was made, and it may not be the only one.
			total = max(j.total, min(2*total, plan.most))
			tries++
		default:
			return r, err
		}
	}
	return nil, unreadable(plan.requested, loader.ErrChanging)
}

// readTries is how often files are read that grow meanwhile.
const readTries = 5

// run does a job under the budget, in the time that a read has.
func (s *Server) run(ctx context.Context, j *job, files []loader.Resource) (*contents, error) {
	if s.hanging.Load() >= maxHanging {
		return nil, unreadable(j.requested, errHanging)
	}
	// A client that is slow to take answers may make this wait for any time; those that hang do not.
	budget, err := s.memory.acquire(ctx, j.room+int64(len(files))*itemCost)
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
		r := &contents{files: o.files, budget: budget}
		if o.err != nil {
			r.release()
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
	files []content
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

// A job reads files for one answer.
type job struct {
	server      *Server
	catalog     *loader.Catalog
	requested   string
	most, frame int64 // bytes that may still be read, and that all may take in JSON
	used        int64 // of frame
	total, room int64 // bytes that all files have, and that may still be held
	longer      bool  // than is held
	several     bool  // there is more than one
	each        bool  // a file that cannot be read, or has no room in the frame, is left out by itself
	chunk       []byte
	doubts      *loader.Doubts
}

// files reads the files. After an error it holds nothing.
func (j *job) files(ctx context.Context, files []loader.Resource) (out []content, err error) {
	defer func() {
		if err != nil {
			free(out)
			out = nil
		}
	}()
	j.several = len(files) > 1
	out = make([]content, 0, len(files))
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
		case err != nil && j.each && !errors.Is(err, loader.ErrNoRoom) && ctx.Err() == nil:
			out = append(out, content{absent: true})
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
func (j *job) file(ctx context.Context, r loader.Resource) (content, error) {
	if j.longer {
		return j.long(ctx, r)
	}
	return j.held(r)
}

// held reads one file whole.
func (j *job) held(r loader.Resource) (content, error) {
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
		return content{}, err
	}
	c := content{uri: r.URI(), data: data, buffer: b}
	judged := j.catalog.Judge(r, data)
	c.mime, c.isText = judged.MIME, judged.Text()
	if judged.Form == loader.UTF16 {
		c.data, c.buffer = media.Decode(data), nil
		b.free()
	}
	if err := j.admit(&c, int64(len(data)), func() int64 { return encodedSize(c.isText, c.data) }); err != nil {
		if c.buffer != nil {
			c.buffer.free()
		}
		return content{}, err
	}
	return c, nil
}

// admit counts a file of that many bytes, and refuses it if the frame becomes too large. encoded is asked only where that is
// in question.
func (j *job) admit(c *content, size int64, encoded func() int64) error {
	around := int64(len(c.uri) + len(c.mime) + itemBytes)
	if j.frame == unlimited {
		j.most, j.room = j.most-size, j.room-size
		return nil
	}
	if !j.several && j.used+around+size*jsonwire.MaxEscaped <= j.frame {
		return nil // whatever it holds
	}
	used := j.used + around + encoded()
	if used > j.frame {
		return tooLong(j.requested, j.frame)
	}
	j.used, j.most, j.room = used, j.most-size, j.room-size
	return nil
}

// tooLong is the error for an answer that does not fit into a frame.
func tooLong(requested string, frame int64) error {
	return resourceError(jsonrpc.CodeInternalError,
		fmt.Sprintf("cannot read %s: the answer would have more bytes than limits.maxFrameBytes allows (%d)", protocol.Shown(requested), frame),
		errorData{URI: requested, Limit: frame})
}

// encodedSize is the number of bytes that a file takes in JSON, but for what surrounds it.
func encodedSize(isText bool, data []byte) int64 {
	if isText {
		return int64(jsonwire.EscapedLen(data))
	}
	return int64(base64.StdEncoding.EncodedLen(len(data)))
}

// digest returns a number that changes with the bytes of a file.
func (s *Server) digest(catalog *loader.Catalog, r loader.Resource) uint64 {
	sum, err := within(context.Background(), s, func() uint64 { return digestOf(catalog, r) }, func(uint64) {})
	if err != nil {
		return statDigest(r)
	}
	return sum
}

// digestOf reads a file, in pieces.
func digestOf(catalog *loader.Catalog, r loader.Resource) uint64 {
	f, err := catalog.Open(r)
	if err == nil {
		defer f.Close()
		var sum maphash.Hash
		sum.SetSeed(longSeed)
		if _, err = io.CopyBuffer(&sum, struct{ io.Reader }{f}, make([]byte, 32<<10)); err == nil {
			return sum.Sum64()
		}
	}
	return statDigest(r)
}

// statDigest stands for a file that is gone or locked this moment: its size and time.
func statDigest(r loader.Resource) uint64 {
	return uint64(r.ModTime().UnixNano()) ^ uint64(r.Size())<<1 | 1
}
