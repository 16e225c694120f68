package worker

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"maps"
	"slices"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/media"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/docs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/tools"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/uri"
)

// documents is the part of the manifest about documents. src/documents/library.ts reads it.
type documents struct {
	Dir       string       `json:"dir"`
	Files     []firstShard `json:"files"`
	Documents int          `json:"documents"`
	Search    string       `json:"search"`
	Host      string       `json:"host"`
	Cited     []string     `json:"cited"` // assets: resources as the tool search looks for them
	Titles    []firstShard `json:"titles"`
	Types     types        `json:"types"`
}

// types are the MIME types of documents.
type types struct {
	MD  string `json:"md"`
	MDX string `json:"mdx"`
}

// A firstShard is an asset with items sorted by key. First is the key of its first item.
type firstShard struct {
	Path  string `json:"path"`
	First string `json:"first"`
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
)

// documents writes the files of the folder of documents, and the search index.
func (b *Builder) documents(ctx context.Context) error {
	name := b.Config.Name
	cite := tools.NewCitations(name, b.View, b.Library)
	out := &documents{
		Dir: b.Library.Dir(), Documents: b.Library.Len(), Files: []firstShard{},
		Host:  docs.Scheme + "://" + string(uri.AppendHost(nil, docs.Host(name))),
		Types: types{documentType("a.md"), documentType("a.mdx")},
	}
	if err := b.files(ctx, out, cite); err != nil {
		return err
	}
	head, err := b.searchIndex(ctx, func(d docs.ExportedDocument) citation {
		if d.URI != "" {
			title, ok := cite.Resource(d.URI)
			return citation{title, ok}
		}
		title, cited, err := cite.Document(d.Path)
		return citation{title, cited && err == nil}
	})
	if err != nil {
		return err
	}
	data, err := json.Marshal(head)
	if err != nil {
		return err
	}
	out.Search = b.Add(data)
	b.cited(out, cite)
	b.manifest.Documents = out
	return nil
}

// files writes the list of files and their texts, and collects the outlines of the texts.
func (b *Builder) files(ctx context.Context, out *documents, cite tools.Citations) error {
	var data []byte
	before, first := "", ""
	flush := func() {
		if len(data) > 0 {
			out.Files = append(out.Files, firstShard{b.Add(data), first})
		}
		data, before = data[:0], ""
	}
	for path, size := range b.Library.Files() {
		if err := ctx.Err(); err != nil {
			return err
		}
		c, err := b.Library.Content(path)
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
		title, own := "", false
		if c.Document {
			title, own, _ = cite.Document(path)
		}
		if len(data)+len(path)+len(c.Lower)+len(title)+64 > shardSize {
			flush()
		}
		if len(data) == 0 {
			first = path
		}
		marks := byte(kind)
		if c.Document {
			marks |= fileIsDocument
		}
		if c.Lower != path {
			marks |= fileOtherLower
		}
		if own {
			marks |= fileIsCited
		}
		data = shared(append(data, marks), before, path)
		before = path
		if c.Lower != path {
			data = text(data, c.Lower)
		}
		data = number(data, int(size))
		if kind == fileExact || kind == fileInexact {
			sum := b.AddText(c.Text)
			data = append(data, sum[:]...)
			if c.Document {
				data = text(data, title)
			}
		}
	}
	flush()
	return nil
}

// cited writes the titles of resources, and what the tool search needs of each resource: its id, its title and the text in which it
// looks for the words of a query.
func (b *Builder) cited(out *documents, cite tools.Citations) {
	out.Cited = []string{}
	var data []byte
	flush := func() {
		if len(data) > 0 {
			out.Cited = append(out.Cited, b.Add(data))
		}
		data = data[:0]
	}
	titles := make(map[string]string)
	for r := range cite.Resources() {
		titles[r.ID] = r.ResourceTitle
		if len(data)+len(r.Text)+len(r.ID)+len(r.Title)+32 > shardSize {
			flush()
		}
		data = text(text(text(data, r.ID), r.Title), r.Text)
	}
	flush()
	out.Titles = []firstShard{}
	before, first := "", ""
	for _, id := range slices.Sorted(maps.Keys(titles)) {
		if len(data) > 0 && len(data)+len(id)+len(titles[id])+16 > shardSize {
			out.Titles = append(out.Titles, firstShard{b.Add(data), first})
			data, before = data[:0], ""
		}
		if len(data) == 0 {
			first = id
		}
		data = text(shared(data, before, id), titles[id])
		before = id
	}
	if len(data) > 0 {
		out.Titles = append(out.Titles, firstShard{b.Add(data), first})
	}
}

// AddText adds a text whose sections clients can request, and returns its digest.
func (b *Builder) AddText(s string) [sha256.Size]byte {
	sum := sha256.Sum256([]byte(s))
	b.Add([]byte(s))
	b.outlines.add(sum, s)
	return sum
}

func documentType(name string) string {
	if mime, ok := media.ByName(name); ok {
		return mime
	}
	return "text/markdown"
}
