package site

import (
	"bytes"
	"cmp"
	"context"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/directive"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
)

const (
	maxIncludeDepth = 8
	maxIncluded     = 1 << 20  // bytes that are added to a page
	maxLooked       = 16 << 20 // bytes of included files that a page may look at; a file counts each time
	minLook         = 1 << 10  // bytes that a look at a file counts at least
)

// An include is a form in which documents name another file.
type include struct {
	hints string // one, or two with " | " between them: each line of the form has one of them
	// pattern matches one line. Its groups are named: file; lines, part or region; name (of a component); indent; fence (a
	// language) or literal: the text is code.
	pattern string
	code    bool // the text is code: it stands in a fence, unless the line is in one
	outside bool // lines in fenced code are examples of the form
	options bool // lines after it may have options, ":lines: 1-3", and a fence ends it
	wiki    bool // it is a form of links of a wiki
	// of has the generators that read the form, as does each generator in documents of the format, unless that is Markdown.
	// Without the file, the line is an error for them, and an example to others.
	of     string
	format format
}

// includes are the forms of all generators: a line that has only markup and names a file of the project is that file.
var includes = []include{
	{hints: "![[", pattern: `^\s*!\[\[(?P<file>[^\[\]|#]+)(?:#(?P<heading>[^\[\]|]+))?(?:\|[^\[\]]*)?\]\]\s*$`, outside: true, wiki: true},
	{hints: "@include", pattern: `^@include\s+` + file + `(?:#(?P<part>\S+))?\s*$`, outside: true},
	{hints: "@include", pattern: `^\s*<!--\s*@include:\s*(?P<file>[^\s{#]+)(?:#(?P<part>[\w.-]+))?(?:\{(?P<lines>[^}]*)\})?\s*-->\s*$`, of: "VitePress VuePress"},
	{hints: "<<<", pattern: `^\s*<<<\s+(?P<file>[^\s{#\[]+)(?:#(?P<part>[\w*.-]+))?(?:\s*\{(?P<lines>[^}]*)\})?(?:\s*\[[^\]]*\])?\s*$`, code: true, outside: true, of: "VitePress VuePress"},
	{hints: "@[code", pattern: `^\s*@\[code(?:\{(?P<part>[^}]*)\})?(?P<fence>\s+\w+)?[^\]]*\]\((?P<file>[^)#]+)(?:#(?P<region>[\w.-]+))?\)`, code: true, outside: true, of: "VuePress"},
	{hints: `from " | from '`, pattern: `^\s*import\s+(?P<name>[A-Z]\w*)\s+from\s+["'](?P<file>[^"'!]+\.mdx?)["'];?\s*$`, outside: true, of: "Docusaurus Starlight Nextra Fumadocs Mintlify"},
	{hints: "!raw-loader!", pattern: `^\s*import\s+(?P<name>[A-Za-z]\w*)\s+from\s+["']!!raw-loader!(?P<file>[^"']+)["'];?\s*$`, code: true, outside: true, of: "Docusaurus"},
	{hints: "<include", pattern: `^\s*<include[^>]*>(?P<file>[^<#]+)(?:#(?P<part>[\w-]+))?</include>\s*$`, of: "Fumadocs"},
	{hints: "8<", pattern: `^\s*-{1,}8<-{1,}\s+["'](?P<file>[^"':]+)(?::(?P<part>[^"']+))?["']\s*$`, of: "MkDocs"},
	{hints: "{*", pattern: `^\s*\{\*\s*` + file + `(?P<part>(?:\s+\w+\[[^\]]*\])*)\s*\*\}`, code: true, of: "MkDocs"},
	{hints: "{!", pattern: `^\s*\{!>?\s*` + file + `(?:\[(?P<part>[^\]]*)\])?\s*!\}`, of: "MkDocs"},
	{hints: "{%", pattern: `^\s*\{%-?\s*include(?:-markdown)?\s+["'](?P<file>[^"']+)["'](?P<part>[^%]*)-?%\}`, of: "MkDocs GitBook Eleventy"},
	{hints: "{%", pattern: `^\s*\{%-?\s*include(?:_relative)?\s+(?P<file>[\w./-]+\.(?:md|markdown|txt))\b[^%]*%\}\s*$`, of: "Jekyll"},
	{hints: "{{#", pattern: `^\s*\{\{#(?:include|rustdoc_include|playground)\s+(?P<file>[^\s:}]+)(?::(?P<part>[^\s}]*))?[^}]*\}\}\s*$`, of: "mdBook"},
	{hints: "{{< | {{%", pattern: `^\s*\{\{[<%]\s*[\w/-]+\s+(?:[\w-]+=["'][^"']*["']\s+)*?(?:file=|path=|src=)?["']?(?P<file>[^"'\s<>{}=#]+\.\d*[A-Za-z_]\w*)["']?(?:[#\s][^}]*)?[>%]\}\}\s*$`, of: "Quarto"},
	{hints: "[!INCLUDE | [!code-", pattern: `^\s*\[!(?:INCLUDE|code-(?P<fence>\w+))\s*\[[^\]]*\]\((?P<file>[^)#?]+)(?:[#?](?P<part>[^)]*))?\)\]\s*$`, of: "DocFX"},
	{hints: ":::code", pattern: `^\s*:::code\s+.*?source="(?P<file>[^"]+)"(?P<part>[^:]*):::\s*$`, code: true, of: "DocFX"},
	{hints: "':include | \":include", pattern: `^\s*\[[^\]]*\]\((?P<file>[^\s)]+)\s+['"]:include(?P<part>[^'"]*)['"]\)\s*$`, outside: true, of: "Docsify"},
	{hints: "include::", pattern: `^include::(?P<file>[^\[]+)\[(?P<part>[^\]]*)\]\s*$`, format: asciidoc},
	{hints: "include:: | include}", pattern: "^(?P<indent>\\s*)(?:\\.\\.\\s+|[`:]{3,}\\{)(?P<literal>literal)?include(?:::|\\})\\s*(?P<file>\\S+)\\s*$", options: true, format: rst, of: "Sphinx Jupyter Book"},
}

// formsIn returns which of the forms occur in lines of a text.
func formsIn(text string, of []include) (forms []include) {
	for _, f := range of {
		one, other, two := strings.Cut(f.hints, " | ")
		if strings.Contains(text, one) || two && strings.Contains(text, other) {
			forms = append(forms, f)
		}
	}
	return forms
}

// partFolders are the folders, next to a document or in the folder of the site or its documents, that have files to include.
var partFolders = []string{"_includes", "_common", "assets", "static", "snippets"}

// A Part is a file that was put into a document.
type Part struct {
	File    string // below the project folder, or as the document names it if it is missing
	Line    int    // of the document's file
	Missing bool   // it cannot be read, and the line stays as it is written
}

const file = `["']?(?P<file>[^\s"'\[\]{}<>|:]+)["']?`

// Content returns the text of a page, of which text is the file's: it puts the text of the files that a document includes in
// place of the lines that name them. A file that cannot be read leaves its line as it is. The error is ctx.Err().
func (s *Set) Content(ctx context.Context, p *Page, text string) (Content, error) {
	text = strings.TrimPrefix(text, "\ufeff")
	if formatOf(p.File) == notebook {
		return Content{Text: notebookText(text)}, nil
	}
	for _, name := range p.Tree.site.Appended {
		text += "\n--8<-- \"" + name + "\"\n"
	}
	wiki := p.Tree.site.is(plain) && formatOf(p.File) == markdown && strings.Contains(text, "[[")
	if !wiki && len(formsIn(text, includes)) == 0 {
		return Content{Text: text}, nil
	}
	p.includes.Store(true)
	e := &expansion{ctx: ctx, set: s, page: p, left: maxIncluded, looked: maxLooked, wiki: wiki, files: make(map[string]*included)}
	text = e.expand(p.File, text)
	return Content{Text: text, Parts: e.parts, Left: e.first, Open: e.open}, e.err
}

// An expansion is the state of [Set.Content].
type expansion struct {
	ctx    context.Context
	err    error // ctx.Err()
	set    *Set
	page   *Page
	left   int    // bytes that may still be added
	looked int    // bytes of files that may still be looked at
	first  string // the first include that is left out because of these; "": none is
	parts  []Part
	open   bool                 // a document that it includes is not found
	line   int                  // of the document's file
	stack  []string             // files that are being expanded
	wiki   bool                 // the document may have links of a wiki
	files  map[string]*included // by their names in the project; nil: it cannot be read
}

// An included is a file that documents include.
type included struct {
	name string // in the project
	code string // its text, as code
	text string // its text, as a part of a document: without front matter, and a notebook as Markdown
}

func (e *expansion) expand(from, text string) string {
	lines := strings.SplitAfter(text, "\n")
	forms, imports := formsIn(text, includes), make(map[string]string) // texts by component
	var b strings.Builder
	var fence directive.Fence
	for i := 0; i < len(lines) && e.err == nil; i++ {
		at, put := i, lines[i]
		if len(e.stack) == 0 {
			e.line = i + 1
		}
		if form, groups := e.form(forms, strings.TrimRight(lines[i], "\r\n"), fence != ""); form != nil {
			last := form.block(lines, i, groups)
			if text, ok := e.include(from, form, groups, fence != ""); ok {
				put, i = text, last
				if name := groups["name"]; name != "" {
					imports[name], put = text, ""
				}
			}
		} else if tag := strings.TrimSpace(lines[i]); !fence.Read(tag) && len(imports) > 0 {
			if m := compile(`^<([A-Z]\w*)\b[^>]*/?>`).FindStringSubmatch(tag); m != nil && imports[m[1]] != "" && e.fits(m[1], imports[m[1]]) {
				put = imports[m[1]]
			}
		}
		if e.wiki && fence == "" && i == at && put == lines[i] {
			put = e.set.linked(e.page, put)
		}
		b.WriteString(put)
	}
	return b.String()
}

// fits reports whether a text may still be added for an include, and counts it.
func (e *expansion) fits(name, text string) bool {
	if len(text) > e.left {
		e.first = cmp.Or(e.first, name)
		return false
	}
	e.left -= len(text)
	return true
}

// form returns the include that a line is, with the groups of its pattern.
func (e *expansion) form(forms []include, line string, fenced bool) (*include, map[string]string) {
	for _, f := range formsIn(line, forms) {
		if len(line) > 1000 || e.looked < 0 || fenced && f.outside || f.wiki && !e.wiki {
			continue
		}
		re := compile(f.pattern)
		if m := re.FindStringSubmatch(line); m != nil {
			groups := make(map[string]string)
			for j, name := range re.SubexpNames() {
				groups[name] = cmp.Or(m[j], groups[name])
			}
			return &f, groups
		}
	}
	return nil, nil
}

// block returns the last line of a form that begins in line i, and adds the lines of its options to the part.
func (form *include) block(lines []string, i int, groups map[string]string) (last int) {
	for last = i; form.options && last+1 < len(lines) && compile(`^\s*:[\w-]+:`).MatchString(lines[last+1]); last++ {
		groups["part"] += "\n" + lines[last+1]
	}
	if strings.Contains(lines[i], "include}") && last+1 < len(lines) && compile("^\\s*(?:`{3,}|:{3,})\\s*$").MatchString(lines[last+1]) {
		last++
	}
	return last
}

// include returns the text of the file that a form names.
func (e *expansion) include(from string, form *include, groups map[string]string, fenced bool) (string, bool) {
	if e.err = e.ctx.Err(); e.err != nil {
		return "", false
	}
	name, part := strings.TrimSpace(groups["file"]), cmp.Or(groups["lines"], groups["part"], groups["region"])
	if formatOf(from) == asciidoc {
		name = fillIn(name, e.page.Tree.site.attributes())
	}
	candidates := e.candidates(from, name)
	if form.wiki {
		candidates = nil
		if to := e.set.wikiFile(e.page, name); e.set.files[to] != nil {
			candidates = []string{to}
		}
	}
	f := e.find(candidates)
	if e.looked -= minLook; f != nil {
		e.looked -= len(f.code)
	}
	if e.looked < 0 {
		e.first = cmp.Or(e.first, name)
		return "", false
	}
	if f == nil || len(e.stack) >= maxIncludeDepth || slices.Contains(e.stack, f.name) {
		e.open = e.open || plain.documents(name) && formatOf(from) != asciidoc
		g, alias := e.page.Tree.site.Generator, groups["name"] != "" && !strings.HasPrefix(name, ".") // of a bundler, or a package
		reads := strings.Contains(form.of, g.Name) && (g.Name != quarto.Name || quarto.documents(name)) || form.format != markdown && form.format == formatOf(from)
		if reads && !alias && !fenced && !strings.Contains(name, "://") { // code may be an example
			e.parts = append(e.parts, Part{name, e.line, true})
		}
		return "", false
	}
	text, code := f.text, form.code || groups["fence"]+groups["literal"] != "" || strings.Contains(part, ":type=code")
	if code {
		text = f.code
	}
	if section, ok := excerpt.FindSection(text, excerpt.Headings(text), groups["heading"]); ok {
		text = section.Text
	}
	text = cutout(text, part, e.left)
	if code && !fenced && len(text) <= e.left {
		language := cmp.Or(attribute(part, "language"), strings.TrimSpace(groups["fence"]), strings.TrimPrefix(path.Ext(f.name), "."))
		if text = strings.TrimRight(text, "\n") + "\n"; formatOf(from) == rst {
			indent := excerpt.Cut(groups["indent"], 40)
			text = indent + ".. code-block:: " + language + "\n\n" + compile(`(?m)^[^\n]`).ReplaceAllString(text, indent+"    $0") + "\n"
		} else {
			text = excerpt.Fenced(text, language)
		}
	}
	if !e.fits(f.name, text) {
		return "", false
	}
	e.parts = append(e.parts, Part{f.name, e.line, false})
	if code && !fenced {
		return text, true
	}
	if !code && !fenced {
		e.stack = append(e.stack, f.name)
		text = e.expand(f.name, text)
		e.stack = e.stack[:len(e.stack)-1]
	}
	return strings.TrimRight(text, "\n") + "\n", true
}

// find returns the first of some files that may be read, or nil.
func (e *expansion) find(candidates []string) *included {
	for _, c := range candidates {
		f, known := e.files[c]
		if !known {
			f = e.read(c)
			e.files[c] = f
		}
		if f != nil {
			return f
		}
	}
	return nil
}

// candidates returns the files that a name may mean, the best first.
func (e *expansion) candidates(from, name string) []string {
	if name == "" || strings.Contains(name, "://") {
		return nil
	}
	site, root := e.page.Tree.site, e.page.Tree.Root
	original := join(site.Trees[0].Root, path.Dir(relative(root, from))) // of a translation, which may lack the file
	folders := []string{path.Dir(from), root, site.Dir, ".", original}
	for _, folder := range folders[:5] {
		folders = append(folders, e.set.partsOf(folder)...)
	}
	for _, folder := range site.Snippets {
		folders = append(folders, join(site.Dir, folder))
	}
	candidates := e.page.candidates(strings.TrimPrefix(name, "/"), folders)
	if site.Modules {
		candidates = slices.Insert(candidates, 0, join(root, resource(name, relative(root, from))))
	}
	return candidates
}

// partsOf returns the partFolders in a folder, which documents in it name again and again.
func (s *Set) partsOf(folder string) []string {
	known, ok := s.parts.Load(folder)
	if !ok {
		var parts []string
		for _, name := range partFolders {
			if _, err := fs.Stat(s.fsys, join(folder, name)); err == nil {
				parts = append(parts, join(folder, name))
			}
		}
		known, _ = s.parts.LoadOrStore(folder, parts)
	}
	return known.([]string)
}

// visit says once that a folder has files that are read.
func (s *Set) visit(dir string) {
	if _, again := s.seen.LoadOrStore(dir, true); !again {
		s.options.Visit(dir)
	}
}

// read returns a file that may be included, or nil.
func (e *expansion) read(name string) *included {
	real, ok := e.set.docs.Named(e.page.Tree.Root, name)
	if !ok {
		return nil
	}
	e.set.visit(path.Dir(real))
	data, err := readBounded(e.set.docs, real)
	if err != nil || bytes.IndexByte(data, 0) >= 0 { // of an image, for example
		return nil
	}
	f := &included{name: name, code: WithoutOutputs(name, string(data))}
	_, end, _, _ := splitFront(f.code)
	if f.text = f.code[end:]; formatOf(name) == notebook {
		f.text = notebookText(f.text)
	}
	return f
}
