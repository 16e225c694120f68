package site

import (
	"bytes"
	"cmp"
	"context"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/media"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/docsfs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/cutout"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/directive"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/macro"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/markup"
)

const (
	maxIncludeDepth = 8
	maxWork         = 32 << 20 // bytes of included files that a page may look at, with what else costs as much
	madeCost        = 30       // of a byte that is added: it is read again, so a page gets at most 1 MiB
	lookCost        = 3 << 10  // of a look at a file
	maxFormLine     = 1000     // bytes of a line that names a file
	maxOptions      = 2000     // bytes of the options of a form
)

// A form is a line that names a file whose text stands in its place.
type form struct {
	hints string // one, or two with " | " between them: each line of the form has one of them
	// pattern matches one line. Its groups are named: file; lines, part or region; name (of a component); fence (a language) or
	// literal: the text is code.
	pattern string
	code    bool // the text is code: it stands in a fence, unless the line is in one
	outside bool // lines in code are examples of the form
	options bool // lines after it may have options, ":lines: 1-3", and a fence ends it
	format  format
}

// forms are the forms of all generators. Macros are another one, see [macro.Read].
var forms = []form{
	{hints: "![[", pattern: `^\s*!\[\[(?P<file>[^\[\]|#]+)(?:#(?P<heading>[^\[\]|]+))?(?:\|[^\[\]]*)?\]\]\s*$`, outside: true},
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
	{hints: "include::", pattern: `^include::(?P<file>[^\[]+)\[(?P<part>[^\]]*)\]\s*$`, format: asciidoc},
	{hints: "include:: | include}", pattern: "^\\s*(?:\\.\\.\\s+|[`:]{3,}\\{)(?P<literal>literal)?include(?:::|\\})\\s*(?P<file>[^\\s<]\\S*)\\s*$", options: true, format: rst},
	{hints: "#+", pattern: `^#\+(?i:include):\s+` + file + `(?:\s+(?P<literal>(?i:src|example))(?P<fence>\s+[\w+-]+)?)?(?P<part>.*)$`, format: org},
}

const file = `["']?(?P<file>[^\s"'\[\]{}<>|:]+)["']?`

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

// A Part is a file that was put into a document.
type Part struct {
	File    string // below the project folder, or as the document names it if it is missing
	Line    int    // of the document's file
	Missing bool   // it cannot be read: a note stands in its place
}

// NotIncluded returns the line that stands for a text that is not there: its file is missing, or only a program makes it.
func NotIncluded(name string) string {
	return "[text not included: " + excerpt.Cut(excerpt.OneLine(name), 200) + "]"
}

// Content returns the text of a page, of which text is the file's: it puts the text of the files that a document includes in
// place of the lines that name them, whatever the generator. The error is ctx.Err().
func (s *Set) Content(ctx context.Context, p *Page, text string) (Content, error) {
	text = strings.TrimPrefix(text, "\ufeff")
	f := formatOf(p.File)
	switch f {
	case notebook:
		return Content{Text: markup.Notebook(text)}, nil
	case openapi:
		return Content{Text: s.apiText(p, text)}, nil
	}
	wiki := f == markdown && strings.Contains(text, "[[")
	if !wiki && len(formsIn(text, forms)) == 0 && !strings.Contains(text, "8<--") && !hasMacros(text) && !strings.Contains(text, "include-code::") && !hasGenerated(text, f) {
		return Content{Text: text}, nil
	}
	p.includes.Store(true)
	e := &expansion{ctx: ctx, set: s, page: p, text: text, work: maxWork, wiki: wiki, stack: []string{p.File}, files: make(map[string]*included)}
	text = e.expand(p.File, text)
	return Content{Text: text, Parts: e.parts, Left: e.first, Open: e.open}, e.err
}

// An expansion is the state of [Set.Content].
type expansion struct {
	ctx     context.Context
	err     error // ctx.Err()
	set     *Set
	page    *Page
	work    int    // what may still be spent; it is charged before the work is done
	first   string // the first include that is left out because of that; "": none is
	parts   []Part
	open    bool                 // a text is not there
	line    int                  // of the document's file
	section string               // the last id before the line, in AsciiDoc
	stack   []string             // files that are being expanded
	wiki    bool                 // the document may have links of a wiki
	text    string               // of the document
	filled  map[string]string    // see attributes
	files   map[string]*included // by their names in the project; nil: it cannot be read
}

// An included is a file that documents include.
type included struct {
	name string // in the project
	code string // its text, as code
	text string // its text, as a part of a document: without front matter, and a notebook as Markdown
}

// A component is what a document imports.
type component struct {
	text, file string // without a text, the file is missing
	code       bool
}

func (e *expansion) expand(from, text string) string {
	lines, f := strings.SplitAfter(text, "\n"), formatOf(from)
	found, imports := formsIn(text, forms), make(map[string]component)
	macros := hasMacros(text) || strings.Contains(text, "include-code::")
	var b strings.Builder
	in := codeReader(f, text)
	for i := 0; i < len(lines) && e.err == nil; i++ {
		line, code := strings.TrimRight(lines[i], "\r\n"), in(i)
		at, put, done := i, lines[i], false
		if len(e.stack) == 1 {
			e.line = i + 1
		}
		if len(line) <= maxFormLine && e.work >= 0 {
			put, i, done = e.replaced(from, found, macros, imports, lines, i, code)
		}
		if i%256 == 0 {
			e.err = cmp.Or(e.err, e.ctx.Err())
		}
		if f == asciidoc && len(line) < 200 && strings.HasPrefix(line, "[") {
			if m := compile(`^\[\[([^\],]+)\]\]|^\[#([\w-]+)`).FindStringSubmatch(line); m != nil {
				e.section = m[1] + m[2]
			}
		}
		if e.wiki && !done && code == inProse && f == markdown && len(line) <= directive.MaxLine {
			put = e.set.linked(e.page, lines[at])
		}
		b.WriteString(put)
	}
	return b.String()
}

// replaced returns what stands in place of line i, and the last line that it stands for.
func (e *expansion) replaced(from string, found []form, macros bool, imports map[string]component, lines []string, i int, code place) (put string, last int, ok bool) {
	line := strings.TrimRight(lines[i], "\r\n")
	indent := line[:len(line)-len(strings.TrimLeft(line, " \t"))]
	if form, groups := formOf(found, line, code); form != nil {
		last = form.block(lines, i, groups)
		w := wanted{form: form, name: strings.TrimSpace(groups["file"]), part: cmp.Or(groups["part"], groups["region"], groups["lines"]), heading: groups["heading"], fence: strings.TrimSpace(groups["fence"])}
		if lines := groups["lines"]; lines != w.part {
			w.lines = lines
		}
		w.code = form.code || groups["literal"] != "" || w.fence != "" || strings.Contains(w.part, ":type=code")
		name := groups["name"]
		if name != "" && !e.imported(&w, line) {
			return lines[i], i, false
		}
		text, put := e.include(from, w, indent, code)
		switch {
		case name != "":
			imports[name] = component{text, w.name, w.code}
			if text == "" {
				return lines[i], i, true
			}
			return "", last, true
		case put:
			return text, last, true
		}
		return lines[i], i, false
	}
	trimmed := strings.TrimSpace(line)
	switch {
	case trimmed == "--8<--" && code == inProse: // a block of names
		for last = i + 1; last < len(lines) && last < i+100 && strings.TrimSpace(lines[last]) != trimmed; last++ {
			name, part, _ := strings.Cut(strings.TrimSpace(lines[last]), ":")
			if text, ok := e.include(from, wanted{form: &form{}, name: name, part: part}, indent, code); ok && name != "" {
				put += text
			}
		}
		if last < len(lines) && last < i+100 {
			return put, last, true
		}
	case len(imports) > 0 && code == inProse && trimmed != "":
		if put, ok := e.used(imports, trimmed, indent); ok {
			return put, i, true
		}
	}
	if macros {
		call, last := macro.Lines(lines, i)
		after := func() string { return strings.Join(lines[last+1:min(len(lines), last+200)], "") }
		if put, ok := e.macro(from, call, indent, code, after); ok {
			return put, last, true
		}
	}
	if name, last := generatedBy(formatOf(from), lines, i, code); name != "" {
		e.open = true
		return indent + NotIncluded(name) + "\n", last, true
	}
	return lines[i], i, false
}

// imported completes what an import wants, and reports whether that is a text.
func (e *expansion) imported(w *wanted, line string) bool {
	w.code = strings.Contains(line, "raw-loader!") || strings.Contains(line, "?raw")
	w.alias = !strings.HasPrefix(w.name, ".") && !strings.HasPrefix(w.name, "/") // of a bundler, or a package
	return w.code || isDocument(w.name)
}

// used returns the text of a component in a line that uses it: "<X />", or "{X}" for code.
func (e *expansion) used(imports map[string]component, trimmed, indent string) (string, bool) {
	name := ""
	if m := compile(`^<([A-Z]\w*)\b[^<>]*/?>$`).FindStringSubmatch(trimmed); m != nil {
		name = m[1]
	}
	for _, m := range compile(`\{\s*(\w+)\s*\}`).FindAllStringSubmatch(trimmed, 5) {
		if imports[m[1]].code {
			name = m[1]
		}
	}
	c, ok := imports[name]
	switch {
	case !ok:
		return "", false
	case c.text == "":
		e.open = true
		return indent + NotIncluded(c.file) + "\n", true
	case !e.made(name, c.text):
		return "", false
	}
	return c.text, true
}

// charge takes the cost of some work, and reports whether it may be done. name is the include that it is for. A refusal costs
// something too.
func (e *expansion) charge(name string, cost int) bool {
	if cost > e.work {
		e.first = cmp.Or(e.first, name)
		e.work -= lookCost
		return false
	}
	e.work -= cost
	return true
}

// made is charge for a text that is added.
func (e *expansion) made(name, text string) bool { return e.charge(name, len(text)*madeCost) }

// formOf returns the form that a line has, with the groups of its pattern.
func formOf(forms []form, line string, code place) (*form, map[string]string) {
	for _, f := range formsIn(line, forms) {
		if code != inProse && f.outside {
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
func (f *form) block(lines []string, i int, groups map[string]string) (last int) {
	for last = i; f.options && last+1 < len(lines) && len(lines[last+1]) < maxFormLine && compile(`^\s*:[\w-]+:`).MatchString(lines[last+1]); last++ {
		if len(groups["part"]) < maxOptions {
			groups["part"] += "\n" + lines[last+1]
		}
	}
	if strings.Contains(lines[i], "include}") && last+1 < len(lines) && compile("^\\s*(?:`{3,}|:{3,})\\s*$").MatchString(lines[last+1]) {
		last++
	}
	return last
}

// A wanted is what a line asks for.
type wanted struct {
	form    *form
	name    string   // of the file, as it is written
	files   []string // of a macro: its files, which are known
	part    string   // see [cutout.Cut]
	lines   string   // of the part
	regions []string // of a macro: one of them may be the name of a region
	heading string
	fence   string // language of the code
	code    bool
	alias   bool // the name may be one that only a bundler knows
}

// include returns the text of a file. Without it, it returns a note outside of code, and false in it.
func (e *expansion) include(from string, w wanted, indent string, code place) (string, bool) {
	if e.err = e.ctx.Err(); e.err != nil || !e.charge(w.name, lookCost) {
		return "", false
	}
	if kind, _ := media.ByName(w.name); media.Binary(kind) {
		return "", false
	}
	var f *included
	if w.files == nil && w.form.hints != "![[" {
		w.files = e.candidates(from, w.name)
	} else if w.files == nil {
		if to := e.set.wikiFile(e.page, w.name); e.set.files[to] != nil {
			w.files = []string{to}
		}
	}
	f = e.find(w.files)
	if w.alias = w.alias || f != nil; f == nil || len(e.stack) > maxIncludeDepth || slices.Contains(e.stack, f.name) {
		return e.missing(w, indent, code)
	}
	if !e.charge(f.name, len(f.code)*(1+len(w.regions))) {
		return "", false
	}
	kind := formatOf(f.name)
	isCode := w.code || code == inProse && kind == markdown && formatOf(from) == markdown && !isDocument(f.name) && path.Ext(f.name) != "" && !isHTML(f.name)
	text := f.text
	if isCode {
		text = f.code
	}
	if w.heading != "" {
		if section, ok := excerpt.FindSection(text, excerpt.Headings(text), w.heading); ok {
			text = section.Text
		}
	}
	if text = cutout.Cut(text, w.part, e.work/madeCost); w.lines != "" {
		text = cutout.Lines(text, w.lines, e.work/madeCost)
	}
	for _, name := range w.regions {
		if part := cutout.Region(text, name); len(part) != len(text) {
			text = part
			break
		}
	}
	if len(text)*madeCost > e.work {
		return "", e.made(f.name, text)
	}
	text = strings.TrimRight(text, "\n") + "\n"
	if isCode && code == inProse {
		language := cmp.Or(cutout.Attribute(w.part, "language"), w.fence, strings.TrimPrefix(path.Ext(f.name), "."))
		switch formatOf(from) {
		case rst:
			text = ".. code-block:: " + language + "\n\n" + indented(text, "    ") + "\n"
		case asciidoc:
			text = "[source," + language + "]\n----\n" + text + "----\n"
		default:
			text = excerpt.Fenced(text, language)
		}
	}
	if indent = excerpt.Cut(indent, 40); indent != "" && e.charge(f.name, strings.Count(text, "\n")*len(indent)*madeCost) {
		text = indented(text, indent)
	}
	if !e.made(f.name, text) {
		return "", false
	}
	e.parts = append(e.parts, Part{f.name, e.line, false})
	if !isCode && code == inProse {
		e.stack = append(e.stack, f.name)
		text = e.expand(f.name, text)
		e.stack = e.stack[:len(e.stack)-1]
		text = strings.TrimRight(text, "\n") + "\n"
	}
	return text, true
}

// indented returns a text with each line that is not empty behind an indentation.
func indented(text, indent string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if line != "\n" {
			b.WriteString(indent)
		}
		b.WriteString(line)
	}
	return b.String()
}

// missing returns the note for a file that is not there. Code may be an example of the form: it stays.
func (e *expansion) missing(w wanted, indent string, code place) (string, bool) {
	if code != inProse {
		return "", false
	}
	if e.open = true; path.Ext(w.name) != "" && !w.alias && !strings.Contains(w.name, "://") && !strings.ContainsAny(w.name, "{}") {
		e.parts = append(e.parts, Part{w.name, e.line, true})
	}
	if w.form == nil {
		return indent + NotIncluded(w.name) + "\n", true
	}
	if strings.HasPrefix(w.form.hints, "from ") || w.form.hints == "![[" { // perhaps a part of a program, or an image
		return "", false
	}
	return indent + NotIncluded(w.name) + "\n", true
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

// candidates returns the files that a name may mean, the best first: in the folder of the document, that of the documents, the
// project, or the one file whose path ends with it.
func (e *expansion) candidates(from, name string) (files []string) {
	if name == "" || strings.Contains(name, "://") {
		return nil
	}
	if formatOf(from) == asciidoc {
		name = markup.FillIn(name, e.attributes())
		if file, ok := moduleFile(from, name); ok {
			files = append(files, file)
		}
	}
	name = compile(`^(?:@site|@|~@?|\{[\w-]+\})/`).ReplaceAllString(name, "/")
	if to := e.set.wikiFile(e.page, name); e.wiki && !strings.Contains(name, "/") && e.set.files[to] != nil {
		files = append(files, to)
	}
	for _, dir := range []string{path.Dir(from), e.page.folder, "."} {
		if file := clean(dir, strings.TrimPrefix(name, "/")); file != "" && (dir != path.Dir(from) || name[0] != '/') {
			files = append(files, file)
		}
	}
	bare := strings.TrimLeft(name, "./")
	if bare == strings.TrimPrefix(name, "/") || strings.Contains(bare, "/") { // a name alone with "../" before it may be any file
		files = append(files, e.nearest(from, e.set.endingExactly(bare))...)
	}
	return files
}

// attributes returns the attributes that a page in AsciiDoc may use in the names of files.
func (e *expansion) attributes() map[string]string {
	if e.filled == nil {
		e.filled = e.page.Tree.site.attributes()
		markup.AsciiDoc(e.text, e.filled)
	}
	return e.filled
}

// moduleFile returns the file of a resource of Antora, such as "module:partial$file.adoc", that a file of a module names.
func moduleFile(from, id string) (string, bool) {
	i := strings.LastIndex("/"+from, "/modules/")
	if i < 0 || strings.Contains(id, "://") || strings.HasPrefix(id, ".") {
		return "", false
	}
	modules := from[:i+len("modules")]
	return join(modules, resource(id, from[len(modules)+1:])), true
}

// nearest returns the one file of several that has the most folders in common with a document, or none.
func (e *expansion) nearest(from string, files []string) []string {
	best, most, again := "", -1, false
	for _, f := range files {
		common := 0
		for i := 0; i < min(len(f), len(from)) && f[i] == from[i]; i++ {
			if f[i] == '/' {
				common++
			}
		}
		if common >= most {
			best, again, most = f, common == most, common
		}
	}
	if best == "" || again {
		return nil
	}
	return []string{best}
}

// endingExactly returns the files of the project whose paths end with a name, letter by letter. The name may lack the
// extension of files that are not documents.
func (s *Set) endingExactly(name string) (files []string) {
	found, _ := s.ending(name)
	for _, f := range found {
		whole := f.file
		if path.Ext(name) == "" || f.likeness != sameSpelling {
			if isDocument(f.file) {
				continue
			}
			whole = stem(f.file)
		}
		if whole == name || strings.HasSuffix(whole, "/"+name) {
			files = append(files, f.file)
		}
	}
	return files
}

// visit says once that a folder has files that are read.
func (s *Set) visit(dir string) {
	if _, again := s.seen.LoadOrStore(dir, true); !again {
		s.options.Visit(dir)
	}
}

// read returns a file that may be included, or nil.
func (e *expansion) read(name string) *included {
	real, ok := e.set.docs.Named(e.page.folder, name)
	if !ok {
		return nil
	}
	e.set.visit(path.Dir(real))
	data, err := readBounded(plainFiles{e.set.docs}, real)
	if err != nil || bytes.IndexByte(data, 0) >= 0 { // of an image, for example
		return nil
	}
	f := &included{name: name, code: markup.WithoutOutputs(name, string(data))}
	_, end, _, _ := splitFront(f.code)
	if f.text = f.code[end:]; formatOf(name) == notebook {
		f.text = markup.Notebook(f.text)
	}
	return f
}

// plainFiles opens files whose links are resolved and that git does not ignore, which takes one system call.
type plainFiles struct{ *docsfs.FS }

func (p plainFiles) Open(name string) (fs.File, error) {
	if f, _, err := p.OpenPlain(name); err == nil {
		return f, nil
	}
	return p.FS.Open(name)
}
