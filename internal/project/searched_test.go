package project

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/given"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/capability"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/docs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol/view"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// captures is a source whose texts change.
type captures struct {
	changed chan struct{}

	mu    sync.Mutex
	files fstest.MapFS // guarded by mu; replaced with each change
}

func (c *captures) Name() string                                   { return "the captures" }
func (c *captures) Snapshot(*loader.Catalog, string) view.Snapshot { return nil }
func (c *captures) Notify(func(view.Change))                       {}
func (c *captures) Changed() <-chan struct{}                       { return c.changed }
func (c *captures) Texts() docs.Source {
	c.mu.Lock()
	defer c.mu.Unlock()
	return captureTexts{c.files}
}

type captureTexts struct{ files fstest.MapFS }

func (c captureTexts) Texts() iter.Seq[docs.Text] {
	return func(yield func(docs.Text) bool) {
		for name, f := range c.files {
			if !yield(docs.Text{URI: "memory://cleaned/" + name, Path: "captures/" + name, Size: int64(len(f.Data)), ModTime: f.ModTime.UnixNano()}) {
				return
			}
		}
	}
}

func (c captureTexts) Open(uri string) (fs.File, error) {
	return c.files.Open(filepath.Base(uri))
}

// Captures are searched as they arrive, while the settings say so.
func TestSearchedCaptures(t *testing.T) {
	dir := t.TempDir()
	config := func(search string) {
		t.Helper()
		must.Write(t, filepath.Join(dir, "mcp-docs-server.json"), `{"search": `+search+`}`)
	}
	config(`{"captures": true}`)
	c := &captures{changed: make(chan struct{}, 1)}
	capture := func(text string) {
		c.mu.Lock()
		c.files = fstest.MapFS{"page": {Data: []byte(text), ModTime: time.Now()}}
		c.mu.Unlock()
		c.changed <- struct{}{}
	}
	l := follow(t, dir, LiveOptions{Sources: []view.Source{c}})
	finds(t, l, "walrus")
	capture("the walrus")
	finds(t, l, "walrus", "memory://cleaned/page: the walrus")
	capture("the seal")
	finds(t, l, "seal", "memory://cleaned/page: the seal")
	finds(t, l, "walrus")
	config(`{}`)
	finds(t, l, "seal")
}

// finds waits until a query finds these places, each with its text.
func finds(t *testing.T, l *Live, query string, want ...string) {
	t.Helper()
	var got []string
	must.Until(t, query, func() bool {
		hits, _, err := must.Get(l.documents.Load(t.Context()))(t).Search(t.Context(), query, 10)
		must.Do(t, err)
		got = nil
		for _, h := range hits {
			got = append(got, h.Path+h.URI+": "+h.Snippet)
		}
		return len(got) == len(want)
	})
	if !slices.Equal(got, want) {
		t.Errorf("%q finds %q, want %q", query, got, want)
	}
}

// Resources and prompts are searched unless the settings say otherwise and the project has documents. A search reads their current version, and only texts.
func TestSearchedResources(t *testing.T) {
	const on, off = `{"docsResources": true}`, `{"search": {"resources": false}}`
	dir := given.Folder(t, "mcp-docs-server.json="+on, "docs/walrus.md=# Walrus\n\nThe walrus of the documents.\n", "resources/zoo/a b.yaml=# the walrus\nkind: Walrus\n",
		"resources/zoo/picture.png=\x89PNG\r\n\x1a\n\x00walrus", "resources/zoo/bytes.txt=walrus\x00\xff")
	write := given.In(t, dir).Write
	l := follow(t, dir, LiveOptions{})
	finds(t, l, "walrus", "docs/walrus.md: The walrus of the documents.", "zoo://a%20b.yaml: # the walrus\nkind: Walrus")
	finds(t, l, "walrus path:resources/zoo", "zoo://a%20b.yaml: # the walrus\nkind: Walrus")
	finds(t, l, "walrus path:resources/*.json")
	finds(t, l, "picture")
	write("prompts/ask.md", "Ask about a tusk.\n")
	finds(t, l, "tusk", "prompt://ask: Ask about a tusk.")
	finds(t, l, "bytes", "zoo://bytes.txt: ") // only by its name
	write("resources/zoo/a b.yaml", "kind: Narwhal\n")
	finds(t, l, "narwhal", "zoo://a%20b.yaml: kind: Narwhal")
	write("mcp-docs-server.json", off)
	finds(t, l, "narwhal")
	write("mcp-docs-server.json", on)
	finds(t, l, "narwhal", "zoo://a%20b.yaml: kind: Narwhal")
	write("mcp-docs-server.json", off)
	finds(t, l, "narwhal")
	must.Do(t, os.Remove(filepath.Join(dir, "docs/walrus.md")))
	finds(t, l, "narwhal", "zoo://a%20b.yaml: kind: Narwhal") // without documents, there is nothing else to search
}

const indexed = `mcp-docs-server.json={"name": "Acme", "package": "acme", "version": "1.0.0", "index": true}`

// readIndex reads a document of the capability index as a client does.
func readIndex(t *testing.T, l *Live, uri string) (string, error) {
	t.Helper()
	data, _, err := protocol.NewClient(l.Server()).Call(t.Context(), "resources/read", map[string]string{"uri": uri})
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
		data, _, err := protocol.NewClient(l.Server()).Call(t.Context(), "resources/list", map[string]string{})
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
		discovered := must.Get(protocol.NewClient(l.Server()).Discover(t.Context()))(t)
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
