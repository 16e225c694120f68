package clients

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"
)

// MaxFile is the maximum size of a file for [Setup.Put] and [Setup.Take], in bytes. Real
// configurations have a hundredth of it.
const MaxFile = 1 << 20

var errComments = errors.New("has comments, which could be about the changed part, so it is not changed")

// Put returns the text of the client's file with the server added; an empty text stands for a new
// file. If the file already has the server, the text does not change. In an entry with the same
// name, Put changes only the keys that say how to reach the server.
func (s Setup) Put(text []byte) ([]byte, error) {
	if err := s.editable(text); err != nil {
		return nil, err
	}
	mark, body := cutMark(text)
	if len(bytes.TrimSpace(body)) == 0 {
		return []byte(s.Snippet), nil
	}
	var out []byte
	var err error
	if s.Format == "toml" {
		out, err = s.putTOML(body)
	} else {
		out, err = s.putJSON(body)
	}
	if err != nil {
		return nil, err
	}
	return append(mark, out...), nil
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
	var out []byte
	var ok bool
	var err error
	if s.Format == "toml" {
		out, ok, err = s.takeTOML(body)
	} else {
		out, ok, err = s.takeJSON(body)
	}
	if err != nil || !ok {
		return nil, false, err
	}
	return append(mark, out...), true, nil
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

// reaches reports whether a key of an entry says how to reach a server, in any client. Headers say it
// if the new server is a program, which has none; otherwise the user may have added them.
func (s Setup) reaches(key string) bool {
	switch key {
	case "type", "command", "args", "url", "httpUrl", "serverUrl":
		return true
	case "headers", "http_headers", "env_http_headers", "bearer_token_env_var":
		return slices.ContainsFunc(s.fields, func(f field) bool { return f.key == "command" })
	}
	return false
}
