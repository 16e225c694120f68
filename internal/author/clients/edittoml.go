package clients

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

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
