package clients

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
	"github.com/tidwall/jsonc"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/jsondoc"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/lazyregexp"
)

// parseJSON reads an object, which may have comments and commas after the last items.
func parseJSON(text []byte) (root hujson.Value, err error) {
	if v, problems := jsondoc.Parse("", jsonc.ToJSON(text)); v == nil { // hujson does not bound the depth
		return root, fmt.Errorf("line %d, column %d: %s", problems[0].Line, problems[0].Column, problems[0].Reason)
	}
	root, err = hujson.Parse(append(bytes.Clone(text), '\n')) // which must end a comment
	root.AfterExtra = bytes.TrimSuffix(root.AfterExtra, []byte("\n"))
	switch {
	case err != nil:
		err = errors.New(strings.TrimPrefix(err.Error(), "hujson: "))
	case root.Value.Kind() != '{' || plain(root) == nil:
		err = errors.New("is not a JSON object")
	}
	return root, err
}

// plain returns a value as encoding/json reads it, or nil if it does not.
func plain(value hujson.Value) (v any) {
	value = value.Clone()
	value.Standardize()
	_ = json.Unmarshal(value.Pack(), &v)
	return v
}

// member returns the value with a key in an object, or nil. Programs differ in which of two values with one key they use.
func member(in *hujson.Value, key string) (found *hujson.Value, err error) {
	object, ok := in.Value.(*hujson.Object)
	if !ok {
		return nil, fmt.Errorf("has something else in the place of the object with %q", key)
	}
	for i := range object.Members {
		if m := &object.Members[i]; m.Name.Value.(hujson.Literal).String() == key {
			if found != nil {
				return nil, fmt.Errorf("has %q twice in an object", key)
			}
			found = &m.Value
		}
	}
	return found, nil
}

// path returns the keys at which the entry is in a file.
func (s Setup) path(root hujson.Value) []string {
	inner := root.Find("/" + s.Key + "/" + s.deeper)
	if s.deeper != "" && inner != nil && inner.Value.Kind() == '{' && inner.Find("/type") == nil { // otherwise it is a server with that name
		return []string{s.Key, s.deeper, s.Entry}
	}
	return []string{s.Key, s.Entry}
}

// putJSON adds what the snippet has and the file does not: the entry, the objects around it, and inputs of VS Code.
func (s Setup) putJSON(text []byte) ([]byte, error) {
	root, err := parseJSON(text)
	if err != nil {
		return nil, err
	}
	path, snippet := s.path(root), s.Snippet
	if len(path) > 2 {
		snippet = jsonEntry(path, s.fields).text
	}
	ours, err := hujson.Parse(laidOut(snippet, text))
	if err == nil {
		err = s.merge(&root, &ours, len(path))
	}
	return root.Pack(), err
}

// merge adds the members of an object that another one lacks, before its others. The entry is so many levels deeper.
func (s Setup) merge(to, from *hujson.Value, levels int) error {
	if levels == 0 {
		entry, _ := plain(*to).(map[string]any)
		ours, _ := plain(*from).(map[string]any)
		return s.same(entry, ours)
	}
	source := from.Value.(*hujson.Object)
	for _, m := range slices.Backward(source.Members) {
		key := m.Name.Value.(hujson.Literal).String()
		old, err := member(to, key)
		if err != nil {
			return err
		}
		array, isArray := m.Value.Value.(*hujson.Array)
		object := to.Value.(*hujson.Object)
		switch {
		case old == nil:
			if len(object.Members) == 0 && !bytes.Contains(object.AfterExtra, []byte("\n")) {
				object.AfterExtra = append(object.AfterExtra, source.AfterExtra...)
			} else if len(object.Members) > 0 && len(object.Members[0].Name.BeforeExtra) == 0 {
				object.Members[0].Name.BeforeExtra = m.Name.BeforeExtra
			}
			object.Members = slices.Insert(object.Members, 0, m)
		case isArray && levels > 1:
			err = mergeInputs(old, array)
		default:
			err = s.merge(old, &m.Value, levels-1)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// mergeInputs adds the objects whose ids a list lacks.
func mergeInputs(to *hujson.Value, from *hujson.Array) error {
	list, ok := to.Value.(*hujson.Array)
	if !ok {
		return errors.New("has an \"inputs\" that is not an array")
	}
	for _, input := range slices.Backward(from.Elements) {
		id := plain(*input.Find("/id"))
		if slices.ContainsFunc(list.Elements, func(e hujson.Value) bool { v := e.Find("/id"); return v != nil && plain(*v) == id }) {
			continue
		}
		if len(list.Elements) == 0 && !bytes.Contains(list.AfterExtra, []byte("\n")) {
			list.AfterExtra = append(list.AfterExtra, from.AfterExtra...)
		}
		list.Elements = slices.Insert(list.Elements, 0, input)
	}
	return nil
}

var (
	pairs  = lazyregexp.New(`(?m)^(?:  )+`)
	indent = lazyregexp.New(`(?m)^([ \t]+)\S`)
)

// laidOut returns a snippet with the indent and the line ends of a text.
func laidOut(snippet string, text []byte) []byte {
	unit := "  "
	if m := indent().FindSubmatch(text); m != nil {
		unit = string(m[1])
	}
	snippet = pairs().ReplaceAllStringFunc(snippet, func(blanks string) string { return strings.Repeat(unit, len(blanks)/2) })
	return []byte(strings.ReplaceAll(snippet, "\n", lineEnd(text)))
}

// takeJSON removes the entry, with comments on it. It returns nil if there is none.
func (s Setup) takeJSON(text []byte) ([]byte, error) {
	root, err := parseJSON(text)
	if err != nil {
		return nil, err
	}
	entry, path := &root, s.path(root)
	for _, key := range path {
		if entry, err = member(entry, key); err != nil || entry == nil {
			return nil, err
		}
	}
	if entry.Value.Kind() != '{' {
		return nil, fmt.Errorf("has a %q that is not an object", s.Entry)
	}
	err = root.Patch([]byte(`[{"op": "remove", "path": "/` + strings.Join(path, "/") + `"}]`))
	return root.Pack(), err
}
