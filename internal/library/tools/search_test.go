package tools

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/tokens"
)

func TestConnector(t *testing.T) {
	tree := docsTree()
	tree["docs/bare words.md"] = &fstest.MapFile{Data: []byte("A tower without a heading.\n")}
	tree["resources/x/h/tower bell.bin"] = &fstest.MapFile{Data: []byte{0, 1}}
	long := strings.Repeat("a line of the long tale of forty-two bytes\n", 4000)
	tree["docs/tale.md"] = &fstest.MapFile{Data: []byte("# Tale\n" + long)}
	f := withDocs(t, "Acme/2", tree, Features{Connector: true})
	search := func(query string) []string {
		t.Helper()
		content, isError := f.use("search", map[string]any{"query": query})
		var answer struct {
			Results []struct{ ID, Title, URL string }
		}
		if err := json.Unmarshal([]byte(says(t, content)), &answer); err != nil || isError {
			t.Fatal(err, content)
		}
		var out []string
		for _, r := range answer.Results {
			if r.URL == "" {
				t.Errorf("%s has no url", r.ID)
			}
			out = append(out, r.ID+" "+r.Title)
		}
		return out
	}
	fetch := func(id string) (res struct {
		ID, Title, Text, URL string
		Metadata             map[string]string
	}, mistake string) {
		t.Helper()
		content, isError := f.use("fetch", map[string]any{"id": id})
		if isError {
			return res, says(t, content)
		}
		must.Do(t, json.Unmarshal([]byte(says(t, content)), &res))
		return res, ""
	}
	want := []string{"docs://Acme-2/index.md Index", "docs://Acme-2/bare%20words.md Bare words", "x://h/tower%20bell.bin tower bell.bin"}
	if diff := cmp.Diff(want, search("TOWER")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := search("x://h/two words"); len(got) == 0 || got[len(got)-1] != "x://h/two%20words.md two words.md" {
		t.Errorf("found %q", got)
	}
	if got := search("xyzzy"); len(got) != 0 {
		t.Errorf("found %q", got)
	}
	got, _ := fetch("docs://Acme-2/bare%20words.md")
	if got.Text != "A tower without a heading.\n" || got.Title != "Bare words" || got.URL != got.ID {
		t.Errorf("fetched %+v", got)
	}
	if got, _ := fetch("x://h/a.json"); got.Text != "{}" || got.Metadata["mimeType"] != "application/json" {
		t.Errorf("fetched %+v", got)
	}
	var whole strings.Builder
	for id := "docs://Acme-2/tale.md"; id != ""; {
		part, mistake := fetch(id)
		if mistake != "" || tokens.Estimate(part.Text) > tokens.MaxAnswer {
			t.Fatalf("%s is %d bytes, %s", id, len(part.Text), mistake)
		}
		whole.WriteString(part.Text)
		id = part.Metadata["next"]
	}
	if whole.String() != "# Tale\n"+long {
		t.Errorf("the parts have %d bytes", whole.Len())
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
		if _, mistake := fetch(id); !strings.Contains(mistake, reason) {
			t.Errorf("fetch %q: %q, want %q", id, mistake, reason)
		}
	}
	for _, args := range []any{nil, map[string]any{"query": " "}, map[string]any{"query": 1}, map[string]any{"q": "x"}} {
		if content, isError := f.use("search", args); !isError {
			t.Errorf("search %v: %v", args, content)
		}
	}
	if got := search(fmt.Sprint(strings.Repeat("(a+)+ ", 200_000))); len(got) != 0 {
		t.Errorf("found %q", got)
	}
}
