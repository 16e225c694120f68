package worker

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/jsonwire"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/uri"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// A folder describes a folder to the Worker.
type folder struct {
	URI      string   `json:"uri"`               // as resources/directory/read returns it
	Base     string   `json:"base"`              // the prefix of the URIs of everything in it
	Children *chunk   `json:"children"`          // items of resources/directory/read, with a prefix "d" or "f"
	Files    *chunk   `json:"files,omitempty"`   // records of resources/read, in order
	Failure  *failure `json:"failure,omitempty"` // the error of resources/read, instead of Files
	Virtual  bool     `json:"virtual,omitempty"` // the folder has no files, and cannot be read
	Changed  bool     `json:"changed,omitempty"` // clients change some names in it in transit
}

// A chunk holds lines; if they are many, in an asset.
type chunk struct {
	Lines []string `json:"lines,omitempty"`
	Asset string   `json:"asset,omitempty"`
}

// maxInline is the maximum number of bytes of lines that are not an asset.
const maxInline = 2 << 10

func (b *Builder) chunk(lines []string) *chunk {
	text := strings.Join(lines, "\n")
	if len(text) <= maxInline {
		return &chunk{Lines: lines}
	}
	return &chunk{Asset: b.Add([]byte(text))}
}

// folders adds the folders of files and of other resources.
func (b *Builder) folders(ctx context.Context, t *table) error {
	if err := each(b.View.Files.Root(), func(f loader.Folder) error {
		described, err := b.folder(ctx, f.URI())
		if err != nil {
			return err
		}
		read, err := b.read(ctx, f.URI())
		if err != nil {
			if described.Failure, err = failureOf(err, f.URI()); err != nil {
				return err
			}
		} else {
			var records []string
			for i := range read {
				data, form := read[i].bytes()
				record, err := jsonwire.Encode([]any{read[i].URI, read[i].MIMEType, form, assetPath(sha256.Sum256(data))})
				if err != nil {
					return err
				}
				records = append(records, string(record))
			}
			described.Files = b.chunk(records)
		}
		return t.folder(f, described)
	}); err != nil {
		return err
	}
	virtual := make(map[string]bool)
	for other := range b.View.Others("") {
		for slash := strings.LastIndexByte(other.URI, '/'); slash > 0; slash = strings.LastIndexByte(other.URI[:slash], '/') {
			base := other.URI[:slash+1]
			if _, real := b.View.Files.LookupFolder(base); !real && !virtual[base] {
				virtual[base] = true
				described, err := b.folder(ctx, base)
				if err != nil {
					return err
				}
				described.Virtual = true
				record, err := jsonwire.Encode(described)
				if err != nil {
					return err
				}
				if err := t.add("d", namesOf(base), candidate{Record: record, Exact: true}); err != nil {
					return err
				}
			}
			if strings.HasSuffix(base, "://") {
				break
			}
		}
	}
	return nil
}

// folder lists a folder.
func (b *Builder) folder(ctx context.Context, canonical string) (*folder, error) {
	described := &folder{URI: strings.TrimSuffix(canonical, "/"), Base: canonical}
	if strings.HasSuffix(canonical, "://") {
		described.URI = canonical
	}
	var children []string
	err := b.pages(ctx, "resources/directory/read", "resources", map[string]string{"uri": canonical}, func(items []json.RawMessage) error {
		for _, item := range items {
			kind := "f"
			if isFolder(item) {
				kind = "d"
			}
			children = append(children, kind+string(item))
		}
		return nil
	})
	described.Children = b.chunk(children)
	return described, err
}

// isFolder reports whether an item is a folder. Items of files also have a size, and items of other
// resources have more members.
func isFolder(item json.RawMessage) bool {
	var members map[string]json.RawMessage
	return json.Unmarshal(item, &members) == nil && len(members) == 3 && string(members["mimeType"]) == `"inode/directory"`
}

// folder adds a folder of files to the table, and the names in it that clients change in transit.
func (t *table) folder(f loader.Folder, described *folder) error {
	names := namesOf(f.URI())
	var changed struct {
		Files   [][2]string `json:"files,omitempty"` // the name that clients send and the name of the file, both encoded
		Folders [][2]string `json:"folders,omitempty"`
	}
	segment := func(name string) string { return string(uri.AppendSegment(nil, name)) }
	for _, r := range f.Files() {
		for _, other := range uri.Manglings(r.Name()) {
			changed.Files = append(changed.Files, [2]string{segment(other), segment(r.Name())})
		}
		t.fragile = t.fragile || uri.Fragile(r.Name())
	}
	for _, sub := range f.Everywhere() {
		for _, other := range uri.Manglings(sub.Name()) {
			changed.Folders = append(changed.Folders, [2]string{segment(other), segment(sub.Name())})
		}
		t.fragile = t.fragile || uri.Fragile(sub.Name())
	}
	described.Changed = changed.Files != nil || changed.Folders != nil
	record, err := jsonwire.Encode(described)
	if err != nil {
		return err
	}
	if err := t.add("d", names, candidate{Record: record}); err != nil || !described.Changed {
		return err
	}
	if record, err = jsonwire.Encode(changed); err != nil {
		return err
	}
	return t.add("m", names, candidate{Record: record})
}
