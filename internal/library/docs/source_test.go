package docs

import (
	"fmt"
	"io/fs"
	"iter"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/given"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// texts is a source in memory, by URI.
type texts struct {
	files fstest.MapFS
	uris  []string
	long  int64 // if positive, the size that the source reports for each text
}

func (s texts) Texts() iter.Seq[Text] {
	return func(yield func(Text) bool) {
		for _, u := range s.uris {
			name := strings.Replace(u, "://", "/", 1)
			text := Text{URI: u, Path: "resources/" + name, Size: s.long}
			if f := s.files[name]; f != nil && s.long == 0 {
				text.Size, text.ModTime = int64(len(f.Data)), f.ModTime.UnixNano()
			}
			if !yield(text) {
				return
			}
		}
	}
}

func (s texts) Open(uri string) (fs.File, error) {
	return s.files.Open(strings.Replace(uri, "://", "/", 1))
}

func TestWith(t *testing.T) {
	source := texts{given.Texts(map[string]string{
		"zoo/walrus.yaml": "# no heading\nwalrus: large\n", "zoo/seal.md": "# Seal\n\nNo walrus.\n", "zoo/gone.txt": "walrus", "zoo/bytes.txt": "walrus\x00",
	}), []string{"zoo://walrus.yaml", "zoo://seal.md", "zoo://gone.txt", "zoo://bytes.txt", "zoo://seal.md"}, 0}
	bare := scan(t, sample(), "docs", nil)
	l := bare.With(nil, source)
	delete(source.files, "zoo/gone.txt")
	if l.Len() != bare.Len() || l.Has("zoo://seal.md") {
		t.Error(l.Len())
	}
	if got := ask(t, l, "walrus"); strings.Contains(got, "zoo://") { // a resource is not suggested as a document
		t.Error(got)
	}
	answers := must.Get(l.Answer(t.Context(), Request{Query: "walrus"}))(t)
	if body := answers[0]; !strings.Contains(body, "1. zoo://walrus.yaml, line 2\n   # no heading\n   walrus: large\n2. zoo://seal.md, line 3: Seal\n   No walrus.\n\n[A name with ://") {
		t.Error(body)
	}
	// Unchanged texts are not read again, and a text that has changed since it was indexed is not
	// shown.
	read := l.builder.read
	source.files["zoo/seal.md"].Data = []byte("# Seal\n\nA secret walrus.\n")
	if hits := search(t, l, "walrus"); len(hits) != 2 || hits[1].Snippet != "" {
		t.Errorf("%+v", hits)
	}
	source.uris = []string{"zoo://walrus.yaml", "zoo://seal.md", "zoo://bytes.txt"}
	next := l.With(l, source) // also from a library that has other texts
	if hits := search(t, next, "secret"); len(hits) != 1 || hits[0].URI != "zoo://seal.md" || next.builder.read != read+1 {
		t.Errorf("%+v, %d texts read", hits, next.builder.read-read)
	}
	if hits := search(t, bare, "secret"); len(hits) != 0 {
		t.Errorf("%+v", hits)
	}
	var none *Library
	if only := none.With(nil, source); len(search(t, only, "walrus")) != 2 {
		t.Error("texts are not searched without documents")
	}
}

// The bytes of all texts are bounded.
func TestWithBounds(t *testing.T) {
	source := texts{files: make(fstest.MapFS), long: MaxText}
	for i := range MaxTexts/MaxText + 3 {
		source.uris = append(source.uris, fmt.Sprintf("zoo://%d.md", i))
		source.files[fmt.Sprintf("zoo/%d.md", i)] = &fstest.MapFile{}
	}
	bare := scan(t, sample(), "docs", nil)
	searched := func(l *Library) (texts int, warnings []loader.Warning) {
		must.Do(t, l.Index(t.Context()))
		return len(l.others), l.TakeWarnings()
	}
	if n, warnings := searched(bare.With(nil, source)); n != MaxTexts/MaxText || len(warnings) != 1 || !strings.HasPrefix(warnings[0].Reason, "3 resources are not searched") {
		t.Error(n, warnings)
	}
	source.long++
	if n, warnings := searched(bare.With(nil, source)); n != 0 || len(warnings) != 0 {
		t.Error("a text is longer than it may be", n, warnings)
	}
}

// Texts of sources change neither the order nor the scores of documents, and come after equal documents. Each hit says what it is.
func TestDocumentsComeFirst(t *testing.T) {
	bare := scan(t, given.Texts(map[string]string{"docs/seal.md": "# Seal\n\nThe seal swims.\n", "docs/walrus.md": "# Walrus\n\nThe walrus swims and sleeps.\n"}), "docs", nil)
	files := map[string]string{"review/a.md": "Review the seal.\n"}
	uris := []string{"prompt://review"}
	files["prompt/review"] = "# Review\n\nReview the seal.\n"
	for i := range 20 {
		files[fmt.Sprintf("zoo/seal%d.md", i)] = "# Seal\n\nThe seal swims.\n"
		uris = append(uris, fmt.Sprintf("zoo://seal%d.md", i))
	}
	alone := search(t, bare, "seal swims")
	with, _, err := bare.With(nil, texts{given.Texts(files), uris, 0}).Search(t.Context(), "seal swims", 100)
	must.Do(t, err)
	var documents []Hit
	kinds := make(map[string]bool)
	for i, h := range with {
		if kinds[h.Kind] = true; h.Kind == "document" {
			documents = append(documents, h)
		}
		if h.Kind == "resource" && i == 0 {
			t.Errorf("%s is before an equal document", h.URI)
		}
	}
	if len(with) == len(alone) || !kinds["resource"] || !slices.Equal(namesOf(documents), namesOf(alone)) || documents[0].Score != alone[0].Score {
		t.Errorf("%v and %v", namesOf(with), namesOf(alone))
	}
	answer, err := bare.With(nil, texts{given.Texts(files), uris, 0}).Answer(t.Context(), Request{Query: "review"})
	if err != nil || !strings.Contains(answer[0], "prompt://review") || !strings.Contains(answer[0], "is a prompt") {
		t.Errorf("%q, %v", answer, err)
	}
}

func namesOf(hits []Hit) (names []string) {
	for _, h := range hits {
		names = append(names, h.Path+h.URI)
	}
	return names
}
