//go:build linux

package pack

import (
	"bytes"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/rootfs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/docs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/prompts"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/site"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/skills"
	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/bundle"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
	"github.com/mcp-docs-server/mcp-docs-server/matcher"
	"github.com/mcp-docs-server/mcp-docs-server/templates"
)

const hostileTemplates = `[{"uriTemplate": "config://{+path}", "name": "config", "description": "one of many", "describe": true}]`

// write makes a file; a content that begins with "-> " is the target of a link.
func write(t *testing.T, dir, name, content string) {
	t.Helper()
	file := dir + "/" + name // filepath.Join would clean names
	must.Do(t, os.MkdirAll(path.Dir(file), 0o700))
	var err error
	if target, ok := strings.CutPrefix(content, "-> "); ok {
		err = os.Symlink(target, file)
	} else {
		err = os.WriteFile(file, []byte(content), 0o600)
	}
	must.Do(t, err)
}

func hostileTree(t *testing.T) string {
	dir := t.TempDir()
	write(t, dir, "mcp-docs-server.json", `{"name": "Acme", "package": "@acme/docs", "version": "1.2.3", "index": {"expose": ["summary"]}}`)
	write(t, dir, "resources/templates.json", hostileTemplates)
	for i, name := range []string{
		"100%.md", "%2e%2e", "a%2Fb", " ", "with space ", "e\u0301.md", "\u00e9.md", "new\nline", "\n", "caf\xe9.txt", "\xff", "-rf", `back\slash`, "con", "a.", ":",
		strings.Repeat("x", 255), strings.Repeat("é", 127), strings.Repeat("\xff", 255), "empty",
	} {
		content := strings.Repeat("x", i)
		if name == "empty" {
			content = ""
		}
		write(t, dir, "resources/config/h/"+name, content)
		write(t, dir, "resources/folders/"+name+"/"+name, content)
		write(t, dir, "docs/"+name+"/page.md", "# "+name)
	}
	for name, content := range map[string]string{
		"resources/API/v1/users.json": "{}", "resources/api/v1/users.json": "{} ", "resources/api/v1/teams.json": "{}", "resources/top/file": "1",
		"resources/config/h/logo.png": "png", "resources/config/h/logo.png.meta.json": `{"title": "Logo"}`, "resources/config/h/said.md": "# Said so\n",
		"resources/config/h/.hidden": "s", "resources/config/.git/config": "s", "resources/config/h/a~": "s", "resources/config/.well-known/x": "kept", "resources/drafts/h/a": "s",
		"resources/loose.txt": "s", "resources/under_score/h/a": "s", ".env": "s", "src/main.go": "s",
		"resources/links/h/file": "-> ../../config/h/100%.md", "resources/links/h/folder": "-> ../../folders/100%.md", "resources/links/h/out": "-> /etc/passwd", "resources/links/h/self": "-> .",
		"resources/links/h/doc.md": "-> ../../../docs/index.md", "resources/links/h/env": "-> ../../../.env", "elsewhere/x/y": "elsewhere", "elsewhere/.x/y": "s", "resources/links/h/elsewhere": "-> ../../../elsewhere",
		"docs/index.md": "# Index\n", "docs/linked.md": "-> ../elsewhere/x/y", "docs/guides": "-> ../resources/folders", "docs/image.png": "\x89PNG\r\n\x1a\n\x00", "docs/notes.txt": "text", "docs/.draft.md": "s",
		"prompts/review.md": "Review\n", "prompts/review.mdx": "not served", "prompts/deep/er/ask.mdx": "Ask", "prompts/linked.md": "-> deep/er/ask.mdx", "prompts/broken.md": "---\nargs: [\n---\n", "prompts/readme.txt": "s",
		"skills/git/SKILL.md": "---\nname: git\ndescription: d\n---\n", "skills/git/\xff/100%": "\xff\xfea\x00", "skills/git/.env": "s", "skills/git/folder": "-> ../../elsewhere", "skills/notes.md": "s", "resources/skill/git/SKILL.md": "s",
	} {
		write(t, dir, name, content)
	}
	return dir
}

// A shown is everything that a server shows to its clients.
type shown struct {
	Resources, Documents, Prompts map[string]string
}

func scanOptions(t *testing.T) loader.Options {
	t.Helper()
	entries, problems := templates.Decode("templates.json", []byte(hostileTemplates))
	index, found := matcher.New("templates.json", entries)
	if len(problems)+len(found) > 0 {
		t.Fatal(problems, found)
	}
	return loader.Options{Templates: index, Include: []string{"**/.well-known/**", "**"}, Exclude: []string{"drafts"},
		Mounts: []loader.Mount{{Dir: "docs", Scheme: "docs", Host: "Acme"}, skills.Mount()}}
}

func show(t *testing.T, dir string) shown {
	t.Helper()
	files := openRoot(t, dir)
	s := shown{map[string]string{}, map[string]string{}, map[string]string{}}
	catalog := must.Get(loader.Scan(t.Context(), files, scanOptions(t)))(t)
	for r := range catalog.All() {
		_, data, err := catalog.Content(r, 1<<20)
		must.Do(t, err)
		s.Resources[r.URI()] = catalog.MIME(r) + " " + catalog.Metadata(r).Title + " " + string(data)
	}
	library := must.Get(docs.Detect(t.Context(), files, docs.Reading{Sites: site.Options{Chosen: "docs"}}))(t)
	for name := range library.Files() {
		f, err := library.Open(name)
		must.Do(t, err)
		data, err := io.ReadAll(f)
		f.Close()
		must.Do(t, err)
		s.Documents[name] = string(data)
	}
	set := must.Get(prompts.Scan(t.Context(), files, prompts.Folder, nil))(t)
	for _, p := range set.Prompts() {
		s.Prompts[p.Name] = p.Title + " " + p.File
	}
	return s
}

func openRoot(t *testing.T, dir string) *rootfs.FS {
	t.Helper()
	files := must.Get(rootfs.Open(dir))(t)
	t.Cleanup(func() { files.Close() })
	return files
}

func detect(t *testing.T, files *rootfs.FS) *docs.Library {
	t.Helper()
	return must.Get(docs.Detect(t.Context(), files, docs.Reading{Sites: site.Options{Chosen: "docs"}}))(t)
}

func gather(t *testing.T, dir string) *Contents {
	t.Helper()
	config := must.Get(os.ReadFile(filepath.Join(dir, "mcp-docs-server.json")))(t)
	files := openRoot(t, dir)
	c, err := Gather(t.Context(), Project{Files: files, Config: string(config), Templates: hostileTemplates, Library: detect(t, files), Options: scanOptions(t)})
	must.Do(t, err)
	return c
}

// A server of the packed files shows what a server of the project shows.
func TestPackedIsServedTheSame(t *testing.T) {
	dir := hostileTree(t)
	c := gather(t, dir)
	want, unpacked := show(t, dir), filepath.Join(t.TempDir(), "unpacked")
	must.Do(t, bundle.WriteFolder(unpacked, c.Files))
	must.Equal(t, want, show(t, unpacked), "-project +unpacked")
	if c.Resources != len(want.Resources) || len(c.Prompts) != len(want.Prompts) || len(want.Resources) < 80 || len(want.Prompts) != 3 {
		t.Errorf("%d resources and %d prompts, served are %d and %d", c.Resources, len(c.Prompts), len(want.Resources), len(want.Prompts))
	}
	// Only served files are packed, so packing the packed files omits nothing.
	for _, name := range []string{dir, unpacked} { // the packed project has the same configuration
		if config, err := os.ReadFile(filepath.Join(name, "mcp-docs-server.json")); err != nil || !strings.Contains(string(config), `"index": {"expose": ["summary"]}`) {
			t.Errorf("%s, %v", config, err)
		}
	}
	again := gather(t, unpacked)
	if len(again.Omitted) > 0 || len(again.Files) != len(c.Files) {
		t.Errorf("packed again: %d files, were %d; omitted %v", len(again.Files), len(c.Files), again.Omitted)
	}
	for _, f := range c.Files {
		if strings.Contains(f.Name, ".env") || strings.HasPrefix(f.Name, "src/") || strings.HasPrefix(f.Name, "elsewhere/") {
			t.Errorf("%q is packed", f.Name)
		}
	}
}

func TestRoot(t *testing.T) {
	dir := t.TempDir()
	for name, content := range map[string]string{"README.md": "r", "LICENSE": "-> legal/mit", "legal/mit": "MIT", "README": "-> /etc/hostname", "README.d/x": "", ".README": "", "main.go": ""} {
		write(t, dir, name, content)
	}
	files, warnings, err := Root(openRoot(t, dir), func(name string) bool { return strings.HasPrefix(name, "README") || name == "LICENSE" })
	must.Do(t, err)
	var got []string
	for _, f := range files {
		var b bytes.Buffer
		must.Do(t, f.Copy(&b))
		got = append(got, f.Name+" "+b.String())
	}
	must.Equal(t, []string{"LICENSE MIT", "README.md r"}, got)
	must.Equal(t, []loader.Warning{{Path: "README", Reason: "is not packed: is a link that leads out of the project folder"}}, warnings)
}

// What git ignores and is packed all the same is said, a folder once.
func TestIgnoredIsSaid(t *testing.T) {
	dir := t.TempDir()
	must.Do(t, os.Mkdir(filepath.Join(dir, ".git"), 0o700))
	for name, text := range map[string]string{
		".gitignore": "*.local.md\n/resources/private/\n", "docs/a.md": "# A\n", "resources/x/h/a.local.md": "a", "resources/x/h/b.md": "b",
		"resources/private/h/1": "1", "resources/private/h/2": "2", "skills/s/SKILL.md": "---\nname: s\ndescription: s\n---\n", "skills/s/b.local.md": "b",
	} {
		write(t, dir, name, text)
	}
	files := openRoot(t, dir)
	c, err := Gather(t.Context(), Project{Files: files, Library: detect(t, files), Options: loader.Options{Mounts: []loader.Mount{skills.Mount()}}, Release: true})
	must.Do(t, err)
	var said []string
	for _, n := range c.Notices {
		said = append(said, n.Path+" "+n.Reason)
	}
	const ignored = " is published, although git ignores it"
	if want := []string{"resources/private/" + ignored, "resources/x/h/a.local.md" + ignored, "skills/s/b.local.md" + ignored}; !slices.Equal(said, want) {
		t.Errorf("%q", said)
	}
}
