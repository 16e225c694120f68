package site

import (
	"bytes"
	"cmp"
	"context"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/media"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/rootfs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/markup"
)

const (
	maxIncludeDepth = 8
	maxWork         = 32 << 20 // bytes that a page may look at, or what costs as much
	// of an added byte: it is read again, so a page gets at most 1 MiB
	madeCost    = 30
	lookCost    = 3 << 10
	maxFormLine = 1000 // of a line that names a file
	maxOptions  = 2000 // bytes
)

// An expansion is the state of [Set.Content].
type expansion struct {
	ctx        context.Context
	err        error
	set        *Set
	page       *Page
	work       int    // the rest; charged before the work is done
	first      string // the first include left out because of that, or ""
	parts      []Part
	line       int
	section    string // in AsciiDoc, the last id before the line
	stack      []string
	wiki       bool
	attributes map[string]string    // of AsciiDoc, used in names of files
	files      map[string]*included // by name in the project; nil: unreadable
}

// An included is a file that documents include.
type included struct {
	name string
	code string
	// as a part of a document: without front matter, and notebooks as Markdown
	text     string
	captured bool // from the web: it includes nothing
}

// A component is what a document imports.
type component struct {
	text, file string
	code       bool
}

// A lined is a text while its lines are replaced.
type lined struct {
	file    string
	lines   []string
	places  []place
	forms   []form
	macros  bool
	imports map[string]component
}

func (e *expansion) expand(from, text string) string {
	f, own, macros := formatOf(from), formsIn(text, forms), hasMacros(text)
	if len(own) == 0 && !macros && !e.wiki && f != asciidoc && !strings.Contains(text, "--8<--") {
		return text
	}
	e.stack = append(e.stack, from)
	t := &lined{from, slices.Collect(strings.Lines(text)), placesOf(f, maps.Clone(e.attributes), text), own, macros, make(map[string]component)}
	var b strings.Builder
	for i := 0; i < len(t.lines) && e.err == nil; i++ {
		line, put, last, done := strings.TrimRight(t.lines[i], "\r\n"), t.lines[i], i, false
		if len(e.stack) == 1 {
			e.line = i + 1
		}
		if len(line) <= maxFormLine && e.work >= 0 {
			put, last, done = e.replaced(t, line, i)
		}
		e.err = cmp.Or(e.err, e.ctx.Err())
		if f == asciidoc && len(line) < 200 && strings.HasPrefix(line, "[") {
			if m := compile(`^\[\[([^\],]+)\]\]|^\[#([\w-]+)`).FindStringSubmatch(line); m != nil {
				e.section = m[1] + m[2]
			}
		}
		if e.wiki && !done && t.places[i] == inProse && f == markdown && len(line) <= maxMarked {
			put = e.set.linked(e.page, t.lines[i])
		}
		i = last
		b.WriteString(put)
	}
	e.stack = e.stack[:len(e.stack)-1]
	return b.String()
}

// replaced returns what stands in place of line i, and the last line that it stands for.
func (e *expansion) replaced(t *lined, line string, i int) (put string, last int, ok bool) {
	code := t.places[i]
	w := wanted{from: t.file, place: code, indent: excerpt.Cut(line[:len(line)-len(strings.TrimLeft(line, " \t"))], 40)}
	trimmed := strings.TrimSpace(line)
	if form, groups := formOf(t.forms, line, code); form != nil {
		last = form.block(t.lines, i, groups)
		w.form, w.name, w.fence = form, strings.TrimSpace(groups["file"]), strings.TrimSpace(groups["fence"])
		w.parts, w.heading = []string{groups["part"], groups["region"], groups["lines"]}, groups["heading"]
		w.code = form.code || groups["literal"] != "" || w.fence != "" || strings.Contains(groups["part"], ":type=code")
		if name := groups["name"]; name != "" {
			w.code = strings.Contains(line, "raw-loader!") || strings.Contains(line, "?raw")
			if !w.code && !isDocument(w.name) {
				return t.lines[i], i, false
			}
			text, _ := e.include(w)
			if t.imports[name] = (component{text, w.name, w.code}); text == "" {
				put = t.lines[i]
			}
			return put, i, true
		}
		made := groups["made"]
		if made == "```" {
			made = strings.Join(strings.Fields(groups["part"]), ", ")
		}
		if made != "" {
			return e.gap(w, made), last, true
		}
		if put, ok = e.include(w); ok {
			return put, last, true
		}
		return t.lines[i], i, false
	}
	switch {
	case trimmed == "--8<--" && code == inProse:
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
		return e.gap(w, c.file), true
	}
	return c.text, ok && e.made(name, c.text)
}

// gap returns the line for a text that is not there.
func (e *expansion) gap(w wanted, name string) string {
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

// A wanted is what a line asks for.
type wanted struct {
	from    string
	place   place
	indent  string
	form    *form
	name    string
	files   []string
	parts   []string // nested parts of the text: see [cutOut]
	heading string
	regions []string // of a macro: some may be names of regions
	fence   string
	code    bool
	alias   bool // maybe known only to a program
}

// include returns the text of a file. Without it, it returns a note outside of code, and false in it.
func (e *expansion) include(w wanted) (string, bool) {
	if e.err = e.ctx.Err(); e.err != nil || !e.charge(w.name, lookCost) {
		return "", false
	}
	if kind, _ := media.ByName(w.name); media.Binary(kind) {
		return "", false
	}
	var f *included
	switch {
	case w.files != nil:
		f = e.find(w.files)
	case w.form != nil && w.form.hints == wikiHint:
		f = e.find(e.note(w.name))
	default:
		f = e.named(w.from, w.name)
	}
	if f == nil || len(e.stack) > maxIncludeDepth || slices.Contains(e.stack, f.name) {
		return e.missing(w, f != nil)
	}
	if !e.charge(f.name, len(f.code)*(1+number(len(w.regions) > 0))) {
		return "", false
	}
	into := formatOf(w.from)
	isCode := w.code || w.place == inProse && formatOf(f.name) == markdown && into == markdown && !isDocument(f.name) && path.Ext(f.name) != "" && !isHTML(f.name)
	text := f.text
	if isCode {
		text = f.code
	}
	for _, part := range w.parts {
		text = cutOut(text, part, e.work/madeCost)
	}
	if len(w.regions) > 0 {
		text = regionsOf(text, w.regions)
	}
	if w.heading != "" {
		if section, ok := excerpt.FindSection(text, excerpt.Headings(text), w.heading); ok {
			text = section.Text
		}
	}
	if len(text)*madeCost > e.work {
		return "", e.made(f.name, text)
	}
	text = strings.TrimRight(text, "\n") + "\n"
	if isCode && w.place == inProse {
		language := cmp.Or(optionIn(strings.Join(w.parts, ""), "language"), w.fence, strings.TrimPrefix(path.Ext(f.name), "."))
		text = codeIn(into, text, language)
	}
	if !e.charge(f.name, (len(text)+strings.Count(text, "\n")*len(w.indent))*madeCost) {
		return "", false
	}
	text = excerpt.Indented(text, w.indent)
	e.parts = append(e.parts, Part{f.name, e.line, false})
	if !isCode && w.place == inProse && !f.captured {
		text = strings.TrimRight(e.expand(f.name, text), "\n") + "\n"
	}
	return text, true
}

// codeIn returns a text as code in a document of a format.
func codeIn(f format, text, language string) string {
	switch f {
	case rst:
		return ".. code-block:: " + language + "\n\n" + excerpt.Indented(text, "    ") + "\n"
	case asciidoc:
		return "[source," + language + "]\n----\n" + text + "----\n"
	}
	return excerpt.Fenced(text, language)
}

// missing returns the note for a file that is not there. Code may be an example of the form: it stays. exists says that the file is
// in itself, or too deep.
func (e *expansion) missing(w wanted, exists bool) (string, bool) {
	if w.place != inProse {
		return "", false
	}
	imported := w.form != nil && strings.HasPrefix(w.form.hints, "from ")
	known := !exists && !w.alias && !(imported && strings.IndexAny(w.name, "./") != 0) // bundlers resolve bare names
	if path.Ext(w.name) != "" && known && !strings.Contains(w.name, "://") && !strings.ContainsAny(w.name, "{}") {
		e.parts = append(e.parts, Part{w.name, e.line, true})
	}
	if imported || w.form != nil && w.form.hints == wikiHint { // a part of a program, or an image
		return "", false
	}
	return e.gap(w, w.name), true
}

// find returns the first of some files that may be read, or nil.
func (e *expansion) find(files []string) *included {
	for _, c := range files {
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

// named returns the file that a name means, or nil: in the folder of the document, the folder of the documents, the project, or else the one
// file whose path ends with it.
func (e *expansion) named(from, name string) *included {
	if name == "" || strings.Contains(name, "://") {
		return nil
	}
	if formatOf(from) == asciidoc {
		name = resourcePath(markup.FillIn(name, e.attributes))
	}
	name = compile(siteFolder).ReplaceAllString(strings.ReplaceAll(name, `\_`, "_"), "/")
	var files []string
	if e.wiki && !strings.Contains(name, "/") {
		files = e.note(name)
	}
	for _, dir := range []string{path.Dir(from), e.page.Folder, "."} {
		if file := clean(dir, strings.TrimPrefix(name, "/")); file != "" && (dir != path.Dir(from) || name[0] != '/') {
			files = append(files, file)
		}
	}
	f, bare := e.find(files), strings.TrimLeft(name, "./@~")
	if f == nil && (bare == strings.TrimPrefix(name, "/") || strings.Contains(bare, "/")) { // a bare name after "../" may be any file
		if closest := e.closest(from, e.set.endingExactly(bare)); len(closest) == 1 {
			return e.find(closest)
		}
	}
	return f
}

// note returns the document that a name in a link of a wiki means, if there is one.
func (e *expansion) note(name string) (files []string) {
	if to := e.set.wiki(e.page, name).File; e.set.files[to] != nil {
		files = []string{to}
	}
	return files
}

// closest returns the files whose folders have the most names in common with the path of a document and the section.
func (e *expansion) closest(from string, files []string) []string {
	names, most := []string{squeezed(e.section)}, 0
	for part := range strings.SplitSeq(stem(from), "/") {
		names = append(names, squeezed(part))
	}
	shared := make(map[string]int)
	for _, f := range files {
		for part := range strings.SplitSeq(path.Dir(f), "/") {
			shared[f] += number(slices.Contains(names, squeezed(part)))
		}
		most = max(most, shared[f])
	}
	return slices.DeleteFunc(files, func(f string) bool { return shared[f] < most })
}

// visit says once that a folder has files that are read, and reports whether it was the first time.
func (s *Set) visit(dir string) (first bool) {
	_, again := s.seen.LoadOrStore(dir, true)
	if !again {
		s.options.Visit(dir)
	}
	return !again
}

// read returns a file that may be included, or nil.
func (e *expansion) read(name string) *included {
	file, real, err := e.set.docs.OpenNamed(e.page.Folder, name)
	if err == nil && e.set.visit(path.Dir(real)) {
		file.Close()
		file, real, err = e.set.docs.OpenNamed(e.page.Folder, name)
	}
	if err != nil {
		return nil
	}
	defer file.Close()
	if (hiddenPath(name) || hiddenPath(real)) && !isPage(real) { // only documents among hidden files: never keys
		return nil
	}
	data, _, err := rootfs.ReadOpen(e.set.docs, real, file, maxRead)
	data = decoded(real, data)
	if err != nil || bytes.IndexByte(data, 0) >= 0 {
		return nil
	}
	f := &included{name: name, code: markup.WithoutOutputs(name, string(data)), captured: CaptureOf(string(data)) != nil}
	if f.text = f.code[findFront(f.code).End:]; formatOf(name) == notebook {
		f.text = notebookText(f.text)
	}
	return f
}
