package project

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/given"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/capability"
	"github.com/mcp-docs-server/mcp-docs-server/internal/mcp/server"
)

const indexed = `mcp-docs-server.json={"name": "Acme", "package": "acme", "version": "1.0.0", "index": true}`

// readIndex reads a document of the capability index as a client does.
func readIndex(t *testing.T, l *Live, uri string) (string, error) {
	t.Helper()
	data, _, err := server.NewClient(l.Server()).Call(t.Context(), "resources/read", map[string]string{"uri": uri})
	if err != nil {
		return "", err
	}
	var result struct {
		Contents []struct{ Text, MIMEType, URI string }
	}
	if err := json.Unmarshal(data, &result); err != nil || len(result.Contents) != 1 {
		t.Fatalf("%s: %v", data, err)
	}
	return result.Contents[0].Text, nil
}

// awaitIndex reads a document of the index until good accepts it.
func awaitIndex(t *testing.T, l *Live, uri, what string, good func(text string, err error) bool) string {
	t.Helper()
	var text string
	must.Until(t, what, func() bool {
		var err error
		text, err = readIndex(t, l, uri)
		return good(text, err)
	})
	return text
}

func complete(text string, err error) bool {
	return err == nil && !strings.Contains(text, "still being")
}

// sameTimes gives all files of a folder the same time.
func sameTimes(t *testing.T, f given.Dir, names ...string) {
	t.Helper()
	for _, name := range names {
		must.Do(f.T, os.Chtimes(f.File(name), time.Unix(1_700_000_000, 0), time.Unix(1_700_000_000, 0)))
	}
}

// The index has the same bytes for two copies of a project, after a restart, and after edits back
// and forth.
func TestIndexDependsOnTheProjectAlone(t *testing.T) {
	tree := []string{indexed, "docs/index.md=# Welcome\n\nSee [limits](limits.md).\n", "docs/limits.md=# Limits\n", "prompts/ask.md=# Ask\n", "resources/x/h/a=1", "resources/x/h/b.md=2"}
	files := []string{"docs/index.md", "docs/limits.md", "prompts/ask.md", "resources/x/h/a", "resources/x/h/b.md"}
	both := func(l *Live) string {
		return awaitIndex(t, l, capability.SummaryURI, "the start", complete) + awaitIndex(t, l, capability.FullURI, "the start", complete)
	}
	dir := given.Folder(t, tree...)
	f := given.In(t, dir)
	sameTimes(t, f, files...)
	l := follow(t, dir, LiveOptions{})
	want := both(l)
	other := given.Folder(t, tree...)
	sameTimes(t, given.In(t, other), files...)
	for name, dir := range map[string]string{"a copy": other, "another start": dir} {
		if got := both(follow(t, dir, LiveOptions{})); got != want {
			t.Errorf("the index of %s differs:\n%s\nwant:\n%s", name, got, want)
		}
	}
	f.Write("docs/new.md", "# New\n")
	f.Write("resources/x/h/a", "changed")
	awaitIndex(t, l, capability.FullURI, "an edit", func(text string, err error) bool {
		return complete(text, err) && strings.Contains(text, "`docs/new.md` New") && strings.Contains(text, "`x://h/a` (7 bytes)")
	})
	f.Remove("docs/new.md")
	f.Write("resources/x/h/a", "1")
	sameTimes(t, f, files...)
	awaitIndex(t, l, capability.SummaryURI, "back again", func(text string, err error) bool {
		return complete(text, err) && both(l) == want
	})
}

// The index follows the configuration, and an option overrides it.
func TestIndexFollowsTheConfiguration(t *testing.T) {
	dir := given.Folder(t, strings.Replace(indexed, `, "index": true`, "", 1), "resources/x/h/a=1")
	l := follow(t, dir, LiveOptions{})
	there := func(_ string, err error) bool { return err == nil }
	missing := func(_ string, err error) bool { return err != nil && strings.Contains(err.Error(), "not found") }
	listed := func() bool {
		data, _, err := server.NewClient(l.Server()).Call(t.Context(), "resources/list", map[string]string{})
		must.Do(t, err)
		return strings.Contains(string(data), capability.Scheme)
	}
	awaitIndex(t, l, capability.SummaryURI, "it is off", missing)
	if listed() {
		t.Error("the index is listed, though it is off")
	}
	config := func(value string) {
		given.In(t, dir).Write("mcp-docs-server.json", fmt.Sprintf(`{"name": "Acme", "package": "acme", "version": "1.0.0", "index": %s}`, value))
	}
	config("true")
	awaitIndex(t, l, capability.SummaryURI, "it is on", there)
	if !listed() {
		t.Error("the index is not listed")
	}
	config(`{"expose": ["stats"]}`)
	awaitIndex(t, l, capability.SummaryURI, "it is not exposed", missing)
	awaitIndex(t, l, capability.StatsURI, "it is exposed", there)
	awaitIndex(t, l, capability.ElementsURI(capability.Tools), "it is not exposed", missing)
	config("false")
	awaitIndex(t, l, capability.StatsURI, "it is off again", missing)

	// The instructions and the description of the tool name the summary, if there is one.
	named := func(l *Live) bool {
		discovered := must.Get(server.NewClient(l.Server()).Discover(t.Context()))(t)
		tools := l.Server().Tools()
		inInstructions, inTool := strings.Contains(string(discovered), capability.SummaryURI), strings.Contains(tools[0].Description, capability.SummaryURI)
		if inInstructions != inTool {
			t.Errorf("in the instructions %v, in the description of the tool %v", inInstructions, inTool)
		}
		return inInstructions
	}
	if named(l) {
		t.Error("the summary is named, though there is none")
	}
	on := true
	always := follow(t, dir, LiveOptions{Index: &on})
	if !named(always) {
		t.Error("the summary is not named")
	}
	awaitIndex(t, always, capability.SummaryURI, "an option turns it on", there)
}
