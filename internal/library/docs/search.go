package docs

import (
	"cmp"
	"context"
	"io"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/mcp-docs-server/mcp-docs-server/internal/library/dependencies"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/site"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/frontmatter"
)

// A Hit is a passage that matches a query.
type Hit struct {
	Path    string   // below the documents' folder; "" for a text of a source
	URI     string   // of a text of a source
	Heading string   // the nearest heading above the passage, or ""
	Line    int      // of the snippet in the file, from 1
	Snippet string   // one line; empty if the file has changed since it was indexed
	Matches [][2]int // starts and ends of the query's words in the snippet, ascending
	Score   float64
	Foreign bool                  // see [Text]
	Package *dependencies.Package // of a document of a dependency, whose Path begins with [dependencies.Folder]

	raw   string          // the passage from the snippet on
	code  code            // in which the snippet begins
	stems map[string]bool // of the query's words
	line  int             // of the snippet in the text with included files
}

const (
	maxQuery    = 4 << 10 // bytes of a query that are used
	hitsPerFile = 3       // so that one long document does not hide all others

	// indexWait is how long a search waits for an index that is being built. The index of a usual
	// project is ready by then.
	indexWait = time.Second
)

// Search returns at most limit passages, best first. If [Library.Index] was not called before,
// Search builds the index. If a build is running, Search waits for it for a second, and then
// searches only the paths of documents; indexed is false in that case. A word "path:guides" of the
// query restricts the search to documents with such paths. The error is ctx.Err().
func (l *Library) Search(ctx context.Context, query string, limit int) (hits []Hit, indexed bool, err error) {
	if l == nil || limit <= 0 {
		return nil, true, nil
	}
	query = excerpt.Cut(query, maxQuery)
	words, only, _ := l.filtered(query)
	indexed = true
	if l.builder != nil {
		x, err := l.await(ctx, only != nil, indexWait)
		if err != nil {
			return nil, false, err
		}
		if indexed = x != nil; indexed {
			hits = l.hits(ctx, x, x.parse(words), only, limit)
		} else {
			hits = l.searchPaths(ctx, words, only, limit)
		}
	}
	if l.deps != nil && (only == nil || len(only.languages)+len(only.versions) == 0) {
		more, ready, err := l.deps.search(ctx, query, limit)
		if err != nil {
			return nil, false, err
		}
		hits, indexed = append(hits, more...), indexed && ready
		slices.SortStableFunc(hits, func(a, b Hit) int { return cmp.Compare(b.Score, a.Score) })
		hits = hits[:min(len(hits), limit)]
	}
	return hits, indexed, ctx.Err()
}

// await returns the index as [Library.indexed] does, or nil if the build takes too long.
func (l *Library) await(ctx context.Context, whole bool, most time.Duration) (*index, error) {
	if x := l.indexed(whole); x != nil {
		return x, nil
	}
	l.builder.waiting.Add(1)
	defer l.builder.waiting.Add(-1)
	timer := time.NewTimer(most)
	defer timer.Stop()
	select {
	case <-l.builder.turn:
		defer func() { l.builder.turn <- struct{}{} }()
		err := l.build(ctx, whole, nil)
		return l.indexed(whole), err
	case <-timer.C:
		return nil, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// searchPaths finds documents by their paths.
func (l *Library) searchPaths(ctx context.Context, query string, only *filter, limit int) []Hit {
	var hits []Hit
	for _, s := range l.byPath(keywords([]string{query}), len(l.docs)) {
		if len(hits) == limit || ctx.Err() != nil {
			break
		}
		if !only.selects(l.files[s.path]) {
			continue
		}
		hits = append(hits, Hit{Path: s.path, Line: 1, Score: s.score})
	}
	return hits
}

// hits returns the best passages with their snippets.
func (l *Library) hits(ctx context.Context, x *index, terms []term, only *filter, limit int) []Hit {
	if len(x.passages) == 0 || len(terms) == 0 {
		return nil
	}
	best := x.rank(ctx, terms, min(limit, maxHits), hitsPerFile, only)
	stems := make(map[string]bool, len(terms))
	for _, t := range terms {
		for k, i := range t.from {
			stems[x.terms[i]] = stems[x.terms[i]] || t.share[k] == 1
		}
	}
	hits := make([]Hit, len(best))
	for i, f := range best {
		p := x.passages[f.passage]
		d := x.docs[p.doc]
		path := d.path
		if d.uri != "" {
			path = ""
		}
		hits[i] = Hit{Path: path, URI: d.uri, Heading: p.heading, Line: int(p.line), Score: float64(f.score), Foreign: d.foreign}
		if text, content, ok := l.passage(ctx, d, p); ok {
			text = norm.NFC.String(text)
			front := 0
			if p.offset == 0 {
				block, _ := frontmatter.Find(text)
				front = block.End
			}
			h := &hits[i]
			offset := snippet(text, front, stems)
			h.Line += strings.Count(text[:offset], "\n")
			h.line, h.stems, h.code, h.raw = h.Line, stems, codeAfter(text[:offset], p.code), excerpt.Cut(text[offset:], 4*snippetSize)
			h.Line = content.Line(h.Line)
			h.Snippet = onOneLine(h.raw)
			h.Matches = matches(h.Snippet, stems)
		}
	}
	return hits
}

// passage reads a passage from its file, and for a page of a site all of its text. It returns false if the file has changed.
func (l *Library) passage(ctx context.Context, d *document, p passage) (text string, c site.Content, ok bool) {
	f, err := l.open(d)
	if err != nil {
		return "", c, false
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !d.unchanged(info) {
		return "", c, false
	}
	if page := d.page(); page != nil {
		text, _, err := decode(f, d, maxIndexed)
		if err != nil {
			return "", c, false
		}
		if c, err = l.sites.Content(ctx, page, text); err != nil {
			return "", c, false
		}
		if text = d.searchable(c.Text); int(p.offset)+int(p.size) > len(text) { // an included file has changed
			return "", c, false
		}
		return text[p.offset:][:p.size], c, true
	}
	data, encoded := make([]byte, p.size), true
	if reader, ok := f.(io.ReaderAt); ok {
		var mark [2]byte
		_, _ = reader.ReadAt(mark[:], 0) // a shorter file has no mark
		if encoded = mark == [2]byte{0xff, 0xfe} || mark == [2]byte{0xfe, 0xff}; !encoded {
			_, err = reader.ReadAt(data, int64(p.offset))
		}
	}
	if encoded || err != nil && err != io.EOF || !utf8.Valid(data) {
		whole, _, err := l.read(ctx, d, maxIndexed) // offsets are positions in the decoded text
		if err != nil || uint64(len(whole)) < uint64(p.offset)+uint64(p.size) {
			return "", c, false
		}
		return whole[p.offset:][:p.size], c, true
	}
	return string(data), c, true
}

// maxHits bounds the number of hits, regardless of the request.
const maxHits = 100
