package tools

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/given"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/tokens"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
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
	text := says(f.t, content)
	if err := json.Unmarshal([]byte(text), &answer); err != nil || isError || strings.Contains(text, `"url":""`) {
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

// fetch returns the result of search with the same id and title, even if others have nearly the same
// URI.
func TestFetchGivesWhatSearchFound(t *testing.T) {
	tree := given.Files(
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
		must.Equal(t, want, slices.Sorted(slices.Values(got)), "mounted ", mounted)
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
			must.Equal(t, want, f.fetch(id), "mounted ", mounted, ", ", id)
		}
	}
}

// A text of any length can be fetched in parts, also one of long lines.
func TestFetchContinues(t *testing.T) {
	long := "# Tale\n" + strings.Repeat("a line of the long tale of forty-two bytes\n", 4000) + strings.Repeat("é", 100_000) + "\nend\n"
	f := withDocs(t, "Acme", given.Files("docs/long.md="+long, "resources/x/h/long.txt="+long), Features{Connector: true})
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

func TestConnector(t *testing.T) {
	tree := docsTree()
	tree["docs/bare words.md"] = &fstest.MapFile{Data: []byte("A tower without a heading.\n")}
	tree["resources/x/h/tower bell.bin"] = &fstest.MapFile{Data: []byte{0, 1}}
	f := withDocs(t, "Acme/2", tree, Features{Connector: true})
	for query, want := range map[string][]string{
		"TOWER":                           {"docs://Acme-2/index.md Index", "docs://Acme-2/bare%20words.md Bare words", "x://h/tower%20bell.bin tower bell.bin"},
		"x://h/two words":                 {"x://h/two%20words.md two words.md"},
		"xyzzy":                           nil,
		strings.Repeat("(a+)+ ", 200_000): nil,
	} {
		var got []string
		for _, r := range f.search(query) {
			got = append(got, r.ID+" "+r.Title)
		}
		if diff := cmp.Diff(want, got[max(0, len(got)-max(1, len(want))):]); diff != "" && len(got)+len(want) > 0 {
			t.Errorf("%.20s (-want +got):\n%s", query, diff)
		}
	}
	if got := f.fetch("x://h/a.json"); got.Text != "{}" || got.Metadata["mimeType"] != "application/json" {
		t.Errorf("fetched %+v", got)
	}
	for id, reason := range map[string]string{
		"":                                      "id is missing",
		"x://h/a.jso":                           "did you mean x://h/a.json?",
		"x://h/tower%20bell.bin":                "2 bytes of application/octet-stream, which is not text",
		"docs://Acme-2/../prompts/hello.md":     "resource not found",
		"docs://Acme-2/%2e%2e/prompts/hello.md": "resource not found",
		"docs://Other/index.md":                 "resource not found",
		"x://h":                                 `"x://h" is a folder`,
		"docs://Acme-2/index.md#L9":             "There is no line 9",
	} {
		if got := f.fetch(id).Text; !strings.HasPrefix(got, "error: ") || !strings.Contains(got, reason) {
			t.Errorf("fetch %q: %q, want %q", id, got, reason)
		}
	}
	for _, args := range []any{nil, map[string]any{"query": " "}, map[string]any{"query": 1}, map[string]any{"q": "x"}} {
		if content, isError := f.use("search", args); !isError {
			t.Errorf("search %v: %v", args, content)
		}
	}
}
