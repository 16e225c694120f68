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

func parseTOML(text []byte) (root map[string]any, err error) {
	if err := toml.Unmarshal(text, &root); err != nil {
		return nil, fmt.Errorf("is not TOML: %s", strings.TrimPrefix(err.Error(), "toml: "))
	}
	return root, nil
}

// putTOML appends the table of the server. It changes no existing table.
func (s Setup) putTOML(f *file) ([]byte, error) {
	ours, err := s.parse([]byte(s.Snippet))
	if err != nil {
		return nil, err
	}
	for key, value := range f.entry {
		if fresh, ok := ours.entry[key]; !ok && s.replaces(key, f.entry) || ok && !reflect.DeepEqual(fresh, value) {
			return nil, fmt.Errorf("has a table [%s.%s] with other values: remove it first with --remove", codexKey, s.Entry)
		}
		delete(ours.entry, key)
	}
	if f.entry != nil && len(ours.entry) == 0 {
		return f.text, nil
	}
	out := bytes.Clone(f.text)
	line := lineEnd(out)
	if !bytes.HasSuffix(out, []byte("\n")) {
		out = append(out, line...)
	}
	out = append(out, strings.ReplaceAll(s.Snippet, "\n", line)...)
	if f.servers == nil {
		f.root[codexKey] = ours.servers
	} else {
		f.servers[s.Entry] = ours.entry
	}
	return out, s.confirm(out, f)
}

// cutTOML removes the table at a path and the tables in it, such as its environment. If a string has a
// line that looks like a header, the caller finds that the wrong lines are gone.
func cutTOML(f *file, path []string) ([]byte, error) {
	name := regexp.QuoteMeta(path[1])
	header := regexp.MustCompile(`^\s*\[\s*` + codexKey + `\s*\.\s*["']?` + name + `["']?\s*[.\]]`)
	var out []byte
	inside := false
	for line := range bytes.Lines(f.text) {
		if bytes.HasPrefix(bytes.TrimSpace(line), []byte("[")) {
			inside = header.Match(line)
		}
		if !inside {
			out = append(out, line...)
		} else if bytes.ContainsRune(line, '#') {
			return nil, errors.New("may have a comment in the entry")
		}
	}
	if servers, ok := f.root[path[0]].(map[string]any); ok && len(servers) == 1 {
		delete(f.root, path[0])
	}
	if inside { // also remove the empty line before the last table
		if out = bytes.TrimRight(out, "\r\n"); len(out) > 0 {
			out = append(out, lineEnd(f.text)...)
		}
	}
	return out, nil
}
