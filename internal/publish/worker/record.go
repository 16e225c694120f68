package worker

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/media"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/capability"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol/view"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/jsonwire"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// A failure is an error of the server. NUL replaces the requested URI in the message, because the
// Worker inserts the spelling of the client.
type failure struct {
	Code    int64                      `json:"code"`
	Message string                     `json:"message"`
	Data    map[string]json.RawMessage `json:"data,omitempty"`    // without the URI
	Located bool                       `json:"located,omitempty"` // the data contains the URI
}

// failureOf converts an error of the server about a URI. It returns other errors unchanged.
func failureOf(err error, requested string) (*failure, error) {
	rpc, ok := errors.AsType[*protocol.Error](err)
	if !ok {
		return nil, err
	}
	// Who asks a package or a Worker cannot change the settings of the project.
	message := strings.NewReplacer("limits.maxReadBytes allows", "the server allows", "limits.maxFrameBytes allows", "the server allows").Replace(rpc.Message)
	f := &failure{Code: rpc.Code, Message: strings.Replace(message, protocol.Shown(requested), "\x00", 1)}
	if rpc.Data != nil {
		if err := json.Unmarshal(rpc.Data, &f.Data); err != nil {
			return nil, err
		}
		_, f.Located = f.Data["uri"]
		delete(f.Data, "uri")
	}
	return f, nil
}

// A content is one of the contents of an answer to resources/read.
type content struct {
	URI      string  `json:"uri"`
	MIMEType string  `json:"mimeType"`
	Text     *string `json:"text"`
	Blob     []byte  `json:"blob"`
}

// bytes returns the bytes that the client gets, and "t" for text, "i" for an image that models take or "b" for another blob.
func (c *content) bytes() (data []byte, form string) {
	if c.Text != nil {
		return []byte(*c.Text), "t"
	}
	return c.Blob, Content{MIMEType: c.MIMEType, Data: c.Blob}.form()
}

// read reads a resource or a folder as a client does.
func (b *Builder) read(ctx context.Context, uri string) ([]content, error) {
	var result struct {
		Contents []content `json:"contents"`
	}
	err := b.call(ctx, "resources/read", map[string]string{"uri": uri}, &result)
	return result.Contents, err
}

// record returns what the Worker needs to answer a read of a resource: URI, MIME type, "t" for text,
// "i" for an image that models take or "b" for another blob, and its asset. If the read fails, it is "e" and the error; tools can read large
// resources in parts, so the form and the asset follow for these.
func (b *Builder) record(ctx context.Context, uri string, item view.Item) ([]byte, error) {
	read, err := b.read(ctx, uri)
	if err != nil {
		f, err := failureOf(err, uri)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", uri, err)
		}
		c, err := b.Whole(ctx, item)
		if err != nil || len(c.Data) > b.most {
			return jsonwire.Encode([]any{uri, "", "e", f})
		}
		path, err := b.content(ctx, uri, item, c, b.whole)
		if err != nil {
			return nil, err
		}
		return jsonwire.Encode([]any{uri, c.MIMEType, "e", f, c.form(), path})
	}
	if len(read) != 1 {
		return nil, fmt.Errorf("%s: a read has %d contents", uri, len(read))
	}
	data, form := read[0].bytes()
	if item.Other == nil && len(data) > b.most {
		return nil, fmt.Errorf("%s: has %d bytes, and an asset of a Worker can have at most %d: leave the file out with \"exclude\" in mcp-docs-server.json, or set limits.maxReadBytes to %d, so that clients get an error for it, as from a server", uri, len(data), FileBytes, FileBytes)
	}
	path, err := b.content(ctx, uri, item, Content{IsText: form == "t", Data: data}, b.sent)
	if err != nil {
		return nil, err
	}
	return jsonwire.Encode([]any{read[0].URI, read[0].MIMEType, form, path})
}

// content adds the asset of a resource. A large file is not kept in memory: again reads it when the asset is written.
func (b *Builder) content(ctx context.Context, uri string, item view.Item, c Content, again func(context.Context, loader.Resource) ([]byte, error)) (path string, err error) {
	if item.Other != nil && uri == capability.StatsURI {
		if c.Data, err = capability.Lasting(c.Data); err != nil {
			return "", err
		}
	}
	sum := sha256.Sum256(c.Data)
	if c.IsText {
		b.outlines.add(sum, string(c.Data))
	}
	if item.Other != nil || len(c.Data) <= inMemory {
		return b.Add(c.Data), nil
	}
	return b.assets.file(sum, int64(len(c.Data)), func() (io.ReadCloser, error) {
		data, err := again(ctx, item.File)
		if err != nil {
			return nil, fmt.Errorf("%s: cannot be read again: %w", uri, err)
		}
		return io.NopCloser(bytes.NewReader(data)), nil
	}), nil
}

// sent returns the bytes of a file that clients get from resources/read.
func (b *Builder) sent(ctx context.Context, file loader.Resource) ([]byte, error) {
	read, err := b.read(ctx, file.URI())
	if err != nil || len(read) != 1 {
		return nil, cmp.Or(err, fs.ErrNotExist)
	}
	data, _ := read[0].bytes()
	return data, nil
}

// whole returns the bytes of a file that tools read.
func (b *Builder) whole(ctx context.Context, file loader.Resource) ([]byte, error) {
	c, err := b.Whole(ctx, view.Item{File: file})
	return c.Data, err
}

// A Content is a resource as tools read it, without the limit for the size of an answer.
type Content struct {
	MIMEType string
	IsText   bool
	Data     []byte
}

func (c Content) form() string {
	if c.IsText {
		return "t"
	}
	if media.Showable(c.MIMEType, c.Data) {
		return "i"
	}
	return "b"
}

// inMemory is the maximum size of an asset that stays in memory until it is written.
const inMemory = 16 << 10
