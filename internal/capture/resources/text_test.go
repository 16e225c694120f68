package resources

import (
	"slices"
	"strings"
	"testing"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/store"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/docs"
)

// Only public captures are found, by the words of their cleaned text.
func TestSearch(t *testing.T) {
	s, source := open(t, nil)
	put(t, s, "https://example.com/zoo/walrus", "", "# Walrus\n\nThe walrus eats clams.", func(_ *store.Meta, c store.Contents) {
		c[store.Raw] = []byte("<p>html walrus rawword")
	})
	put(t, s, "https://example.com/extracted", "", "", func(m *store.Meta, c store.Contents) {
		c[store.Extracted] = []byte("A narwhal.")
		delete(c, store.Cleaned)
	})
	put(t, s, "https://example.com/private", "alice", "The walrus of alice has a secretword.", nil)
	var library *docs.Library
	search := func(query string) (found []string) {
		t.Helper()
		library = library.With(library, source.Texts())
		hits, _, err := library.Search(t.Context(), query, 10)
		must.Do(t, err)
		for _, h := range hits {
			found = append(found, h.Heading+": "+h.Snippet)
			if item, ok := source.Snapshot(nil, "").Lookup(h.URI); !ok || item.URI != h.URI {
				t.Errorf("%s cannot be read", h.URI)
			}
		}
		return found
	}
	for query, want := range map[string][]string{
		"walrus":                             {"Walrus: The walrus eats clams."},
		"narwhal":                            {": A narwhal."},
		"rawword":                            nil,
		"secretword":                         nil,
		"secretwrod":                         nil, // not even as a corrected spelling
		"walrus path:captures/example.com":   {"Walrus: The walrus eats clams."},
		"walrus path:captures/example.com/b": nil,
	} {
		if got := search(query); !slices.Equal(got, want) {
			t.Errorf("%q finds %q, want %q", query, got, want)
		}
	}
	if answer, err := library.Answer(t.Context(), docs.Request{Query: "walrus"}); err != nil || !strings.Contains(answer[0], "untrusted text from the web") {
		t.Errorf("the answer does not say that it is untrusted: %q, %v", answer, err)
	}
	put(t, s, "https://example.com/zoo/walrus", "", "# Seal\n\nThe seals eat clams.", nil)
	if got := search("seal"); len(got) != 1 || !strings.Contains(got[0], "seals eat") {
		t.Errorf("it finds %q", got)
	}
	if got := search("eats walrus -seal path:captures/*/walrus"); len(got) != 0 && strings.Contains(got[0], "eats") {
		t.Errorf("what was replaced is found: %q", got)
	}
}
