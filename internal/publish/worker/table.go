package worker

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/media"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/capability"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol/view"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/uri"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// A table maps URIs to resources and folders. Its keys are a letter, a colon and a decoded URI in one
// spelling: encoded as a canonical URI is, and with its host folded, since hosts are
// case-insensitive. The letters are f for files, d for folders, o for other resources, and m for the
// names in a folder that clients change in transit.
//
// The table is divided into shards by the hash of the key. A shard is an asset: an object with a list
// of candidates for each key. A key has several candidates if hosts differ only in case: all but the first have their host, and all
// other spellings mean the first.
type table struct {
	entries map[string][]candidate
	fragile bool
}

// A candidate is what one URI names.
type candidate struct {
	Record json.RawMessage `json:"r"`
	Host   string          `json:"h,omitempty"` // encoded; "": any spelling of the host
}

// add adds a record. exact: only one spelling of the host leads to it.
func (t *table) add(kind string, names []string, record json.RawMessage, exact bool) {
	key, c := keyOf(kind, names), candidate{Record: record}
	if (exact || t.entries[key] != nil) && len(names) > 1 {
		c.Host = string(uri.AppendHost(nil, names[1]))
	}
	t.entries[key] = append(t.entries[key], c)
}

// keyOf returns the key of a scheme and names.
func keyOf(kind string, names []string) string {
	b := []byte(kind + ":" + names[0] + "://")
	for i, name := range names[1:] {
		if i == 0 {
			// The Worker makes lower case in the same way.
			b = uri.AppendHost(b, strings.Map(unicode.ToLower, name))
		} else {
			b = uri.AppendSegment(append(b, '/'), name)
		}
	}
	return string(b)
}

// shardBytes is the approximate size of a shard: the Worker parses one for each lookup.
const shardBytes = 8 << 10

// write writes the shards, a power of two of them, and returns their assets.
func (t *table) write(b *Builder) []string {
	records := make(map[string]json.RawMessage, len(t.entries))
	total := 0
	for key, candidates := range t.entries {
		records[key] = encoded(candidates)
		total += len(key) + len(records[key])
	}
	count := 1
	for count*shardBytes < total {
		count *= 2
	}
	shards := make([]map[string]json.RawMessage, count)
	for _, key := range slices.Sorted(maps.Keys(records)) {
		hash := fnv.New32a()
		hash.Write([]byte(key))
		i := hash.Sum32() % uint32(count)
		if shards[i] == nil {
			shards[i] = make(map[string]json.RawMessage)
		}
		shards[i][key] = records[key]
	}
	paths := make([]string, count)
	for i, shard := range shards {
		if shard != nil { // an empty path means that the shard is empty
			paths[i] = b.addJSON(shard)
		}
	}
	return paths
}

// A failure is an error of the server. NUL replaces the requested URI in the message, because the
// Worker inserts the spelling of the client.
type failure struct {
	Code    int64                      `json:"code"`
	Message string                     `json:"message"`
	Data    map[string]json.RawMessage `json:"data,omitempty"` // without the URI
	// the data contains the URI
	Located bool `json:"located,omitempty"`
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

// read reads a resource or a folder as a client does.
func (b *Builder) read(ctx context.Context, uri string) ([]protocol.Contents, error) {
	var result struct {
		Contents []protocol.Contents `json:"contents"`
	}
	err := b.Client.Get(ctx, "resources/read", map[string]string{"uri": uri}, &result)
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
			return encoded([]any{uri, "", "e", f}), nil
		}
		path, err := b.content(ctx, uri, item, c, b.whole)
		if err != nil {
			return nil, err
		}
		return encoded([]any{uri, c.MIMEType, "e", f, c.form(), path}), nil
	}
	if len(read) != 1 {
		return nil, fmt.Errorf("%s: a read has %d contents", uri, len(read))
	}
	c := contentOf(read[0])
	if item.Other == nil && len(c.Data) > b.most {
		return nil, fmt.Errorf("%s: has %d bytes, and an asset of a Worker can have at most %d: "+exclude+", or set limits.maxReadBytes to %d, so that clients get an error for it, as from a server", uri, len(c.Data), FileBytes, FileBytes)
	}
	path, err := b.content(ctx, uri, item, c, b.sent)
	if err != nil {
		return nil, err
	}
	return encoded([]any{read[0].URI, c.MIMEType, c.form(), path}), nil
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
	return read[0].Bytes(), nil
}

// whole returns the bytes of a file that tools read.
func (b *Builder) whole(ctx context.Context, file loader.Resource) ([]byte, error) {
	c, err := b.Whole(ctx, view.Item{File: file})
	return c.Data, err
}

// A Content is a resource as clients or tools read it; the latter without the limit for the size of an answer.
type Content struct {
	MIMEType string
	IsText   bool
	Data     []byte
}

func contentOf(c protocol.Contents) Content {
	return Content{MIMEType: c.MIMEType, IsText: c.Text != nil, Data: c.Bytes()}
}

// form returns "t" for text, "i" for an image that models take or "b" for another blob.
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
