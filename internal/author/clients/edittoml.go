package clients

import (
	"bytes"
	"errors"
	"fmt"
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

// putTOML appends the table of the server.
func putTOML(text []byte, table string) []byte {
	out := bytes.Clone(text)
	line := lineEnd(out)
	if !bytes.HasSuffix(out, []byte("\n")) {
		out = append(out, line...)
	}
	return append(out, strings.ReplaceAll(table, "\n", line)...)
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
