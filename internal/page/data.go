package page

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"html/template"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/jsonwire"
)

// Bounds of the views of data.
const (
	maxTree  = 1 << 20 // bytes of JSON
	maxNodes = 20_000
	maxDepth = 100
	maxOpen  = 500 // nodes of a tree that are open: a browser lays out 20,000 for seconds
	maxRows  = 500
	maxTable = 20_000 // cells
)

// jsonTree returns a JSON text as a tree that folds, or "" if it is not valid or too large.
func jsonTree(text string) template.HTML {
	t := treeWriter{Decoder: json.NewDecoder(strings.NewReader(text))}
	t.UseNumber()
	var b strings.Builder
	if len(text) > maxTree || !t.value(&b, "", 0) || t.More() {
		return ""
	}
	return template.HTML(b.String())
}

type treeWriter struct {
	*json.Decoder
	nodes int
}

// value writes the next value. name is its name as HTML. It returns false if the text is not valid or a bound is exceeded.
func (t *treeWriter) value(b *strings.Builder, name string, depth int) bool {
	token, err := t.Token()
	if t.nodes++; err != nil || t.nodes > maxNodes || depth > maxDepth {
		return false
	}
	begin, ok := token.(json.Delim)
	if !ok {
		b.WriteString("<div>" + name + scalar("s", token) + "</div>")
		return true
	}
	end := map[json.Delim]string{'{': "}", '[': "]"}[begin]
	if !t.More() {
		b.WriteString("<div>" + name + begin.String() + end + "</div>")
	} else {
		open := ""
		if t.nodes <= maxOpen {
			open = " open"
		}
		b.WriteString("<details" + open + "><summary>" + name + begin.String() + "…" + end + "</summary>")
		defer b.WriteString("</details>")
	}
	for t.More() {
		key := ""
		if begin == '{' {
			name, err := t.Token()
			if err != nil {
				return false
			}
			key = scalar("na", name) + ": "
		}
		if !t.value(b, key, depth+1) {
			return false
		}
	}
	_, err = t.Token()
	return err == nil
}

// scalar returns a value as JSON in HTML.
func scalar(class string, value any) string {
	text, _ := jsonwire.Encode(value) // a token can be encoded
	return `<span class="` + class + `">` + template.HTMLEscapeString(string(text)) + "</span>"
}

// csvTable returns the first rows of a text with separated values as a table, and how many they are if there may be more.
func csvTable(text string) (table template.HTML, note string) {
	r := csv.NewReader(strings.NewReader(strings.TrimPrefix(text, "\ufeff")))
	r.FieldsPerRecord, r.LazyQuotes, r.ReuseRecord = -1, true, true
	head, _, _ := strings.Cut(text, "\n")
	for _, separator := range ";\t|" {
		if strings.Count(head, string(separator)) > strings.Count(head, string(r.Comma)) {
			r.Comma = separator
		}
	}
	var b strings.Builder
	b.WriteString(`<table tabindex="0">`)
	for row, cells := 0, 0; ; row++ {
		record, err := r.Read()
		if err != nil {
			break
		}
		if cells += len(record); row == maxRows || cells > maxTable {
			note = fmt.Sprintf("The first %d rows are shown.", row)
			break
		}
		b.WriteString("<tr>")
		for _, value := range record {
			tag := "td"
			if row == 0 && value != "" {
				tag = "th"
			}
			b.WriteString("<" + tag + ">" + template.HTMLEscapeString(value) + "</" + tag + ">")
		}
		b.WriteString("</tr>")
	}
	return template.HTML(b.String() + "</table>"), note
}
