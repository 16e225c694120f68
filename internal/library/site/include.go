package site

import (
	"cmp"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/walk"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
)

const (
	maxIncludeDepth = 8
	maxIncluded     = 1 << 20 // bytes that are added to a page
)

// An include is a form in which documents of a generator name another file.
type include struct {
	hint string // text that each line of the form has
	// pattern matches one line. Its groups are named: file, part (lines or a region), and fence, a language.
	pattern string
	bases   []string // where names begin: "page", "root", "site", "project", or a folder of the site
	fenced  bool     // the text is code: it stands in a fence, unless the line is in one
	outside bool     // lines in fenced code are examples of the form
	options bool     // lines after it that are indented more have options: ":lines: 1-3"
	closes  string   // the line that ends the form; "": it is one line
}

// A Part is a file that was put into a document.
type Part struct {
	File    string // below the project folder, or as the document names it if it is missing
	Missing bool   // it cannot be read, and the line stays as it is written
}

const file = `["']?(?P<file>[^\s"'\[\]{}<>|:]+)["']?`

var (
	snippet         = include{hint: "8<", pattern: `^\s*;?-{1,}8<-{1,}\s+["'](?P<file>[^"':]+)(?::(?P<part>[^"']+))?["']\s*$`, bases: []string{"site", "project", "root"}}
	snippetBlock    = include{hint: "8<", pattern: `^\s*-{1,}8<-{1,}\s*$`, closes: `^\s*-{1,}8<-{1,}\s*$`, bases: []string{"site", "project", "root"}}
	fastAPICode     = include{hint: "{*", pattern: `^\s*\{\*\s*` + file + `(?P<part>(?:\s+\w+\[[^\]]*\])*)\s*\*\}`, bases: []string{"site", "page", "root"}, fenced: true}
	mdxBang         = include{hint: "{!", pattern: `^\s*\{!>?\s*` + file + `(?:\[(?P<part>[^\]]*)\])?\s*!\}`, bases: []string{"site", "page", "root", "project"}}
	includeMarkdown = include{hint: "{%", pattern: `^\s*\{%-?\s*include(?:-markdown)?\s+["'](?P<file>[^"']+)["'](?P<part>[^%]*)-?%\}`, bases: []string{"page", "root", "site", "project"}}
	mdxImport       = include{hint: "import", pattern: `^\s*import\s+(?P<name>[A-Z]\w*)\s+from\s+["'](?P<file>[^"']+\.mdx?)["'];?\s*$`, bases: []string{"page", "site", "root"}, outside: true}
	rawLoader       = include{hint: "raw-loader", pattern: `^\s*import\s+(?P<name>[A-Za-z]\w*)\s+from\s+["']!!raw-loader!(?P<file>[^"']+)["'];?\s*$`, bases: []string{"page", "site"}, fenced: true, outside: true}
	mintSnippet     = include{hint: "<Snippet", pattern: `^\s*<Snippet\s+file=["'](?P<file>[^"']+)["']\s*/>`, bases: []string{"snippets", "root"}, outside: true}
	viteCode        = include{hint: "<<<", pattern: `^\s*<<<\s+(?P<file>[^\s{#\[]+)(?:#(?P<part>[\w*.-]+))?(?:\s*\{(?P<lines>[^}]*)\})?(?:\s*\[[^\]]*\])?\s*$`, bases: []string{"page", "root"}, fenced: true, outside: true}
	viteInclude     = include{hint: "@include", pattern: `^\s*<!--\s*@include:\s*(?P<file>[^\s{#]+)(?:#(?P<part>[\w.-]+))?(?:\{(?P<lines>[^}]*)\})?\s*-->\s*$`, bases: []string{"page", "root"}}
	vueCode         = include{hint: "@[code", pattern: `^\s*@\[code(?:\{(?P<part>[^}]*)\})?(?P<fence>\s+\w+)?[^\]]*\]\((?P<file>[^)#]+)(?:#(?P<region>[\w.-]+))?\)`, bases: []string{"page", "root"}, fenced: true, outside: true}
	vueInclude      = include{hint: "@include", pattern: `^\s*<!--\s*@include:\s*(?P<file>[^\s{#]+)(?:#(?P<part>[\w.-]+))?(?:\{(?P<lines>[^}]*)\})?\s*-->\s*$`, bases: []string{"page", "root"}}
	plainInclude    = include{hint: "@include", pattern: `^@include\s+` + file + `(?:#(?P<part>\S+))?\s*$`, bases: []string{"page"}, outside: true}
	hugoShortcode   = include{hint: "{{", pattern: `^\s*\{\{[<%]\s*[\w/-]+\s+(?:[\w-]+=["'][^"']*["']\s+)*?(?:file=|path=|src=)?["'](?P<file>[^"'\s]+\.\w+)["'][^}]*[>%]\}\}\s*$`, bases: []string{"page", "root", "root/_includes", "root/_common", "assets", "static", "project"}}
	mdbookInclude   = include{hint: "{{#", pattern: `^\s*\{\{#(?:include|rustdoc_include|playground)\s+(?P<file>[^\s:}]+)(?::(?P<part>[^\s}]*))?[^}]*\}\}\s*$`, bases: []string{"page"}}
	gitbookInclude  = include{hint: "{%", pattern: `^\s*\{%\s*include\s+["'](?P<file>[^"']+)["']\s*%\}`, bases: []string{"page", "root"}}
	jekyllInclude   = include{hint: "{%", pattern: `^\s*\{%-?\s*include(?P<relative>_relative)?\s+(?P<file>[\w./-]+\.(?:md|markdown|txt))\b[^%]*%\}\s*$`, bases: []string{"root/_includes", "page"}}
	literalInclude  = include{hint: "literalinclude", pattern: `^(?P<indent>\s*)\.\.\s+literalinclude::\s*(?P<file>\S+)\s*$`, bases: []string{"page", "root"}, fenced: true, options: true}
	rstInclude      = include{hint: "include", pattern: `^(?P<indent>\s*)\.\.\s+include::\s*(?P<file>\S+)\s*$`, bases: []string{"page", "root"}, options: true}
	mystInclude     = include{hint: "include}", pattern: "^\\s*(?:`{3,}|:{3,})\\{(?P<kind>include|literalinclude)\\}\\s*(?P<file>\\S+)\\s*$", closes: "^\\s*(?:`{3,}|:{3,})\\s*$", bases: []string{"page", "root"}, options: true}
	asciidocInclude = include{hint: "include::", pattern: `^include::(?P<file>[^\[]+)\[(?P<part>[^\]]*)\]\s*$`, bases: []string{"page"}}
	fumaInclude     = include{hint: "<include", pattern: `^\s*<include[^>]*>(?P<file>[^<#]+)(?:#(?P<part>[\w-]+))?</include>\s*$`, bases: []string{"page", "site"}}
	docfxInclude    = include{hint: "[!INCLUDE", pattern: `^\s*\[!INCLUDE\s*\[[^\]]*\]\((?P<file>[^)]+)\)\]\s*$`, bases: []string{"page", "root"}}
	docfxCode       = include{hint: "[!code", pattern: `^\s*\[!code-(?P<fence>\w+)\[[^\]]*\]\((?P<file>[^)#?]+)(?:[#?](?P<part>[^)]*))?\)\]\s*$`, bases: []string{"page", "root"}, fenced: true}
	docfxCodeBlock  = include{hint: ":::code", pattern: `^\s*:::code\s+.*?source="(?P<file>[^"]+)"(?P<part>[^:]*):::\s*$`, bases: []string{"page", "root"}, fenced: true}
	quartoInclude   = include{hint: "{{<", pattern: `^\s*\{\{<\s*(?:include|embed)\s+(?P<file>[^\s#>]+)[^>]*>\}\}\s*$`, bases: []string{"page", "root"}}
	docsifyInclude  = include{hint: ":include", pattern: `^\s*\[[^\]]*\]\((?P<file>[^\s)]+)\s+['"]:include(?P<part>[^'"]*)['"]\)\s*$`, bases: []string{"page", "root"}, outside: true}
)

// Expand puts the text of the files that a document includes in place of the lines that name them. A file that cannot
// be read leaves its line as it is.
func (s *Set) Expand(p *Page, text string) (string, []Part) {
	c := s.expand(p, text)
	return c.Text, c.Parts
}

func (s *Set) expand(p *Page, text string) Content {
	if formatOf(p.File) == notebook {
		return Content{Text: notebookText(text)}
	}
	forms := p.Tree.site.Includes
	if !slices.ContainsFunc(forms, func(f include) bool { return strings.Contains(text, f.hint) }) {
		return Content{Text: text}
	}
	e := &expansion{set: s, page: p, budget: maxIncluded}
	c := Content{Text: e.expand(p.File, text, 0), Parts: e.parts}
	if len(e.parts) > 0 {
		c.Lines = e.lines
	}
	return c
}

type expansion struct {
	set    *Set
	page   *Page
	budget int // bytes that may still be added
	parts  []Part
	stack  []string // files that are being expanded
	lines  []int32  // for each line of the result, the line of the document
}

func (e *expansion) expand(from, text string, depth int) string {
	forms := e.page.Tree.site.Includes
	lines := strings.SplitAfter(text, "\n")
	imports := make(map[string]string) // texts by component
	var b strings.Builder
	write := func(line int, text string) {
		b.WriteString(text)
		if depth == 0 {
			n := strings.Count(text, "\n")
			if text != "" && !strings.HasSuffix(text, "\n") {
				n++ // the last line of the document
			}
			for range n {
				e.lines = append(e.lines, int32(line+1))
			}
		}
	}
	fence := ""
	for i := 0; i < len(lines); i++ {
		line := strings.TrimRight(lines[i], "\r\n")
		trimmed := strings.TrimSpace(line)
		found, at := e.form(forms, line, fence != "")
		if found == nil {
			if fence != "" {
				if excerpt.ClosesFence(trimmed, fence) {
					fence = ""
				}
			} else if fence = excerpt.OpenFence(trimmed); fence == "" && len(imports) > 0 && strings.HasPrefix(trimmed, "<") {
				if m := compile(`^<([A-Z]\w*)\b[^>]*/?>`).FindStringSubmatch(trimmed); m != nil && imports[m[1]] != "" {
					write(i, imports[m[1]])
					continue
				}
			}
			write(i, lines[i])
			continue
		}
		groups := groupsOf(found.pattern, at)
		last := i
		options := make(map[string]string)
		if found.options || found.closes != "" {
			last = e.block(found, lines, i, options, groups["indent"])
		}
		var texts []string
		if found.pattern == snippetBlock.pattern {
			for _, l := range lines[i+1 : max(i+1, last)] {
				if t, ok := e.include(from, found, map[string]string{"file": strings.TrimSpace(l)}, options, depth, fence != ""); ok {
					texts = append(texts, t)
				}
			}
		} else if t, ok := e.include(from, found, groups, options, depth, fence != ""); ok {
			texts = append(texts, t)
		}
		switch {
		case len(texts) == 0:
			write(i, lines[i])
			continue
		case groups["name"] != "":
			imports[groups["name"]] = texts[0]
		default:
			write(i, strings.Join(texts, ""))
		}
		i = last
	}
	return b.String()
}

// form returns the include that a line is, with the match.
func (e *expansion) form(forms []include, line string, fenced bool) (*include, []string) {
	if len(line) > 1000 {
		return nil, nil
	}
	for i := range forms {
		if fenced && forms[i].outside || !strings.Contains(line, forms[i].hint) {
			continue
		}
		if m := compile(forms[i].pattern).FindStringSubmatch(line); m != nil {
			return &forms[i], m
		}
	}
	return nil, nil
}

func groupsOf(pattern string, m []string) map[string]string {
	groups := make(map[string]string)
	for i, name := range compile(pattern).SubexpNames() {
		if name != "" && m[i] != "" {
			groups[name] = m[i]
		}
	}
	return groups
}

// block returns the last line of a form of several lines, and reads its options.
func (e *expansion) block(form *include, lines []string, i int, options map[string]string, indent string) int {
	for j := i + 1; j < len(lines) && j < i+200; j++ {
		line := strings.TrimRight(lines[j], "\r\n")
		if form.closes != "" {
			if compile(form.closes).MatchString(line) {
				return j
			}
		} else if strings.TrimSpace(line) == "" || !strings.HasPrefix(line, indent+" ") {
			return j - 1
		}
		if m := compile(`^\s*:([\w-]+):\s*(.*?)\s*$`).FindStringSubmatch(line); m != nil {
			options[m[1]] = m[2]
		}
	}
	if form.closes == "" {
		return len(lines) - 1
	}
	return i
}

// include returns the text of the file that a form names.
func (e *expansion) include(from string, form *include, groups, options map[string]string, depth int, inFence bool) (string, bool) {
	name := strings.TrimSpace(groups["file"])
	site := e.page.Tree.site
	if formatOf(from) == asciidoc {
		name = fillIn(name, site.Vars(e.page))
	}
	target, data, ok := e.read(from, form, name)
	if !ok || depth >= maxIncludeDepth || slices.Contains(e.stack, target) || len(data) > e.budget {
		e.parts = append(e.parts, Part{cmp.Or(target, name), true})
		return "", false
	}
	text := WithoutOutputs(target, string(data))
	part := cmp.Or(groups["lines"], groups["part"], groups["region"])
	code := form.fenced || groups["kind"] == "literalinclude" || strings.Contains(part, ":type=code")
	if !code {
		_, end, _ := splitFront(text)
		text = text[end:]
		if formatOf(target) == notebook {
			text = notebookText(text)
		}
	}
	text = selectPart(text, part, options)
	e.budget -= len(text)
	e.parts = append(e.parts, Part{target, false})
	if !code && !inFence {
		e.stack = append(e.stack, target)
		text = e.expand(target, text, depth+1)
		e.stack = e.stack[:len(e.stack)-1]
	}
	if text = strings.TrimRight(text, "\n") + "\n"; !code || inFence {
		return text, true
	}
	language := cmp.Or(options["language"], strings.TrimSpace(groups["fence"]), strings.TrimPrefix(path.Ext(target), "."))
	if formatOf(from) == rst {
		return indented(groups["indent"]+".. code-block:: "+language, groups["indent"]+"    ", text), true
	}
	marks := "```"
	for strings.Contains(text, marks) {
		marks += "`"
	}
	return marks + language + "\n" + text + marks + "\n", true
}

func indented(head, indent, text string) string {
	var b strings.Builder
	b.WriteString(head + "\n\n")
	for line := range strings.Lines(text) {
		if strings.TrimSpace(line) != "" {
			b.WriteString(indent)
		}
		b.WriteString(line)
	}
	return b.String() + "\n"
}

// read opens the file that a name means for a document, from the bases of the form.
func (e *expansion) read(from string, form *include, name string) (target string, data []byte, ok bool) {
	if name == "" || strings.Contains(name, "://") {
		return "", nil, false
	}
	site, root := e.page.Tree.site, e.page.Tree.Root
	var candidates []string
	if target := e.antora(from, name); target != "" {
		candidates = []string{target}
	}
	for _, base := range form.bases {
		name := name
		if rest, ok := strings.CutPrefix(name, "@site/"); ok {
			name, base = rest, "site"
		} else if rest, ok := strings.CutPrefix(name, "@/"); ok {
			name, base = rest, "root"
		} else if rest, ok := strings.CutPrefix(name, "~/"); ok {
			name, base = rest, "root"
		} else if strings.HasPrefix(name, "/") && base == "page" {
			base = "root"
		}
		dir := join(site.Dir, base)
		switch base {
		case "page":
			dir = path.Dir(from)
		case "root":
			dir = root
		case "site":
			dir = site.Dir
		case "project":
			dir = "."
		default:
			if below, ok := strings.CutPrefix(base, "root/"); ok {
				dir = join(root, below)
			}
		}
		candidates = append(candidates, clean(dir, name))
	}
	for _, c := range candidates {
		if c == "" || c == "." || !e.set.mayInclude(root, c) {
			continue
		}
		if data, err := readBounded(e.set.fsys, c); err == nil {
			return c, data, true
		}
	}
	return "", nil, false
}

// antora returns the file of a resource id: module:partial$name, partial$name.
func (e *expansion) antora(from, name string) string {
	family, rest, ok := strings.Cut(name, "$")
	if !ok || e.page.Tree.site.Name != "Antora" {
		return ""
	}
	module, _, _ := strings.Cut(relative(e.page.Tree.Root, from), "/")
	if i := strings.LastIndexByte(family, ':'); i >= 0 {
		parts := strings.Split(family[:i], ":")
		module, family = cmp.Or(parts[len(parts)-1], "ROOT"), family[i+1:]
	}
	return join(e.page.Tree.Root, module, family+"s", rest)
}

// mayInclude reports whether the text of a file may be in an answer: it lies in the project, .gitignore does not name
// it, and nothing refuses it. A hidden name is allowed only inside the documents' folder, and not where that is the
// project folder.
func (s *Set) mayInclude(root, name string) bool {
	real, err := walk.Resolve(s.fsys, name)
	if err != nil || !fs.ValidPath(real) || s.ignored.has(name, false) || s.ignored.has(real, false) {
		return false
	}
	for part := range strings.SplitSeq(real, "/") {
		switch walk.HidingOf(part) {
		case walk.NotHidden:
		case walk.DotName:
			if root == "." || !within(root, real) || part == ".git" {
				return false
			}
		default:
			return false
		}
	}
	return s.Refuse == nil || !s.Refuse(real)
}

// selectPart returns the lines of a text that a form asks for: "2:10", "1-3,5", the name of a region, or options such
// as "tags=a;b" and ":lines: 1-3".
func selectPart(text, part string, options map[string]string) string {
	part = strings.TrimSpace(part)
	if v := cmp.Or(options["lines"], attribute(part, "lines"), attribute(part, "range"), attribute(part, "ln")); v != "" {
		return lineRanges(text, v)
	}
	if v := cmp.Or(attribute(part, "tags"), attribute(part, "tag"), attribute(part, "id"), attribute(part, ":fragment"), attribute(part, "name")); v != "" {
		return regions(text, strings.FieldsFunc(v, func(r rune) bool { return r == ';' || r == ',' }))
	}
	start := cmp.Or(options["start-after"], options["start-at"], attribute(part, "start"))
	end := cmp.Or(options["end-before"], options["end-at"], attribute(part, "end"))
	if start != "" || end != "" {
		return between(text, start, end, options["start-at"] != "", options["end-at"] != "")
	}
	if v := options["pyobject"]; v != "" {
		return pythonObject(text, v)
	}
	if n, err := strconv.Atoi(options["start-line"]); err == nil {
		return lineRanges(text, strconv.Itoa(n+1)+"-")
	}
	switch {
	case part == "" || strings.ContainsAny(part, "=[ "):
		return text
	case compile(`^L?\d*(?:[:,-]L?\d*)*$`).MatchString(part):
		return lineRanges(text, strings.ReplaceAll(part, "L", ""))
	}
	return regions(text, []string{part})
}

// attribute returns the value of name=value, name="value" or name[value] in a list of options.
func attribute(options, name string) string {
	m := compile(`(?:^|[\s,&?])` + name + `(?:=|\[)(?:"([^"]*)"|'([^']*)'|([^\s,&\]]+))`).FindStringSubmatch(options)
	if m == nil {
		return ""
	}
	return m[1] + m[2] + m[3]
}

// lineRanges returns lines by number: "1-3,5", "2:10", "3..5", "4-", ":7".
func lineRanges(text, ranges string) string {
	lines := strings.SplitAfter(text, "\n")
	var b strings.Builder
	for _, r := range strings.FieldsFunc(ranges, func(r rune) bool { return r == ',' || r == ';' }) {
		r = strings.ReplaceAll(strings.ReplaceAll(strings.TrimSpace(r), "..", "-"), ":", "-")
		first, last, isRange := strings.Cut(r, "-")
		from, err := strconv.Atoi(first)
		if err != nil {
			from = 1
		}
		to, err := strconv.Atoi(last)
		if err != nil {
			to = len(lines)
		}
		if !isRange {
			to = from
		}
		for i := max(1, from); i <= min(to, len(lines)); i++ {
			b.WriteString(lines[i-1])
		}
	}
	return b.String()
}

// regions returns the lines between the marks of regions, in any of the forms that generators have, without other
// marks. A text without a mark of any name is returned whole.
func regions(text string, names []string) string {
	mark := compile(`(?:#|//|--|<!--|/\*|;|%)\s*#?(?:region|endregion)\b|ANCHOR(?:_END)?:|(?:tag|end)::[\w.-]+\[\]|\[(?:start|end):[^\]]+\]|</?(?:snippet|[\w-]+)>\s*$`)
	var b strings.Builder
	in := make(map[string]bool)
	found := false
	for line := range strings.Lines(text) {
		if mark.MatchString(line) || strings.Contains(line, "[!") {
			known := false
			for _, name := range names {
				q := strings.NewReplacer(".", `\.`, "*", `\*`, "+", `\+`, "?", `\?`, "(", `\(`, ")", `\)`, "[", `\[`, "$", `\$`, "|", `\|`, "^", `\^`, `\`, `\\`, "{", `\{`).Replace(name)
				begin := compile(`(?:#region|#pragma region|region:?)\s+` + q + `\s*(?:-->|\*/)?\s*$|ANCHOR:\s*` + q + `\s*(?:-->|\*/)?\s*$|tag::` + q + `\[\]|\[start:` + q + `\]|<` + q + `>\s*(?:-->)?\s*$`).MatchString(line)
				end := compile(`endregion\b(?:\s+` + q + `)?\s*(?:-->|\*/)?\s*$|ANCHOR_END:\s*` + q + `\b|end::` + q + `\[\]|\[end:` + q + `\]|</` + q + `>`).MatchString(line)
				switch {
				case begin:
					in[name], found, known = true, true, true
				case end:
					delete(in, name)
					known = true
				}
			}
			if known || mark.MatchString(line) && compile(`ANCHOR|tag::|end::|region|\[(?:start|end):`).MatchString(line) {
				continue
			}
		}
		if len(in) > 0 {
			b.WriteString(line)
		}
	}
	if !found {
		return text
	}
	return b.String()
}

func between(text, start, end string, startIn, endIn bool) string {
	if start != "" {
		i := strings.Index(text, start)
		if i < 0 {
			return text
		}
		if startIn {
			text = text[strings.LastIndexByte(text[:i], '\n')+1:]
		} else if j := strings.IndexByte(text[i:], '\n'); j >= 0 {
			text = text[i+j+1:]
		}
	}
	if end != "" {
		if i := strings.Index(text, end); i >= 0 {
			if endIn {
				if j := strings.IndexByte(text[i:], '\n'); j >= 0 {
					return text[:i+j+1]
				}
				return text
			}
			text = text[:strings.LastIndexByte(text[:i], '\n')+1]
		}
	}
	return text
}

// pythonObject returns the definition of a function or class in Python, by its dotted name.
func pythonObject(text, name string) string {
	lines := strings.SplitAfter(text, "\n")
	for _, part := range strings.Split(name, ".") {
		from, indent := -1, 0
		for i, line := range lines {
			if m := compile(`^(\s*)(?:async\s+)?(?:def|class)\s+(\w+)`).FindStringSubmatch(line); m != nil && m[2] == part {
				from, indent = i, len(m[1])
				break
			}
		}
		if from < 0 {
			return text
		}
		to := from + 1
		for to < len(lines) && (strings.TrimSpace(lines[to]) == "" || len(lines[to])-len(strings.TrimLeft(lines[to], " \t")) > indent) {
			to++
		}
		for from > 0 && strings.HasPrefix(strings.TrimSpace(lines[from-1]), "@") {
			from--
		}
		lines = lines[from:to]
	}
	return strings.Join(lines, "")
}
