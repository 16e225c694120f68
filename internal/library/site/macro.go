package site

import (
	"path"
	"slices"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/media"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/macro"
)

// maxFiles of a macro: files that differ only in their extension.
const maxMacroFiles = 4

// hasMacros reports whether a text may have macros.
func hasMacros(text string) bool {
	return strings.Contains(text, "{{") || strings.Contains(text, "{%") || strings.Contains(text, "include-code::")
}

// includers are in the names of macros that put a file into a document, whatever it is. Others, such as links and images, name files too.
var includers = []string{"include", "snippet", "readfile", "read_", "shared", "transclude", "embed", "partial", "code_block", "code_from", "playground", "insert_file"}

// linkers are the names of macros whose arguments are links.
const linkers = `^(?:url|(?:rel)?ref|link\w*|asset\w*|im(?:g|age)\w*|figure|icon|video|button\w*|href|doc|api|post_url)$`

// notFiles are the names of arguments that are no files.
const notFiles = `^(?:title|alt|caption|class|id|href|links?|to|url|lang\w*|width|height|label|name|style|version|source|start|end|comments?|dedent|heading-offset)$`

// namesFile reports whether an argument may be the path of a text: it has a slash or an extension.
func namesFile(value string) bool {
	if value == "" || len(value) > 300 || strings.ContainsAny(value, " <>{}*$\n") || strings.Contains(value, "://") || value[0] == '#' {
		return false
	}
	ext := path.Ext(value)
	if kind, _ := media.ByName(value); strings.HasPrefix(kind, "image/") || media.Binary(kind) {
		return false
	}
	return strings.Contains(strings.Trim(value, "/"), "/") || len(ext) > 1 && len(ext) < len(path.Base(value)) && !slices.Contains([]byte("0123456789"), ext[1])
}

// macro returns what stands in place of line i if it is a macro, and the last line of the macro.
func (e *expansion) macro(t *lined, w wanted, i int) (put string, last int, ok bool) {
	call, last := macro.Lines(t.lines, i)
	m, ok := macro.Read(call)
	includes := slices.ContainsFunc(includers, func(part string) bool { return strings.Contains(m.Name, part) })
	if !ok || !compile(`^[\w#./-]+$`).MatchString(m.Name) || !includes && compile(linkers).MatchString(m.Name) {
		return t.lines[i], i, false
	}
	args := slices.DeleteFunc(slices.Clone(m.Args), func(a macro.Argument) bool { return compile(notFiles).MatchString(a.Key) })
	var names []string
	for j := 0; j+1 < len(args) && (!includes || m.Function); j++ {
		names = append(names, strings.TrimSuffix(args[j].Value, "/")+"/"+strings.TrimPrefix(args[j+1].Value, "/"))
	}
	joined := len(names)
	for _, a := range args {
		names = append(names, a.Value)
	}
	w.code, w.alias = !includes || m.Name == "include-code", !includes
	if strings.ContainsAny(m.Raw, "=[") {
		w.parts = []string{m.Raw}
	}
	for j, name := range names {
		if includes {
			var part string
			if name, part, ok = strings.Cut(name, ":"); ok {
				w.parts = []string{part}
			}
			name, _, _ = strings.Cut(name, "#")
		}
		if !namesFile(name) || !e.charge(name, lookCost) {
			continue
		}
		if isTemplate(name) || encloses(m.Name, t.lines[last+1:min(len(t.lines), last+200)]) {
			break
		}
		if j >= joined && w.name == "" && (includes || m.Function) {
			w.name = name // it is missed if no other is there
		}
		files := e.macroFiles(t.file, name, includes && m.Name != "include-code")
		if len(files) == 0 {
			continue
		}
		for _, a := range args {
			if a.Value != name && compile(`^[\w.-]+$`).MatchString(a.Value) {
				w.regions = append(w.regions, a.Value)
			}
		}
		w.name = name
		for _, f := range files {
			w.files = []string{f}
			text, ok := e.include(w)
			if put += text; !ok {
				break
			}
		}
		if put == "" {
			break
		}
		return put, last, true
	}
	if w.files == nil && w.name != "" {
		if put, ok = e.missing(w, false); ok {
			return put, last, true
		}
	}
	return t.lines[i], i, false
}

// isTemplate reports whether a file is a part of a theme, which makes a page rather than text.
func isTemplate(name string) bool {
	return slices.Contains([]string{".html", ".htm", ".njk", ".liquid", ".vue", ".j2", ".jinja", ".jinja2", ".hbs", ".tmpl"}, path.Ext(name))
}

// encloses reports whether a macro has an end in the lines after it: it stands around text.
func encloses(name string, rest []string) bool {
	for _, end := range []string{"{% end", "{%- end", "{% /", "{{< /", "{{% /", "{{</", "{{%/"} {
		if slices.ContainsFunc(rest, func(line string) bool { return strings.Contains(line, end+name) }) {
			return true
		}
	}
	return false
}

// macroFiles returns the files that the argument of a macro names: one, or up to four that differ in their extension.
func (e *expansion) macroFiles(from, name string, includes bool) []string {
	if includes {
		if f := e.find(e.candidates(from, name)); f != nil {
			return []string{f.name}
		}
	}
	files := slices.DeleteFunc(e.set.endingExactly(strings.TrimLeft(name, "./@~")), isDocument)
	if !differ(files) {
		files = e.closest(from, files)
	}
	if len(files) > maxMacroFiles || !differ(files) {
		return nil // it may be any of them
	}
	return files
}

// differ reports whether the extensions of files differ.
func differ(files []string) bool {
	extensions := make(map[string]bool)
	for _, f := range files {
		extensions[path.Ext(f)] = true
	}
	return len(extensions) == len(files)
}
