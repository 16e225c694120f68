package worker

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/docs"
)

// A query reads some shards, so each must be small; the postings of a very frequent word have several.
func TestShardsAreSmall(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	fsys := fstest.MapFS{}
	for i := range 150 {
		var b strings.Builder
		for s := range 30 {
			fmt.Fprintf(&b, "## Section %d\n\n", s)
			for range 35 {
				fmt.Fprintf(&b, "everywhere word%d ", r.IntN(400_000))
			}
			b.WriteString("\n\n")
		}
		fsys[fmt.Sprintf("docs/%d.md", i)] = &fstest.MapFile{Data: []byte(b.String())}
	}
	var before []string
	for range 2 {
		library := must.Get(docs.Scan(t.Context(), fsys, "docs", nil, nil, nil))(t)
		b := &Builder{Project: Project{Library: library}}
		h := must.Get(b.searchIndex(t.Context(), false, func(docs.ExportedDocument) citation { return citation{"title", true} }))(t)
		if h.Passages != 4500 || len(h.Vocabulary) < 2 || len(h.Postings) < 2 || len(h.Texts) < 8 {
			t.Errorf("%d passages, %d parts of the vocabulary, %d of postings, %d of texts", h.Passages, len(h.Vocabulary), len(h.Postings), len(h.Texts))
		}
		var names []string
		for _, f := range b.assets.files() {
			names = append(names, f.Name)
			if f.Size > shardSize {
				t.Errorf("%s has %d bytes", f.Name, f.Size)
			}
		}
		if before != nil && strings.Join(before, " ") != strings.Join(names, " ") {
			t.Error("the same documents make other assets")
		}
		before = names
	}
}

// A reader finds the postings that were written.
func TestPlacesOfPostings(t *testing.T) {
	b := &Builder{}
	fsys := fstest.MapFS{"docs/a.md": {Data: []byte("# One\n\nalpha beta beta\n\n# Two\n\nalpha\n")}}
	library := must.Get(docs.Scan(t.Context(), fsys, "docs", nil, nil, nil))(t)
	b.Library = library
	h := must.Get(b.searchIndex(t.Context(), false, func(docs.ExportedDocument) citation { return citation{} }))(t)
	files := make(map[string][]byte)
	for _, f := range b.assets.files() {
		in, err := f.Open()
		must.Do(t, err)
		if files[f.Name], err = io.ReadAll(in); err != nil {
			t.Fatal(err)
		}
	}
	words := files[h.Vocabulary[0].Path]
	// Five terms in one block, from the start of the first shard: "a" is the file name, marked in both passages.
	if want := []byte{5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 'a'}; h.Vocabulary[0].First != "a" || !bytes.HasPrefix(words, want) {
		t.Errorf("%q begins %v, want %v", h.Vocabulary[0].First, words[:min(16, len(words))], want)
	}
}
