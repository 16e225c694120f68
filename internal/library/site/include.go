package site

import (
	"bytes"
	"cmp"
	"context"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/media"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/docsfs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/cutout"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/directive"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
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

// A form is a line that names a file whose text stands in its place, or a text that only a program makes.
type form struct {
	hints string // one, or two with " | " between them: each line of the form has one of them
	// pattern matches one line. Its groups are named: file; lines, part or region; heading; name (of a component); fence (a language) or
	// literal: the text is code; made: the text is not in the project.
	pattern string
	code    bool // the text is code: it stands in a fence, unless the line is in one
	outside bool // lines in code are examples of the form
	options bool // lines after it may have options, ":lines: 1-3", and a fence ends it
}

// forms are the forms of all generators. Macros are another one, see [macro.Read].
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
	if !wiki && len(formsIn(text, forms)) == 0 && !hasMacros(text) {
		return Content{Text: text}, nil
	}
	p.includes.Store(true)
	e := &expansion{ctx: ctx, set: s, page: p, work: maxWork, wiki: wiki, attributes: p.Tree.site.attributes(), files: make(map[string]*included)}
	if f == asciidoc {
		markup.AsciiDoc(text, e.attributes)
	}
	text = e.expand(p.File, text)
	return Content{Text: text, Parts: e.parts, Left: e.first, Open: e.open}, e.err
}

// An expansion is the state of [Set.Content].
type expansion struct {
	ctx        context.Context
	err        error // ctx.Err()
	set        *Set
	page       *Page
	work       int    // what may still be spent; it is charged before the work is done
	first      string // the first include that is left out because of that; "": none is
	parts      []Part
	open       bool                 // a text is not there
	line       int                  // of the document's file
	section    string               // the last id before the line, in AsciiDoc
	stack      []string             // files that are being expanded
	wiki       bool                 // the document may have links of a wiki
	attributes map[string]string    // of AsciiDoc, which names of files may have
	files      map[string]*included // by their names in the project; nil: it cannot be read
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

// A lined is a text while its lines are replaced.
type lined struct {
	file    string
	format  format
	lines   []string
	places  []place
	forms   []form // that occur in it
	macros  bool
	imports map[string]component
}

func (e *expansion) expand(from, text string) string {
	f := formatOf(from)
	e.stack = append(e.stack, from)
	t := &lined{from, f, strings.SplitAfter(text, "\n"), placesOf(f, maps.Clone(e.attributes), text), formsIn(text, forms), hasMacros(text), make(map[string]component)}
	var b strings.Builder
	for i := 0; i < len(t.lines) && e.err == nil; i++ {
		line, put, last, done := strings.TrimRight(t.lines[i], "\r\n"), t.lines[i], i, false
		if len(e.stack) == 1 {
			e.line = i + 1
		}
		if len(line) <= maxFormLine && e.work >= 0 {
			put, last, done = e.replaced(t, line, i)
		}
		if i%256 == 0 {
			e.err = cmp.Or(e.err, e.ctx.Err())
		}
		if f == asciidoc && len(line) < 200 && strings.HasPrefix(line, "[") {
			if m := compile(`^\[\[([^\],]+)\]\]|^\[#([\w-]+)`).FindStringSubmatch(line); m != nil {
				e.section = m[1] + m[2]
			}
		}
		if e.wiki && !done && t.place(i) == inProse && f == markdown && len(line) <= maxMarked {
			put = e.set.linked(e.page, t.lines[i])
		}
		i = last
		b.WriteString(put)
	}
	e.stack = e.stack[:len(e.stack)-1]
	return b.String()
}

func (t *lined) place(i int) place {
	if i < len(t.places) {
		return t.places[i]
	}
	return inProse
}

// replaced returns what stands in place of line i, and the last line that it stands for.
func (e *expansion) replaced(t *lined, line string, i int) (put string, last int, ok bool) {
	code := t.place(i)
	w := wanted{from: t.file, place: code, indent: excerpt.Cut(line[:len(line)-len(strings.TrimLeft(line, " \t"))], 40)}
	trimmed := strings.TrimSpace(line)
	if form, groups := formOf(t.forms, line, code); form != nil {
		last = form.block(t.lines, i, groups)
		w.form, w.name, w.fence = form, strings.TrimSpace(groups["file"]), strings.TrimSpace(groups["fence"])
		w.parts = []string{groups["part"], groups["region"], groups["lines"], groups["heading"]}
		w.code = form.code || groups["literal"] != "" || w.fence != "" || strings.Contains(groups["part"], ":type=code")
		if name := groups["name"]; name != "" {
			w.code = strings.Contains(line, "raw-loader!") || strings.Contains(line, "?raw")
			if !w.code && !isDocument(w.name) { // a part of a program
				return t.lines[i], i, false
			}
			text, _ := e.include(w)
			if t.imports[name] = (component{text, w.name, w.code}); text == "" {
				put = t.lines[i]
			}
			return put, i, true
		}
		if made := groups["made"]; made == "```" {
			return e.note(w, strings.Join(strings.Fields(groups["part"]), ", ")), last, true
		} else if made != "" {
			return e.note(w, made), last, true
		}
		if put, ok = e.include(w); ok {
			return put, last, true
		}
		return t.lines[i], i, false
	}
	switch {
	case trimmed == "--8<--" && code == inProse: // a block of names
		for last = i + 1; last < len(t.lines) && last < i+100 && strings.TrimSpace(t.lines[last]) != trimmed; last++ {
			name, part, _ := strings.Cut(strings.TrimSpace(t.lines[last]), ":")
			if w.name, w.parts = name, []string{part}; name != "" {
				text, _ := e.include(w)
				put += text
			}
		}
		if last < len(t.lines) && last < i+100 {
			return put, last, true
		}
	case len(t.imports) > 0 && code == inProse && trimmed != "":
		if put, ok := e.used(t.imports, trimmed, w); ok {
			return put, i, true
		}
	}
	if t.macros {
		return e.macro(t, w, i)
	}
	return t.lines[i], i, false
}

// used returns the text of a component in a line that uses it: "<X />", or "{X}" for code.
func (e *expansion) used(imports map[string]component, trimmed string, w wanted) (string, bool) {
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
	if ok && c.text == "" {
		return e.note(w, c.file), true
	}
	return c.text, ok && e.made(name, c.text)
}

// note returns the line for a text that is not there.
func (e *expansion) note(w wanted, name string) string {
	e.open = true
	return w.indent + NotIncluded(name) + "\n"
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
	fence := directive.OpenFence(strings.TrimSpace(lines[i]))
	if strings.Contains(lines[i], ":{") {
		fence = ":::"
	}
	for last = i; f.options && last+1 < len(lines) && last < i+200; last++ {
		next := strings.TrimRight(lines[last+1], " \t\r\n")
		trimmed := strings.TrimLeft(next, " \t")
		if fence != "" && strings.HasPrefix(trimmed, fence) && strings.Trim(trimmed, fence[:1]) == "" {
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

// A wanted is what a line asks for.
type wanted struct {
	from    string   // the file with the line
	place   place    // of the line
	indent  string   // of the line
	form    *form    // nil: a macro
	name    string   // of the file, as it is written
	files   []string // of a macro: its files, which are known
	parts   []string // of the text, each a part of the one before: see [cutout.Cut]. The last of four is a heading
	regions []string // of a macro: one of them may be the name of a region
	fence   string   // language of the code
	code    bool
	alias   bool // the name may be one that only a program knows
}

// include returns the text of a file. Without it, it returns a note outside of code, and false in it.
func (e *expansion) include(w wanted) (string, bool) {
	if e.err = e.ctx.Err(); e.err != nil || !e.charge(w.name, lookCost) {
		return "", false
	}
	if kind, _ := media.ByName(w.name); media.Binary(kind) {
		return "", false
	}
	wiki := w.form != nil && w.form.hints == wikiHint
	if w.files == nil && !wiki {
		w.files = e.candidates(w.from, w.name)
	} else if w.files == nil {
		if to := e.set.wiki(e.page, w.name).File; e.set.files[to] != nil {
			w.files = []string{to}
		}
	}
	f := e.find(w.files)
	if f == nil || len(e.stack) > maxIncludeDepth || slices.Contains(e.stack, f.name) {
		return e.missing(w, f != nil)
	}
	if !e.charge(f.name, len(f.code)*(1+len(w.regions))) {
		return "", false
	}
	into := formatOf(w.from)
	isCode := w.code || w.place == inProse && formatOf(f.name) == markdown && into == markdown && !isDocument(f.name) && path.Ext(f.name) != "" && !isHTML(f.name)
	text := f.text
	if isCode {
		text = f.code
	}
	for i, part := range w.parts {
		if section, ok := excerpt.FindSection(text, excerpt.Headings(text), part); i == 3 && part != "" && ok {
			text = section.Text
		} else if i < 3 {
			text = cutout.Cut(text, part, e.work/madeCost)
		}
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
	if isCode && w.place == inProse {
		language := cmp.Or(cutout.Attribute(strings.Join(w.parts, ""), "language"), w.fence, strings.TrimPrefix(path.Ext(f.name), "."))
		switch into {
		case rst:
			text = ".. code-block:: " + language + "\n\n" + indented(text, "    ") + "\n"
		case asciidoc:
			text = "[source," + language + "]\n----\n" + text + "----\n"
		default:
			text = excerpt.Fenced(text, language)
		}
	}
	if w.indent != "" && e.charge(f.name, strings.Count(text, "\n")*len(w.indent)*madeCost) {
		text = indented(text, w.indent)
	}
	if !e.made(f.name, text) {
		return "", false
	}
	e.parts = append(e.parts, Part{f.name, e.line, false})
	if !isCode && w.place == inProse {
		text = strings.TrimRight(e.expand(f.name, text), "\n") + "\n"
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

// missing returns the note for a file that is not there. Code may be an example of the form: it stays. exists says that the file is
// in itself, or too deep.
func (e *expansion) missing(w wanted, exists bool) (string, bool) {
	if w.place != inProse {
		return "", false
	}
	imported := w.form != nil && strings.HasPrefix(w.form.hints, "from ")
	known := !exists && !w.alias && !(imported && strings.IndexAny(w.name, "./") != 0) // a name of a bundler is none
	if e.open = true; path.Ext(w.name) != "" && known && !strings.Contains(w.name, "://") && !strings.ContainsAny(w.name, "{}") {
		e.parts = append(e.parts, Part{w.name, e.line, true})
	}
	if imported || w.form != nil && w.form.hints == wikiHint { // perhaps a part of a program, or an image
		return "", false
	}
	return e.note(w, w.name), true
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
		name = resourcePath(markup.FillIn(name, e.attributes))
	}
	name = compile(`^(?:@site|@|~@?|\{[\w-]+\})/`).ReplaceAllString(name, "/")
	if e.wiki && !strings.Contains(name, "/") {
		if to := e.set.wiki(e.page, name).File; e.set.files[to] != nil {
			files = append(files, to)
		}
	}
	for _, dir := range []string{path.Dir(from), e.page.folder, "."} {
		if file := clean(dir, strings.TrimPrefix(name, "/")); file != "" && (dir != path.Dir(from) || name[0] != '/') {
			files = append(files, file)
		}
	}
	bare := strings.TrimLeft(name, "./")
	if bare == strings.TrimPrefix(name, "/") || strings.Contains(bare, "/") { // a name alone with "../" before it may be any file
		if closest := e.closest(from, e.set.endingExactly(bare)); len(closest) == 1 {
			files = append(files, closest[0])
		}
	}
	return files
}

// resourcePath returns the end of the path of a resource of Antora: of "module:partial$file.adoc", module/partials/file.adoc.
func resourcePath(id string) string {
	at := strings.LastIndexByte(id, ':')
	module := id[:max(at, 0)]
	if family, name, ok := strings.Cut(id[at+1:], "$"); ok {
		return path.Join(module[strings.LastIndexByte(module, ':')+1:], family+"s", name)
	}
	return path.Join(module, id[at+1:])
}

// closest returns those of some files whose folders have the most names in common with the path of a document and the section.
func (e *expansion) closest(from string, files []string) (best []string) {
	names, most := []string{squeezed(e.section)}, -1
	for part := range strings.SplitSeq(stem(from), "/") {
		names = append(names, squeezed(part))
	}
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
	return best
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
	if !ok || (hiddenPath(name) || hiddenPath(real)) && !isPage(real) { // of hidden files, only parts of documents: never keys
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
