package site

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestVariants looks at the folders that are versions and languages: "!" stands before documents that a search without a
// filter leaves out.
func TestVariants(t *testing.T) {
	same := map[string]string{"x.md": "# X\n", "y.md": "# Y\n"}
	folders := func(names ...string) map[string]string {
		files := make(map[string]string)
		for _, name := range names {
			for file, text := range same {
				files["docs/"+name+"/"+file] = text
			}
		}
		return files
	}
	with := func(files map[string]string, more ...string) map[string]string {
		for _, name := range more {
			files[name] = "# " + name + "\n"
		}
		return files
	}
	for name, test := range map[string]struct {
		files map[string]string
		want  string
	}{
		"versions":                     {with(folders("v9.0.x", "v10.0.x", "next"), "docs/v9.0.x/legacy.md", "docs/about.md"), "docs/about.md |, docs/v10.0.x/x.md | v10.0.x, docs/v10.0.x/y.md | v10.0.x, docs/v9.0.x/legacy.md | v9.0.x, !docs/v9.0.x/x.md | v9.0.x, !docs/v9.0.x/y.md | v9.0.x, !docs/next/x.md | next, !docs/next/y.md | next"},
		"other names of documents":     {map[string]string{"docs/v1/a.md": "text", "docs/v1/b.md": "text", "docs/v2/c.md": "text", "docs/v2/d.md": "text", "docs/v2/a.md": "text"}, "docs/v1/a.md |, docs/v1/b.md |, docs/v2/a.md |, docs/v2/c.md |, docs/v2/d.md |"},
		"journals":                     {folders("2024-01-01", "2024-01-02", "2023", "2024", "1", "2"), ""},
		"languages":                    {folders("fr", "en", "pt-br"), "docs/en/x.md | en, docs/en/y.md | en, !docs/fr/x.md | fr, !docs/fr/y.md | fr, !docs/pt-br/x.md | pt-br, !docs/pt-br/y.md | pt-br"},
		"a language around others":     {with(folders("de"), "docs/x.md", "docs/y.md", "docs/z.md", "docs/de/w.md"), "docs/x.md | en, docs/y.md | en, docs/z.md | en, docs/de/w.md | de, !docs/de/x.md | de, !docs/de/y.md | de"},
		"translated names":             {map[string]string{"docs/de/eins.md": "text", "docs/en/one.md": "text", "docs/fr/un.md": "text"}, "docs/en/one.md | en, docs/de/eins.md | de, docs/fr/un.md | fr"},
		"translated names of one":      {with(folders("de", "fr"), "docs/x.md", "docs/y.md", "docs/z.md", "docs/es/uno.md", "docs/it/w.md"), "docs/x.md | en, docs/y.md | en, docs/z.md | en, docs/it/w.md | en, docs/es/uno.md | es, !docs/de/x.md | de, !docs/de/y.md | de, !docs/fr/x.md | fr, !docs/fr/y.md | fr"},
		"an older version":             {with(folders("4x", "5x"), "docs/3x/z.md"), "docs/5x/x.md | 5x, docs/5x/y.md | 5x, !docs/4x/x.md | 4x, !docs/4x/y.md | 4x, docs/3x/z.md | 3x"},
		"one page of a language":       {map[string]string{"docs/a.md": "text", "docs/a.fr.md": "text"}, "docs/a.md | en, !docs/a.fr.md | fr"},
		"a language of Zola":           {map[string]string{"config.toml": "base_url = 'https://a.example'\n[languages.fr]\n", "content/a.md": "text", "content/a.fr.md": "text"}, "content/a.md | en, !content/a.fr.md | fr"},
		"languages of folders":         {with(folders("pages", "pages.fr", "pages.zh_TW"), "docs/pages.fr/z.md", "docs/pages.it/w.md"), "docs/pages/x.md | en, docs/pages/y.md | en, docs/pages.it/w.md | en, docs/pages.fr/z.md | fr, !docs/pages.fr/x.md | fr, !docs/pages.fr/y.md | fr, !docs/pages.zh_TW/x.md | zh_tw, !docs/pages.zh_TW/y.md | zh_tw"},
		"source code in C#":            {map[string]string{"docs/a.md": "text", "docs/a.cs.md": "text", "docs/b.md": "text", "docs/b.cs.md": "text"}, ""},
		"words after words":            {with(map[string]string{}, "docs/job.md", "docs/job_id.md", "docs/job_is-in.md", "guide/a.md", "guide/a.fr.md", "guide/b.md", "guide/b.it.md", "c.md", "c.it.md"), "docs/job.md | en, docs/job_id.md | en, docs/job_is-in.md | en, guide/a.md | en, guide/b.md | en, c.md | en, !guide/a.fr.md | fr, !guide/b.it.md | it, !c.it.md | it"},
		"programming languages":        {folders("ts", "cs", "js"), ""},
		"a word that is a language":    {with(map[string]string{}, "docs/index.md", "docs/a.md", "docs/it/index.md", "docs/it/b.md"), ""},
		"languages of versions":        {folders("v1/en", "v1/fr", "v2/en", "v2/fr"), "docs/v2/en/x.md | en v2, docs/v2/en/y.md | en v2, !docs/v2/fr/x.md | fr v2, !docs/v2/fr/y.md | fr v2, !docs/v1/en/x.md | en v1, !docs/v1/en/y.md | en v1, !docs/v1/fr/x.md | fr v1, !docs/v1/fr/y.md | fr v1"},
		"departments":                  {folders("hr", "it", "pm"), ""},
		"words alone":                  {folders("is", "it", "no"), ""},
		"words next to English":        {folders("en", "it", "pm"), "docs/en/x.md | en, docs/en/y.md | en, docs/pm/x.md | en, docs/pm/y.md | en, !docs/it/x.md | it, !docs/it/y.md | it"},
		"a folder with the same names": {folders("fr", "de", "pm"), ""},
		"no versions":                  {folders("dev", "main", "ops"), ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := load(t, test.files)
			var got []string
			marked := false
			for _, p := range s.Pages(true) {
				line := p.Path + " | " + strings.TrimSpace(p.Language()+" "+p.Version())
				if p.Apart {
					line = "!" + line
				}
				marked = marked || p.Language()+p.Version() != ""
				got = append(got, strings.TrimSpace(line))
			}
			if test.want == "" {
				if marked {
					t.Errorf("got %q", got)
				}
				return
			}
			want := strings.Split(test.want, ", ")
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
		})
	}
}

// TestOthersOfVariants looks at the same document in other languages and versions.
func TestOthersOfVariants(t *testing.T) {
	s := load(t, map[string]string{"docs/api/v1/a.md": "text", "docs/api/v2/a.md": "text", "docs/sdk/v1/a.md": "text", "docs/sdk/v2/a.md": "text"})
	others := s.Others(s.Page("docs/api/v2/a.md"))
	if len(others) != 1 || others[0].File != "docs/api/v1/a.md" {
		t.Errorf("got %d others", len(others))
	}
}

// TestVariantsCost reads many folders with names of versions and languages, in each other. However many there are, the project has
// few trees.
func TestVariantsCost(t *testing.T) {
	set := func(n int) *Set {
		site := &Site{Dir: ".", Root: "."}
		site.Trees = []*Tree{{Root: ".", site: site}}
		s := &Set{Sites: []*Site{site}}
		for i := range n {
			deep := strings.Repeat(fmt.Sprintf("v%d/fr/", i%7), 20)
			s.pages = append(s.pages, &Page{File: fmt.Sprintf("docs/v%d.0/%sx%d.md", i, deep, i%3), Tree: site.Trees[0]})
		}
		return s
	}
	small, large := testing.AllocsPerRun(1, func() { set(250).vary(nil) }), testing.AllocsPerRun(1, func() { set(2000).vary(nil) })
	if large > 12*small {
		t.Errorf("8 times the documents take %.0f times the memory", large/small)
	}
	files := make(map[string]string)
	for i := range 400 {
		files[fmt.Sprintf("docs/v%d.0/a/x.md", i)], files[fmt.Sprintf("guide/fr-%c%c/x.md", 'a'+i/26, 'a'+i%26)] = "text", "text"
	}
	s, trees := load(t, files), 0
	for _, site := range s.Sites {
		trees += len(site.Trees)
	}
	if trees > maxTrees+1 || len(s.Pages(true)) != len(files) {
		t.Errorf("%d trees, %d documents", trees, len(s.Pages(true)))
	}
}
