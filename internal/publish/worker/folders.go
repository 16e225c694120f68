package worker

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/uri"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// A folder is what the Worker knows of one.
type folder struct {
	URI      string   `json:"uri"`               // as resources/directory/read has it
	Base     string   `json:"base"`              // what the URIs of everything in it start with
	Children *chunk   `json:"children"`          // items of resources/directory/read, "d" or "f" before each
	Files    *chunk   `json:"files,omitempty"`   // records of resources/read, in order
	Failure  *failure `json:"failure,omitempty"` // of resources/read, instead
	Virtual  bool     `json:"virtual,omitempty"` // it has no files, and cannot be read
	Empty    []string `json:"empty,omitempty"`   // URIs of the folders in it that have no resources
	Changed  bool     `json:"changed,omitempty"` // clients change some names in it in transit
}

// A chunk is lines, in place if they are few.
type chunk struct {
	Lines []string `json:"lines,omitempty"`
	Asset string   `json:"asset,omitempty"`
}

// inPlace is how many bytes of lines are in place.
const inPlace = 2 << 10

func (b *Builder) chunk(lines []string) *chunk {
	text := strings.Join(lines, "\n")
	if len(text) <= inPlace {
		return &chunk{Lines: lines}
	}
	return &chunk{Asset: b.Add([]byte(text))}
}

// folders adds the folders of files, and those of other resources.
func (b *Builder) folders(ctx context.Context, t *table) error {
	if err := each(b.View.Files.Root(), func(f loader.Folder) error {
		of, err := b.folder(ctx, f.URI())
		if err != nil {
			return err
		}
		read, err := b.read(ctx, f.URI())
		if err != nil {
			if of.Failure, err = failureOf(err, f.URI()); err != nil {
				return err
			}
		} else {
			var records []string
			for i := range read {
				data, form := read[i].bytes()
				record, err := encode([]any{read[i].URI, read[i].MIMEType, form, digestPath(data)})
				if err != nil {
					return err
				}
				records = append(records, string(record))
			}
			of.Files = b.chunk(records)
		}
		return t.folder(f, of)
	}); err != nil {
		return err
	}
	virtual := make(map[string]bool)
	for other := range b.View.Others("") {
		for at := strings.LastIndexByte(other.URI, '/'); at > 0; at = strings.LastIndexByte(other.URI[:at], '/') {
			base := other.URI[:at+1]
			if _, real := b.View.Files.LookupFolder(base); !real && !virtual[base] {
				virtual[base] = true
				of, err := b.folder(ctx, base)
				if err != nil {
					return err
				}
				of.Virtual = true
				record, err := encode(of)
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

// folder reads what is directly in a folder.
func (b *Builder) folder(ctx context.Context, canonical string) (*folder, error) {
	of := &folder{URI: strings.TrimSuffix(canonical, "/"), Base: canonical}
	if strings.HasSuffix(canonical, "://") {
		of.URI = canonical
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
	of.Children = b.chunk(children)
	return of, err
}

// isFolder reports whether an item is a folder: a file has a size, and anything else that is listed
// says more of itself.
func isFolder(item json.RawMessage) bool {
	var members map[string]json.RawMessage
	return json.Unmarshal(item, &members) == nil && len(members) == 3 && string(members["mimeType"]) == `"inode/directory"`
}

// folder adds a folder of files to the table, and the names in it that clients change in transit.
func (t *table) folder(f loader.Folder, of *folder) error {
	names := namesOf(f.URI())
	var changed struct {
		Files   [][2]string `json:"files,omitempty"` // as clients change it, and as it is; encoded
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
		if sub.Total() == 0 {
			of.Empty = append(of.Empty, sub.URI())
		}
	}
	of.Changed = changed.Files != nil || changed.Folders != nil
	record, err := encode(of)
	if err != nil {
		return err
	}
	if err := t.add("d", names, candidate{Record: record}); err != nil || !of.Changed {
		return err
	}
	if record, err = encode(changed); err != nil {
		return err
	}
	return t.add("m", names, candidate{Record: record})
}
