package site

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/media"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/directive"
)

// A form is a line that names a file whose text stands in its place, or a text that only a program makes.
type form struct {
	hints string // one, or two with " | ": a substring of each line of the form
	// pattern matches one line. Its groups are named: file; lines, part or region; heading; name (of a component); fence (a language) or
	// literal: the text is code; made: the text is not in the project.
	pattern string
	code    bool // it stands in a fence, unless the line is in one
	outside bool
	options bool // lines such as ":lines: 1-3" may follow, until a fence
}

// forms are the forms of all generators. Macros are another one, see [readMacro].
var forms = []form{
	{hints: wikiHint, pattern: `^\s*!\[\[(?P<file>[^\[\]|#]+)(?:#(?P<heading>[^\[\]|]+))?(?:\|[^\[\]]*)?\]\]\s*$`, outside: true},
	{hints: "@include", pattern: `^\s*(?:<!--\s*)?@include:?\s+` + file + `(?:#(?P<part>[\w.-]+))?(?:\{(?P<lines>[^}]*)\})?\s*(?:-->\s*)?$`, outside: true},
	{hints: "<<<", pattern: `^\s*<<<\s+(?P<file>[^\s{#\[]+)(?:#(?P<part>[\w*.-]+))?(?:\s*\{(?P<lines>[^}]*)\})?(?:\s*\[[^\]]*\])?\s*$`, code: true, outside: true},
	{hints: "@[code", pattern: `^\s*@\[code(?:\{(?P<part>[^}]*)\})?(?P<fence>\s+\w+)?[^\]]*\]\((?P<file>[^)#]+)(?:#(?P<region>[\w.-]+))?\)`, code: true, outside: true},
	{hints: `from " | from '`, pattern: `^\s*import\s+(?:\{\s*(?:\w+\s+as\s+)?)?(?P<name>\w+)(?:\s*\})?\s+from\s+["'](?:[\w!-]*!)?(?P<file>[^"'!?]+)(?:\?raw)?["'];?\s*$`, outside: true},
	{hints: "<include", pattern: `^\s*<include[^>]*>(?P<file>[^<#]+)(?:#(?P<part>[\w-]+))?</include>\s*$`},
	{hints: "<Snippet | <Include", pattern: `^\s*<(?:Snippet|Include)\s[^>]*?(?:file|src|path)=["'](?P<file>[^"']+)["'][^>]*>(?:</\w+>)?\s*$`, outside: true},
	{hints: "8<", pattern: `^\s*-{1,}8<-{1,}\s+["'](?P<file>(?:https?://)?[^"':]+)(?::(?P<part>[^"']+))?["']\s*$`},
	{hints: "{*", pattern: `^\s*\{\*\s*` + file + `(?P<part>(?:\s+\w+\[[^\]]*\])*)\s*\*\}\s*$`, code: true},
	{hints: "{!", pattern: `^\s*\{!>?\s*` + file + `(?:\[(?P<part>[^\]]*)\])?\s*!\}\s*$`},
	{hints: "[!INCLUDE | [!code-", pattern: `^\s*\[!(?:INCLUDE|code-(?P<fence>\w+))\s*\[[^\]]*\]\((?P<file>[^)#?]+)(?:[#?](?P<part>[^)]*))?\)\]\s*$`},
	{hints: ":::code", pattern: `^\s*:::code\s(?P<part>[^:]*?source="(?P<file>[^":]+)"[^:]*):::\s*$`, code: true},
	{hints: "':include | \":include", pattern: `^\s*\[[^\]]*\]\((?P<file>[^\s)]+)\s+['"]:include(?P<part>[^'"]*)['"]\)\s*$`, outside: true},
	{hints: "include::", pattern: `^include::(?P<file>[^\[]+)\[(?P<part>[^\]]*)\]\s*$`},
	{hints: "include:: | include}", pattern: "^\\s*(?:\\.\\.\\s+|[`:]{3,}\\{)(?P<literal>literal)?include(?:::|\\})\\s*(?P<file>[^\\s<]\\S*)\\s*$", options: true},
	{hints: "#+", pattern: `^#\+(?i:include):\s+` + file + `(?:\s+(?P<literal>(?i:src|example))(?P<fence>\s+[\w+-]+)?)?(?P<part>.*)$`},
	{hints: ".. ", pattern: `^\s*\.\. (?:` + made + `|program-output|command-output)::\s+(?P<made>\S.*)$`, outside: true, options: true},
	{hints: "{auto | {click}", pattern: "^\\s*[`:]{3,}\\{(?:" + made + ")\\}\\s*(?P<made>\\S+)\\s*$", outside: true, options: true},
	{hints: "::: ", pattern: `^\s*:::\s+(?P<made>mkdocs-\w+|[A-Za-z_]\w*(?:[.:]+\w+)+)\s*$`, outside: true, options: true},
	{hints: "```@docs | ```@autodocs", pattern: "^(?P<made>```)@(?:auto)?docs\\b", options: true},
}

const (
	file     = `["']?(?P<file>[^\s"'\[\]{}<>|:]+)["']?`
	made     = `auto[a-z]+|click|argparse|doxygen[a-z]+` // directives whose text only a program makes
	wikiHint = "![["
)

// formsIn returns which of the forms occur in lines of a text.
func formsIn(text string, of []form) (found []form) {
	for _, f := range of {
		one, other, two := strings.Cut(f.hints, " | ")
		if strings.Contains(text, one) || two && strings.Contains(text, other) {
			found = append(found, f)
		}
	}
	return found
}

// formOf returns the form that a line has, with the groups of its pattern.
func formOf(forms []form, line string, code place) (*form, map[string]string) {
	for _, f := range formsIn(line, forms) {
		re := compile(f.pattern)
		if m := re.FindStringSubmatch(line); m != nil && (code == inProse || !f.outside) {
			groups := make(map[string]string)
			for j, name := range re.SubexpNames() {
				groups[name] = cmp.Or(m[j], groups[name])
			}
			return &f, groups
		}
	}
	return nil, nil
}

// block returns the last line of a form that begins in line i, and adds the lines of its options to the part. A fence ends them, or
// the first line that is neither an option nor indented.
func (f *form) block(lines []string, i int, groups map[string]string) (last int) {
	fence := directive.Fence(directive.OpenFence(strings.TrimSpace(lines[i])))
	if strings.Contains(lines[i], ":{") {
		fence = ":::"
	}
	for last = i; f.options && last+1 < len(lines) && last < i+200; last++ {
		next := strings.TrimRight(lines[last+1], " \t\r\n")
		trimmed := strings.TrimLeft(next, " \t")
		if fence != "" && fence.Read(trimmed) && fence == "" {
			return last + 1
		}
		option := len(next) < maxFormLine && compile(`^\s*:[\w-]+:`).MatchString(next)
		if !option && (groups["made"] == "" || fence == "" && (next == "" || next == trimmed)) {
			break
		}
		if len(groups["part"]) < maxOptions {
			groups["part"] += "\n" + next
		}
	}
	return last
}

// maxFiles of a macro: files that differ only in their extension.
const maxMacroFiles = 4

// hasMacros reports whether a text may have macros.
func hasMacros(text string) bool {
	return strings.Contains(text, "{{") || strings.Contains(text, "{%") || strings.Contains(text, "include-code::")
}

// maxMarkedLine is the number of bytes of a line of a call, and of one with the mark of a region.
const maxMarkedLine = 1000

// A macroCall is a call of a template that stands alone in a line:
//
//	{{ code_block('guide/csv', 'read') }}   {{< readfile "x.yaml" >}}   {% include "x.md" start="a" %}   {{#include x.rs:part}}
//	include-code::./Class[tag=x]
type macroCall struct {
	Name     string
	Args     []string // without their names
	Raw      string
	Function bool // in parentheses
}

// macroLines returns the macro that begins in line i as one line, and the last line of it.
func macroLines(lines []string, i int) (call string, last int) {
	call = strings.TrimSpace(lines[i])
	for last = i; strings.HasPrefix(call, "{{") && !strings.Contains(call, "}}") || strings.HasPrefix(call, "{%") && !strings.Contains(call, "%}"); {
		if last++; last == len(lines) || last > i+8 || len(lines[last]) > maxMarkedLine || strings.TrimSpace(lines[last]) == "" {
			return call, i
		}
		call += " " + strings.TrimSpace(lines[last])
	}
	return call, last
}

// readMacro reads a line that is a macro.
func readMacro(line string) (m macroCall, ok bool) {
	line = strings.TrimSpace(line)
	if rest, found := strings.CutPrefix(line, "include-code::"); found && strings.HasSuffix(rest, "]") {
		target, options, _ := strings.Cut(rest[:len(rest)-1], "[")
		return macroCall{"include-code", []string{target}, options, false}, true
	}
	opens, closes := "{{", "}}"
	if strings.HasPrefix(line, "{%") {
		opens, closes = "{%", "%}"
	}
	if len(line) < 6 || !strings.HasPrefix(line, opens) || !strings.HasSuffix(line, closes) || strings.Count(line, opens) > 1 {
		return m, false
	}
	inner := strings.TrimSpace(strings.TrimRight(strings.TrimLeft(line[2:len(line)-2], "<%-"), " >%-/"))
	if strings.HasPrefix(inner, "/") || strings.Contains(inner, " | ") || strings.Contains(inner, " . ") || strings.HasSuffix(inner, " .") {
		return m, false // the end of a pair, an example, or a Go template
	}
	end := strings.IndexAny(inner, " \t(")
	if end <= 0 {
		return m, false
	}
	m = macroCall{strings.ToLower(inner[:end]), nil, inner[end:], inner[end] == '('}
	for _, arg := range compile(macroArguments).FindAllStringSubmatch(m.Raw, 21) {
		m.Args = append(m.Args, strings.Join(arg[1:], ""))
	}
	return m, len(m.Args) <= 20
}

// macroArguments matches an argument with its name, if it has one.
const macroArguments = `(?:[^\s,()\[\]="']{1,100}=)?(?:"([^"]{0,300})"|'([^']{0,300})'|` + "`([^`]{0,300})`" + `|([^\s,()\[\]="'` + "`]{1,300}))"

// includers are in the names of macros that put a file into a document, whatever it is. Others, such as links and images, name files too.
var includers = []string{"include", "snippet", "readfile", "read_", "shared", "transclude", "embed", "partial", "code_block", "code_from", "playground", "insert_file"}

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
	call, last := macroLines(t.lines, i)
	m, ok := readMacro(call)
	includes := slices.ContainsFunc(includers, func(part string) bool { return strings.Contains(m.Name, part) })
	if !ok || !compile(`^[\w#./-]+$`).MatchString(m.Name) {
		return t.lines[i], i, false
	}
	names, joined := macroNames(m.Args, !includes || m.Function)
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
		for _, a := range m.Args {
			if a != name && compile(`^[\w.-]+$`).MatchString(a) {
				w.regions = append(w.regions, a)
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

// macroNames returns the paths that arguments may be: two that follow each other, if that is possible, of which there are joined, and
// each of them.
func macroNames(args []string, join bool) (names []string, joined int) {
	for j := 0; j+1 < len(args) && join; j++ {
		names = append(names, strings.TrimSuffix(args[j], "/")+"/"+strings.TrimPrefix(args[j+1], "/"))
	}
	return append(names, args...), len(names)
}

// isTemplate reports whether a file is a part of a theme, which makes a page rather than text.
func isTemplate(name string) bool {
	return slices.Contains([]string{".html", ".htm", ".njk", ".liquid", ".vue", ".j2", ".jinja", ".jinja2", ".hbs", ".tmpl"}, path.Ext(name))
}

// encloses reports whether a macro has an end in the lines after it: it stands around text.
func encloses(name string, rest []string) bool {
	return slices.ContainsFunc([]string{"{% end", "{%- end", "{% /", "{{< /", "{{% /", "{{</", "{{%/"}, func(end string) bool {
		return slices.ContainsFunc(rest, func(line string) bool { return strings.Contains(line, end+name) })
	})
}

// macroFiles returns the files that the argument of a macro names: one, or up to four that differ in their extension.
func (e *expansion) macroFiles(from, name string, includes bool) []string {
	if includes {
		if f := e.named(from, name); f != nil {
			return []string{f.name}
		}
	}
	files := slices.DeleteFunc(e.set.endingExactly(strings.TrimLeft(name, "./@~")), isDocument)
	if !differ(files) {
		files = e.closest(from, files)
	}
	if len(files) > maxMacroFiles || !differ(files) {
		return nil
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
