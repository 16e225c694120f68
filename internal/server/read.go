package server

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcp-docs-server/mcp-docs-server/internal/media"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

const (
	// readTimeout ends a read that hangs, as on a network mount whose server is gone.
	readTimeout = 30 * time.Second
	// readsInFlight is how many reads of the largest size may hold memory at the same time.
	readsInFlight = 2
	// itemBytes is what surrounds the text, URI and type of a file in JSON.
	itemBytes = 50
	// maxFolderFiles is how many files a folder may have to be read as one resource.
	maxFolderFiles = 1000
)

type readResult struct {
	outcome
	Contents []contents `json:"contents"`
}

// contents is one file (MCP, "Resources", data types TextResourceContents and BlobResourceContents): it has a text, be
// it empty, or a blob.
type contents struct {
	URI      string  `json:"uri"`
	MIMEType string  `json:"mimeType"`
	Text     *string `json:"text,omitempty"`
	Blob     []byte  `json:"blob,omitempty"` // base64 in JSON
}

// readResource returns a file, or the files directly in a folder.
func (s *Server) readResource(ctx context.Context, requested string, e era) (mcp.Result, error) {
	if requested == "" {
		return nil, invalidParams("uri is missing")
	}
	catalog, err := s.catalog.Load(ctx)
	if err != nil {
		return nil, err
	}
	result := &readResult{}
	if r, ok := catalog.Lookup(requested); ok {
		result.Contents, err = s.read(ctx, catalog, requested, []loader.Resource{r}, s.bounds.Load().FrameBytes)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, notFound(catalog, requested, e)
		}
	} else if folder, ok := catalog.LookupFolder(requested); ok {
		if folder.Len() > maxFolderFiles {
			return nil, resourceError(jsonrpc.CodeInternalError,
				fmt.Sprintf("cannot read the folder %s: it has %d files, more than %d; read them one by one", shown(requested), folder.Len(), maxFolderFiles),
				errorData{URI: requested, Size: int64(folder.Len()), Limit: maxFolderFiles})
		}
		result.Contents, err = s.read(ctx, catalog, requested, folder.Files(), s.bounds.Load().FrameBytes)
	} else {
		return nil, notFound(catalog, requested, e)
	}
	if err != nil {
		return nil, err
	}
	result.outcome = e.cacheable(readTTL)
	return result, nil
}

// read returns the contents of files, which take up to frame bytes in JSON. Of several, those that are gone by now are left
// out.
func (s *Server) read(ctx context.Context, catalog *loader.Catalog, requested string, files []loader.Resource, frame int64) ([]contents, error) {
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	bounds := s.bounds.Load()
	var total int64
	for _, r := range files {
		total += r.Size()
	}
	if total > bounds.ReadBytes {
		return nil, unreadable(requested, &loader.TooLargeError{Size: total, Limit: bounds.ReadBytes})
	}
	if err := bounds.reading.Acquire(ctx, total); err != nil {
		return nil, unreadable(requested, err)
	}
	type answer struct {
		contents []contents
		err      error
	}
	// A system call that hangs cannot be interrupted: it is left behind, and its bytes stay counted until it returns.
	done := make(chan answer, 1)
	go func() {
		defer bounds.reading.Release(total)
		defer func() {
			if p := recover(); p != nil {
				s.logger.Error("a read failed", "panic", p)
				done <- answer{nil, errInternal}
			}
		}()
		out, err := s.readAll(catalog, requested, files, bounds.ReadBytes, frame)
		done <- answer{out, err}
	}()
	select {
	case a := <-done:
		return a.contents, a.err
	case <-ctx.Done():
		return nil, unreadable(requested, ctx.Err())
	}
}

func (s *Server) readAll(catalog *loader.Catalog, requested string, files []loader.Resource, most, frame int64) ([]contents, error) {
	out := make([]contents, 0, len(files))
	rest, used := most, int64(0)
	for _, r := range files {
		content, data, err := catalog.Content(r, rest)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			if len(files) == 1 {
				return nil, err
			}
			continue
		case err != nil:
			s.logger.Warn("a file cannot be read", "path", r.Path(), "error", err)
			return nil, unreadable(requested, err)
		}
		rest -= int64(len(data))
		c := contents{URI: r.URI(), MIMEType: content.MIME, Blob: data}
		if used += encodedSize(content, len(data)) + int64(len(c.URI)+len(c.MIMEType)+itemBytes); used > frame {
			return nil, resourceError(jsonrpc.CodeInternalError,
				fmt.Sprintf("cannot read %s: the answer would have more bytes than limits.maxFrameBytes allows (%d)", shown(requested), frame),
				errorData{URI: requested, Limit: frame})
		}
		if content.IsText {
			c.Text, c.Blob = &content.Text, nil
		}
		out = append(out, c)
	}
	return out, nil
}

// encodedSize is the number of bytes that content takes in JSON, but for what surrounds it.
func encodedSize(c media.Content, bytes int) int64 {
	if !c.IsText {
		return int64(base64.StdEncoding.EncodedLen(bytes))
	}
	n := int64(len(c.Text))
	for i := 0; i < len(c.Text); i++ {
		switch b := c.Text[i]; {
		case b == 0xE2 && i+2 < len(c.Text) && c.Text[i+1] == 0x80 && c.Text[i+2]&^1 == 0xA8:
			n += 3 // U+2028 and U+2029, which encoding/json escapes for JavaScript
		case b == '"', b == '\\', b == '\n', b == '\r', b == '\t', b == '\b', b == '\f':
			n++
		case b < ' ', b == '<', b == '>', b == '&': // six bytes, the last three because encoding/json escapes for HTML
			n += 5
		}
	}
	return n
}
