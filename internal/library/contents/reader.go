package contents

import (
	"context"
	"errors"
	"hash/maphash"
	"io"
	"io/fs"
	"log/slog"
	"math"
	"sync/atomic"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/media"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol/view"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/jsonwire"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

const (
	// itemBytes is the number of bytes of JSON around the text, URI and type of a file.
	itemBytes = 50
	// itemCost is the memory of a file without its bytes.
	itemCost = minBuffer
	// MaxFolderFiles is how many files a folder may have to be read as one resource.
	MaxFolderFiles = 1000
	// readTries is how often growing files are read.
	readTries = 5
)

// Limits bound one read; both are positive.
type Limits struct {
	ReadBytes  int64 // of files
	FrameBytes int64 // of JSON
}

// Options describe a reader.
type Options struct {
	Memory   *Memory
	Limits   Limits
	Envelope int64 // bytes of JSON around the contents of an answer
	Logger   *slog.Logger
}

// A Reader reads files for the answers of one project. Its methods may be called concurrently.
type Reader struct {
	memory   *Memory
	limits   atomic.Pointer[Limits]
	envelope int64
	whole    int64 // greatest size of files that are held in memory
	logger   *slog.Logger
}

// NewReader returns a reader.
func NewReader(o Options) *Reader {
	r := &Reader{memory: o.Memory, envelope: o.Envelope, whole: maxWhole, logger: o.Logger}
	r.SetLimits(o.Limits)
	return r
}

// SetLimits changes the limits for the reads that follow.
func (r *Reader) SetLimits(l Limits) { r.limits.Store(&l) }

// Limits returns the limits of a read that begins now.
func (r *Reader) Limits() Limits { return *r.limits.Load() }

// Read reads the files that requested names, for one frame. If a file is gone by now, it is left out,
// but for a single file, the error is [fs.ErrNotExist]. Other errors are an [*Error], ctx.Err() or
// [ErrInternal]. The caller must release the contents.
func (r *Reader) Read(ctx context.Context, catalog *loader.Catalog, requested string, files []loader.Resource) (*Contents, error) {
	l := r.Limits()
	return r.readAll(ctx, &task{reader: r, catalog: catalog, requested: requested, most: l.ReadBytes, frame: l.FrameBytes}, files)
}

// ReadWhole reads one file for an answer with a part of it. It is held whole, whatever its size.
func (r *Reader) ReadWhole(ctx context.Context, catalog *loader.Catalog, requested string, file loader.Resource) (*Contents, error) {
	return r.readAll(ctx, &task{reader: r, catalog: catalog, requested: requested, most: r.Limits().ReadBytes, frame: unlimited}, []loader.Resource{file})
}

// unlimited is the size of a frame for reads that do not go out as a whole.
const unlimited = math.MaxInt64

func (r *Reader) readAll(ctx context.Context, plan *task, files []loader.Resource) (*Contents, error) {
	for _, file := range files {
		if plan.total += file.Size(); plan.total > plan.most {
			break
		}
	}
	switch {
	case plan.total > plan.most:
		return nil, &Error{plan.requested, &loader.TooLargeError{Size: plan.total, Limit: plan.most}}
	// UTF-16 becomes text of half the bytes, and no other form becomes shorter
	case plan.total/2 > plan.frame:
		return nil, &Error{plan.requested, &FrameError{plan.frame}}
	}
	if len(files) == 1 {
		if c := plan.fromCache(files[0]); c != nil {
			return c, nil
		}
	}
	return r.readGrowing(ctx, plan, files)
}

// ReadEach reads files for one frame. The contents have an item for each file, which is marked as
// absent if the file cannot be read or has no room in the frame.
func (r *Reader) ReadEach(ctx context.Context, catalog *loader.Catalog, files []loader.Resource) (*Contents, error) {
	l := r.Limits()
	plan := &task{reader: r, catalog: catalog, most: l.ReadBytes, frame: l.FrameBytes, each: true}
	for _, file := range files {
		plan.total += file.Size()
	}
	return r.readGrowing(ctx, plan, files)
}

// otherSize is the assumed size of a resource of unknown size.
const otherSize = 64 << 10

// ReadOther reads a resource that is not a file: for one frame or, if part is true, for an answer with a part of the resource. It is
// held whole. Errors are as for [Reader.Read].
func (r *Reader) ReadOther(ctx context.Context, requested string, resource *view.Resource, part bool) (*Contents, error) {
	l := r.Limits()
	plan := &task{reader: r, requested: requested, other: resource, most: l.ReadBytes, frame: l.FrameBytes, total: resource.Size}
	if part {
		plan.frame = unlimited
	}
	if resource.Size < 0 {
		plan.total = min(otherSize, plan.most)
	}
	return r.readGrowing(ctx, plan, make([]loader.Resource, 1))
}

// readGrowing runs a task, and repeats it with more room if files have grown since the catalog was made.
func (r *Reader) readGrowing(ctx context.Context, plan *task, files []loader.Resource) (*Contents, error) {
	total, text := plan.total, int64(0)
	var attempts loader.Attempts
	for tries := 0; tries < readTries; {
		if total > plan.most && !plan.each {
			return nil, &Error{plan.requested, &loader.TooLargeError{Size: total, Limit: plan.most}}
		}
		t := *plan
		t.used, t.total, t.room, t.text, t.attempts = r.envelope, total, total, text, &attempts
		t.longer = plan.frame != unlimited && total > r.whole && t.other == nil
		read, err := r.run(ctx, &t, files)
		switch {
		case errors.Is(err, loader.ErrUnsettled):
			// The wait holds no memory.
			if err := attempts.Wait(ctx); err != nil {
				return nil, err
			}
		case errors.Is(err, loader.ErrNoRoom) && t.text > text:
			text = t.text
			tries++
		case errors.Is(err, loader.ErrNoRoom):
			// A file has grown since the catalog was made; others may have, too.
			total = max(t.total, min(2*total, plan.most))
			tries++
		default:
			return read, err
		}
	}
	return nil, &Error{plan.requested, loader.ErrChanging}
}

// run runs a task within the budget and the time for work at the disk.
func (r *Reader) run(ctx context.Context, t *task, files []loader.Resource) (*Contents, error) {
	// This can wait for any time if clients are slow to take answers.
	budget, err := r.memory.Acquire(ctx, t.room+t.text+int64(len(files))*itemCost)
	if err != nil {
		return nil, err
	}
	out, err := OnDisk(ctx, r, t.name(files), budget, func(ctx context.Context) ([]Content, error) { return t.files(ctx, files) }, free)
	switch {
	case errors.Is(err, ErrSlow), errors.Is(err, ErrHanging):
		return nil, &Error{t.requested, err}
	case err != nil:
		return nil, err
	}
	return &Contents{Files: out, budget: budget}, nil
}

// A task reads files for one answer.
type task struct {
	reader    *Reader
	catalog   *loader.Catalog
	other     *view.Resource // to read instead of a file of the catalog
	requested string
	// bytes that may still be read; bytes of JSON that all files may take
	most, frame int64
	used        int64 // of frame
	total, room int64 // bytes of all files; bytes that may still be held
	// bytes that the text of a UTF-16 file may take, or, after ErrNoRoom, needs
	text    int64
	longer  bool // the files are too large to be held
	several bool // there are several files
	// a file that cannot be read, or has no room in the frame, is left out
	each     bool
	chunk    []byte // or nil
	attempts *loader.Attempts
}

// name returns the name in the log of some files that are read.
func (t *task) name(files []loader.Resource) string {
	if len(files) > 1 || t.other != nil {
		return t.requested
	}
	return files[0].Path()
}

// files reads the files. After an error, it holds no buffers.
func (t *task) files(ctx context.Context, files []loader.Resource) (out []Content, err error) {
	defer func() {
		if err != nil {
			free(out)
			out = nil
		}
	}()
	t.several = len(files) > 1
	out = make([]Content, 0, len(files))
	var unsettled error
	for _, r := range files {
		if ctx.Err() != nil {
			return out, context.Cause(ctx)
		}
		read := t.held
		if t.longer {
			read = t.long
		}
		c, err := read(ctx, r)
		switch {
		// read the others too, so that one wait is enough for all
		case errors.Is(err, loader.ErrUnsettled):
			unsettled = err
			continue
		case err != nil && t.each && !errors.Is(err, loader.ErrNoRoom) && ctx.Err() == nil:
			out = append(out, Content{Absent: true})
			continue
		case errors.Is(err, loader.ErrNoRoom), ctx.Err() != nil:
			return out, err
		case errors.Is(err, fs.ErrNotExist):
			if len(files) == 1 {
				return out, err
			}
			continue
		case err != nil:
			_, large := errors.AsType[*FrameError](err)
			if _, refused := errors.AsType[*view.Refusal](err); !large && !refused {
				t.reader.logger.Warn("a file cannot be read", "path", t.name([]loader.Resource{r}), "error", err)
			}
			return out, &Error{t.requested, err}
		}
		out = append(out, c)
	}
	return out, unsettled
}

// scratch returns working memory.
func (t *task) scratch() []byte {
	if t.chunk == nil {
		t.chunk = make([]byte, chunkSize)
	}
	return t.chunk
}

// held reads one file, or another resource, whole.
func (t *task) held(ctx context.Context, r loader.Resource) (c Content, err error) {
	began := time.Now()
	alloc := func(n int) []byte {
		free([]Content{c})
		if c.buffer = nil; t.lacks(int64(n) - 1) {
			return nil
		}
		c.buffer = NewBuffer(n)
		return c.buffer.Data
	}
	defer func() {
		if err != nil {
			free([]Content{c})
		}
	}()
	if o := t.other; o != nil {
		// the source had it in memory, but the answer must be counted
		if c.data, err = o.Read(ctx, alloc); err == nil && t.lacks(int64(len(c.data))-1) {
			err = loader.ErrNoRoom
		}
		v := media.Examine(o.Name, o.MIMEType, c.data)
		c.URI, c.MIME, c.form = o.URI, v.MIME, loader.Form(v.Form)
		c.IsText = c.form != loader.Blob
	} else {
		var id loader.Identity
		c.data, id, err = t.catalog.Read(r, t.most, alloc, t.attempts)
		classified := t.catalog.Classify(r, c.data)
		c.URI, c.MIME, c.IsText, c.form = r.URI(), classified.MIME, classified.Text(), classified.Form
		if err == nil && !t.several {
			t.reader.memory.cache.misses.Add(1)
			t.reader.memory.cache.put(place{t.reader, r.Path()}, id, c.data, c.IsText && c.form != loader.UTF16, began)
		}
	}
	if err != nil {
		return c, err
	}
	if t.frame == unlimited {
		if size, ok := c.decode(t.text); !ok {
			t.text = size
			return c, loader.ErrNoRoom
		}
	}
	return c, t.admit(&c, int64(len(c.data)), func() int64 { return c.encodedSize(t.scratch) })
}

// lacks reports whether so many bytes do not fit, and counts the missing ones.
func (t *task) lacks(size int64) bool {
	if size <= t.room {
		return false
	}
	t.total += size - t.room
	return true
}

// admit counts a file of size bytes, and refuses it if the frame becomes too large. It calls encoded,
// which returns the size in JSON, only if that can happen.
func (t *task) admit(c *Content, size int64, encoded func() int64) error {
	around := int64(len(c.URI) + len(c.MIME) + itemBytes)
	if t.frame == unlimited {
		t.most, t.room = t.most-size, t.room-size
		return nil
	}
	if !t.several && t.used+around+size*jsonwire.MaxEscaped <= t.frame {
		return nil // it fits, whatever bytes it has
	}
	used := t.used + around + encoded()
	if used > t.frame {
		return &FrameError{t.frame}
	}
	t.used, t.most, t.room = used, t.most-size, t.room-size
	return nil
}

// Digest returns a number that changes with the bytes of a file.
func (r *Reader) Digest(catalog *loader.Catalog, file loader.Resource) uint64 {
	sum, err := OnDisk(context.Background(), r, file.Path(), nil,
		func(ctx context.Context) (uint64, error) { return digest(ctx, file) }, func(uint64) {})
	if err != nil {
		// The file is gone, locked or out of reach: use its size and time instead.
		return uint64(file.ModTime().UnixNano()) ^ uint64(file.Size())<<1 | 1
	}
	return sum
}

// digest reads a file, in pieces.
func digest(ctx context.Context, file loader.Resource) (uint64, error) {
	f, err := file.Open()
	if err != nil {
		return 0, err
	}
	defer f.Close()
	var sum maphash.Hash
	sum.SetSeed(longSeed)
	buf := make([]byte, 32<<10)
	for {
		n, err := f.Read(buf)
		_, _ = sum.Write(buf[:n]) // never fails
		switch {
		case err == io.EOF:
			return sum.Sum64(), nil
		case err != nil:
			return 0, err
		case ctx.Err() != nil:
			return 0, context.Cause(ctx)
		}
	}
}
