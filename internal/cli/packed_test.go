package cli

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/given"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

// A server of a package answers as a server of the repository: lists, titles, URLs, texts, searches, languages and versions.
func TestPackedSites(t *testing.T) {
	for name, test := range map[string]struct {
		files   []string
		paths   []string
		queries []string
	}{
		"languages and includes": {
			[]string{"manual/en/mkdocs.yml=site_url: https://a.example/\nnav: [b.md, index.md]\n", "manual/en/docs/index.md=# Home { #home }\n\n--8<-- \"src/x.py:part\"\n\nzebra\n", "manual/en/docs/b.md=# Bee\n\n--8<-- \"manual/en/docs/.part.md\"\n",
				"manual/en/docs/.part.md=zebra part\n", "manual/de/mkdocs.yml=INHERIT: ../en/mkdocs.yml\n", "manual/de/docs/index.md=# Anfang\n\nzebra\n", "src/x.py=a = 0\n# --8<-- [start:part]\nzebra = 1\n# --8<-- [end:part]\n"},
			[]string{"index.md", "b.md", "manual/de/docs/index.md", "https://a.example/b/", "https://a.example/de/", "index.md#home", "/", "nope"},
			[]string{"zebra", "zebra language:de", "bee", "anfang path:manual/de"},
		},
		"versions": {
			[]string{"website/docusaurus.config.js=module.exports = {url: 'https://a.example', baseUrl: '/', presets: [['classic', {docs: {path: '../manual'}}]]}", `website/versions.json=["2.0", "1.0"]`, "manual/intro.md=# Next zebra\n",
				"website/versioned_docs/version-2.0/01-intro.md=---\nid: start\n---\nzebra two\n", "website/versioned_docs/version-1.0/intro.md=# Old zebra\n"},
			[]string{"01-intro.md", "https://a.example/docs/start", "manual/intro.md", "/"},
			[]string{"zebra", "zebra version:1.0", "zebra version:next"},
		},
		"a chosen folder": {
			[]string{"docs/conf.py=project = 'x'\nextensions = ['myst_parser']\nhtml_baseurl = 'https://a.example/'\n", "docs/index.md=# Home\n\n```{toctree}\nb\n```\n", "docs/b.md=# Bee\n\n```{include} ../NOTES.inc\n```\n", "NOTES.inc=zebra\n", "docs/other.txt=text\n"},
			[]string{"index.md", "b.md", "other.txt", "https://a.example/b.html", "/"},
			[]string{"zebra", "bee"},
		},
		"notebooks": {
			[]string{"docs/_quarto.yml=project:\n  type: website\nwebsite:\n  site-url: https://a.example\n", "docs/index.qmd=---\ntitle: Home\n---\n{{< include part.qmd >}}\n", "docs/part.qmd=zebra\n", `docs/nb.ipynb={"cells": [{"cell_type": "markdown", "source": "# Note zebra"}, {"cell_type": "code", "source": "x", "outputs": [{"text": "y"}]}]}`},
			[]string{"index.qmd", "nb.ipynb", "https://a.example/nb.html", "/"},
			[]string{"zebra"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			project := given.Folder(t, append(test.files, goodConfig)...)
			packed := filepath.Join(t.TempDir(), "packed")
			try(t, "publish", "--output", packed, project).ends(0)
			both := func(args ...string) (of [2]string) {
				t.Helper()
				for i, dir := range []string{project, packed} {
					of[i] = try(t, append(args, "--project", dir)...).ends(0).complainsOnly("").out
				}
				return of
			}
			var lists [2][]map[string]any
			for i, text := range both("list", "docs", "--json", "--all") {
				must.Do(t, json.Unmarshal([]byte(text), &lists[i]))
				for _, d := range lists[i] {
					delete(d, "modTime")
					if filepath.Ext(d["path"].(string)) == ".ipynb" {
						delete(d, "size") // it is packed without outputs
					}
				}
			}
			if diff := cmp.Diff(lists[0], lists[1]); diff != "" || len(lists[0]) < 2 {
				t.Errorf("list (-repository +package):\n%s", diff)
			}
			for _, path := range test.paths {
				args := must.Get(json.Marshal(map[string]any{"paths": []string{path}}))(t)
				if of := both("call", "searchAcme", string(args)); of[0] != of[1] || of[0] == "" {
					t.Errorf("%s (-repository +package):\n%s", path, cmp.Diff(of[0], of[1]))
				}
			}
			for _, query := range test.queries {
				if of := both("search", "--json", query); of[0] != of[1] || of[0] == "" {
					t.Errorf("%s (-repository +package):\n%s", query, cmp.Diff(of[0], of[1]))
				}
			}
		})
	}
}
