package site

import (
	"encoding/json"
	"strings"
)

// notebookText returns a Jupyter notebook as Markdown: its Markdown cells, and its code cells in fences, without
// outputs. Any other text is returned as it is.
func notebookText(text string) string {
	var book struct {
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
	}
	if json.Unmarshal([]byte(text), &book) != nil {
		return text
	}
	language := book.Metadata.Language.Name
	if language == "" {
		language = book.Metadata.Kernel.Language
	}
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
			fence := "```"
			for strings.Contains(source, fence) {
				fence += "`"
			}
			b.WriteString(fence + language + "\n" + source + "\n" + fence + "\n\n")
		}
	}
	return b.String()
}
