//go:build linux

package cli

import (
	"bytes"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/given"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

// In a repository that nobody shaped for the program, nothing but documents, their images and what they include reaches
// a client, whichever way it asks: a tool, a resource, the web UI, a package or a Worker.
func TestNothingLeaks(t *testing.T) {
	const token = "npm_" + "8fK2mQ7xW4vN9tR1yB6cZ3hJ5dL0sPaGeUoI"
	for name, site := range map[string]struct {
		root, include, docs string
		files               []string
	}{
		"MkDocs in a folder": {"manual/", "--8<-- %q\n", "", []string{
			"mkdocs.yml=docs_dir: manual\nexclude_docs: draft.md\nextra: hunter01\nnav: [index.md]\n", "manual/draft.md=last02"}},
		"Quarto in the project folder": {"", "{{< include %s >}}\n", `"docs": ".", `, []string{
			"_quarto.yml=project:\n  type: website\n# hunter01\n", "_draft.qmd=last02",
			`nb.ipynb={"cells": [{"cell_type": "code", "source": ["x = 1"], "outputs": [{"text": ["hunter03"]}]}], "metadata": {"widgets": "hunter03"}}`}},
	} {
		t.Run(name, func(t *testing.T) {
			r := site.root
			outside := given.Folder(t, "out.md=hunter04", "out.png=hunter04")
			planted := []string{".env=A=hunter05", ".git/config=hunter06", r + "made.md=hunter07", "node_modules/x/readme.md=hunter08", r + ".hidden/x.md=hunter09", r + "img/a.key=hunter10",
				r + "notes.txt=kept", "src/token.py=x = '" + token + "' # kept", r + "leak.md=kept " + token, r + "img/b.svg=<svg><!-- kept " + token + " --></svg>",
				"examples/a/b/c/d/e/f/s.py=hunter15", "config/secret.txt=kept", r + "img/c.png=hunter17", r + "AGENTS.md=hunter18", r + ".env=hunter19"}
			index := "# Start\n\nwords ![](img/a.png) ![](img/b.svg) ![](out.png) ![](img/c.png)\n\n"
			for _, of := range append(slices.Clone(planted), r+"out.md=", "mkdocs.yml=", "/etc/hostname=", "../out.md=") {
				name, _, _ := strings.Cut(of, "=")
				// A hidden file may be included from inside the documents' folder, if that is not the project folder.
				if !(r != "" && name == r+".hidden/x.md") && name != "config/secret.txt" && name != r+"notes.txt" && name != "mkdocs.yml" && name != r+"AGENTS.md" && name != r+"img/a.key" {
					index += fmt.Sprintf(site.include, name)
				}
			}
			index += fmt.Sprintf(site.include, "src/ok.py")
			project := given.Folder(t, slices.Concat(site.files, planted, []string{
				`mcp-docs-server.json={"name": "Acme", "package": "@acme/docs", "version": "1.2.3", ` + site.docs + `"docsResources": true, "tools": {"connector": true, "resources": true}, "search": {"resources": true}, "index": {"expose": ["summary", "full", "elements"]}}`,
				".gitignore=made.md\nc.png\n", "examples/a/b/c/d/e/f/.gitignore=s.py\n", r + "index.md=" + index, r + "img/a.png=png", "src/ok.py=okay = 1\n"})...)
			for _, file := range []string{"out.md", "out.png"} {
				must.Do(t, os.Symlink(filepath.Join(outside, file), filepath.Join(project, r, file)))
			}
			look := func(place, text string) {
				t.Helper()
				// A client finds its own words in an answer.
				if at := strings.Index(text, "hunter"); at >= 0 || strings.Contains(text, token) {
					t.Errorf("%s: %.200q", place, text[max(0, at-100):])
				}
			}
			base, _ := startHTTP(t, "--http=127.0.0.1:0", "--no-auth", project)
			get := func(path string) string {
				text := body(t, base+path)
				look("the web UI at "+path, text)
				return text
			}
			post := func(method string, params map[string]any) string {
				text := answerOf(t, base, method, params)
				look(method+" "+fmt.Sprint(params["name"], params["uri"], params["arguments"]), text)
				return text
			}
			tool := func(name string, arguments map[string]any) string {
				return post("tools/call", map[string]any{"name": name, "arguments": arguments})
			}
			if text := tool("searchAcme", map[string]any{"paths": []string{r + "index.md"}}); !strings.Contains(text, "okay = 1") || !strings.Contains(text, "words") {
				t.Fatalf("the document is not served: %s", text)
			}
			var names []string
			must.Do(t, filepath.WalkDir(project, func(name string, d fs.DirEntry, err error) error {
				below, _ := filepath.Rel(project, name)
				if !d.IsDir() && below != "src/ok.py" && below != "mcp-docs-server.json" {
					names = append(names, below, strings.TrimPrefix(below, r))
				}
				return err
			}))
			for _, name := range names {
				tool("searchAcme", map[string]any{"paths": []string{name}})
				tool("fetch", map[string]any{"id": "docs://Acme/" + name})
				tool("read_resource", map[string]any{"uri": "docs://Acme/" + name})
				post("resources/read", map[string]any{"uri": "docs://Acme/" + name})
				for _, kind := range []string{"/docs/", "/raw/docs/Acme/", "/r/docs/Acme/"} {
					get(kind + name)
				}
			}
			// What is found is shown with its text: the words of the queries are in the documents.
			for _, query := range []string{"words", "x", "svg", "start", "A"} {
				tool("searchAcme", map[string]any{"query": query})
				tool("search", map[string]any{"query": query})
			}
			list := post("resources/list", map[string]any{})
			for _, name := range []string{"docs://Acme/" + r + "index.md", "docs://Acme/" + r + "img/a.png", "docs://Acme/src/ok.py"} {
				if !strings.Contains(list, `"`+name+`"`) {
					t.Errorf("%s is not among the resources: %s", name, list)
				}
			}
			tool("list_resources", map[string]any{})
			for _, page := range []string{"/", "/docs/", "/llms.txt", "/llms-full.txt", "/r/"} {
				get(page)
			}
			for _, target := range []string{"npm", "cloudflare"} {
				output := filepath.Join(t.TempDir(), "out")
				try(t, "publish", "--target", target, "--with-errors", "--output", output, project).ends(0)
				files := 0
				if err := filepath.WalkDir(output, func(name string, d fs.DirEntry, err error) error {
					if err != nil || d.IsDir() {
						return err
					}
					files++
					data, err := os.ReadFile(name)
					below, _ := filepath.Rel(output, name)
					look("the package for "+target+", "+below, path.Base(below)+" "+string(data))
					if bytes.Contains(data, []byte("last02")) {
						t.Errorf("the package for %s has a document of the class last: %s", target, below)
					}
					return err
				}); err != nil || files < 5 {
					t.Errorf("%s: %d files, %v", target, files, err)
				}
			}
		})
	}
}

// Metrics are shown without a key only if no other computer can reach the server.
func TestLocalServer(t *testing.T) {
	dir := given.Folder(t, goodConfig, "docs/index.md=# I", "docs/.draft.md=x")
	has := func(base string, statuses map[string]int) {
		t.Helper()
		for path, want := range statuses {
			res := must.Get(http.Get(base + path))(t)
			if res.Body.Close(); res.StatusCode != want {
				t.Errorf("%s: %d, want %d", path, res.StatusCode, want)
			}
		}
	}
	base, _ := startHTTP(t, "--http=127.0.0.1:0", dir)
	has(base, map[string]int{"/metrics": 200})
	base, printed := startHTTP(t, "--http=0.0.0.0:0", "--no-auth", dir)
	if has(base, map[string]int{"/metrics": 404}); !strings.Contains(printed.String(), "add --allow-host NAME") {
		t.Error(printed)
	}
	for _, option := range []string{"--trusted-proxy=10.0.0.1", "--allow-host=docs.example.com", "--allow-origin=https://app.example.com"} {
		base, _ = startHTTP(t, option, "--http=127.0.0.1:0", dir)
		has(base, map[string]int{"/docs/.draft": 404, "/metrics": 404, "/metrics/json": 404, "/docs/": 200})
	}
}
