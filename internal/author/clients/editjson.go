package clients

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/tidwall/jsonc"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/jsondoc"
)

func parseJSON(text []byte) (plain []byte, root map[string]any, err error) {
	plain = jsonc.ToJSON(text)
	if v, problems := jsondoc.Parse("", plain); v == nil {
		return nil, nil, fmt.Errorf("line %d, column %d: %s", problems[0].Line, problems[0].Column, problems[0].Reason)
	}
	d := json.NewDecoder(bytes.NewReader(plain))
	d.UseNumber()
	if err := d.Decode(&root); err != nil || root == nil {
		return nil, nil, fmt.Errorf("is not a JSON object")
	}
	return plain, root, nil
}

// A member is a member of a JSON object, or an element of an array, with offsets in the text.
type member struct {
	key        string
	name       int // where the name begins
	start, end int // of the value
}

// members returns the members of the object at an offset in plain JSON.
func members(plain []byte, object int) []member {
	d := json.NewDecoder(bytes.NewReader(plain[object:]))
	_, _ = d.Token() // the brace
	var all []member
	for d.More() {
		name := object + int(d.InputOffset())
		name += bytes.IndexByte(plain[name:], '"')
		key, err := d.Token()
		text, ok := key.(string)
		var value json.RawMessage
		if err != nil || !ok || d.Decode(&value) != nil {
			return nil
		}
		end := object + int(d.InputOffset())
		all = append(all, member{text, name, end - len(value), end})
	}
	return all
}

// find returns the last value on a path that exists, and the rest of the path. The empty path leads to the
// whole document.
func find(plain []byte, path []string) (m member, rest []string) {
	m = member{start: bytes.IndexByte(plain, '{'), end: len(plain)}
	for i, key := range path {
		all := members(plain, m.start)
		j := slices.IndexFunc(all, func(m member) bool { return m.key == key })
		if j < 0 {
			return m, path[i:]
		}
		m = all[j]
	}
	return m, nil
}

// putJSON adds the entry, and the objects around it that do not exist.
func (s Setup) putJSON(f *file) ([]byte, error) {
	parent, rest := find(f.plain, f.path)
	if len(rest) == 0 {
		return nil, errElsewhere // the key is repeated
	}
	l := layoutOf(f.text, parent.start)
	value := l.object(s.fields, len(rest))
	for i := len(rest) - 1; i > 0; i-- {
		value = l.object([]field{{key: rest[i], value: value}}, i)
	}
	return l.insert(f, parent.start, quote(rest[0])+": "+value), nil
}

// ask adds the inputs of VS Code that are missing.
func (s Setup) ask(text []byte) ([]byte, error) {
	f, err := s.parse(text)
	if err != nil {
		return nil, err
	}
	list, ok := f.root["inputs"].([]any)
	if !ok && f.root["inputs"] != nil {
		return nil, fmt.Errorf("has an \"inputs\" that is not an array")
	}
	var missing []string
	for _, in := range s.inputs {
		if !slices.ContainsFunc(list, func(v any) bool { o, _ := v.(map[string]any); return o["id"] == in.id }) {
			missing = append(missing, in.value)
		}
	}
	if missing == nil {
		return text, nil
	}
	parent, rest := find(f.plain, []string{"inputs"})
	l := layoutOf(text, parent.start)
	items := strings.Join(missing, ","+l.line+l.indent+l.unit+strings.Repeat(l.unit, len(rest)))
	var added []any
	if err := json.Unmarshal([]byte("["+items+"]"), &added); err != nil {
		return nil, err
	}
	f.root["inputs"] = append(added, list...)
	if len(rest) > 0 {
		items = "\"inputs\": [" + l.line + l.indent + l.unit + l.unit + items + l.line + l.indent + l.unit + "]"
	}
	text = l.insert(f, parent.start, items)
	return text, s.confirm(text, f)
}

// cutJSON removes the member at a path and one comma. Comments stay.
func cutJSON(f *file, path []string) ([]byte, error) {
	m, _ := find(f.plain, path)
	if !bytes.Equal(f.plain[m.name:m.end], f.text[m.name:m.end]) {
		return nil, fmt.Errorf("has comments in the entry %q", m.key)
	}
	const blanks = " \t\r\n"
	start, end := len(bytes.TrimRight(f.text[:m.name], blanks)), m.end
	after := len(f.plain) - len(bytes.TrimLeft(f.plain[end:], blanks))
	before := len(bytes.TrimRight(f.plain[:start], blanks)) - 1
	switch {
	case f.plain[after] == ',':
		return slices.Concat(f.text[:start], f.text[end:after], f.text[after+1:]), nil
	case f.plain[before] == ',':
		return slices.Concat(f.text[:before], f.text[before+1:start], f.text[end:]), nil
	}
	return slices.Concat(f.text[:start], f.text[end:]), nil
}

// A layout says how the lines of a JSON text look at a place.
type layout struct {
	line   string // the line end
	unit   string // the indent of one level
	indent string // of the line with the place
}

func layoutOf(text []byte, offset int) layout {
	l := layout{line: lineEnd(text), unit: "  ", indent: indentOf(text[bytes.LastIndexByte(text[:offset], '\n')+1:])}
	for line := range bytes.Lines(text) {
		if indent := indentOf(line); indent != "" && len(bytes.TrimSpace(line)) > 0 {
			l.unit = indent
			break
		}
	}
	return l
}

func indentOf(line []byte) string { return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))]) }

// object returns an object with a line for each field, some levels deeper than the place.
func (l layout) object(fields []field, deeper int) string {
	start := l.line + l.indent + strings.Repeat(l.unit, deeper)
	lines := make([]string, len(fields))
	for i, f := range fields {
		lines[i] = start + l.unit + quote(f.key) + ": " + f.value
	}
	return "{" + strings.Join(lines, ",") + start + "}"
}

// insert puts an item at the beginning of the list at an offset.
func (l layout) insert(f *file, list int, item string) []byte {
	start := l.line + l.indent + l.unit
	item = start + item
	rest := bytes.TrimLeft(f.text[list+1:], " \t")
	next := bytes.TrimLeft(f.plain[list+1:], " \t\r\n")[0]
	end := start
	if next == '}' || next == ']' {
		end = l.line + l.indent
	} else {
		item += ","
	}
	if !bytes.HasPrefix(rest, []byte("\n")) && !bytes.HasPrefix(rest, []byte("\r\n")) {
		item += end
	}
	return slices.Concat(f.text[:list+1], []byte(item), rest)
}
