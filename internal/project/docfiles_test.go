package project

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/given"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/docs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/pack"
)

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
			if diff := cmp.Diff(all, served); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
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
			if diff := cmp.Diff(test.resources, resources); diff != "" {
				t.Errorf("resources (-want +got):\n%s", diff)
			}
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
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("documents (-want +got):\n%s", diff)
			}
			if strings.Contains(test.settings, "docsResources") {
				if diff := cmp.Diff(test.want, resources); diff != "" {
					t.Errorf("resources (-want +got):\n%s", diff)
				}
			}
		})
	}
}
