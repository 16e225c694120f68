package worker

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/progress"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/docs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/tools"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/uri"
)

// documents is the part of the manifest about documents. src/documents/library.ts reads it.
type documents struct {
	Dir string `json:"dir"`
	// the folder of all main documents, with a slash, or ""
	Base    string  `json:"base"`
	Top     string  `json:"top"`     // [docs.Library.Top]
	Near    string  `json:"near"`    // the same
	Folders []shard `json:"folders"` // listings of folders, which end with a slash
	Files   []shard `json:"files"`
	// files of other languages and versions, which no list has
	Others []shard `json:"others"`
	// ends of paths that one document has, with its path
	Ends      []shard `json:"ends"`
	Documents int     `json:"documents"`
	Search    string  `json:"search"`   // the index for searches without a filter
	Filtered  string  `json:"filtered"` // the index for searches with one
	Sites     bool    `json:"sites"`    // a filter may be a language or a version
	Host      string  `json:"host"`
	// assets: resources as the tool search looks for them
	Cited  []shard `json:"cited"`
	Titles []shard `json:"titles"`
	// Types has the MIME types of documents by their extension, with the dot.
	Types map[string]string `json:"types"`
}

// The first byte of a file in the list: how its text can be sent, and flags.
const (
	fileExact = iota
	fileInexact
	fileNotText
	fileTooLarge
	fileUnreadable

	fileIsDocument = 8
	fileOtherLower = 16
	fileIsCited    = 32 // the URI of the document leads to it, and not to a resource
	fileIsPage     = 64 // a site publishes it
)

// documents writes the files of the folder of documents, and the search index.
func (b *Builder) documents(ctx context.Context) error {
	name := b.Config.Name
	cite := tools.NewCitations(name, b.View, b.Library)
	out := &documents{
		Dir: b.Library.Dir(), Base: b.Library.Base(), Documents: b.Library.Len(), Sites: b.Library.Sites() != nil,
		Host:  docs.Scheme + "://" + string(uri.AppendHost(nil, docs.Host(name))),
		Types: make(map[string]string),
	}
	out.Top, out.Near = b.Library.Top()
	if err := b.files(ctx, out, cite); err != nil {
		return err
	}
	ends := shards{size: listSize}
	for end, paths := range b.Library.Ends() {
		ends.add(b, end, text(nil, strings.Join(paths, "\x00")))
	}
	out.Ends = ends.end(b)
	found := func(d docs.ExportedDocument) citation {
		if d.URI != "" {
			title, ok := cite.Resource(d.URI)
			return citation{title, ok}
		}
		found, cited := cite.Document(d.Path)
		return citation{found.Title, cited}
	}
	for i, asset := range []*string{&out.Search, &out.Filtered} {
		head, err := b.searchIndex(ctx, i == 1, found)
		if err != nil {
			return err
		}
		*asset = b.addJSON(head)
	}
	b.cited(out, cite)
	b.manifest.Documents = out
	return nil
}

// files writes the list of files and their texts, and collects the outlines of the texts.
func (b *Builder) files(ctx context.Context, out *documents, cite tools.Citations) error {
	listed, others, listings, folders := shards{size: listSize}, shards{size: listSize}, shards{size: listSize}, map[string]bool{"": true}
	written := progress.Begin(ctx, "writing", "files", len(maps.Collect(b.Library.Files())))
	defer written.End()
	for name, size := range b.Library.Files() {
		written.Add(1)
		c, err := b.Library.Content(ctx, name)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		kind := fileExact
		switch {
		case err != nil:
			kind = fileUnreadable
		case c.TooLarge:
			kind = fileTooLarge
		case !c.Exact && !c.Document:
			kind = fileNotText
		case !c.Exact:
			kind = fileInexact
		}
		if c.Document {
			out.Types[path.Ext(name)] = tools.DocumentType(name)
		}
		item := b.fileItem(name, int(size), kind, c, cite)
		if c.Alternate {
			others.add(b, name, item)
		} else {
			listed.add(b, name, item)
			for dir := path.Dir(name); dir != "." && !folders[dir+"/"]; dir = path.Dir(dir) {
				folders[dir+"/"] = true
			}
		}
	}
	for _, folder := range slices.Sorted(maps.Keys(folders)) {
		listings.add(b, folder, text(nil, b.Library.Listing(strings.TrimSuffix(folder, "/"))))
	}
	out.Files, out.Others, out.Folders = listed.end(b), others.end(b), listings.end(b)
	return nil
}

// fileItem returns what the list has of a file, and adds the text of the file.
func (b *Builder) fileItem(name string, size, kind int, c docs.Content, cite tools.Citations) []byte {
	item := []byte{byte(kind)}
	title := ""
	if c.Document {
		found, cited := cite.Document(name)
		if title, item[0] = found.Title, item[0]|fileIsDocument; cited {
			item[0] |= fileIsCited
		}
	}
	if c.Page != nil {
		item[0] |= fileIsPage
	}
	if c.Lower != name {
		item[0] |= fileOtherLower
		item = text(item, c.Lower)
	}
	item = number(item, size)
	if kind != fileExact && kind != fileInexact {
		return item
	}
	item = append(item, b.addFile(name, c)...)
	if c.Document {
		item = text(item, title)
	}
	if c.Page != nil {
		item = text(item, c.About)
	}
	return item
}

// addFile adds the text of a file and its outline. It returns the digest of the text and, for a page of a site, the key
// of the outline: the headings of a page depend on its name too.
func (b *Builder) addFile(path string, c docs.Content) []byte {
	if c.Page == nil {
		sum := b.AddText(c.Text)
		return sum[:]
	}
	sum, key := sha256.Sum256([]byte(c.Text)), sha256.Sum256([]byte(path+"\x00"+c.Text))
	b.Add([]byte(c.Text))
	b.outlines.addHeadings(key, path, c.Text, c.Headings)
	return append(sum[:], key[:digestBytes]...)
}

// cited writes the titles of resources, and what the tool search needs of each resource: its id, its title and the text in which it
// looks for the words of a query.
func (b *Builder) cited(out *documents, cite tools.Citations) {
	all, titles := shards{size: listSize}, make(map[string]string)
	for r := range cite.Resources() {
		titles[r.ID] = r.ResourceTitle
		all.add(b, r.ID, text(text(nil, r.Title), r.Text))
	}
	out.Cited = all.end(b)
	for r := range b.unlisted() {
		titles[r.URI] = r.Title
	}
	sorted := shards{size: listSize}
	for _, id := range slices.Sorted(maps.Keys(titles)) {
		sorted.add(b, id, text(nil, titles[id]))
	}
	out.Titles = sorted.end(b)
}

// AddText adds a text whose sections clients can request, and returns its digest.
func (b *Builder) AddText(s string) [sha256.Size]byte {
	sum := sha256.Sum256([]byte(s))
	b.Add([]byte(s))
	b.outlines.add(sum, s)
	return sum
}

// digestBytes is the number of bytes of a digest that identify a text among the outlines.
const digestBytes = 8

// outlines holds the headings of texts, by the first bytes of their digests.
type outlines map[string][]byte

// add adds the headings of a text, each with its line and the range of its section.
func (o outlines) add(sum [sha256.Size]byte, s string) {
	o.addHeadings(sum, "", s, excerpt.Headings(s))
}

// addHeadings is add for headings of a document that were found before.
func (o outlines) addHeadings(sum [sha256.Size]byte, path, s string, headings []excerpt.Heading) {
	key := string(sum[:digestBytes])
	if _, known := o[key]; known || len(headings) == 0 {
		return
	}
	data := number(nil, len(headings))
	outlined, next := docs.Outlined(path, headings), 0
	line, start := 0, 0
	for i, h := range headings {
		end := 0
		if next < len(outlined) && outlined[next].Start == h.Start {
			end = excerpt.SectionEnd(s, outlined, next)
			next++
		} else {
			end = excerpt.SectionEnd(s, headings, i)
		}
		data = number(data, h.Line-line)
		data = number(data, h.Start-start)
		data = number(data, end-h.Start)
		data = text(text(data, h.Text), h.Slug)
		line, start = h.Line, h.Start
	}
	o[key] = data
}

// writeOutlines writes the outlines, sorted by digest, so that a change of one text changes one
// shard.
func (b *Builder) writeOutlines() []shard {
	all := shards{size: listSize}
	for _, key := range slices.Sorted(maps.Keys(b.outlines)) {
		all.add(b, hex.EncodeToString([]byte(key)), text(nil, string(b.outlines[key])))
	}
	return all.end(b)
}
