package cost_test

import (
	"fmt"
	"io/fs"
	"maps"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/mcp-docs-server/mcp-docs-server/internal/author/check"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/webclient"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/webpage"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/cost"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/config"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/gitignore"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/rootfs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/dependencies"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/dependencies/gomodules"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/dependencies/npm"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/docs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/dtsapi"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/goapi"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/prompts"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/skills"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/frontmatter"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/glob"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/jsondoc"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/secret"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/settings"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
	"github.com/mcp-docs-server/mcp-docs-server/matcher"
	"github.com/mcp-docs-server/mcp-docs-server/templates"
)

// configuration has the readers of configuration, lock files and front matter.
func configuration(t testing.TB) map[string]func(string) {
	readers := map[string]func(string){
		"JSON with comments": func(text string) { settings.Parse("a.json", text) },
		"YAML":               func(text string) { v, _ := settings.Parse("a.yml", text); settings.Texts(map[string]any(v), false) },
		"TOML":               func(text string) { settings.Parse("a.toml", text) },
		"our settings":       func(text string) { jsondoc.Parse("a.json", []byte(text)) },
		"front matter": func(text string) {
			if text = text[:min(len(text), frontmatter.MaxSize-10)]; strings.Contains(text, "\n") {
				text = text[:strings.LastIndexByte(text, '\n')]
			}
			b, _ := frontmatter.Find("---\n" + text + "\n---\n")
			settings.Titles(b)
			_, _ = frontmatter.Load(b.YAML)
			_, _ = settings.Parse(".yml", b.YAML)
		},
	}
	for _, name := range []string{"package-lock.json", "pnpm-lock.yaml", "yarn.lock", "bun.lock", "package.json", "go.mod"} {
		find := npm.Find
		if name == "go.mod" {
			find = gomodules.Find
		}
		readers[name] = func(text string) {
			fsys, dir := folder(t, map[string]string{"package.json": `{"dependencies": {"a": "1"}}`, name: text})
			defer fsys.Close()
			if found, err := find(t.Context(), dependencies.Options{Files: fsys, Dir: dir}); err == nil && found.Close != nil {
				found.Close()
			}
		}
	}
	return readers
}

func TestCostOfConfiguration(t *testing.T) {
	cost.Readers(t, []string{
		"[", "{", "(", "a: ", "a: 1\n", "\"a\": ", "'a', ", "a = ", "\n", "- ", "a\n", "/*", "//", "# ", "&a [*a, *a]", "a.", "<<: *a\n", ",", "`${", "=>", "!", "? ", "|\n ", "]", "a ? a : ", "...",
	}, configuration(t), "../../text/settings", "../../text/jsondoc", "../../text/frontmatter", "../../library/dependencies/npm", "../../library/dependencies/gomodules")
}

// documents has the readers of documents.
func documents(t testing.TB) map[string]func(string) {
	return map[string]func(string){
		"Markdown": func(text string) {
			headings := excerpt.Headings(text)
			excerpt.FindSection(text, headings, "b")
			excerpt.OfferSections(headings, "b")
			excerpt.Links(text, 1, func(excerpt.Link) {})
			for line := range strings.Lines(text) {
				excerpt.Plain(line)
				excerpt.OneLine(line)
			}
		},
		"secrets": func(text string) {
			_, _ = secret.Scan(t.Context(), strings.NewReader(text))
			secret.Mask([]byte(text))
		},
		"library": func(text string) {
			l, err := docs.Detect(t.Context(), fstest.MapFS{"docs/a.md": {Data: []byte(text)}, "docs/b.md": {Data: []byte("# B\n")}}, docs.Reading{})
			if err == nil {
				_, err = l.Answer(t.Context(), docs.Request{Paths: []string{"a.md"}, Query: "a b token", Section: "b"})
			}
			if err != nil {
				t.Error(err)
			}
			for _, d := range l.Documents() {
				d.Metadata()
			}
		},
		"queries": func(text string) {
			l, err := docs.Detect(t.Context(), fstest.MapFS{"docs/a.md": {Data: []byte("# A\n\na b: token\n")}}, docs.Reading{})
			if err == nil {
				_, err = l.Answer(t.Context(), docs.Request{Query: "a " + text, Alternatives: []string{text}})
			}
			if err == nil {
				_, err = l.Answer(t.Context(), docs.Request{Paths: []string{text[:min(len(text), 4000)], "a.md"}, Section: text, Keywords: []string{text}})
			}
			if err != nil {
				t.Error(err)
			}
		},
		"check": func(text string) {
			files := fstest.MapFS{"docs/a.md": {Data: []byte(text)}, "docs/b.md": {Data: []byte("# B\n\n[x](a.md#n)\n")}}
			library, err := docs.Detect(t.Context(), files, docs.Reading{})
			if err == nil {
				_, err = check.Run(t.Context(), check.Project{Files: files, Config: config.Default("a"), ConfigFile: config.File, Library: library})
			}
			if err != nil {
				t.Error(err)
			}
		},
		"skills": func(text string) {
			c, err := loader.Scan(t.Context(), fstest.MapFS{"skills/a/SKILL.md": {Data: []byte("---\nname: a\ndescription: " + text)}}, loader.Options{Mounts: []loader.Mount{skills.Mount()}})
			if err == nil {
				_, err = skills.NewReader().Problems(t.Context(), c)
			}
			if err != nil {
				t.Error(err)
			}
		},
		"prompts": func(text string) {
			_, err := prompts.Scan(t.Context(), fstest.MapFS{"prompts/a.md": {Data: []byte(text)}}, "prompts", nil)
			if err != nil {
				t.Error(err)
			}
		},
		"Go": func(text string) {
			_, _ = goapi.Render(t.Context(), goapi.Source{FS: fstest.MapFS{"a/a.go": {Data: []byte("package a\n\n" + text)}}, Dir: "a", ImportPath: "x/a"})
		},
	}
}

func TestCostOfDocuments(t *testing.T) {
	cost.Readers(t, []string{
		"[", "](", "*", "_", "`", "```\n", "# a\n", "> ", "- ", "\n", "a\n", "<", "<a href=", "&", "\\", "| ", "---\n", "[a]: b\n", "![", "\t", "{{", "}}", "-----BEGIN PRIVATE KEY-----\n", "token=", "é",
	}, documents(t), "../../text/excerpt", "../../text/directive", "../../text/secret", "../../text/frontmatter", "../../library/docs", "../../library/prompts", "../../library/goapi", "../../library/docsfs", "../../author/check")
}

// patterns has the readers of patterns of names.
func patterns(testing.TB) map[string]func(string) {
	return map[string]func(string){
		"glob": func(text string) {
			if g, err := glob.Parse(text); err == nil {
				g.Match("a/b/c/" + strings.Repeat("a", 100))
			}
		},
		".gitignore": func(text string) {
			g := gitignore.New(fstest.MapFS{".gitignore": {Data: []byte(text)}})
			g.Has("a/b/"+strings.Repeat("a", 100), false)
		},
	}
}

func TestCostOfPatterns(t *testing.T) {
	cost.Readers(t, []string{"*", "**", "/", "?", "[", "]", "{", "}", ",", "!", "a", "\\", "\n", "{a,b}", "a-z", "**/"}, patterns(t), "../../text/glob", "../../files/gitignore")
}

// pages has the readers of what servers send.
func pages(t testing.TB) map[string]func(string) {
	at, _ := url.Parse("https://a.example/a")
	page := func(kind string) func(string) {
		return func(text string) {
			_, _ = webpage.Choice{}.Read(webpage.Source{URL: at, ContentType: kind, Body: []byte(text)})
		}
	}
	return map[string]func(string){
		"HTML": page("text/html"), "Markdown page": page("text/markdown"), "plain text": page("text/plain"),
		"robots.txt": func(text string) { webclient.ParseRobots([]byte(text), "a") },
		"links": func(text string) {
			_ = webpage.ReadLeads(webpage.Source{URL: at, ContentType: "text/html", Body: []byte(text)}, nil, "a")
			webpage.Relink(text, func(*url.URL) string { return "" })
		},
		"templates": func(text string) {
			entries, _ := templates.Decode("a.json", []byte(`[{"uriTemplate": "`+text+`"}]`))
			matcher.New("a.json", entries)
		},
	}
}

func TestCostOfPages(t *testing.T) {
	cost.Readers(t, []string{
		"<div>", "<p", "<table><tr><td>", "</", "<!--", "<a href=a>", "<ul><li>", "<b>", "<pre>", "&amp;", "a ", "\n", "<script>", "<svg>", "<math>", "[", "`", "<h1>", "<font>", "<select><option>", "<template>",
	}, pages(t), "../../capture/webpage", "../../text/excerpt", "../../capture/webclient", "../../../templates")
}

// A declared is a package with one file of declarations.
type declared string

func (d declared) Read(_, name string) ([]byte, error) {
	switch name {
	case "package.json":
		return []byte(`{"name":"a"}`), nil
	case "index.d.ts":
		return []byte(d), nil
	}
	return nil, fs.ErrNotExist
}

func (declared) List(string, string) []string              { return nil }
func (declared) Package(string, string) (_ string, _ bool) { return "", false }

// declarations has the readers of the source of packages.
func declarations(t testing.TB) map[string]func(string) {
	return map[string]func(string){
		"TypeScript": func(text string) {
			_, _ = dtsapi.Render(t.Context(), declared(text), "a", "a")
		},
	}
}

func TestCostOfDeclarations(t *testing.T) {
	cost.Readers(t, []string{
		"export ", "declare ", "class a", "{", "}", "<", ">", "(", "[", "]", "`${", "`", "'", "\n", ";", ",", "=> ", "| ", "a", ": ", "= ", "extends ", "/** ", "*/", "@example\n", "@param a ", "{@link ", "//",
		"namespace a", "interface a {", "export * from './index';", "export * as a from './index';", "import a from './index';", "export { a };", "declare module 'a'", "export = a", "type a = ", "function a(", "const a",
		"/// <reference path='./index.d.ts'/>\n", "private ",
	}, declarations(t), "../../library/dtsapi", "../../text/directive")
}

// TestCostOfShapes has texts whose parts differ, and marks of secrets that could begin a key.
func TestCostOfShapes(t *testing.T) {
	numbered := func(n int, line string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, line, i)
		}
		return b.String()
	}
	types, settled, found := declarations(t)["TypeScript"], documents(t)["library"], documents(t)["secrets"]
	for _, test := range []struct {
		read func(string)
		text string
	}{
		{types, numbered(80_000, "/** %d */\nexport function a(): void\n")},
		{types, strings.Repeat(" ", 1<<20) + strings.Repeat("export function a(): void; ", 20_000)},
		{types, "export class A {" + strings.Repeat(" ", 1<<20) + numbered(1000, "/** a */ a%d(): void;") + "}"},
		{settled, "---\n" + numbered(5000, "a%d:\n") + strings.Repeat("<<: {}\n", 4000) + "---\n# A\n"},
		{pages(t)["HTML"], strings.Repeat("</>>", 64_000)},
		{found, strings.Repeat("MII ", 250_000)},
		{found, strings.Repeat("MIIf/wIBAA ", 100_000)},
		{found, strings.Repeat("LS0tLS1CRUdJTi ", 70_000)},
		{found, "-----BEGIN " + strings.Repeat("private key", 90_000)},
		{found, strings.Repeat("PuTTY-User-Key-File-2: ", 45_000)},
	} {
		cost.Check(t, test.text, test.read)
	}
}

// FuzzReaders repeats two texts after a third one, as the tests of this package do with tokens.
func FuzzCost(f *testing.F) {
	for which := range uint8(40) {
		f.Add(which, "", "[", "{")
		f.Add(which, "a: ", "# a\n", "<a>")
		f.Add(which, "<<", "/A [1 0 R]", "*a")
	}
	f.Fuzz(func(t *testing.T, which uint8, first, a, b string) {
		all := configuration(t)
		for _, more := range []map[string]func(string){documents(t), patterns(t), pages(t), declarations(t)} {
			maps.Copy(all, more)
		}
		names := slices.Sorted(maps.Keys(all))
		cost.Repeated(t, first, a+b, all[names[int(which)%len(names)]])
	})
}

// folder returns a folder on the disk with these files, and its path.
func folder(t testing.TB, files map[string]string) (*rootfs.FS, string) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		must.Write(t, filepath.Join(dir, name), text)
	}
	fsys := must.Get(rootfs.Open(dir))(t)
	return fsys, dir
}

// TestValuesThatDouble has values of values, each of which is twice as long as the one before.
func TestValuesThatDouble(t *testing.T) {
	for name, line := range map[string]string{
		"a.yml": "a%d: &a%[1]d [*a%d, *a%d]\n", "b.yml": "a%d: &a%[1]d {<<: *a%d, x: *a%d}\n",
	} {
		var b strings.Builder
		fmt.Fprintf(&b, "const a0 = '%s'\na0: &a0 [a]\n", strings.Repeat("x", 1000))
		for i := range 2000 {
			fmt.Fprintf(&b, line, i+1, i, i)
		}
		text := b.String()
		_, text, _ = strings.Cut(text, "\n")
		cost.Check(t, text, func(text string) { settings.Parse(name, text) })
	}
}
