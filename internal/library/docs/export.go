package docs

import (
	"context"
	"errors"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/progress"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/site"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
)

// An Export is the search index of a library with the texts of its passages, for a program that
// ranks as this package does and cannot run it. Its slices are shared and must not be changed.
type Export struct {
	Documents []ExportedDocument
	Passages  []ExportedPassage // passages of a document are adjacent, in its order
	// passages of documents, or of all texts without documents
	Counted int
	Words   int            // in these passages
	Trees   []ExportedTree // languages and versions of documents of sites

	index *index
}

// An ExportedDocument is a document or text whose passages [Library.Search] finds.
type ExportedDocument struct {
	Path  string // below the documents' folder, or the URI decoded
	URI   string // of a text of a source, else ""
	Lower string // the path that filters select by
	Tree  int    // in Export.Trees; negative: the document is not of a site
	// the first of the documents that are this page, its translations, its other versions and its copies
	Same int

	Title, Description string

	Share float32 // what scores are multiplied with
}

// An ExportedTree says by which filters documents of a language and version are found.
type ExportedTree struct {
	Language string `json:"language"`
	Version  string `json:"version"` // in lower case
	Other    bool   `json:"other"`   // the documents are not found without a filter
	// The language and the version are the default ones of the site.
	OfLanguage bool `json:"ofLanguage"`
	OfVersion  bool `json:"ofVersion"`
}

// An ExportedPassage is a passage with the weights of its names: see [Export.Terms] for its words.
type ExportedPassage struct {
	IndexedPassage
	Front string         // front matter, which readers do not see
	Text  string         // for readers, in Unicode's form NFC
	Top   int            // line of the text
	Units []excerpt.Unit // of Text, which follow each other

	NameWeight, TitleWeight, HeadingWeight float32
}

// An ExportedPosting says how often a passage contains a term, up to 15, and, in the other four bits, which names
// contain it: the file name, the title, the heading, the names above.
type ExportedPosting struct {
	Passage uint32
	Weight  uint8
}

// Export builds the indexes if they do not exist yet, and reads all texts again. all asks for the index of all documents,
// which searches with a filter use, and not for the one of the default languages and versions. The error is ctx.Err() or
// that a text cannot be read.
func (l *Library) Export(ctx context.Context, all bool) (*Export, error) {
	if l == nil || l.builder == nil {
		return &Export{index: new(index)}, nil
	}
	if err := l.Index(ctx); err != nil {
		return nil, err
	}
	x := l.indexed(all)
	out := &Export{Counted: x.counted, Words: x.words, index: x}
	type kind struct {
		*site.Tree
		apart bool
	}
	trees, words := make(map[kind]int), make([]int, len(x.docs))
	for _, p := range x.passages {
		words[p.Document] += int(p.Words)
	}
	for i, d := range x.docs {
		tree := -1
		if p := d.page(); p != nil {
			known := false
			if tree, known = trees[kind{p.Tree, p.Apart}]; !known {
				language, version := p.Tree.Site().Main()
				tree, trees[kind{p.Tree, p.Apart}] = len(trees), len(trees)
				out.Trees = append(out.Trees, ExportedTree{p.Language(), strings.ToLower(p.Version()), p.Apart, p.Language() == language, p.Version() == version || p.Version() == ""})
			}
		}
		title, description := l.titles(d)
		out.Documents = append(out.Documents, ExportedDocument{d.path, d.uri, d.lower, tree, int(x.same[i]), title, description, l.share(d, words[i])})
	}
	last, whole := -1, ""
	read := progress.Begin(ctx, "computing the answers", "passages", len(x.passages))
	defer read.End()
	for _, p := range x.passages {
		read.Add(1)
		if int(p.Document) != last {
			last, whole = int(p.Document), ""
		}
		text, ok := "", true
		if p.Size > 0 { // a text that cannot be read is not in the index either
			text, ok = l.passage(ctx, x.docs[p.Document], p, &whole)
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if !ok {
			return nil, &ChangedError{x.docs[p.Document].path}
		}
		e := ExportedPassage{IndexedPassage: p, NameWeight: p.named.name, TitleWeight: p.named.title, HeadingWeight: p.named.heading}
		e.Front, e.Text, e.Top = readers(text, p)
		e.Units = excerpt.Units(e.Text, p.Code)
		out.Passages = append(out.Passages, e)
	}
	return out, nil
}

// Terms calls yield with each term of the index, in byte order, the number of passages that have it
// in their text or their own names, and its postings by passage. yield must not keep the postings.
func (e *Export) Terms(yield func(term string, holders int, postings []ExportedPosting)) {
	x := e.index
	var postings []ExportedPosting
	for i, term := range x.terms {
		postings = postings[:0]
		for j := x.starts[i]; j < x.starts[i+1]; j++ {
			postings = append(postings, ExportedPosting{x.where[j], x.weights[j]})
		}
		slices.SortFunc(postings, func(a, b ExportedPosting) int { return int(a.Passage) - int(b.Passage) })
		yield(term, int(x.holders[i]), postings)
	}
}

// A Content is a readable file of the folder as an answer shows it.
type Content struct {
	Text     string
	Exact    bool // Text equals the file; otherwise bytes that are not UTF-8 are U+FFFD
	TooLarge bool
	Document bool // it is Markdown, or a document of a site
	Lower    string

	// Set only for documents of sites:

	Page      *site.Page // nil: no site has the file
	About     string     // facts about the page, as lines of the YAML of an answer
	Headings  []excerpt.Heading
	Alternate bool // it is of another language or version, and is not listed
}

// Content reads a file with exactly this path, a document or not.
func (l *Library) Content(ctx context.Context, path string) (c Content, err error) {
	d := l.files[path]
	c = Content{Document: d.isMarkdown(), Lower: d.lower, Page: d.page()}
	c.Alternate = len(l.alternates) > 0 && c.Page != nil && c.Page.Tree.Other
	content, exact, err := l.content(ctx, d, maxRead)
	c.Text, c.Exact = content.Text, exact
	if c.Page != nil && err == nil {
		var t item
		t.setPage(l, c.Page, content)
		c.About, c.Headings = t.header.String(), headings(d, content.Text)
	}
	if errors.Is(err, errTooLarge) {
		c.TooLarge, err = true, nil
	}
	return c, err
}

// Ends yields the ends of paths of documents, as [site.Set.Ends] spells them, in byte order, with the paths of the documents that may be meant.
func (l *Library) Ends() iter.Seq2[string, []string] {
	return func(yield func(string, []string) bool) {
		ends := l.sites.Ends()
		for _, end := range slices.Sorted(maps.Keys(ends)) {
			var paths []string
			for _, file := range ends[end] {
				if d := l.at(file); d != nil {
					paths = append(paths, d.path)
				} else if folder := l.PathOf(strings.TrimSuffix(file, "/")); folder != "" && l.isFolder(folder) {
					paths = append(paths, folder+"/")
				}
			}
			if len(paths) > 0 && !yield(end, paths) {
				return
			}
		}
	}
}
