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
func indentOf(v hujson.Value) (string, bool) { return lastIndent(v.BeforeExtra) }

// lastIndent returns the indent of the last line, and false if there is only one.
func lastIndent(extra hujson.Extra) (string, bool) {
	i := bytes.LastIndexByte(extra, '\n')
	line := extra[i+1:]
	return string(line[:len(line)-len(bytes.TrimLeft(line, " \t\r"))]), i >= 0
}

// cutComments splits what follows the last item of a list into comments and the blanks after them.
func cutComments(extra hujson.Extra) (comments, blanks hujson.Extra) {
	n := len(bytes.TrimRight(extra, " \t\r\n"))
	return bytes.Clone(extra[:n]), bytes.Clone(extra[n:])
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
	var last *hujson.Value
	if n := len(o.Members); n > 0 {
		last = &o.Members[n-1].Name
	}
	before, v := t.item(last, &o.AfterExtra, closing, value)
	if last != nil {
		v.AfterExtra = comma(o.Members[len(o.Members)-1].Value)
	}
	v.BeforeExtra = []byte(" ")
	o.Members = append(o.Members, hujson.ObjectMember{Name: hujson.Value{BeforeExtra: before, Value: hujson.String(key)}, Value: v})
}

// addElement is [jsonText.add] for an array.
func (t *jsonText) addElement(a *hujson.Array, closing, value string) {
	var last *hujson.Value
	if n := len(a.Elements); n > 0 {
		last = &a.Elements[n-1]
	}
	before, v := t.item(last, &a.AfterExtra, closing, value)
	if last != nil {
		v.AfterExtra = comma(*last)
	}
	v.BeforeExtra = before
	a.Elements = append(a.Elements, v)
}

// comma returns what follows a new last item, so that there is a comma after it if there was one after
// the former last item.
func comma(last hujson.Value) hujson.Extra {
	if last.AfterExtra == nil {
		return nil
	}
	return hujson.Extra{}
}

// item returns a new item of a list and what precedes it. last is the last item, or nil; after is what
// follows it, from which comments move before the new item.
func (t *jsonText) item(last *hujson.Value, after *hujson.Extra, closing, value string) (before hujson.Extra, v hujson.Value) {
	comments, blanks := cutComments(*after)
	line, indent := t.line, closing+t.unit
	if last != nil {
		if lastIndent, ok := indentOf(*last); ok {
			indent = lastIndent
		} else {
			line = ""
		}
	}
	switch {
	case line == "" && len(comments) == 0:
		indent, value = "", oneLine(value)
		if last != nil {
			before = []byte(" ")
		}
	case line == "":
		line, value = "\n", oneLine(value) // the comment may reach to the end of its line
		fallthrough
	default:
		before = []byte(line + indent)
		if last == nil || len(blanks) == 0 {
			blanks = []byte(line + closing)
		}
	}
	*after = blanks
	value = strings.ReplaceAll(strings.ReplaceAll(value, "\t", t.unit), "\n", line+indent)
	v, err := hujson.Parse([]byte(value))
	if err != nil {
		panic(err) // fields are JSON
	}
	return append(comments, before...), v
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
	entered, err := t.enter(s)
	if err != nil {
		return nil, err
	}
	asked, err := t.ask(s.inputs)
	if err != nil || !entered && !asked {
		return text, err
	}
	return t.doc.Pack(), nil
}

// enter adds or updates the entry.
func (t *jsonText) enter(s Setup) (changed bool, err error) {
	servers, indent, err := t.servers(s)
	if err != nil {
		return false, err
	}
	if servers == nil {
		outer := "{\n\t" + quote(s.Entry) + ": " + strings.ReplaceAll(block(s.fields), "\n", "\n\t") + "\n}"
		closing, _ := lastIndent(t.root.AfterExtra)
		t.add(t.root, closing, s.Key, outer)
		return true, nil
	}
	i, err := member(servers, s.Entry)
	switch {
	case err != nil:
		return false, err
	case i < 0:
		t.add(servers, indent, s.Entry, block(s.fields))
		return true, nil
	}
	entry, ok := servers.Members[i].Value.Value.(*hujson.Object)
	if !ok {
		return false, fmt.Errorf("has a %q that is not an object", s.Entry)
	}
	indent, _ = indentOf(servers.Members[i].Name)
	removed := t.removeOthers(entry, s)
	set, err := t.set(entry, indent, s.fields)
	return removed || set, err
}

// ask adds the inputs that are missing.
func (t *jsonText) ask(inputs []input) (changed bool, err error) {
	for _, in := range inputs {
		i, err := member(t.root, "inputs")
		if err != nil {
			return false, err
		}
		if i < 0 {
			closing, _ := lastIndent(t.root.AfterExtra)
			t.add(t.root, closing, "inputs", "[\n\t"+in.value+"\n]")
			changed = true
			continue
		}
		list, ok := t.root.Members[i].Value.Value.(*hujson.Array)
		if !ok {
			return false, fmt.Errorf("has an \"inputs\" that is not an array")
		}
		if !slices.ContainsFunc(list.Elements, func(v hujson.Value) bool {
			o, ok := v.Value.(*hujson.Object)
			if !ok {
				return false
			}
			j, _ := member(o, "id")
			return j >= 0 && sameJSON(o.Members[j].Value, quote(in.id))
		}) {
			closing, _ := indentOf(t.root.Members[i].Name)
			t.addElement(list, closing, in.value)
			changed = true
		}
	}
	return changed, nil
}

// removeOthers removes the keys of an entry that reached another server.
func (t *jsonText) removeOthers(entry *hujson.Object, s Setup) (changed bool) {
	program := slices.ContainsFunc(s.fields, func(f field) bool { return f.key == "command" })
	for i := len(entry.Members) - 1; i >= 0; i-- {
		m := entry.Members[i]
		key := m.Name.Value.(hujson.Literal).String()
		if !s.reaches(key) || slices.ContainsFunc(s.fields, func(f field) bool { return f.key == key }) {
			continue
		}
		if value, ok := m.Value.Value.(hujson.Literal); ok && program && key == "type" && value.String() == "stdio" {
			continue // the default of the client
		}
		remove(entry, i)
		changed = true
	}
	return changed
}

// set sets these fields of an object. A field whose value has members keeps its other members.
func (t *jsonText) set(o *hujson.Object, closing string, fields []field) (changed bool, err error) {
	for _, f := range fields {
		i, err := member(o, f.key)
		if err != nil {
			return false, err
		}
		if i < 0 {
			t.add(o, closing, f.key, f.value)
			changed = true
			continue
		}
		v := &o.Members[i].Value
		if inner, ok := v.Value.(*hujson.Object); ok && f.members != nil {
			indent, _ := indentOf(o.Members[i].Name)
			set, err := t.set(inner, indent, f.members)
			if err != nil {
				return false, err
			}
			changed = changed || set
			continue
		}
		if f.filled || sameJSON(*v, f.value) {
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

// sameJSON reports whether a value, which may have comments, is the same as a JSON text.
func sameJSON(v hujson.Value, text string) bool {
	v = v.Clone()
	v.Standardize()
	var x, y any
	return json.Unmarshal(v.Pack(), &x) == nil && json.Unmarshal([]byte(text), &y) == nil && reflect.DeepEqual(x, y)
}

// remove removes a member of an object. Comments before it and after it stay.
func remove(o *hujson.Object, i int) {
	removed := o.Members[i]
	after := &o.AfterExtra
	if i+1 < len(o.Members) {
		after = &o.Members[i+1].Name.BeforeExtra
	}
	if comments, _ := cutComments(removed.Name.BeforeExtra); len(comments) > 0 {
		rest := bytes.TrimLeft(*after, " \t")
		if !bytes.HasPrefix(rest, []byte("\n")) && !bytes.HasPrefix(rest, []byte("\r\n")) { // a comment may reach to the end of its line
			indent, _ := lastIndent(removed.Name.BeforeExtra)
			comments = append(comments, "\n"+indent...)
		}
		*after = append(comments, rest...)
	} else if i == 0 && len(o.Members) > 1 && after.IsStandard() {
		*after = removed.Name.BeforeExtra
	}
	if o.Members = slices.Delete(o.Members, i, i+1); len(o.Members) == 0 {
		if after.IsStandard() {
			*after = nil
		}
	} else if i == len(o.Members) {
		o.Members[i-1].Value.AfterExtra = removed.Value.AfterExtra // a comma after the last member stays
	}
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
	remove(servers, i)
	return t.doc.Pack(), true, nil
}
