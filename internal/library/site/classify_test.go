package site

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/given"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/docsfs"
)

// classes returns a line a document: its file, its title if that is asked for, and its class.
func classes(s *Set, titles bool) string {
	var b strings.Builder
	for _, p := range s.Pages(true) {
		b.WriteString(p.File)
		if titles {
			b.WriteString(" | " + p.Title)
		}
		fmt.Fprintf(&b, " %v\n", p.Class)
	}
	return b.String()
}

// A file that a person can read is a document, unless somebody said that it is not. Guesses order only.
func TestDocuments(t *testing.T) {
	for _, c := range given.Cases(t, "documents.txt") {
		must.Equal(t, c.Text+"\n", classes(load(t, c.Files), false), c.Name)
	}
}

// A title is one of the document, or the name of its file: dates and versions stay, and a number that only orders files goes.
func TestTitles(t *testing.T) {
	s := load(t, map[string]string{
		"docs/中文笔记.md": "text", "docs/2024-01-05.md": "text", "docs/404 errors.md": "text", "docs/get-started.md": "text", "docs/a.md": "# First { #first }\n# Second", "docs/b.md": "---\ntitle: Front\n---\n# Heading", "docs/c.md": "## Only\n\n### Sub",
		"docs/g/01-intro.md": "text", "docs/g/02-next_steps.md": "text", "docs/three/README.md": "text", "docs/ähnlich.md": "text",
	})
	want := map[string]string{
		"docs/中文笔记.md": "中文笔记", "docs/2024-01-05.md": "2024-01-05", "docs/404 errors.md": "404 errors", "docs/get-started.md": "Get started", "docs/a.md": "First", "docs/b.md": "Front", "docs/c.md": "Only",
		"docs/g/01-intro.md": "Intro", "docs/g/02-next_steps.md": "Next steps", "docs/three/README.md": "Three", "docs/ähnlich.md": "Ähnlich",
	}
	got := make(map[string]string)
	for _, p := range s.Pages(true) {
		got[p.File] = p.Title
	}
	must.Equal(t, want, got)
}

// The name of a site counts wherever its configuration lies, but not in tests.
func TestTitleOfSite(t *testing.T) {
	files := map[string]string{"docs/a.md": "# A\n", "website/docusaurus.config.js": "module.exports = {\n  title: 'Redux',\n}\n", "test/x/docusaurus.config.js": "module.exports = {\n  title: 'Fixture',\n}\n"}
	if s := load(t, files); s.Names().Title != "Redux" {
		t.Errorf("%q", s.Names().Title)
	}
	files["site/mkdocs.yml"] = "site_name: Other\n"
	if s := load(t, files); s.Names().Title != "" {
		t.Errorf("of two: %q", s.Names().Title)
	}
}

// The folder with all main documents is not one of several that hold them.
func TestBase(t *testing.T) {
	files := map[string]string{"README.md": "# R\n", "docs/guides/a.md": "# A\n", "docs/guides/b.md": "# B\n"}
	if s := load(t, files); s.Base() != "docs" {
		t.Error(s.Base())
	}
	files["docs.json"], files["index.md"] = `{"navigation": []}`, "# I\n"
	if s := load(t, files); s.Base() != "." {
		t.Errorf("with an index next to it: %s", s.Base())
	}
}

// AsciiDoc may be called .asc, and so may signatures.
func TestSignatures(t *testing.T) {
	s := load(t, map[string]string{"docs/a.asc": "= A\n", "docs/b.asc": "-----BEGIN PGP SIGNATURE-----\nx\n", "book.asc": "= Book\n"})
	if got := outline(s.Pages(true)); got != "docs/a.asc | A\nbook.asc | Book\n" || len(s.Hidden()) != 1 {
		t.Errorf("%s, hidden %v", got, s.Hidden())
	}
}

// What git ignores, and hidden files, are not read as configuration.
func TestConfigurationReadsNoPrivateFiles(t *testing.T) {
	const private = "site_name: Private\nnav: [{Private: a.md}]\n"
	for _, config := range []string{"mkdocs.yml", ".private/mkdocs.yml", "docs/.vitepress/mkdocs.yml"} {
		s := load(t, map[string]string{".gitignore": "/mkdocs.yml\n", config: private, "docs/a.md": "text\n"})
		if p := s.Page("docs/a.md"); s.Names().Title != "" || p.Title != "A" {
			t.Errorf("%s: %q, %q", config, s.Names().Title, p.Title)
		}
	}
	if s := load(t, map[string]string{"mkdocs.yml": private, "docs/a.md": "text\n"}); s.Names().Title != "Private" || s.Page("docs/a.md").Title != "Private" {
		t.Errorf("%q", s.Names().Title)
	}
}

// Of the parts of pages in a folder, only the first are read.
func TestManyParts(t *testing.T) {
	must.SkipUnderRace(t)
	files := map[string]string{"docs/a.md": "# A"}
	for i := range maxLast + 5 {
		files[fmt.Sprintf("static/usage/%d/part.md", i)] = "# Part"
	}
	s := load(t, files)
	unread := 0
	for _, p := range s.Pages(true) {
		if p.PathOnly {
			unread++
		}
	}
	if n := s.Warnings(); unread != 5 || len(n) != 1 || n[0].Path != "static" || !strings.Contains(n[0].Reason, "5 of them are found by their paths only") {
		t.Errorf("%d are not read, warnings %v", unread, n)
	}
}

// PDF files are documents after all others, and published only from a folder that somebody names. Nothing of them is read.
func TestPDFs(t *testing.T) {
	code := map[string]string{"go.mod": "", "a.go": "", "docs/a.md": "# A\n", "docs/m.pdf": "x", "docs/n.docx": "", "test/x.pdf": "x"}
	notes := map[string]string{"README.md": "# R\n", "a.pdf": "x", "papers/b.pdf": "x", "papers/fr/c.PDF": "x"}
	for _, c := range []struct {
		files map[string]string
		o     Options
		want  string
	}{
		{code, Options{}, "docs/a.md main, docs/m.pdf other"},
		{code, Options{Published: true}, "docs/a.md main"},
		{code, Options{Published: true, Chosen: "docs"}, "docs/a.md main, docs/m.pdf other"},
		{notes, Options{}, "README.md main, a.pdf other, papers/b.pdf other, papers/fr/c.PDF other"},
		{notes, Options{Published: true}, "README.md main"},
		{notes, Options{Published: true, Chosen: "."}, "README.md main, a.pdf other, papers/b.pdf other, papers/fr/c.PDF other"},
	} {
		var got []string
		for _, p := range loadWith(t, c.files, c.o).Pages(true) {
			got = append(got, p.File+" "+p.Class.String())
		}
		must.Equal(t, c.want, strings.Join(got, ", "), c.o)
	}
}

// TestFormats compares the places that name the extensions of documents.
func TestFormats(t *testing.T) {
	page := string(must.Get(os.ReadFile("../../../docs/write/documents.md"))(t))
	source := string(must.Get(os.ReadFile("../../publish/worker/src/documents/path.ts"))(t))
	inWorker := regexp.MustCompile("(?i)" + regexp.MustCompile(`documentName = /(.*)/i\n`).FindStringSubmatch(source)[1])
	for _, extension := range documentExtensions {
		if !strings.Contains(page, "`"+extension+"`") || !inWorker.MatchString(extension) {
			t.Errorf("%s is not in docs/write/documents.md, or not in path.ts of the Worker", extension)
		}
	}
	for extension, f := range formats {
		if f != openapi && f != pdf && !slices.Contains(documentExtensions, extension) { // what these are is decided by the text or a program
			t.Errorf("%s has a format, but is not a document", extension)
		}
	}
}

func loadWith(t *testing.T, files map[string]string, o Options) *Set {
	t.Helper()
	return must.Get(Find(t.Context(), given.Texts(files), o, nil, nil))(t)
}

// TestNamed names folders in the ways that somebody may.
func TestNamed(t *testing.T) {
	files := map[string]string{
		"docs/a.md": "# A\n", "docs/fr/a.md": "# À\n", "docs/fr/b.md": "# B\n", "README.md": "# Read\n",
		"examples/src/one.md": "# 1\n", "examples/src/changelog.md": "# C\n", "more/en/x.md": "# X\n", "more/de/x.md": "# X\n", "resources/x/y.md": "no",
	}
	for name, test := range map[string]struct {
		named []Named
		want  string
	}{
		"by a folder":                {[]Named{{Root: "docs"}}, "docs/a.md | A | main | en\ndocs/fr/a.md | À | main | fr\ndocs/fr/b.md | B | main | fr\n"},
		"the project":                {[]Named{{Root: "."}}, "README.md | Read | main | en\ndocs/a.md | A | main | en\nmore/en/x.md | X | other | en\nexamples/src/changelog.md | C | last | en\nexamples/src/one.md | 1 | last | en\ndocs/fr/a.md | À | main | fr\ndocs/fr/b.md | B | main | fr\nmore/de/x.md | X | other | de\n"},
		"one language":               {[]Named{{"docs/fr", "fr", ""}}, "docs/fr/a.md | À | main | fr\ndocs/fr/b.md | B | main | fr\n"},
		"another order":              {[]Named{{Root: "docs/fr", Language: "fr"}, {Root: "docs", Language: "en"}}, "docs/fr/a.md | À | main | fr\ndocs/fr/b.md | B | main | fr\ndocs/a.md | A | main | en\n"},
		"in an examples folder":      {[]Named{{Root: "examples/src"}}, "examples/src/changelog.md | C | main\nexamples/src/one.md | 1 | main\n"},
		"versions":                   {[]Named{{"more/en", "", "2"}, {"more/de", "", "1"}}, "more/en/x.md | X | main | 2\nmore/de/x.md | X | main | 1\n"},
		"a folder that is not there": {[]Named{{Root: "gone"}}, ""},
	} {
		got := ""
		for _, p := range loadWith(t, files, Options{Named: test.named}).Pages(true) {
			got += strings.TrimRight(fmt.Sprintf("%s | %s | %v | %s", p.Path, p.Title, p.Class, p.Language()+p.Version()), "| ") + "\n"
		}
		must.Equal(t, test.want, got, name)
	}
	if got := outline(loadWith(t, files, Options{Named: []Named{{"docs/fr", "fr", ""}, {"docs", "en", ""}}}).Pages(false)); got != "docs/fr/a.md | À | fr\ndocs/fr/b.md | B | fr\n" {
		t.Errorf("the first folder is not the default one:\n%s", got)
	}
}

// A chosen folder is served wholly, whatever its name or contents: hidden, ignored by git, or what a build makes. Its other files can be
// read too.
func TestChosen(t *testing.T) {
	files := map[string]string{
		"package.json": "{}", ".gitignore": "build/\n", "build/out/a.md": "# A\n", "build/out/LICENSE.md": "# L\n", "build/b.md": "# B\n", ".notes/c.md": "# C\n", "vendor/x/d.rst": "D\n=\n",
		"vendor/x/image.png": "png", "vendor/x/AGENTS.md": "# Agents\n", "docs/a.md": "# Other\n", "vendor/x/draft.md": "---\ndraft: true\n---\n# D\n",
	}
	for chosen, want := range map[string]string{
		"build/out": "a.md | A\nLICENSE.md | L\n", ".notes": "c.md | C\n", "vendor/x": "AGENTS.md | Agents\nd.rst | D\n", "gone": "",
	} {
		s := must.Get(Find(t.Context(), docsfs.Of(given.Texts(files), chosen), Options{Chosen: chosen}, nil, nil))(t)
		must.Equal(t, want, outline(s.Pages(false)), chosen)
		for _, p := range s.Pages(true) {
			must.Equal(t, Main, p.Class, p.File)
		}
		if attached := s.Attached(); (len(attached) == 1) != (chosen == "vendor/x") || len(attached) == 1 && attached[0].Path != "image.png" {
			t.Errorf("%s: %v", chosen, attached)
		}
	}
}

// TestQuick leaves out other languages and the last documents, and takes pages over from a quick set. A title of a list goes with it.
func TestQuick(t *testing.T) {
	files := map[string]string{"docs/en/mkdocs.yml": "nav:\n  - Start: a.md\n", "docs/en/docs/a.md": "text\n", "docs/de/docs/a.md": "# Ä\n", "CHANGELOG.md": "# Changes\n"}
	quick := loadWith(t, files, Options{Quick: true})
	if got := outline(quick.Pages(true)); got != "docs/en/docs/a.md | Start | en\n" || !quick.Quick() {
		t.Errorf("quick:\n%s", got)
	}
	files["docs/en/mkdocs.yml"] = ""
	s := must.Get(Find(t.Context(), given.Texts(files), Options{}, quick, nil))(t)
	if got := outline(s.Pages(true)); got != "docs/en/docs/a.md | A | en\nCHANGELOG.md | Changes | en\ndocs/de/docs/a.md | Ä | de\n" || s.Quick() {
		t.Errorf("then:\n%s", got)
	}
}

// TestDefault leaves out what a search without a filter leaves out: a page that only another language has stays.
func TestDefault(t *testing.T) {
	files := map[string]string{"docs/en/a.md": "# A\n", "docs/en/b.md": "# B\n", "docs/fr/a.md": "# Fa\n", "docs/fr/b.md": "# Fb\n", "docs/fr/c.md": "# Fc\n", "CHANGELOG.md": "# Changes\n"}
	s := loadWith(t, files, Options{Default: true})
	if got := outline(s.Pages(true)); got != "docs/en/a.md | A | en\ndocs/en/b.md | B | en\nCHANGELOG.md | Changes | en\ndocs/fr/c.md | Fc | fr\n" || s.Quick() {
		t.Errorf("%s", got)
	}
}
