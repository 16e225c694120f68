package clients

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"unicode/utf8"
)

// MaxFile is the maximum size of a file for [Setup.Put] and [Setup.Take], in bytes. Real
// configurations have a hundredth of it.
const MaxFile = 1 << 20

// errElsewhere reports that an edit would change more than the entry, such as a comment or a repeated key.
var errElsewhere = errors.New("is written in a form in which the entry cannot be changed alone")

// Put returns the text of the client's file with the server added; an empty text stands for a new
// file. If the file already has the server, the text does not change. Put never changes an entry, which may
// have headers for another server: it refuses a file with another entry of the same name.
func (s Setup) Put(text []byte) ([]byte, error) {
	if err := s.editable(text); err != nil {
		return nil, err
	}
	mark, body := cutMark(text)
	if len(bytes.TrimSpace(body)) == 0 {
		return []byte(s.Snippet), nil
	}
	f, err := s.parse(body)
	if err != nil {
		return nil, err
	}
	ours, err := s.parse([]byte(s.Snippet))
	if err != nil {
		return nil, err
	}
	for key, value := range ours.entry {
		if f.entry != nil && !reflect.DeepEqual(f.entry[key], value) {
			return nil, fmt.Errorf("has an entry %q with other values: remove it with --remove, or write this server under another name with --name", s.Entry)
		}
	}
	if f.entry == nil {
		body, err = s.putEntry(f, ours)
	}
	if err == nil && s.inputs != nil {
		body, err = s.ask(body)
	}
	if err != nil {
		return nil, err
	}
	return append(mark, body...), nil
}

// putEntry adds the entry to a file that does not have it.
func (s Setup) putEntry(f, ours *file) (text []byte, err error) {
	if s.Format == "toml" {
		text = putTOML(f.text, s.Snippet)
	} else if text, err = s.putJSON(f); err != nil {
		return nil, err
	}
	if f.servers == nil {
		f.root[f.path[0]] = ours.servers
	} else {
		f.servers[s.Entry] = ours.entry
	}
	return text, s.confirm(text, f)
}

// Take returns the text of the client's file without the entry of this name, and false if it has
// none.
func (s Setup) Take(text []byte) ([]byte, bool, error) {
	if err := s.editable(text); err != nil {
		return nil, false, err
	}
	mark, body := cutMark(text)
	if len(bytes.TrimSpace(body)) == 0 {
		return text, false, nil
	}
	f, err := s.parse(body)
	if err != nil || f.entry == nil {
		return nil, false, err
	}
	cut := cutJSON
	if s.Format == "toml" {
		cut = cutTOML
	}
	if body, err = cut(f, f.path); err == nil {
		delete(f.servers, s.Entry)
		err = s.confirm(body, f)
	}
	if err != nil {
		return nil, false, err
	}
	return append(mark, body...), true, nil
}

func (s Setup) editable(text []byte) error {
	switch {
	case s.File == "":
		return errors.New("the client has no file for this server")
	case s.Format != "json" && s.Format != "toml" && len(bytes.TrimSpace(text)) > 0:
		return fmt.Errorf("is %s, which is not edited", s.Format)
	case len(text) > MaxFile:
		return fmt.Errorf("has more than %d MiB, which is too large for a configuration", MaxFile>>20)
	case !utf8.Valid(text):
		return errors.New("is not UTF-8")
	}
	return nil
}

// A file is the text of a client's file and its contents.
type file struct {
	text  []byte
	plain []byte // of JSON: the text with blanks in place of comments and commas after the last item
	root  map[string]any

	path    []string       // of the entry
	servers map[string]any // nil: the file has no servers
	entry   map[string]any // nil: the file has no such entry
}

// parse decodes a file.
func (s Setup) parse(text []byte) (f *file, err error) {
	f = &file{text: text}
	if f.plain, f.root, err = s.decode(text); err != nil {
		return nil, err
	}
	f.path = []string{s.Key}
	if s.Format == "toml" {
		f.path = []string{codexKey}
	}
	if f.servers, err = objectIn(f.root, f.path[0]); err != nil {
		return nil, err
	}
	if inner, ok := f.servers[s.deeper].(map[string]any); ok && s.deeper != "" && inner["type"] == nil { // otherwise it is a server with that name
		f.path, f.servers = append(f.path, s.deeper), inner
	}
	f.path = append(f.path, s.Entry)
	f.entry, err = objectIn(f.servers, s.Entry)
	return f, err
}

func objectIn(in map[string]any, key string) (map[string]any, error) {
	inner, ok := in[key].(map[string]any)
	if in[key] != nil && !ok {
		return nil, fmt.Errorf("has a %q that is not an object", key)
	}
	return inner, nil
}

func (s Setup) decode(text []byte) (plain []byte, root map[string]any, err error) {
	if s.Format == "toml" {
		root, err = parseTOML(text)
		return text, root, err
	}
	return parseJSON(text)
}

// confirm returns an error if a new text does not have the contents of f.
func (s Setup) confirm(text []byte, f *file) error {
	if _, root, err := s.decode(text); err != nil || !reflect.DeepEqual(root, f.root) {
		return errElsewhere
	}
	return nil
}

// cutMark removes a byte order mark, which some editors on Windows write.
func cutMark(text []byte) (mark, body []byte) {
	const utf8Mark = "\ufeff"
	if body, ok := bytes.CutPrefix(text, []byte(utf8Mark)); ok {
		return []byte(utf8Mark), body
	}
	return nil, text
}

// lineEnd returns the line end that a text uses.
func lineEnd(text []byte) string {
	if bytes.Contains(text, []byte("\r\n")) {
		return "\r\n"
	}
	return "\n"
}
