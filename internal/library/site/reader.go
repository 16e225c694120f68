package site

import (
	"bytes"
	"encoding/json"
	"io"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/tailscale/hujson"
	"go.yaml.in/yaml/v4"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/frontmatter"
)

// maxRead is the number of bytes of a configuration, an include or a head that is read.
const maxRead = 1 << 20

// A reader reads configuration files of a project.
type reader struct {
	fsys fs.FS
	// listed has the documents in roots and their folders, where they are known: documents are those with these extensions.
	listed            map[string]bool
	roots, extensions []string
}

// knows reports whether listed says if a file or folder is there.
func (r *reader) knows(name string) bool {
	return slices.ContainsFunc(r.roots, func(root string) bool { return within(root, name) })
}

// text returns the text of a file of at most 1 MiB, or "".
func (r *reader) text(file string) string {
	data, err := readBounded(r.fsys, file)
	if err != nil {
		return ""
	}
	return string(data)
}

func readBounded(fsys fs.FS, file string) ([]byte, error) {
	f, err := fsys.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxRead {
		return nil, fs.ErrInvalid
	}
	b := bytes.NewBuffer(make([]byte, 0, info.Size()+bytes.MinRead))
	_, err = b.ReadFrom(io.LimitReader(f, maxRead+1))
	return b.Bytes(), err
}

// has reports whether there is a file or folder of this name.
func (r *reader) has(file string) bool {
	if slices.Contains(r.extensions, path.Ext(file)) && r.knows(file) {
		return r.listed[file]
	}
	_, err := fs.Stat(r.fsys, file)
	return err == nil
}

// isDir reports whether there is a folder of this name.
func (r *reader) isDir(name string) bool {
	if r.knows(name) {
		return r.listed[name] && !slices.Contains(r.extensions, path.Ext(name))
	}
	info, err := fs.Stat(r.fsys, name)
	return err == nil && info.IsDir()
}

// folders returns the names of the folders in dir, in order.
func (r *reader) folders(dir string) (names []string) {
	entries, err := fs.ReadDir(r.fsys, dir)
	if err != nil {
		return nil
	}
	for _, e := range entries {
		if e.IsDir() && !strings.HasPrefix(e.Name(), ".") {
			names = append(names, e.Name())
		}
	}
	return names
}

// list returns the names of the files in dir, in order.
func (r *reader) list(dir string) (names []string) {
	entries, err := fs.ReadDir(r.fsys, dir)
	if err != nil {
		return nil
	}
	for _, e := range entries {
		if !e.IsDir() && !strings.HasPrefix(e.Name(), ".") {
			names = append(names, e.Name())
		}
	}
	return names
}

// values is a configuration or front matter: a tree of maps, slices and scalars.
type values map[string]any

// parse reads YAML, TOML or JSON, as the extension says. Tags of YAML that name programs are ignored. A text that
// cannot be parsed has no values.
func parse(name, text string) values {
	v := make(values)
	switch strings.ToLower(path.Ext(name)) {
	case ".toml":
		if toml.Unmarshal([]byte(text), (*map[string]any)(&v)) != nil {
			return values{}
		}
		return untyped(map[string]any(v)).(map[string]any)
	case ".json", ".jsonc":
		data, err := hujson.Standardize([]byte(text))
		if err != nil || json.Unmarshal(data, (*map[string]any)(&v)) != nil {
			return values{}
		}
	default:
		return parseYAML(text)
	}
	return v
}

// untyped returns a value of TOML with lists as in YAML.
func untyped(x any) any {
	switch x := x.(type) {
	case map[string]any:
		for k, v := range x {
			x[k] = untyped(v)
		}
	case []map[string]any:
		list := make([]any, len(x))
		for i, m := range x {
			list[i] = untyped(m)
		}
		return list
	case []any:
		for i, e := range x {
			x[i] = untyped(e)
		}
	}
	return x
}

// parseYAML reads YAML. Of a text that is none, it reads the lines that are "key: value".
func parseYAML(text string) values {
	v, ok := strictYAML(text)
	if !ok {
		v = make(values)
		for _, m := range compile(`(?m)^([A-Za-z_][\w-]*):[ \t]+(\S.*?)\s*$`).FindAllStringSubmatch(text, 1000) {
			v[m[1]] = strings.Trim(m[2], `"'`)
		}
	}
	return v
}

func strictYAML(text string) (values, bool) {
	root, wrong := frontmatter.Load(text)
	if wrong != nil && !wrong.Second {
		return nil, false
	}
	if root == nil {
		return values{}, true
	}
	budget := 100_000 // nodes, so that aliases cannot multiply
	v, _ := yamlValue(root, &budget, 0).(map[string]any)
	if v == nil {
		return values{}, true
	}
	return v, true
}

// yamlValue returns a node as maps, slices and strings; numbers and booleans stay as they are spelled.
func yamlValue(n *yaml.Node, budget *int, depth int) any {
	if *budget--; *budget < 0 || depth > 30 {
		return nil
	}
	switch n.Kind {
	case yaml.AliasNode:
		if n.Alias != nil {
			return yamlValue(n.Alias, budget, depth+1)
		}
	case yaml.MappingNode:
		m := make(map[string]any, len(n.Content)/2)
		for i := 0; i+1 < len(n.Content); i += 2 {
			if n.Content[i].Value == "<<" {
				if merged, ok := yamlValue(n.Content[i+1], budget, depth+1).(map[string]any); ok {
					for k, v := range merged {
						if _, own := m[k]; !own {
							m[k] = v
						}
					}
				}
				continue
			}
			m[n.Content[i].Value] = yamlValue(n.Content[i+1], budget, depth+1)
		}
		return m
	case yaml.SequenceNode:
		list := make([]any, 0, len(n.Content))
		for _, c := range n.Content {
			list = append(list, yamlValue(c, budget, depth+1))
		}
		return list
	case yaml.ScalarNode:
		if n.ShortTag() == "!!null" {
			return nil
		}
		return n.Value
	}
	return nil
}

// get returns the value at a path of keys, or nil.
func (v values) get(keys ...string) any {
	var at any = map[string]any(v)
	for _, k := range keys {
		m, ok := at.(map[string]any)
		if !ok {
			return nil
		}
		at = m[k]
	}
	return at
}

// str returns the text at a path of keys, or "".
func (v values) str(keys ...string) string { return scalar(v.get(keys...)) }

// sub returns the mapping at a path of keys, or an empty one.
func (v values) sub(keys ...string) values {
	m, _ := v.get(keys...).(map[string]any)
	return m
}

// list returns the texts at a path of keys: the items of a list, or the lines of a text.
func (v values) list(keys ...string) (out []string) {
	switch x := v.get(keys...).(type) {
	case []any:
		for _, e := range x {
			if s := scalar(e); s != "" {
				out = append(out, s)
			}
		}
	case string:
		for line := range strings.Lines(x) {
			if line = strings.TrimSpace(line); line != "" {
				out = append(out, line)
			}
		}
	}
	return out
}

// is reports whether the value at a path of keys is true.
func (v values) is(keys ...string) bool { return v.str(keys...) == "true" }

// number returns the integer at a path of keys.
func (v values) number(keys ...string) (int, bool) {
	n, err := strconv.ParseFloat(v.str(keys...), 64)
	return int(max(-1e9, min(1e9, n))), err == nil
}

func scalar(x any) string {
	switch x := x.(type) {
	case nil:
		return ""
	case string:
		return x
	case bool:
		return strconv.FormatBool(x)
	case int64:
		return strconv.FormatInt(x, 10)
	case float64:
		return strconv.FormatFloat(x, 'f', -1, 64)
	case interface{ String() string }:
		return x.String()
	}
	return ""
}

// script is the text of a configuration that is a program. Comments are blank in it.
type script string

// script returns a file as a program in JavaScript or TypeScript.
func (r *reader) script(file string) script {
	src := []byte(r.text(file))
	for i := 0; i < len(src); i++ {
		switch c := src[i]; {
		case c == '\'' || c == '"' || c == '`':
			for i++; i < len(src) && src[i] != c && (c == '`' || src[i] != '\n'); i++ {
				if src[i] == '\\' {
					i++
				}
			}
		case c == '/' && i+1 < len(src) && src[i+1] == '*':
			end := bytes.Index(src[i+2:], []byte("*/"))
			if end < 0 {
				end = len(src) - i - 4
			}
			for j := i; j < min(len(src), i+end+4); j++ {
				if src[j] != '\n' {
					src[j] = ' '
				}
			}
			i += max(0, end+3)
		case c == '/' && i+1 < len(src) && src[i+1] == '/':
			for ; i < len(src) && src[i] != '\n'; i++ {
				src[i] = ' '
			}
		}
	}
	return script(src)
}

const quoted = `(?:'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"|` + "`([^`$\\\\]*)`)"

// str returns the first text that a key has: key: 'text', or a constant of the file: key: name, or the key alone.
func (s script) str(key string) string {
	if m := compile(`(?:^|[\s,{(])["']?` + regexp.QuoteMeta(key) + `["']?\s*[:=]\s*` + quoted).FindStringSubmatch(string(s)); m != nil {
		return unquote(m)
	}
	name := key
	if m := compile(`(?:^|[\s,{(])` + regexp.QuoteMeta(key) + `\s*:\s*([A-Za-z_]\w*)`).FindStringSubmatch(string(s)); m != nil {
		name = m[1]
	}
	if m := compile(`(?m)\b(?:const|let|var)\s+` + regexp.QuoteMeta(name) + `(?:\s*:[^=\n]+)?\s*=\s*(?:[^'"\n]*\|\|\s*)?` + quoted).FindStringSubmatch(string(s)); m != nil {
		return unquote(m)
	}
	return ""
}

// block returns what stands between the brackets after a key: key: { … } or key: [ … ], or after a constant that the
// key names.
func (s script) block(key string) script {
	for _, pattern := range []string{
		`(?:^|[\s,{(])["']?` + regexp.QuoteMeta(key) + `["']?\s*:\s*(?:[A-Za-z_.]+\()?\s*([{\[])`,
		`\b(?:const|let|var)\s+` + regexp.QuoteMeta(key) + `(?:\s*:[^=\n]+)?\s*=\s*([{\[])`,
	} {
		if m := compile(pattern).FindStringSubmatchIndex(string(s)); m != nil {
			return s.bracket(m[2])
		}
	}
	return ""
}

// bracket returns what stands between the bracket at offset i and the one that closes it.
func (s script) bracket(i int) script {
	depth := 0
	for j := i; j < len(s); j++ {
		switch c := s[j]; c {
		case '\'', '"', '`':
			for j++; j < len(s) && s[j] != c && (c == '`' || s[j] != '\n'); j++ {
				if s[j] == '\\' {
					j++
				}
			}
		case '{', '[', '(':
			depth++
		case '}', ']', ')':
			if depth--; depth == 0 {
				return s[i+1 : j]
			}
		}
	}
	return ""
}

// keys returns the keys of an object in order, without the keys of objects in it.
func (s script) keys() (names []string) {
	depth := 0
	for j := 0; j < len(s); j++ {
		switch c := s[j]; c {
		case '{', '[', '(':
			depth++
		case '}', ']', ')':
			depth--
		default:
			if depth != 0 || j > 0 && !strings.ContainsRune(" \t\r\n,{", rune(s[j-1])) {
				continue
			}
			if m := compile(`^["']?([\w-]+)["']?\s*:`).FindStringSubmatchIndex(string(s[j:])); m != nil {
				names = append(names, string(s[j+m[2]:j+m[3]]))
				j += m[1] - 1
			} else if c == '\'' || c == '"' || c == '`' {
				for j++; j < len(s) && s[j] != c; j++ {
					if s[j] == '\\' {
						j++
					}
				}
			}
		}
	}
	return names
}

// strings returns all texts in a block, in order.
func (s script) strings() (out []string) {
	for _, m := range compile(quoted).FindAllStringSubmatch(string(s), 10_000) {
		out = append(out, unquote(m))
	}
	return out
}

func unquote(m []string) string {
	return strings.NewReplacer(`\'`, `'`, `\"`, `"`, `\\`, `\`).Replace(m[1] + m[2] + m[3])
}
