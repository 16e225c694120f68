package docs

import (
	"context"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/given"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

func link(target string) *fstest.MapFile {
	return &fstest.MapFile{Data: []byte(target), Mode: fs.ModeSymlink | 0o777}
}

func scan(t testing.TB, fsys fs.FS, dir string, old *Library) *Library {
	t.Helper()
	return must.Get(Scan(context.Background(), fsys, dir, old, nil, nil))(t)
}

func answer(t testing.TB, l *Library, r Request) []string {
	t.Helper()
	return must.Get(l.Answer(context.Background(), r))(t)
}

// ask answers a single path.
func ask(t testing.TB, l *Library, path string) string {
	t.Helper()
	texts := answer(t, l, Request{Paths: []string{path}})
	if len(texts) != 1 {
		t.Fatalf("%d texts for %q", len(texts), path)
	}
	return texts[0]
}

func search(t testing.TB, l *Library, query string) []Hit {
	t.Helper()
	hits, _, err := l.Search(context.Background(), query, 10)
	must.Do(t, err)
	return hits
}

func body(t testing.TB, text string) string {
	t.Helper()
	if header, ok := strings.CutPrefix(text, "---\n"); ok { // the answer to a query has none
		_, text, _ = strings.Cut(header, "---\n\n")
	}
	return text
}

// sample is a small project.
func sample() fstest.MapFS {
	return given.Texts(map[string]string{
		"docs/index.md":                  "# Acme\n\nStart here.\n",
		"docs/guides/a.md":               "# Alpha\n\nInstalling the widget.\n\n## On Linux\n\nUse apt.\n\n### Old\n\nx\n\n## On Windows\n\nUse winget.\n",
		"docs/guides/b.mdx":              "# Beta\n\n<Tabs/>\n",
		"docs/guides/deep/c.md":          "# Gamma rays\n",
		"docs/guides/.hidden.md":         "hidden",
		"docs/guides/data.json":          "{}",
		"docs/guides/logo.png":           "\x89PNG\r\n\x1a\n\x00\x00",
		"docs/reference/api/client.md":   "# Client\n\nCall `readFile` or fetch_all.\n",
		"docs/reference/cli/index.md":    "# Command line\n",
		"docs/changelog.md":              "# Changes\n",
		"docs/node_modules/x/readme.md":  "x",
		"docs/my file.md":                "spaced",
		"docs/latin.md":                  "caf\xe9\n",
		"docs/utf16.md":                  "\xff\xfeh\x00i\x00",
		"docs/nul.md":                    "a\x00b\x1b[0m",
		"resources/docs/v1/secret.md":    "not below docs",
		"docs/installWidget_quickly.md":  "# Quick\n",
		"docs/reference/api/widget-x.md": "# X\n",
	})
}
