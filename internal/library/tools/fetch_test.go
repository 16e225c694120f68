package tools

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/loader"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/tokens"
)

// An answered is the answer of fetch. A result of search has some of its fields.
type answered struct {
	ID, Title, Text string
	Metadata        map[string]string
}

func (f *fixture) search(query string) []answered {
	f.t.Helper()
	content, isError := f.use("search", map[string]any{"query": query})
	var answer struct{ Results []answered }
	if err := json.Unmarshal([]byte(says(f.t, content)), &answer); err != nil || isError {
		f.t.Fatal(err, content)
	}
	return answer.Results
}

func (f *fixture) fetch(id string) answered {
	f.t.Helper()
	content, isError := f.use("fetch", map[string]any{"id": id})
	if isError {
		return answered{Text: "error: " + says(f.t, content)}
	}
	var a answered
	must.Do(f.t, json.Unmarshal([]byte(says(f.t, content)), &a))
	return a
}

func connectorTree(lines ...string) fstest.MapFS {
	tree := fstest.MapFS{}
	for _, line := range lines {
		name, content, _ := strings.Cut(line, "=")
		tree[name] = &fstest.MapFile{Data: []byte(content)}
	}
	return tree
}

// fetch returns the result of search with the same id and title, even if others have nearly the same
// URI.
func TestFetchGivesWhatSearchFound(t *testing.T) {
	tree := connectorTree(
		"docs/x.md=# Doc\n\nA walrus.\n", "resources/docs/acme/x.md=# Other\n\nA walrus.\n", // URIs that differ only in case
		"docs/both.md=# Hidden\n\nA weasel.\n", "resources/docs/Acme/both.md=# Served\n\nNo such animal.\n", // the same URI
		"docs/caf\u00e9 au lait.md=# Coffee\n\nA walrus.\n", "docs/bare.mdx=A walrus.\n", "docs/latin.md=# Latin\n\nA w\xe4lrus, a walrus.\n",
		"resources/x/h/walrus.md=text",
	)
	for _, mounted := range []bool{false, true} {
		f := withDocs(t, "Acme", tree, Features{Connector: true})
		if mounted {
			f.publish(tree, loader.Options{Mounts: []loader.Mount{{Dir: "docs", Scheme: "docs", Host: "Acme"}}})
		}
		var got []string
		for _, query := range []string{"walrus", "weasel", "md"} {
			for _, found := range f.search(query) {
				a := f.fetch(found.ID)
				if a.ID != found.ID || a.Title != found.Title || strings.HasPrefix(a.Text, "error: ") {
					t.Errorf("mounted %v: search finds %q, %q, fetch gives %+v", mounted, found.ID, found.Title, a)
				}
				if query == "walrus" {
					got = append(got, found.ID)
				}
				if query == "weasel" {
					t.Errorf("mounted %v: a document is found that %s does not give", mounted, found.ID)
				}
			}
		}
		want := []string{"docs://Acme/bare.mdx", "docs://Acme/caf%C3%A9%20au%20lait.md", "docs://Acme/latin.md", "docs://Acme/x.md", "x://h/walrus.md"}
		if diff := cmp.Diff(want, slices.Sorted(slices.Values(got))); diff != "" {
			t.Errorf("mounted %v (-want +got):\n%s", mounted, diff)
		}
		for id, want := range map[string]answered{
			"docs://Acme/x.md":             {"docs://Acme/x.md", "Doc", "# Doc\n\nA walrus.\n", map[string]string{"mimeType": "text/markdown"}},
			"docs://acme/x.md":             {"docs://acme/x.md", "x.md", "# Other\n\nA walrus.\n", map[string]string{"mimeType": "text/markdown"}},
			"docs://Acme/both.md":          {"docs://Acme/both.md", "both.md", "# Served\n\nNo such animal.\n", map[string]string{"mimeType": "text/markdown"}},
			"DOCS://Acme/both.md":          {"docs://Acme/both.md", "both.md", "# Served\n\nNo such animal.\n", map[string]string{"mimeType": "text/markdown"}},
			"docs://Acme/café au lait.md":  {"docs://Acme/caf%C3%A9%20au%20lait.md", "Coffee", "# Coffee\n\nA walrus.\n", map[string]string{"mimeType": "text/markdown"}},
			"docs://Acme/bare.mdx":         {"docs://Acme/bare.mdx", "Bare", "A walrus.\n", map[string]string{"mimeType": "text/mdx"}},
			"docs://Acme/latin.md":         {"docs://Acme/latin.md", "Latin", "# Latin\n\nA w\ufffdlrus, a walrus.\n", map[string]string{"mimeType": "text/markdown", "note": notExact}},
			"docs://Acme/latin.md#L3":      {"docs://Acme/latin.md", "Latin", "A w\ufffdlrus, a walrus.\n", map[string]string{"mimeType": "text/markdown", "note": notExact, "lines": "3-3 of 3"}},
			"docs://Acme/x.md#L3+2":        {"docs://Acme/x.md", "Doc", "walrus.\n", map[string]string{"mimeType": "text/markdown", "lines": "3-3 of 3"}},
			"docs://Acme/x.md#L3+99999999": {Text: "error: Line 3 has fewer bytes."},
		} {
			if diff := cmp.Diff(want, f.fetch(id)); diff != "" {
				t.Errorf("mounted %v: %s (-want +got):\n%s", mounted, id, diff)
			}
		}
	}
}

// A line of any length can be fetched in parts.
func TestFetchContinuesInALine(t *testing.T) {
	long := "short\n" + strings.Repeat("é", 100_000) + "\nend\n"
	f := withDocs(t, "Acme", connectorTree("docs/long.md="+long, "resources/x/h/long.txt="+long), Features{Connector: true})
	for _, id := range []string{"docs://Acme/long.md", "x://h/long.txt"} {
		var whole strings.Builder
		for next := id; next != ""; {
			part := f.fetch(next)
			if part.ID != id || part.Text == "" || tokens.Estimate(part.Text) > tokens.MaxAnswer {
				t.Fatalf("%s is %d bytes of %s", next, len(part.Text), part.ID)
			}
			whole.WriteString(part.Text)
			next = part.Metadata["next"]
		}
		if whole.String() != long {
			t.Errorf("the parts of %s have %d bytes", id, whole.Len())
		}
	}
}
