package clients

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// A section is a table of a TOML document, from its header to the next one. The first one has no
// header.
type section struct {
	path       []string
	array      bool // an element of an array of tables
	start, end int  // in the document
	pairs      []pair
}

// A pair is a key with its value.
type pair struct {
	path       []string // relative to the section
	start, end int      // in the document; the pair ends with its value
}

// parseTOML returns the sections of a document without comments.
func parseTOML(text []byte) ([]section, error) {
	var all map[string]any
	if err := toml.Unmarshal(text, &all); err != nil { // the parser below accepts repeated keys
		return nil, fmt.Errorf("is not TOML: %s", strings.TrimPrefix(err.Error(), "toml: "))
	}
	parser := unstable.Parser{KeepComments: true}
	parser.Reset(text)
	sections := []section{{}}
	for parser.NextExpression() {
		node := parser.Expression()
		for n := node; n.Valid(); n = n.Next() { // a comment at the end of a line is the next node
			if hasComment(n) {
				return nil, errComments
			}
		}
		switch node.Kind {
		case unstable.Table, unstable.ArrayTable:
			path, offset := keyOf(node)
			start := lineStart(text, offset)
			sections[len(sections)-1].end = start
			sections = append(sections, section{path: path, array: node.Kind == unstable.ArrayTable, start: start})
		case unstable.KeyValue:
			path, _ := keyOf(node)
			last := &sections[len(sections)-1]
			last.pairs = append(last.pairs, pair{path, int(node.Raw.Offset), int(node.Raw.Offset + node.Raw.Length)})
		}
	}
	if err := parser.Error(); err != nil {
		return nil, fmt.Errorf("is not TOML: %w", err)
	}
	sections[len(sections)-1].end = len(text)
	return sections, nil
}

// hasComment reports whether a node is or contains a comment.
func hasComment(node *unstable.Node) bool {
	if node.Kind == unstable.Comment {
		return true
	}
	for it := node.Children(); it.Next(); {
		if hasComment(it.Node()) {
			return true
		}
	}
	return false
}

// keyOf returns the key of a node and its offset.
func keyOf(node *unstable.Node) (path []string, offset int) {
	for it := node.Key(); it.Next(); {
		if path == nil {
			offset = int(it.Node().Raw.Offset)
		}
		path = append(path, string(it.Node().Data))
	}
	return path, offset
}

// entry returns the indexes of the sections of the server: its table and subtables, such as its
// environment. The error says why they cannot be edited.
func (s Setup) entry(sections []section) ([]int, error) {
	path := []string{codexKey, s.Entry}
	var found []int
	for i, sec := range sections {
		if len(sec.path) >= 2 && slices.Equal(sec.path[:2], path) {
			if sec.array && len(sec.path) == 2 {
				return nil, fmt.Errorf("has an array [[%s.%s]], where a table must be", codexKey, s.Entry)
			}
			found = append(found, i)
			continue
		}
		for _, p := range sec.pairs {
			whole := slices.Concat(sec.path, p.path)
			if whole[0] == codexKey && (len(whole) == 1 || whole[1] == s.Entry) {
				return nil, fmt.Errorf("has %q in another form than tables such as [%s.%s], so it is not changed", strings.Join(whole, "."), codexKey, s.Entry)
			}
		}
		if sec.array && sec.path[0] == codexKey && len(sec.path) == 1 {
			return nil, fmt.Errorf("has an array [[%s]], where tables must be", codexKey)
		}
	}
	return found, nil
}

func (s Setup) putTOML(text []byte) ([]byte, error) {
	sections, err := parseTOML(text)
	if err != nil {
		return nil, err
	}
	found, err := s.entry(sections)
	if err != nil {
		return nil, err
	}
	line := lineEnd(text)
	table := slices.IndexFunc(found, func(i int) bool { return len(sections[i].path) == 2 })
	if table < 0 { // there may be subtables, which may come first
		var out bytes.Buffer
		out.Write(text)
		if !bytes.HasSuffix(text, []byte("\n")) {
			out.WriteString(line)
		}
		out.WriteString(strings.ReplaceAll(s.Snippet, "\n", line))
		return checkTOML(out.Bytes())
	}
	sec := sections[found[table]]
	var out bytes.Buffer
	copied, changed := 0, false // the end of the text that is in out
	missing := slices.Clone(s.fields)
	for _, p := range sec.pairs {
		i := slices.IndexFunc(missing, func(f field) bool { return len(p.path) == 1 && f.key == p.path[0] })
		if i >= 0 {
			f := missing[i]
			missing = slices.Delete(missing, i, i+1)
			fresh := f.key + " = " + f.value
			if sameTOML(string(text[p.start:p.end]), fresh) {
				continue
			}
			out.Write(text[copied:p.start])
			out.WriteString(fresh)
			copied = p.end
		} else if !s.reaches(p.path[0]) {
			continue
		} else { // a key of the former server
			out.Write(text[copied:lineStart(text, p.start)])
			copied = lineAfter(text, p.end)
		}
		changed = true
	}
	if len(missing) > 0 { // directly after the header, because other tables may follow
		header := lineAfter(text, sec.start)
		if len(sec.pairs) > 0 {
			header = max(copied, lineAfter(text, sec.pairs[len(sec.pairs)-1].end))
		}
		out.Write(text[copied:header])
		if out.Len() > 0 && !bytes.HasSuffix(out.Bytes(), []byte("\n")) {
			out.WriteString(line)
		}
		for _, f := range missing {
			out.WriteString(f.key + " = " + f.value + line)
		}
		copied, changed = header, true
	}
	if !changed {
		return text, nil
	}
	out.Write(text[copied:])
	return checkTOML(out.Bytes())
}

func (s Setup) takeTOML(text []byte) ([]byte, bool, error) {
	sections, err := parseTOML(text)
	if err != nil {
		return nil, false, err
	}
	found, err := s.entry(sections)
	if err != nil || len(found) == 0 {
		return nil, false, err
	}
	var out bytes.Buffer
	copied := 0
	for _, i := range found {
		out.Write(text[copied:sections[i].start])
		copied = sections[i].end
	}
	out.Write(text[copied:])
	trimmed := out.Bytes()
	if copied == len(text) { // also remove the empty line before the last table
		if kept := bytes.TrimRight(trimmed, "\r\n"); len(kept) > 0 {
			trimmed = append(kept, lineEnd(text)...)
		} else {
			trimmed = nil
		}
	}
	trimmed, err = checkTOML(trimmed)
	return trimmed, err == nil, err
}

// checkTOML returns the text if it is valid TOML.
func checkTOML(text []byte) ([]byte, error) {
	var all map[string]any
	if err := toml.Unmarshal(text, &all); err != nil {
		return nil, fmt.Errorf("would not be TOML afterwards: %w", err)
	}
	return text, nil
}

func sameTOML(a, b string) bool {
	var x, y map[string]any
	return toml.Unmarshal([]byte(a), &x) == nil && toml.Unmarshal([]byte(b), &y) == nil && fmt.Sprintf("%#v", x) == fmt.Sprintf("%#v", y)
}

// lineStart returns the start of the line of an offset.
func lineStart(text []byte, offset int) int { return bytes.LastIndexByte(text[:offset], '\n') + 1 }

// lineAfter returns the start of the line after the line of an offset.
func lineAfter(text []byte, offset int) int {
	if i := bytes.IndexByte(text[offset:], '\n'); i >= 0 {
		return offset + i + 1
	}
	return len(text)
}
