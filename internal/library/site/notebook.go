package site

import (
	"cmp"
	"encoding/json"
	"path"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
)

var quarto = &Generator{
	Name: "Quarto", Lacks: "outputs of code; references such as `@sec-x`",
	Markers: []string{"_quarto.yml", "_quarto.yaml"}, Extensions: []string{".qmd", ".md", ".ipynb", ".rmd"}, Index: []string{"index"},
	Skip: []string{"**/_*", "**/_*/**", "**/README.*", "_site/**", "**/{LICENSE,CONTRIBUTING,CHANGELOG,NEWS}.md"},
	Keys: Keys{Title: "website title|book title", URL: "website site-url|book site-url", Language: "lang"}, Ending: ".html", Drafts: true,
	Open: func(r *reader, s *Site) bool {
		v := s.settings
		if v.Str("project", "type") == "" && v.Get("website") == nil && v.Get("book") == nil {
			return false
		}
		for _, g := range v.List("project", "render") {
			if strings.HasPrefix(g, "!") {
				s.Skip = append(s.Skip, gitGlobs([]string{g[1:]})...)
			} else {
				s.Keep = append(s.Keep, strings.TrimSuffix(g, "/"), strings.TrimSuffix(g, "/")+"/**")
			}
		}
		s.Only = v.Get("book", "chapters") != nil
		return true
	},
	Order: func(n *navigation, s *Site, t *Tree) {
		for _, part := range []any{s.settings.Get("book"), s.settings.Get("website", "sidebar"), s.settings.Get("website", "navbar")} {
			n.addTexts(part, "href file part contents chapters left section appendices", "", true)
		}
	},
}

var jupyterBook = &Generator{
	Name: "Jupyter Book", Lacks: "outputs of cells, references to figures and equations",
	Markers: []string{"myst.yml", "_toc.yml"}, Extensions: []string{".md", ".ipynb", ".rst"}, Index: []string{"index"}, Labels: true,
	Skip: []string{"_build/**"}, Keys: Keys{Title: "project title"},
	Open: func(r *reader, s *Site) bool {
		v, toc := s.settings, path.Base(s.Config) == "_toc.yml"
		s.Only = toc || v.Get("project", "toc") != nil
		return toc && r.has(join(s.Dir, "_config.yml")) || !toc && (v.Get("project") != nil || v.Get("site") != nil)
	},
	Order: func(n *navigation, s *Site, t *Tree) {
		n.addTexts(map[string]any(s.settings), "root file", "", true)
	},
}

// A notebookFile is what is served of a Jupyter notebook: not the outputs of its cells.
type notebookFile struct {
	Cells []struct {
		Type   string          `json:"cell_type"`
		Source json.RawMessage `json:"source"`
	} `json:"cells"`
	Metadata struct {
		Language struct {
			Name string `json:"name"`
		} `json:"language_info"`
		Kernel struct {
			Language string `json:"language"`
		} `json:"kernelspec"`
	} `json:"metadata"`
	Format int `json:"nbformat"`
	Minor  int `json:"nbformat_minor"`
}

// WithoutOutputs returns a Jupyter notebook without the outputs of its cells. A text that is not a notebook gives "",
// because outputs could be anywhere in it. A file of any other name is returned as it is.
func WithoutOutputs(name, text string) string {
	if formatOf(name) != notebook {
		return text
	}
	var book notebookFile
	if json.Unmarshal([]byte(text), &book) != nil {
		return ""
	}
	out, _ := json.MarshalIndent(book, "", " ") // its cells are valid
	return string(out) + "\n"
}

// notebookText returns a Jupyter notebook as Markdown: its Markdown cells, and its code cells in fences, without
// outputs. A text that is not a notebook gives "".
func notebookText(text string) string {
	var book notebookFile
	if json.Unmarshal([]byte(text), &book) != nil {
		return ""
	}
	language := cmp.Or(book.Metadata.Language.Name, book.Metadata.Kernel.Language)
	var b strings.Builder
	for _, cell := range book.Cells {
		var source string
		var lines []string
		if json.Unmarshal(cell.Source, &lines) == nil {
			source = strings.Join(lines, "")
		} else if json.Unmarshal(cell.Source, &source) != nil {
			continue
		}
		if source = strings.TrimRight(source, "\n"); strings.TrimSpace(source) == "" {
			continue
		}
		switch cell.Type {
		case "markdown":
			b.WriteString(source + "\n\n")
		case "code":
			b.WriteString(excerpt.Fenced(source, language) + "\n")
		}
	}
	return b.String()
}
