package contents

import (
	"context"
	"errors"
	"io/fs"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/media"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol/view"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// otherSize is the assumed size of a resource of unknown size.
const otherSize = 64 << 10

// ReadOther reads a resource that is not a file: for one frame or, if part is true, for an answer with a part of the resource. It is
// held whole. Errors are as for [Reader.Read].
func (r *Reader) ReadOther(ctx context.Context, requested string, resource *view.Resource, part bool) (*Contents, error) {
	most, frame := r.Limits().ReadBytes, r.Limits().FrameBytes
	if part {
		frame = unlimited
	}
	room := resource.Size
	if room < 0 {
		room = min(otherSize, most)
	}
	text := int64(0)
	for range readTries {
		if room > most {
			return nil, &Error{requested, &loader.TooLargeError{Size: room, Limit: most}}
		}
		read, wanted, err := r.tryOther(ctx, requested, resource, room, text, frame)
		switch {
		case !errors.Is(err, loader.ErrNoRoom):
			return read, err
		case wanted.text > text:
			text = wanted.text
		default:
			room = max(wanted.room, min(2*room+otherSize, most))
		}
	}
	return nil, &Error{requested, loader.ErrChanging}
}

// A need says how many bytes a resource takes, and its text if it is UTF-16.
type need struct{ room, text int64 }

// tryOther reads a resource into at most room bytes. If the frame is unlimited, it decodes UTF-16 into
// at most text bytes. If either is too little, the error is [loader.ErrNoRoom], and wanted says how
// many bytes are needed.
func (r *Reader) tryOther(ctx context.Context, requested string, resource *view.Resource, room, text, frame int64) (c *Contents, wanted need, err error) {
	budget, err := r.memory.Acquire(ctx, room+text+itemCost)
	if err != nil {
		return nil, need{}, err
	}
	type outcome struct {
		item   Content
		wanted need
	}
	// Too little room is not an error of the work, so that its outcome can say how much is needed.
	got, err := OnDisk(ctx, r, resource.URI, budget, func(ctx context.Context) (outcome, error) {
		var b *Buffer
		var wanted need
		data, err := resource.Read(ctx, func(n int) []byte {
			if b != nil {
				b.Free()
				b = nil
			}
			if int64(n) > room+1 {
				wanted.room = int64(n)
				return nil
			}
			b = NewBuffer(n)
			return b.Data
		})
		if err == nil && int64(len(data)) > room+1 { // the source had it in memory, but the answer must be counted
			wanted.room, err = int64(len(data)), loader.ErrNoRoom
		}
		if err != nil {
			if b != nil {
				b.Free()
			}
			if errors.Is(err, loader.ErrNoRoom) && wanted.room > 0 {
				return outcome{wanted: wanted}, nil
			}
			return outcome{}, err
		}
		item := newOther(resource, data, b)
		if frame == unlimited {
			if size, ok := item.decode(text); !ok {
				free([]Content{item})
				return outcome{wanted: need{room, size}}, nil
			}
		}
		return outcome{item: item}, nil
	}, func(late outcome) { free([]Content{late.item}) })
	switch {
	case errors.Is(err, fs.ErrNotExist), err != nil && ctx.Err() != nil:
		return nil, need{}, err
	case errors.Is(err, ErrInternal):
		return nil, need{}, err
	case err != nil:
		if _, refused := errors.AsType[*view.Refusal](err); !refused {
			r.logger.Warn("a resource cannot be read", "uri", resource.URI, "error", err)
		}
		return nil, need{}, &Error{requested, err}
	case got.wanted != need{}:
		budget.Release()
		return nil, got.wanted, loader.ErrNoRoom
	}
	c = &Contents{Files: []Content{got.item}, budget: budget}
	if frame != unlimited {
		item := &c.Files[0]
		around := r.envelope + int64(len(item.URI)+len(item.MIME)+itemBytes)
		if used := around + item.encodedSize(func() []byte { return make([]byte, chunkSize) }); used > frame {
			c.Release()
			return nil, need{}, &Error{requested, &FrameError{frame}}
		}
	}
	return c, need{}, nil
}

// newOther returns the content of a resource. b, which may be nil, holds data.
func newOther(resource *view.Resource, data []byte, b *Buffer) Content {
	v := media.Examine(resource.Name, resource.MIMEType, data)
	form := loader.Form(v.Form)
	return Content{URI: resource.URI, MIME: v.MIME, IsText: form != loader.Blob, form: form, data: data, buffer: b}
}
