package worker

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capability"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol"
)

// A failure is an error of the server. The requested URI stands in it as NUL, since each client
// spells it as it likes.
type failure struct {
	Code    int64                      `json:"code"`
	Message string                     `json:"message"`
	Data    map[string]json.RawMessage `json:"data,omitempty"` // without the URI
	Located bool                       `json:"located,omitempty"`
}

// failureOf returns an error of the server about a URI. Other errors are returned.
func failureOf(err error, requested string) (*failure, error) {
	rpc, ok := errors.AsType[*jsonrpc.Error](err)
	if !ok {
		return nil, err
	}
	f := &failure{Code: rpc.Code, Message: strings.Replace(rpc.Message, protocol.Shown(requested), "\x00", 1)}
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

// bytes returns what the client gets, and the letter that says how.
func (c *content) bytes() (data []byte, form string) {
	if c.Text != nil {
		return []byte(*c.Text), "t"
	}
	return c.Blob, "b"
}

// read reads a resource or a folder as a client does.
func (b *Builder) read(ctx context.Context, uri string) ([]content, error) {
	var result struct {
		Contents []content `json:"contents"`
	}
	err := b.call(ctx, "resources/read", map[string]string{"uri": uri}, &result)
	return result.Contents, err
}

// record returns what the Worker has to know to answer a read of a resource: URI, MIME type, "t"
// for text or "b" for a blob, and its asset; or "e" and the error. A file is read again when its
// asset is written; anything else is kept.
func (b *Builder) record(ctx context.Context, uri string, file bool) (json.RawMessage, error) {
	read, err := b.read(ctx, uri)
	if err != nil {
		f, err := failureOf(err, uri)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", uri, err)
		}
		return encode([]any{uri, "", "e", f})
	}
	if len(read) != 1 {
		return nil, fmt.Errorf("%s: a read has %d contents", uri, len(read))
	}
	data, form := read[0].bytes()
	if uri == capability.StatsURI && !file {
		if data, err = capability.Lasting(data); err != nil {
			return nil, err
		}
	}
	if len(data) > FileBytes {
		return nil, fmt.Errorf("%s: has %d bytes, and an asset of a Worker has %d at most: leave the file out with \"exclude\" in mcp-docs-server.json, or set limits.maxReadBytes to %d, so that clients get an error for it as they do from a server", uri, len(data), FileBytes, FileBytes)
	}
	path := ""
	if file && len(data) > inMemory {
		path = b.assets.file(sha256.Sum256(data), int64(len(data)), func() (io.ReadCloser, error) {
			again, err := b.read(ctx, uri)
			if err != nil || len(again) != 1 {
				return nil, fmt.Errorf("%s: cannot be read again: %w", uri, err)
			}
			data, _ := again[0].bytes()
			return io.NopCloser(bytes.NewReader(data)), nil
		})
	} else {
		path = b.Add(data)
	}
	return encode([]any{read[0].URI, read[0].MIMEType, form, path})
}

// inMemory is how large an asset may be that is kept in memory until it is written.
const inMemory = 16 << 10

// encode encodes a value as JSON without line ends.
func encode(v any) (json.RawMessage, error) {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), nil
}
