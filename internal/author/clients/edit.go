package clients

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/pelletier/go-toml/v2"
	"github.com/tailscale/hujson"
	"github.com/tidwall/jsonc"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/jsondoc"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/lazyregexp"
)

// MaxFile is the maximum size of a file for [Setup.Put] and [Setup.Take], in bytes. Real
// configurations have a hundredth of it.
const MaxFile = 1 << 20

// Put returns the text of the client's file with the server added; an empty text stands for a new
// file. If the file already has the server, the text does not change. Put never changes an entry, which may
// have headers for another server: it refuses a file with another entry of the same name.
func (s Setup) Put(text []byte) ([]byte, error) {
	body, mark, err := s.body(text)
	switch {
	case err != nil:
	case len(bytes.TrimSpace(body)) == 0:
		return []byte(s.Snippet), nil
	case s.Format == "toml":
		body, err = s.putTOML(body)
	default:
		body, err = s.putJSON(body)
	}
	if err != nil {
		return nil, err
	}
	return append(mark, body...), nil
}

// Take returns the text of the client's file without the entry of this name, and false if it has
// none.
func (s Setup) Take(text []byte) ([]byte, bool, error) {
	body, mark, err := s.body(text)
	take := s.takeJSON
	if s.Format == "toml" {
		take = s.takeTOML
	}
	if err != nil || len(bytes.TrimSpace(body)) == 0 {
		return nil, false, err
	}
	if body, err = take(body); err != nil || body == nil {
		return nil, false, err
	}
	return append(mark, body...), true, nil
}

// body returns the text of a file that can be edited, and the byte order mark before it, which some editors on Windows write.
func (s Setup) body(text []byte) (body, mark []byte, err error) {
	body = bytes.TrimPrefix(text, []byte("\ufeff"))
	mark = bytes.Clone(text[:len(text)-len(body)])
	switch {
	case s.File == "":
		err = errors.New("the client has no file for this server")
	case s.Format != "json" && s.Format != "toml" && len(bytes.TrimSpace(body)) > 0:
		err = fmt.Errorf("is %s, which is not edited", s.Format)
	case len(text) > MaxFile:
		err = fmt.Errorf("has more than %d MiB, which is too large for a configuration", MaxFile>>20)
	case !utf8.Valid(text):
		err = errors.New("is not UTF-8")
	}
	return body, mark, err
}

// same returns an error if an entry of the file lacks a value that the snippet has.
func (s Setup) same(entry, ours map[string]any) error {
	for key, value := range ours {
		if !reflect.DeepEqual(entry[key], value) {
			return fmt.Errorf("has an entry %q with other values: remove it with --remove, or write this server under another name with --name", s.Entry)
		}
	}
	return nil
}

// lineEnd returns the line end that a text uses.
func lineEnd(text []byte) string {
	if bytes.Contains(text, []byte("\r\n")) {
		return "\r\n"
	}
	return "\n"
}

// parseJSON reads an object, which may have comments and commas after the last items.
func parseJSON(text []byte) (root hujson.Value, err error) {
	// hujson does not bound the depth
	if v, problems := jsondoc.Parse("", jsonc.ToJSON(text)); v == nil {
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
	// an object with a type is a server of that name
	if s.deeper != "" && inner != nil && inner.Value.Kind() == '{' && inner.Find("/type") == nil {
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

// A tomlFile is the contents of a TOML file.
type tomlFile struct {
	root           map[string]any
	servers, entry map[string]any // nil: it has none
}

func (s Setup) parseTOML(text []byte) (f tomlFile, err error) {
	if err := toml.Unmarshal(text, &f.root); err != nil {
		return f, fmt.Errorf("is not TOML: %s", strings.TrimPrefix(err.Error(), "toml: "))
	}
	servers, known := f.root[codexKey]
	if f.servers, _ = servers.(map[string]any); known && f.servers == nil {
		return f, fmt.Errorf("has a %q that is not a table", codexKey)
	}
	entry, known := f.servers[s.Entry]
	if f.entry, _ = entry.(map[string]any); known && f.entry == nil {
		return f, fmt.Errorf("has a %q that is not a table", s.Entry)
	}
	return f, nil
}

// confirm returns an error if a new text does not have the wanted contents: strings may have lines that look like headers.
func confirm(text []byte, want map[string]any) error {
	var root map[string]any
	if err := toml.Unmarshal(text, &root); err != nil || !reflect.DeepEqual(root, want) {
		return errors.New("is written in a form in which the entry cannot be changed alone")
	}
	return nil
}

// putTOML appends the table of the server.
func (s Setup) putTOML(text []byte) ([]byte, error) {
	f, err := s.parseTOML(text)
	if err != nil {
		return nil, err
	}
	ours, err := s.parseTOML([]byte(s.Snippet))
	if err != nil {
		return nil, err
	}
	if f.entry != nil {
		return text, s.same(f.entry, ours.entry)
	}
	if f.servers == nil {
		f.root[codexKey] = ours.servers
	} else {
		f.servers[s.Entry] = ours.entry
	}
	out, line := bytes.Clone(text), lineEnd(text)
	if !bytes.HasSuffix(out, []byte("\n")) {
		out = append(out, line...)
	}
	out = append(out, strings.ReplaceAll(s.Snippet, "\n", line)...)
	return out, confirm(out, f.root)
}

// takeTOML removes the table of the server and the tables in it, such as its environment. It returns nil if there is none.
func (s Setup) takeTOML(text []byte) ([]byte, error) {
	f, err := s.parseTOML(text)
	if err != nil || f.entry == nil {
		return nil, err
	}
	header := regexp.MustCompile(`^\s*\[\s*` + codexKey + `\s*\.\s*["']?` + regexp.QuoteMeta(s.Entry) + `["']?\s*[.\]]`)
	out := []byte{}
	inside := false
	for line := range bytes.Lines(text) {
		if bytes.HasPrefix(bytes.TrimSpace(line), []byte("[")) {
			inside = header.Match(line)
		}
		if !inside {
			out = append(out, line...)
		} else if bytes.ContainsRune(line, '#') {
			return nil, errors.New("may have a comment in the entry")
		}
	}
	if delete(f.servers, s.Entry); len(f.servers) == 0 {
		delete(f.root, codexKey)
	}
	if inside { // also remove the empty line before the last table
		if out = bytes.TrimRight(out, "\r\n"); len(out) > 0 {
			out = append(out, lineEnd(text)...)
		}
	}
	return out, confirm(out, f.root)
}
