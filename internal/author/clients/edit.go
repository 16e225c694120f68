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
