package worker

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"iter"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/progress"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/capability"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol/view"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/lazyregexp"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/uri"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// resources is the part of the manifest about resources.
type resources struct {
	Pages  []listPage `json:"pages"`
	Shards []string   `json:"shards"` // assets of the lookup table
	// clients change the spelling of some name in transit
	Fragile bool   `json:"fragile"`
	Skills  string `json:"skills"` // asset
}

// A listPage is a page of resources/list.
type listPage struct {
	Items string `json:"items"` // asset: one item a line
	Last  string `json:"last"`  // URI of the last item
}

// resources writes the pages of resources/list, and the table in which the Worker looks up URIs.
func (b *Builder) resources(ctx context.Context) error {
	b.manifest.Resources.Pages = []listPage{}
	if err := b.pages(ctx, "resources/list", "resources", nil, func(items []json.RawMessage) error {
		var last struct {
			URI string `json:"uri"`
		}
		if err := json.Unmarshal(items[len(items)-1], &last); err != nil {
			return fmt.Errorf("a resource: %w", err)
		}
		b.manifest.Resources.Pages = append(b.manifest.Resources.Pages, listPage{Items: b.Add(lines(items)), Last: last.URI})
		return nil
	}); err != nil {
		return err
	}
	t := &table{entries: make(map[string][]candidate)}
	written := progress.Begin(ctx, "writing", "resources", b.View.Files.Len())
	defer written.End()
	for r := range b.View.Files.All() {
		written.Add(1)
		record, err := b.record(ctx, r.URI(), view.Item{File: r})
		if err != nil {
			return err
		}
		t.add("f", namesOf(r.URI()), record, false)
	}
	if err := b.folders(ctx, t); err != nil {
		return err
	}
	if err := b.others(ctx, t); err != nil {
		return err
	}
	b.manifest.Resources.Shards, b.manifest.Resources.Fragile = t.write(b), t.fragile
	return nil
}

// others adds the resources that are not files.
func (b *Builder) others(ctx context.Context, t *table) error {
	for _, all := range []iter.Seq[*view.Resource]{b.View.Others(""), b.unlisted()} {
		for other := range all {
			record, err := b.record(ctx, other.URI, view.Item{Other: other})
			if err != nil {
				return err
			}
			t.add("o", namesOf(other.URI), record, false)
		}
	}
	return nil
}

// unlisted yields the resources that are not files and that no list has: the elements of the capability index.
func (b *Builder) unlisted() iter.Seq[*view.Resource] {
	return func(yield func(*view.Resource) bool) {
		for _, t := range capability.Types() {
			if found, ok := b.View.Lookup(capability.ElementsURI(t)); ok && found.Other != nil && !yield(found.Other) {
				return
			}
		}
	}
}

// pages calls each with the items of each page of a list. It skips empty pages.
func (b *Builder) pages(ctx context.Context, method, member string, params map[string]string, each func([]json.RawMessage) error) error {
	for items, err := range protocol.Pages[json.RawMessage](ctx, b.Client, method, member, params) {
		if err != nil {
			return err
		}
		if b.timeless {
			for i, item := range items {
				items[i] = empty().ReplaceAll(modified().ReplaceAll(item, nil), nil)
			}
		}
		if err := each(items); err != nil {
			return err
		}
	}
	return nil
}

// modified matches the last annotation of an item of a list, and empty an item's annotations without any. The
// texts in an item have no quotes that are not escaped.
var (
	modified = lazyregexp.New(`,?"lastModified":"[^"]*"`)
	empty    = lazyregexp.New(`,"annotations":\{\}`)
)

// lines joins items of a list, which have no line ends.
func lines(items []json.RawMessage) []byte {
	var out []byte
	for i, item := range items {
		if i > 0 {
			out = append(out, '\n')
		}
		out = append(out, item...)
	}
	return out
}

// namesOf returns the scheme and the raw names of a canonical URI.
func namesOf(canonical string) []string {
	scheme, path, ok := uri.Split(uri.Decode(canonical))
	if !ok || path == "" {
		return []string{scheme}
	}
	return append([]string{scheme}, strings.Split(path, "/")...)
}

// each calls visit with all folders in a folder, parents first.
func each(f loader.Folder, visit func(loader.Folder) error) error {
	for _, sub := range f.Everywhere() {
		if err := visit(sub); err != nil {
			return err
		}
		if err := each(sub, visit); err != nil {
			return err
		}
	}
	return nil
}

// A skill is an item of skills/list. A skill that breaks the rules has a failure instead, and is not
// listed.
type skill struct {
	URI     string          `json:"uri"`
	Item    json.RawMessage `json:"item,omitempty"`
	Failure *failure        `json:"failure,omitempty"` // of skills/get
}

// skills writes the answers to skills/list and skills/get, in the order of the list.
func (b *Builder) skills(ctx context.Context) error {
	list := []skill{}
	for r := range b.View.Files.Skills("") {
		s := skill{URI: r.URI()}
		var result struct {
			Skill json.RawMessage `json:"skill"`
		}
		if err := b.Client.Get(ctx, "skills/get", map[string]string{"uri": s.URI}, &result); err != nil {
			if s.Failure, err = failureOf(err, s.URI); err != nil {
				return fmt.Errorf("%s: %w", s.URI, err)
			}
		}
		s.Item = result.Skill
		list = append(list, s)
	}
	b.manifest.Resources.Skills = b.addJSON(list)
	return nil
}

// A folder describes a folder to the Worker.
type folder struct {
	URI string `json:"uri"` // as resources/directory/read returns it
	// the prefix of the URIs of everything in it
	Base string `json:"base"`
	// items of resources/directory/read, with a prefix "d" or "f"
	Children *chunk `json:"children"`
	Files    *chunk `json:"files,omitempty"` // records of resources/read, in order
	// the error of resources/read, instead of Files
	Failure *failure `json:"failure,omitempty"`
	// the folder has no files, and cannot be read
	Virtual bool `json:"virtual,omitempty"`
	// clients change some names in it in transit
	Changed bool `json:"changed,omitempty"`
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
			for _, part := range read {
				c := contentOf(part)
				records = append(records, string(encoded([]any{part.URI, part.MIMEType, c.form(), assetPath(sha256.Sum256(c.Data))})))
			}
			described.Files = b.chunk(records)
		}
		t.folder(f, described)
		return nil
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
				t.add("d", namesOf(base), encoded(described), true)
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
func (t *table) folder(f loader.Folder, described *folder) {
	names := namesOf(f.URI())
	var changed struct {
		// the name that clients send and the name of the file, both encoded
		Files   [][2]string `json:"files,omitempty"`
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
	t.add("d", names, encoded(described), false)
	if described.Changed {
		t.add("m", names, encoded(changed), false)
	}
}
