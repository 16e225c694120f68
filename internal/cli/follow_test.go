package cli

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/given"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

// Documents, prompts and titles follow changes, also of files behind links and of files with the
// same size and time.
func TestFollowsDocumentsAndPrompts(t *testing.T) {
	type question struct {
		method string
		params map[string]any
	}
	search := question{"tools/call", map[string]any{"name": "searchAcme", "arguments": map[string]any{"query": "weasel"}}}
	prompt := question{"prompts/get", map[string]any{"name": "a"}}
	list := question{"resources/list", nil}
	const found = "line 1"
	past := time.Now().Add(-time.Hour)
	// same replaces a file by one with the same number of bytes and the same time.
	same := func(f given.Dir, name, content string) {
		f.Write(name, content)
		must.Do(f.T, os.Chtimes(f.File(name), past, past))
	}
	for _, test := range []struct {
		name    string
		tree    []string
		prepare func(f given.Dir)
		change  func(f given.Dir)
		asked   question
		want    string
	}{
		{"a folder of documents that is a link", []string{"resources/x/h/d/a.md=a walrus"}, func(f given.Dir) { f.Link("resources/x/h/d", "docs") },
			func(f given.Dir) { f.Write("resources/x/h/d/a.md", "one weasel") }, search, found},
		{"a document that is a link", []string{"resources/x/h/a.md=a walrus", "docs/b.md="}, func(f given.Dir) { f.Link("../resources/x/h/a.md", "docs/a.md") },
			func(f given.Dir) { f.Write("resources/x/h/a.md", "one weasel") }, search, found},
		{"a folder of documents appears behind a link", []string{"resources/x/h/a.md=a walrus"}, func(f given.Dir) { f.Link("resources/x/h", "docs") },
			func(f given.Dir) { f.Write("resources/x/h/new/b.md", "one weasel") }, search, found},
		{"a folder of prompts that is a link", []string{"resources/x/h/p/a.md=one"}, func(f given.Dir) { f.Link("resources/x/h/p", "prompts") },
			func(f given.Dir) { f.Write("resources/x/h/p/a.md", "three") }, prompt, "three"},
		{"a prompt that is a link", []string{"resources/x/h/a.md=one", "prompts/b.md=b"}, func(f given.Dir) { f.Link("../resources/x/h/a.md", "prompts/a.md") },
			func(f given.Dir) { f.Write("resources/x/h/a.md", "three") }, prompt, "three"},
		{"documents below resources that could not be read", []string{`mcp-docs-server.json={"name": "Acme", "package": "a", "version": "1", "docs": "resources/docs/Acme"}`, "resources/docs/x="},
			func(f given.Dir) { f.Link("../../../..", "resources/docs/Acme") },
			func(f given.Dir) { f.Remove("resources/docs/Acme"); f.Write("resources/docs/Acme/a.md", "one weasel") }, search, found},
		{"a document of the same size and time", []string{"docs/a.md=a walrus"}, func(f given.Dir) { same(f, "docs/a.md", "a walrus") },
			func(f given.Dir) { same(f, "docs/a.md", "a weasel") }, search, found},
		{"a prompt of the same size and time", []string{"prompts/a.md=one"}, func(f given.Dir) { same(f, "prompts/a.md", "one") },
			func(f given.Dir) { same(f, "prompts/a.md", "two") }, prompt, "two"},
		{"a title of the same size and time", []string{`mcp-docs-server.json={"name": "Acme", "package": "a", "version": "1", "describe": true}`, "resources/x/h/a.md=# One"},
			func(f given.Dir) { same(f, "resources/x/h/a.md", "# One") }, func(f given.Dir) { same(f, "resources/x/h/a.md", "# Two") }, list, `"title":"Two"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			dir := given.Folder(t, append([]string{goodConfig}, test.tree...)...)
			f := given.In(t, dir)
			test.prepare(f)
			c := connect(t, dir)
			if got := c.call(test.asked.method, test.asked.params); strings.Contains(got, test.want) {
				t.Fatalf("at first: %s", got)
			}
			test.change(f)
			must.Until(t, test.name, func() bool { return strings.Contains(c.call(test.asked.method, test.asked.params), test.want) })
		})
	}
}
