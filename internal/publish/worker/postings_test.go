package worker

import (
	"fmt"
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
		b := newBuilder(Project{Library: library}, FileBytes)
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
