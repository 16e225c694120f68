package site

import (
	"path"
	"slices"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/media"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/directive"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/macro"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/markup"
)

// maxFiles of a macro: files that differ only in their extension.
const maxMacroFiles = 4

// hasMacros reports whether a text may have macros.
func hasMacros(text string) bool { return strings.Contains(text, "{{") || strings.Contains(text, "{%") }

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

// macro returns what stands in place of a line that is a macro.
func (e *expansion) macro(from, line, indent string, code place, after func() string) (string, bool) {
	m, ok := macro.Read(line)
	if !ok {
		return "", false
	}
	includes := slices.ContainsFunc(includers, func(part string) bool { return strings.Contains(m.Name, part) })
	if !includes && compile(linkers).MatchString(m.Name) {
		return "", false
	}
	args := slices.DeleteFunc(slices.Clone(m.Args), func(a macro.Argument) bool { return compile(notFiles).MatchString(a.Key) })
	var names []string
	for i := 0; i+1 < len(args) && (!includes || m.Function); i++ {
		names = append(names, strings.TrimSuffix(args[i].Value, "/")+"/"+strings.TrimPrefix(args[i+1].Value, "/"))
	}
	for _, a := range args {
		names = append(names, a.Value)
	}
	w := wanted{code: !includes || m.Name == "include-code", part: m.Raw}
	if !strings.ContainsAny(m.Raw, "=[") {
		w.part = ""
	}
	named := ""
	for _, name := range names {
		if includes && strings.HasPrefix(m.Name, "#") || !strings.ContainsAny(name, "\\") && includes {
			var part string
			if name, part, ok = strings.Cut(name, ":"); ok {
				w.part = part
			}
			name, _, _ = strings.Cut(name, "#")
		}
		if !namesFile(name) || !e.charge(name, lookCost) {
			continue
		}
		if isTemplate(name) {
			return "", false
		}
		if named == "" && (includes || m.Function) && slices.ContainsFunc(m.Args, func(a macro.Argument) bool { return strings.HasPrefix(a.Value, name) }) {
			named = name
		}
		files := e.macroFiles(from, name, includes && m.Name != "include-code")
		if len(files) == 0 || encloses(m.Name, after) {
			continue
		}
		for _, a := range args {
			if a.Value != name && compile(`^[\w.-]+$`).MatchString(a.Value) {
				w.regions = append(w.regions, a.Value)
			}
		}
		w.name = name
		var put string
		for _, f := range files {
			w.files = []string{f}
			text, ok := e.include(from, w, indent, code)
			if !ok {
				return put, put != ""
			}
			put += text
		}
		return put, true
	}
	if named == "" || code != inProse || encloses(m.Name, after) {
		return "", false
	}
	return e.missing(wanted{name: named, alias: !includes}, indent, code)
}

// isTemplate reports whether a file is a part of a theme, which makes a page rather than text.
func isTemplate(name string) bool {
	return slices.Contains([]string{".html", ".htm", ".njk", ".liquid", ".vue", ".j2", ".jinja", ".jinja2", ".hbs", ".tmpl"}, path.Ext(name))
}

// encloses reports whether a macro has an end further down: it stands around text.
func encloses(name string, after func() string) bool {
	rest := after()
	for _, end := range []string{"{% end" + name, "{%- end" + name, "{% /" + name, "{{< /" + name, "{{% /" + name, "{{</" + name, "{{%/" + name} {
		if strings.Contains(rest, end) {
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
	if len(files) > 1 && !differ(files) {
		files = e.ofSection(from, files)
	}
	if len(files) > maxMacroFiles || !differ(files) {
		return nil // it may be any of them
	}
	return files
}

// differ reports whether the extensions of files differ.
func differ(files []string) bool {
	for i, f := range files {
		if slices.ContainsFunc(files[:i], func(o string) bool { return path.Ext(o) == path.Ext(f) }) {
			return false
		}
	}
	return true
}

// ofSection returns those of some files whose folders have the most names in common with the path of a document and the section.
func (e *expansion) ofSection(from string, files []string) (best []string) {
	var names []string
	for part := range strings.SplitSeq(stem(from), "/") {
		names = append(names, squeezed(part))
	}
	names = append(names, squeezed(e.section))
	most := 0
	for _, f := range files {
		n := 0
		for part := range strings.SplitSeq(path.Dir(f), "/") {
			if slices.Contains(names, squeezed(part)) {
				n++
			}
		}
		if n > most {
			best, most = nil, n
		}
		if n == most {
			best = append(best, f)
		}
	}
	if most < 2 {
		return nil
	}
	return best
}

// A place says where a line of a document stands.
type place uint8

const (
	inProse place = iota
	inCode        // in code that a form may fill
	verbose       // in a formula, or in an element whose text is as it is written
)

// codeReader returns a function that says where a line stands. It must be called for each line, in order.
func codeReader(f format, text string) func(i int) place {
	switch f {
	case markdown, notebook:
		places, formula, until := make([]place, 0, 1+strings.Count(text, "\n")), false, ""
		for l := range directive.Lines(text) {
			trimmed, p := strings.TrimSpace(l.Text), inProse
			lower := strings.ToLower(trimmed[:min(len(trimmed), 10)])
			switch {
			case l.Code == directive.Fenced, l.Code == directive.Indented:
				p = inCode
			case until != "":
				if p = verbose; strings.Contains(strings.ToLower(trimmed), until) {
					until = ""
				}
			case strings.HasPrefix(lower, "<pre"), strings.HasPrefix(lower, "<script"), strings.HasPrefix(lower, "<style"):
				p, until = verbose, "</"+lower[1:4]
				if strings.Contains(strings.ToLower(trimmed), until) {
					until = ""
				}
			case trimmed == "$$":
				p, formula = verbose, !formula
			case formula:
				p = verbose
			}
			places = append(places, p)
		}
		return func(i int) place {
			if i < len(places) {
				return places[i]
			}
			return inProse
		}
	case rst:
		lines := markup.RST(text)
		return func(i int) place {
			if i < len(lines) && lines[i].Code {
				return inCode
			}
			return inProse
		}
	case asciidoc:
		lines, block, at := strings.SplitAfter(text, "\n"), "", -1
		p := inProse
		return func(i int) place {
			for ; at < i && at+1 < len(lines); at++ {
				line := strings.TrimRight(lines[at+1], " \t\r\n")
				p = inProse
				if block != "" {
					if p = inCode; line == block {
						block, p = "", inProse
					}
				} else if len(line) >= 4 && (strings.Trim(line, "-") == "" || strings.Trim(line, ".") == "") {
					block = line
				}
			}
			return p
		}
	}
	return func(int) place { return inProse }
}

// made are directives whose text only a program makes: from code, for example. The group is a name.
const (
	madeRST      = `^\s*\.\. (?:auto[a-z]+|click|argparse|program-output|doxygen[a-z]+|command-output)::\s+(\S.*)$`
	madeMarkdown = "^\\s*(?:[`:]{3,}\\{(?:auto[a-z]+|click|argparse|doxygen[a-z]+)\\}\\s*|:{3}\\s+)([A-Za-z_][\\w-]*(?:[.:]+[\\w-]+)*)\\s*$"
)

// hasGenerated reports whether a text may have lines that [generatedBy] knows.
func hasGenerated(text string, f format) bool {
	if f == rst {
		return strings.Contains(text, ".. ")
	}
	return f == markdown && (strings.Contains(text, "::: ") || strings.Contains(text, "}") && strings.Contains(text, "{auto") || strings.Contains(text, "```@"))
}

// generatedBy returns the name in a line for whose text only a program has the words, and the last line of the block.
func generatedBy(f format, lines []string, i int, code place) (name string, last int) {
	line := strings.TrimRight(lines[i], "\r\n")
	if code != inProse || len(line) > maxFormLine {
		return "", i
	}
	last = i
	switch {
	case f == rst && strings.Contains(line, ".. "):
		if m := compile(madeRST).FindStringSubmatch(line); m != nil {
			for last+1 < len(lines) && compile(`^\s+:[\w-]+:`).MatchString(lines[last+1][:min(200, len(lines[last+1]))]) {
				last++
			}
			return m[1], last
		}
	case f == markdown && strings.HasPrefix(line, "```@") && compile("^```@(?:auto)?docs\\b").MatchString(line):
		var names []string
		for last++; last < len(lines) && last < i+200 && !strings.HasPrefix(lines[last], "```"); last++ {
			names = append(names, strings.TrimSpace(lines[last]))
		}
		return strings.Join(names, ", "), min(last, len(lines)-1)
	case f == markdown && strings.ContainsAny(line, ":{"):
		m := compile(madeMarkdown).FindStringSubmatch(line)
		if m == nil || !strings.ContainsAny(m[1], ".:") && !strings.Contains(line, "{") && !strings.HasPrefix(m[1], "mkdocs-") {
			return "", i
		}
		fence := directive.OpenFence(strings.TrimSpace(line))
		for last+1 < len(lines) && last < i+200 {
			next := strings.TrimSpace(lines[last+1])
			if fence == "" && (next == "" || lines[last+1][0] != ' ' && lines[last+1][0] != '\t') && !(strings.HasPrefix(line, ":::") && strings.Contains(line, "{")) {
				break
			}
			if last++; next != "" && (next == fence || strings.Trim(next, ":") == "") {
				break
			}
		}
		return m[1], last
	}
	return "", i
}
