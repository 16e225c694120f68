package page

import (
	"bytes"
	"encoding/json"
	"html/template"
	"strconv"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/jsonwire"
)

const (
	maxFolded = 20_000 // values of a JSON text that is shown as a tree
	maxDepth  = 64
	openDepth = 2 // levels that are open at first
)

// foldJSON returns JSON as a tree whose parts can be folded. It returns false if the text is not
// JSON or has too many values.
func foldJSON(text string) (template.HTML, bool) {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	f := folder{decoder: d}
	if !f.value("", 0) || d.More() {
		return "", false
	}
	if _, err := d.Token(); err == nil {
		return "", false
	}
	return template.HTML(`<div class="json">` + f.out.String() + "</div>"), true
}

type folder struct {
	decoder *json.Decoder
	out     bytes.Buffer
	values  int
}

func (f *folder) text(class, s string) {
	f.out.WriteString(`<span class="` + class + `">`)
	template.HTMLEscape(&f.out, []byte(s))
	f.out.WriteString("</span>")
}

func (f *folder) value(label string, depth int) bool {
	token, err := f.decoder.Token()
	f.values++
	if err != nil || f.values > maxFolded || depth > maxDepth {
		return false
	}
	switch t := token.(type) {
	case json.Delim:
		return f.parts(label, t, depth)
	case string:
		f.leaf(label, "s", string(jsonwire.AppendString(nil, t)))
	case json.Number:
		f.leaf(label, "m", t.String())
	case bool:
		f.leaf(label, "m", strconv.FormatBool(t))
	default:
		f.leaf(label, "m", "null")
	}
	return true
}

func (f *folder) leaf(label, class, s string) {
	f.out.WriteString(`<div class="leaf">`)
	f.label(label)
	f.text(class, s)
	f.out.WriteString("</div>")
}

func (f *folder) label(label string) {
	if label != "" {
		f.text("na", label)
		f.out.WriteString(": ")
	}
}

func (f *folder) parts(label string, open json.Delim, depth int) bool {
	state := ""
	if depth < openDepth {
		state = " open"
	}
	f.out.WriteString("<details" + state + "><summary>")
	f.label(label)
	n := 0
	inside := folder{decoder: f.decoder, values: f.values}
	for f.decoder.More() {
		key := ""
		if open == '{' {
			token, err := f.decoder.Token()
			if err != nil {
				return false
			}
			name, _ := token.(string)
			key = string(jsonwire.AppendString(nil, name))
		}
		if !inside.value(key, depth+1) {
			return false
		}
		n++
	}
	if _, err := f.decoder.Token(); err != nil { // the closing bracket
		return false
	}
	f.values = inside.values
	what := "{…}"
	if open == '[' {
		what = "[…]"
	}
	f.text("p", what)
	f.text("n", " "+strconv.Itoa(n))
	f.out.WriteString(`</summary><div class="in">`)
	f.out.Write(inside.out.Bytes())
	f.out.WriteString("</div></details>")
	return true
}
