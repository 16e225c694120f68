package project

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// Resources and prompts are searched unless the settings say otherwise and the project has documents. A search reads their current version, and only texts.
func TestSearchedResources(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const on, off = `{"name": "a", "package": "a", "version": "1.0.0", "docsResources": true}`,
		`{"name": "a", "package": "a", "version": "1.0.0", "search": {"resources": false}}`
	write("mcp-docs-server.json", on)
	write("docs/walrus.md", "# Walrus\n\nThe walrus of the documents.\n")
	write("resources/zoo/a b.yaml", "# the walrus\nkind: Walrus\n")
	write("resources/zoo/picture.png", "\x89PNG\r\n\x1a\n\x00walrus")
	write("resources/zoo/bytes.txt", "walrus\x00\xff")
	l := follow(t, dir, LiveOptions{})
	finds := func(query string, want ...string) {
		t.Helper()
		deadline := time.After(time.Until(lastMoment(t)))
		for {
			changed := l.documents.Changed()
			library, err := l.documents.Load(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			hits, _, err := library.Search(t.Context(), query, 10)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, h := range hits {
				got = append(got, h.Path+h.URI+": "+h.Snippet)
			}
			if len(got) == len(want) {
				for i := range want {
					if got[i] != want[i] {
						t.Errorf("%q finds %q, want %q", query, got, want)
					}
				}
				return
			}
			select {
			case <-changed:
			case <-deadline:
				t.Fatalf("%q finds %q, want %q", query, got, want)
			}
		}
	}
	finds("walrus", "docs/walrus.md: The walrus of the documents.", "zoo://a%20b.yaml: # the walrus\nkind: Walrus")
	finds("walrus path:resources/zoo", "zoo://a%20b.yaml: # the walrus\nkind: Walrus")
	finds("walrus path:resources/*.json")
	finds("picture")
	write("prompts/ask.md", "Ask about a tusk.\n")
	finds("tusk", "prompt://ask: Ask about a tusk.")
	finds("bytes", "zoo://bytes.txt: ") // only by its name
	write("resources/zoo/a b.yaml", "kind: Narwhal\n")
	finds("narwhal", "zoo://a%20b.yaml: kind: Narwhal")
	write("mcp-docs-server.json", off)
	finds("narwhal")
	write("mcp-docs-server.json", on)
	finds("narwhal", "zoo://a%20b.yaml: kind: Narwhal")
	write("mcp-docs-server.json", off)
	finds("narwhal")
	if err := os.Remove(filepath.Join(dir, "docs/walrus.md")); err != nil {
		t.Fatal(err)
	}
	finds("narwhal", "zoo://a%20b.yaml: kind: Narwhal") // without documents, there is nothing else to search
}
