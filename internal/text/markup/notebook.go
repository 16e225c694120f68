package markup

import (
	"cmp"
	"encoding/json"
	"path"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
)

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
	if !strings.EqualFold(path.Ext(name), ".ipynb") {
		return text
	}
	var book notebookFile
	if json.Unmarshal([]byte(text), &book) != nil {
		return ""
	}
	out, _ := json.MarshalIndent(book, "", " ") // its cells are valid
	return string(out) + "\n"
}

// Notebook returns a Jupyter notebook as Markdown: its Markdown cells, and its code cells in fences, without
// outputs. A text that is not a notebook gives "".
func Notebook(text string) string {
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
