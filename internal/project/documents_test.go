package project

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-docs-server/mcp-docs-server/internal/author/check"
	"github.com/mcp-docs-server/mcp-docs-server/internal/author/explain"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/given"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/docs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/mcp/server"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol"
	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/pack"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/jsondoc"
)

// What determines the documents, in order of precedence.
func TestDocumentsAreChosen(t *testing.T) {
	const settings = `mcp-docs-server.json={"name":"x","package":"x","version":"1.0.0"`
	files := []string{"mkdocs.yml=docs_dir: manual", "manual/m.md=# M", "docs/d.md=# D", "docs/e.rst=x", "guide/g.md=# G"}
	for name, test := range map[string]struct {
		more   []string
		docs   string
		want   []string
		closed bool
	}{
		"detection":                    {nil, "", []string{"docs/d.md", "docs/e.rst", "guide/g.md", "manual/m.md"}, true},
		"--docs":                       {[]string{settings + `, "docs": "docs"}`}, "guide", []string{"guide/g.md"}, false},
		"the project folder":           {nil, ".", []string{"docs/d.md", "docs/e.rst", "guide/g.md", "manual/m.md"}, true},
		"the key docs":                 {[]string{settings + `, "docs": "guide", "sites": [{"root": "docs"}]}`}, "", []string{"docs/d.md", "docs/e.rst", "guide/g.md"}, false},
		"the key sites":                {[]string{settings + `, "sites": [{"root": "docs"}]}`}, "", []string{"docs/d.md", "docs/e.rst"}, true},
		"no site is looked for":        {[]string{settings + `, "sites": []}`}, "", []string{"docs/d.md", "docs/e.rst"}, false},
		"a configuration without docs": {[]string{settings + `}`}, "", []string{"docs/d.md", "docs/e.rst", "guide/g.md", "manual/m.md"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			p, warnings, err := Open(t.Context(), Options{Dir: given.Folder(t, append(files, test.more...)...), Docs: test.docs})
			if err != nil || len(warnings) > 0 {
				t.Fatal(warnings, err)
			}
			defer p.Close()
			library := must.Get(p.Documents(t.Context()))(t)
			var got []string
			for _, d := range library.Documents() {
				got = append(got, d.File())
			}
			if diff := cmp.Diff(test.want, got); diff != "" || library.Closed() != test.closed {
				t.Errorf("closed: %v, (-want +got):\n%s", library.Closed(), diff)
			}
		})
	}
}

// A folder of documents that does not exist is a mistake with its position, unless it is the default folder.
func TestDocsFolderMustExist(t *testing.T) {
	for docs, want := range map[string]string{
		"documentation": `docs is "documentation", which does not exist; did you mean docs/?`,
		"giude":         `docs is "giude", which does not exist; did you mean guide/?`,
		"guide/g.md":    `docs is "guide/g.md", which is a file, must be a folder; create it, or name another folder`,
		"docs/deeper":   `docs is "docs/deeper", which does not exist; create it, or name another folder`,
	} {
		dir := given.Folder(t, "docs/a.md=# A", "guide/g.md=# G", "mcp-docs-server.json={\"name\":\"x\",\"package\":\"x\",\"version\":\"1.0.0\",\n\"docs\":\""+docs+"\"}")
		for _, open := range []func(context.Context, Options) (*Project, jsondoc.Problems, error){Open, Locate} {
			if _, _, err := open(t.Context(), Options{Dir: dir}); err == nil || err.Error() != filepath.Join(dir, "mcp-docs-server.json:2:8: ")+want {
				t.Errorf("error %v, want %s", err, want)
			}
		}
		if report, err := Check(t.Context(), Options{Dir: dir}); err != nil || report.Errors != 1 || report.Findings[0].Message != want {
			t.Errorf("%s: report %v, %v", docs, report, err)
		}
		if p, _, err := Open(t.Context(), Options{Dir: dir, Docs: "guide"}); err != nil {
			t.Error(err)
		} else {
			p.Close()
		}
	}
	p, _, err := Open(t.Context(), Options{Dir: given.Folder(t, `mcp-docs-server.json={"name":"x","package":"x","version":"1.0.0","docs":"docs"}`)})
	must.Do(t, err)
	p.Close()
}

// An entry of "sites" that does not name a site is reported with its position.
func TestSitesAreChecked(t *testing.T) {
	dir := given.Folder(t, "mcp-docs-server.json={\"name\":\"x\",\"package\":\"x\",\"version\":\"1.0.0\",\n\"sites\":[{\"root\":\"gone\"},\n{\"root\":\".\",\"generator\":\"Hygo\"}]}")
	_, warnings, err := Open(t.Context(), Options{Dir: dir})
	if err != nil {
		t.Error(err)
	}
	if len(warnings) != 2 || !strings.HasPrefix(warnings[1].Reason, "sites[1].generator is ignored") || warnings[0].Reason != `sites[0].root is "gone", which is not a folder of the project` {
		t.Errorf("warnings %v", warnings)
	}
}

// A change of what a document includes, of the configuration and of a chosen folder's generator shows in the next search.
func TestSitesAreLive(t *testing.T) {
	for name, more := range map[string][]string{
		"detected": nil,
		"chosen":   {`mcp-docs-server.json={"name":"x","package":"x","version":"1.0.0"}`},
	} {
		t.Run(name, func(t *testing.T) {
			f := given.In(t, given.Folder(t, append([]string{"mkdocs.yml=nav: [a.md]", "docs/a.md=text\n\n--8<-- \"src/x/part.py\"\n", "docs/fr/b.md=# B", "src/x/part.py=walrus\n"}, more...)...))
			l := follow(t, f.Path, LiveOptions{})
			finds := func(query string) func() bool {
				return func() bool {
					hits, _, err := l.documents.Peek().Search(t.Context(), query, 5)
					return err == nil && len(hits) == 1 && hits[0].Path == "docs/a.md"
				}
			}
			must.Until(t, "the include", finds("walrus"))
			f.Write("src/x/part.py", "gadget and more\n")
			must.Until(t, "another include", finds("gadget"))
			f.Write("mkdocs.yml", "nav:\n  - Weasel: a.md\n")
			must.Until(t, "another title", finds("weasel"))
		})
	}
}

// What docsExclude covers, or git ignores, is neither a document nor a resource, however the documents are chosen, and changes
// of both are followed.
func TestDocsExclude(t *testing.T) {
	const settings = `mcp-docs-server.json={"name":"x","package":"x","version":"1.0.0","docsResources":true`
	const exclude = `"docsExclude":["docs/internal/","./**/*.draft.md"]`
	files := []string{"docs/a.md=# A\n\n--8<-- \"docs/internal/part.md\"\n", "docs/internal/secret.md=# Okapi", "docs/internal/part.md=Tapir", "docs/internal/p.png=x",
		"docs/x/b.draft.md=# Okapi", "docs/internals.md=# I", "docs/draft.md=# D"}
	for name, more := range map[string][]string{
		"a folder":           nil,
		"a folder of MkDocs": {"mkdocs.yml=nav: [a.md, draft.md, internals.md, internal/secret.md]"},
		"a site":             {"mkdocs.yml=site_name: x", `,"sites":[{"root":"docs"}]`},
	} {
		t.Run(name, func(t *testing.T) {
			keys := ""
			if len(more) == 2 {
				keys, more = more[1], more[:1]
			}
			f := given.In(t, given.Folder(t, append(append([]string{settings + keys + "}"}, files...), more...)...))
			l := follow(t, f.Path, LiveOptions{})
			served := func() (names []string) {
				catalog := must.Get(l.catalog.Load(t.Context()))(t)
				for r := range catalog.All() {
					names = append(names, "resource "+r.Path())
				}
				if s := l.documentFiles.Snapshot(nil, ""); s != nil {
					for r := range s.After("") {
						names = append(names, "resource "+r.Name)
					}
				}
				if library := l.documents.Peek(); library != nil {
					for file := range library.Files() {
						names = append(names, "document "+library.FileOf(file))
					}
					if hits, _, err := library.Search(t.Context(), "okapi", 5); err == nil && len(hits) > 0 {
						names = append(names, "found okapi")
					}
					if hits, _, err := library.Search(t.Context(), "tapir", 5); err == nil && len(hits) > 0 && len(more) > 0 {
						names = append(names, "found tapir")
					}
				}
				return names
			}
			await := func(what string, is func(names []string) bool) {
				t.Helper()
				must.Until(t, what, func() bool { return is(served()) })
			}
			has := func(names []string, part string) bool {
				return slices.ContainsFunc(names, func(name string) bool { return strings.Contains(name, part) })
			}
			await("without the key", func(names []string) bool {
				return has(names, "document docs/internal/secret.md") && has(names, "resource docs/internal/secret.md") && has(names, "found okapi")
			})
			f.Write("mcp-docs-server.json", strings.TrimPrefix(settings, "mcp-docs-server.json=")+keys+","+exclude+"}")
			await("with the key", func(names []string) bool {
				return !has(names, "internal/") && !has(names, "b.draft.md") && !has(names, "okapi") && has(names, "document docs/internals.md") && has(names, "resource docs/draft.md") &&
					(len(more) == 0 || has(names, "found tapir")) // what a document includes is a part of it
			})
			for _, name := range []string{"docs/internal/secret.md", "docs/x/b.draft.md"} {
				s := l.settings.Load()
				answer, err := explain.Ask(t.Context(), explain.Project{Files: l.project.Files, Docs: s.Config.Docs, Options: s.Loader, Library: l.documents.Peek()}, name)
				if err != nil || answer.Served || len(answer.Hidden) == 0 || answer.Hidden[0].Rule != "excluded" {
					t.Errorf("%s: %+v, %v", name, answer, err)
				}
			}
			f.Write(".gitignore", "/docs/draft.md\n")
			await("with .gitignore", func(names []string) bool {
				return !has(names, "docs/draft.md") && has(names, "document docs/internals.md")
			})
			f.Write(".gitignore", "")
			await("without .gitignore", func(names []string) bool {
				return has(names, "document docs/draft.md") && has(names, "resource docs/draft.md")
			})
		})
	}
}

// The first list of resources has the documents of sites.
func TestDocumentsInFirstList(t *testing.T) {
	dir := given.Folder(t, "docs/a.md=# A", `mcp-docs-server.json={"name":"x","package":"x","version":"1.0.0","docsResources":true,"sites":[{"root":"docs"}]}`)
	l := follow(t, dir, LiveOptions{})
	err := l.server.Visit(t.Context(), &protocol.Call{Method: "resources/list"}, func(ctx context.Context, v server.View) error {
		everything, err := v.Everything(ctx)
		if err != nil {
			return err
		}
		if _, ok := everything.Lookup("docs://x/docs/a.md"); !ok {
			t.Error("a document is not a resource")
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// Documents that a client waits for are read before the resources.
func TestDocumentsBeforeResources(t *testing.T) {
	l := must.Get(open(t, given.Folder(t, "docs/a.md=# A")).Live(LiveOptions{}))(t)
	defer l.Close()
	var work sync.WaitGroup
	defer work.Wait()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	close(l.compiled)
	found := make(chan int)
	go func() {
		library, err := l.documents.Load(ctx)
		if err != nil {
			t.Error(err)
		}
		found <- library.Len()
	}()
	l.work = &work
	if !l.readDocuments(ctx, newRefresher(l.watcher.Add, func() string { return "docs" }, nil)) {
		t.Error("the documents are not read")
	}
	if n := <-found; n != 1 {
		t.Errorf("%d documents", n)
	}
}

// Patterns of exclude are about resources. One that begins with the folder of the documents is a mistake; while the
// project is served, these documents are withheld. Of another one that matches documents, a warning says how many stay.
func TestExcludeThatNamesDocuments(t *testing.T) {
	const head = `{"name":"x","package":"x","version":"1.0.0"`
	files := []string{"docs/a.md=# A", "docs/internal/b.md=# B", "docs/internal/c.md=# C", "guide/d.md=# D", "resources/docs/h/internal/e.md=# E"}
	for _, test := range []struct{ keys, err, notice string }{
		{`"exclude": ["x", "docs/internal/**"]`, `mcp-docs-server.json:2:18: exclude[1] is "docs/internal/**", which names documents in docs/`, ""},
		{`"exclude": ["./docs"]`, "names documents in docs/", ""},
		{`"docs": "guide", "exclude": ["guide/d.md"]`, "names documents in guide/", ""},
		{`"sites": [{"root": "guide"}], "exclude": ["/guide/*"]`, "names documents in guide/", ""},
		{`"docs": "guide", "exclude": ["docs/h/**"]`, "", ""},
		{`"docsResources": true, "exclude": ["docs/x/a.md"]`, "", ""},
		{`"exclude": ["resources/docs/h/**", "resources/docs/internal/**"]`, "", ""},
		{`"exclude": ["**/*.md", "**/*.{md,mdx}"]`, "", ""},
		{`"exclude": ["**/internal/**"]`, "", `documents that it matches, 2, stay served`},
		{`"exclude": ["*/internal"]`, "", `documents that it matches, 2, stay served`},
		{`"exclude": ["**/internal/**"], "docsExclude": ["**/c.md"]`, "", `documents that it matches, 1, stay served`},
		{`"exclude": ["**/internal/**"], "docsExclude": ["docs/internal"]`, "", ""},
	} {
		dir := given.Folder(t, append(files, "mcp-docs-server.json="+head+",\n"+test.keys+"}")...)
		p, _, err := Open(t.Context(), Options{Dir: dir})
		report := must.Get(Check(t.Context(), Options{Dir: dir}))(t)
		var found []string
		for _, f := range report.Findings {
			if f.Rule == check.Settings {
				found = append(found, f.Message)
			}
		}
		if test.err != "" {
			if err == nil || !strings.Contains(err.Error(), test.err) || !strings.Contains(err.Error(), "docsExclude") || report.Errors != 1 {
				t.Errorf("%s: %v, %v", test.keys, err, found)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", test.keys, err)
			continue
		}
		library := must.Get(p.Documents(t.Context()))(t)
		warnings := ""
		for _, n := range library.Warnings() {
			warnings += n.Reason
		}
		if test.notice == "" && warnings != "" || !strings.Contains(warnings, test.notice) || (len(found) == 1) != (test.notice != "") {
			t.Errorf("%s: warnings %q, found %q", test.keys, warnings, found)
		}
		p.Close()
	}

	f := given.In(t, given.Folder(t, append(files, "mcp-docs-server.json="+head+`,"docs":"docs","docsResources":true}`)...))
	l := follow(t, f.Path, LiveOptions{})
	await := func(what string, is func(internal bool) bool) {
		t.Helper()
		must.Until(t, what, func() bool {
			library := must.Get(l.documents.Load(t.Context()))(t)
			_, resource := must.Get(l.catalog.Load(t.Context()))(t).Lookup("docs://x/internal/b.md")
			return resource == library.Has("internal/b.md") && is(resource) && library.Has("a.md")
		})
	}
	is, isNot := func(internal bool) bool { return internal }, func(internal bool) bool { return !internal }
	await("at the start", is)
	f.Write("mcp-docs-server.json", head+`,"docs":"docs","docsResources":true,"exclude":["docs/internal/**"]}`)
	await("with exclude", isNot)
	f.Write("mcp-docs-server.json", head+`,"docs":"docs","docsResources":true,"exclude":[}`)
	f.Write("docs/f.md", "# F")
	await("with another mistake", isNot)
	f.Write("mcp-docs-server.json", head+`,"docs":"docs","docsResources":true,"exclude":[]}`)
	await("without exclude", is)
}

// pemKey looks like a private key, and keyPart is a part of it.
const (
	keyPart = "q7Kq2ZwB9xMfT4vLpR8sGdYh3NcJ6eWu"
	pemKey  = "-----BEGIN RSA PRIVATE" + " KEY-----\n" + keyPart + "AQ5tXrHbVmPkCzDyFgSaEnUj\n-----END RSA PRIVATE" + " KEY-----\n"
)

// However documents are found, the same files are left out: files that git ignores, and files with a secret that cannot
// be removed. A note replaces a key.
func TestDocumentsHaveOneGate(t *testing.T) {
	const settings = `mcp-docs-server.json={"name":"x","package":"x","version":"1.0.0"`
	files := []string{
		".gitignore=/private.md\ndocs/private.md\n/docs/made/\n", ".git/info/exclude=*.local.md\n", "config/key.pem=" + pemKey, "private.md=# " + keyPart,
		"docs/index.md=# Index\n", "docs/private.md=# " + keyPart, "docs/made/x.md=# " + keyPart, "docs/me.local.md=# " + keyPart,
		"docs/tls.md=# TLS\n\n```pem\n" + pemKey + "```\n\nThe end.\n",
		"docs/open.md=# Open\n\n" + strings.SplitAfter(pemKey, "\n")[0] + strings.SplitAfter(pemKey, "\n")[1] + "\nmore\n",
	}
	links := map[string]string{"docs/b.md": "../config/key.pem", "docs/c.md": "../private.md", "docs/d.md": "private.md", "docs/e.md": "index.md"}
	all := []string{"docs/b.md", "docs/e.md", "docs/index.md", "docs/tls.md"}
	for name, test := range map[string]struct {
		more      []string
		docs      string
		resources []string
	}{
		"the fallback of a generator that publishes nothing": {[]string{"docs/_config.yml=title: x\n"}, "", nil},
		"a folder without a generator":                       {nil, "", nil},
		"a site":                                             {[]string{"mkdocs.yml=site_name: x\n"}, "", nil},
		"a configuration":                                    {[]string{settings + `}`}, "", nil},
		"a configuration and a site":                         {[]string{settings + `}`, "mkdocs.yml=site_name: x\n"}, "", nil},
		"the key docs":                                       {[]string{settings + `, "docs": "docs"}`}, "", nil},
		"the key sites":                                      {[]string{settings + `, "sites": [{"root": "docs"}]}`}, "", nil},
		"--docs":                                             {nil, "docs", nil},
		"docsResources":                                      {[]string{settings + `, "docs": "docs", "docsResources": true}`}, "", []string{"docs/b.md", "docs/e.md", "docs/index.md", "docs/open.md", "docs/tls.md"}},
		"docsResources of a site":                            {[]string{settings + `, "docsResources": true, "sites": [{"root": "docs"}]}`}, "", nil},
	} {
		t.Run(name, func(t *testing.T) {
			dir := given.Folder(t, append(files, test.more...)...)
			for link, target := range links {
				must.Do(t, os.Symlink(target, filepath.Join(dir, link)))
			}
			p, _, err := Open(t.Context(), Options{Dir: dir, Docs: test.docs})
			must.Do(t, err)
			defer p.Close()
			library := must.Get(p.Documents(t.Context()))(t)
			must.Do(t, library.Index(t.Context()))
			var served []string
			for _, d := range library.All() {
				text, err := d.Text(t.Context())
				if strings.Contains(text, keyPart) {
					t.Errorf("%s: %q", d.File(), text)
				}
				if err == nil {
					served = append(served, d.File())
				}
			}
			slices.Sort(served)
			must.Equal(t, all, served)
			if text := body(t, library, "docs/tls.md"); text != "# TLS\n\n```pem\n[removed: looks like a private key]\n\n\n```\n\nThe end.\n" {
				t.Errorf("%q", text)
			}
			if hits, _, err := library.Search(t.Context(), "TLS end", 5); err != nil || len(hits) == 0 || !strings.Contains(hits[0].Snippet, "The end.") {
				t.Errorf("%v, %v", hits, err)
			}
			catalog := must.Get(p.Scan(t.Context()))(t)
			var resources []string
			for r := range catalog.All() {
				_, data, err := catalog.Content(r, 1<<20)
				if strings.Contains(string(data), keyPart) {
					t.Errorf("%s: %q", r.URI(), data)
				}
				if resources = append(resources, r.LogicalPath()); err != nil && r.LogicalPath() != "docs/open.md" {
					t.Error(err)
				}
			}
			packed, err := pack.Gather(t.Context(), pack.Project{Files: p.Files, Config: p.Source.Config, Library: library, Release: true, Options: p.Loader})
			must.Do(t, err)
			findings, err := pack.Inspect(t.Context(), packed.Files, 0)
			if err != nil || len(packed.Removed) != 2 || packed.Removed[0].File != "docs/b.md" || packed.Removed[1].File != "docs/tls.md" || packed.Removed[1].Line != 4 {
				t.Errorf("removed %v, %v", packed.Removed, err)
			}
			if mounted := test.resources != nil; mounted != (len(findings) == 1) || len(findings) > 1 { // docs/open.md is a resource only
				t.Errorf("findings %v", findings)
			}
			for _, f := range packed.Files {
				var data bytes.Buffer
				if err := f.Copy(&data); err != nil || strings.Contains(data.String(), keyPart) != (f.Name == "docs/open.md") {
					t.Errorf("%s: %v, %q", f.Name, err, data.String())
				}
			}
			must.Equal(t, test.resources, resources, "resources")
		})
	}
}

// body returns the text of a document by the path of its file.
func body(t *testing.T, library *docs.Library, file string) string {
	t.Helper()
	for _, d := range library.All() {
		if d.File() == file {
			return must.Get(d.Text(t.Context()))(t)
		}
	}
	t.Fatalf("%s is not a document", file)
	return ""
}

// Documents of a folder that git ignores are served if the folder is named, and only then.
func TestIgnoredFolderIsNamed(t *testing.T) {
	const settings = `mcp-docs-server.json={"name":"x","package":"x","version":"1.0.0"`
	for name, test := range map[string]struct {
		settings, docs string
		want           []string
	}{
		"not named":              {settings + `}`, "", []string{"all/b.md"}}, // no folder docs that may be served
		"the key docs":           {settings + `, "docs": "docs", "docsResources": true}`, "", []string{"docs/a.md", "docs/made/x.md"}},
		"the key sites":          {settings + `, "sites": [{"root": "docs"}]}`, "", []string{"docs/a.md", "docs/made/x.md"}},
		"--docs":                 {"x.txt=", "docs", []string{"docs/a.md", "docs/made/x.md"}},
		"a folder in it":         {settings + `, "docs": "docs/made"}`, "", []string{"docs/made/x.md"}},
		"a folder around it":     {settings + `, "docs": "all", "docsResources": true}`, "", []string{"all/b.md"}},
		"the project folder":     {"x.txt=", ".", []string{"all/b.md"}},
		"a file of it is hidden": {settings + `, "docs": "docs", "docsExclude": ["docs/made/**"]}`, "", []string{"docs/a.md"}},
	} {
		t.Run(name, func(t *testing.T) {
			p, _, err := Open(t.Context(), Options{Dir: given.Folder(t, ".gitignore=/docs/\n*.tmp.md\nmade/\n", "docs/a.md=# A\n", "docs/made/x.md=# X\n", "all/b.md=# B\n", "all/b.tmp.md=# T\n", "all/made/c.md=# C\n", test.settings), Docs: test.docs})
			must.Do(t, err)
			defer p.Close()
			library := must.Get(p.Documents(t.Context()))(t)
			catalog := must.Get(p.Scan(t.Context()))(t)
			var got, resources []string
			for _, d := range library.Documents() {
				got = append(got, d.File())
				if _, err := d.Text(t.Context()); err != nil {
					t.Error(err)
				}
			}
			for r := range catalog.All() {
				resources = append(resources, r.LogicalPath())
			}
			must.Equal(t, test.want, got, "documents")
			if strings.Contains(test.settings, "docsResources") {
				must.Equal(t, test.want, resources, "resources")
			}
		})
	}
}
