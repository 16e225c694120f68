package clients

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// A jsonText is a JSON document that keeps its layout.
type jsonText struct {
	doc  hujson.Value
	root *hujson.Object
	line string // the line end; "" if the document is on one line
	unit string // the indent of one level
}

func parseJSON(text []byte) (*jsonText, error) {
	doc, err := hujson.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("is not JSON: %s", strings.TrimPrefix(err.Error(), "hujson: "))
	}
	if !doc.IsStandard() {
		plain := doc.Clone()
		plain.Standardize() // spaces take the place of all else
		for i, b := range plain.Pack() {
			if text[i] != b && text[i] != ',' {
				return nil, errComments
			}
		}
		return nil, errComma
	}
	t := &jsonText{doc: doc, line: lineEnd(text), unit: "  "}
	var ok bool
	if t.root, ok = doc.Value.(*hujson.Object); !ok {
		return nil, fmt.Errorf("is not a JSON object")
	}
	if len(t.root.Members) > 0 {
		if indent, ok := indentOf(t.root.Members[0].Name); ok {
			t.unit = indent
		} else {
			t.line = ""
		}
	}
	return t, nil
}

// indentOf returns the indent of a value, and false if another value precedes it on its line.
func indentOf(v hujson.Value) (string, bool) {
	i := bytes.LastIndexByte(v.BeforeExtra, '\n')
	return string(v.BeforeExtra[i+1:]), i >= 0
}

// member returns the index of a key in an object, or -1. A repeated key is an error, because clients
// disagree about which one counts.
func member(o *hujson.Object, key string) (int, error) {
	found := -1
	for i, m := range o.Members {
		if m.Name.Value.(hujson.Literal).String() != key {
			continue
		}
		if found >= 0 {
			return -1, fmt.Errorf("has the key %q twice in one object", key)
		}
		found = i
	}
	return found, nil
}

// servers returns the object with the entries, or nil, and the indent of its closing brace.
func (t *jsonText) servers(s Setup) (*hujson.Object, string, error) {
	o, indent, err := t.object(t.root, s.Key)
	if err != nil || o == nil || s.deeper == "" {
		return o, indent, err
	}
	inner, innerIndent, err := t.object(o, s.deeper)
	if err != nil || inner == nil {
		return o, indent, nil // a server with that name
	}
	if i, _ := member(inner, "type"); i >= 0 {
		return o, indent, nil // a server with that name
	}
	return inner, innerIndent, nil
}

// object returns the object under a key, or nil, and the indent of its closing brace.
func (t *jsonText) object(o *hujson.Object, key string) (*hujson.Object, string, error) {
	i, err := member(o, key)
	if err != nil || i < 0 {
		return nil, "", err
	}
	m := o.Members[i]
	inner, ok := m.Value.Value.(*hujson.Object)
	if !ok {
		return nil, "", fmt.Errorf("has a %q that is not an object", key)
	}
	indent, _ := indentOf(m.Name)
	return inner, indent, nil
}

// add adds a member at the end of an object whose closing brace has this indent. A \n in the text
// of the value becomes a line with the matching indent.
func (t *jsonText) add(o *hujson.Object, closing, key, value string) {
	before, indent := t.line+closing+t.unit, closing+t.unit
	switch last := len(o.Members) - 1; {
	case t.line == "":
		before = ""
		if last >= 0 {
			before = " "
		}
	case last < 0:
		o.AfterExtra = []byte(t.line + closing)
	default:
		if lastIndent, ok := indentOf(o.Members[last].Name); ok {
			before, indent = t.line+lastIndent, lastIndent
		} else {
			before, indent, value = " ", "", oneLine(value)
		}
	}
	if t.line == "" {
		value = oneLine(value)
	}
	value = strings.ReplaceAll(strings.ReplaceAll(value, "\t", t.unit), "\n", t.line+indent)
	v, err := hujson.Parse([]byte(value))
	if err != nil {
		panic(err) // fields are JSON
	}
	v.BeforeExtra = []byte(" ")
	o.Members = append(o.Members, hujson.ObjectMember{
		Name:  hujson.Value{BeforeExtra: []byte(before), Value: hujson.String(key)},
		Value: v,
	})
}

// block returns a JSON object with a line for each field. Its tabs stand for levels.
func block(fields []field) string {
	lines := make([]string, len(fields))
	for i, f := range fields {
		lines[i] = "\n\t" + quote(f.key) + ": " + f.value
	}
	return "{" + strings.Join(lines, ",") + "\n}"
}

// oneLine returns a block on one line. A value contains no line ends and tabs, because strings
// escape them.
func oneLine(block string) string {
	block = strings.ReplaceAll(block, ",\n\t", ", ")
	return strings.NewReplacer("\n", "", "\t", "").Replace(block)
}

func (s Setup) putJSON(text []byte) ([]byte, error) {
	t, err := parseJSON(text)
	if err != nil {
		return nil, err
	}
	servers, indent, err := t.servers(s)
	if err != nil {
		return nil, err
	}
	if servers == nil {
		outer := "{\n\t" + quote(s.Entry) + ": " + strings.ReplaceAll(block(s.fields), "\n", "\n\t") + "\n}"
		closing, _ := closingOf(t.root)
		t.add(t.root, closing, s.Key, outer)
		return t.doc.Pack(), nil
	}
	i, err := member(servers, s.Entry)
	switch {
	case err != nil:
		return nil, err
	case i < 0:
		t.add(servers, indent, s.Entry, block(s.fields))
		return t.doc.Pack(), nil
	}
	entry, ok := servers.Members[i].Value.Value.(*hujson.Object)
	if !ok {
		return nil, fmt.Errorf("has a %q that is not an object", s.Entry)
	}
	indent, _ = indentOf(servers.Members[i].Name)
	changed, err := t.update(entry, indent, s.fields)
	if err != nil || !changed {
		return text, err
	}
	return t.doc.Pack(), nil
}

// closingOf returns the indent of the closing brace of an object.
func closingOf(o *hujson.Object) (string, bool) {
	i := bytes.LastIndexByte(o.AfterExtra, '\n')
	return string(o.AfterExtra[i+1:]), i >= 0
}

// update sets these fields of an entry, and removes the keys that reached another server.
func (t *jsonText) update(entry *hujson.Object, closing string, fields []field) (changed bool, err error) {
	program := slices.ContainsFunc(fields, func(f field) bool { return f.key == "command" })
	for i := len(entry.Members) - 1; i >= 0; i-- {
		m := entry.Members[i]
		key := m.Name.Value.(hujson.Literal).String()
		if !reaches(key) || slices.ContainsFunc(fields, func(f field) bool { return f.key == key }) {
			continue
		}
		if value, ok := m.Value.Value.(hujson.Literal); ok && program && key == "type" && value.String() == "stdio" {
			continue // the default of the client
		}
		entry.Members = slices.Delete(entry.Members, i, i+1)
		changed = true
	}
	for _, f := range fields {
		i, err := member(entry, f.key)
		if err != nil {
			return false, err
		}
		if i < 0 {
			t.add(entry, closing, f.key, f.value)
			changed = true
			continue
		}
		v := &entry.Members[i].Value
		bare := hujson.Value{Value: v.Value}
		if sameJSON(bare.Pack(), []byte(f.value)) {
			continue
		}
		fresh, err := hujson.Parse([]byte(f.value))
		if err != nil {
			return false, err
		}
		v.Value, changed = fresh.Value, true
	}
	return changed, nil
}

func sameJSON(a, b []byte) bool {
	var x, y any
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && reflect.DeepEqual(x, y)
}

func (s Setup) takeJSON(text []byte) ([]byte, bool, error) {
	t, err := parseJSON(text)
	if err != nil {
		return nil, false, err
	}
	servers, _, err := t.servers(s)
	if err != nil || servers == nil {
		return nil, false, err
	}
	i, err := member(servers, s.Entry)
	if err != nil || i < 0 {
		return nil, false, err
	}
	if i == 0 && len(servers.Members) > 1 {
		servers.Members[1].Name.BeforeExtra = servers.Members[0].Name.BeforeExtra
	}
	if servers.Members = slices.Delete(servers.Members, i, i+1); len(servers.Members) == 0 {
		servers.AfterExtra = nil
	}
	return t.doc.Pack(), true, nil
}
