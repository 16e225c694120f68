package site

import (
	"cmp"
	"context"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/walk"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/directive"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
)

const (
	maxIncludeDepth = 8
	maxIncluded     = 1 << 20  // bytes that are added to a page
	maxLooked       = 64 << 20 // bytes of included files that a page may look at; a file counts each time
	minLook         = 1 << 10  // bytes that a look at a file counts at least, so that 65,536 includes of small files fit
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

// expand puts the text of the files that a document includes in place of the lines that name them. A file that cannot
// be read leaves its line as it is. The included files may have looked bytes. The error is ctx.Err().
func (s *Set) expand(ctx context.Context, p *Page, text string, looked int) (Content, error) {
	if formatOf(p.File) == notebook {
		return Content{Text: notebookText(text)}, nil
	}
	forms := p.Tree.site.Includes
	if !slices.ContainsFunc(forms, func(f include) bool { return strings.Contains(text, f.hint) }) {
		return Content{Text: text}, nil
	}
	e := &expansion{ctx: ctx, set: s, page: p, left: maxIncluded, looked: looked, found: make(map[naming]*included), files: make(map[string]*included)}
	if s.options.Disk != nil {
		e.disk = s.options.Disk(ctx)
	}
	if e.disk != nil {
		e.disk.Leave()
		defer e.disk.Enter(ctx)
	}
	c := Content{Text: e.expand(p.File, text, 0), Parts: e.parts, Left: e.first}
	if len(e.parts) > 0 {
		c.Lines = e.lines
	}
	return c, e.err
}

// An expansion is the state of [Set.expand].
type expansion struct {
	ctx    context.Context
	err    error // ctx.Err()
	disk   Place // where the work that reads the document waits for the disk, or nil
	set    *Set
	page   *Page
	left   int    // bytes that may still be added
	looked int    // bytes of files that may still be looked at
	first  string // the first include that is left out because of these; "": none is
	parts  []Part
	stack  []string // files that are being expanded
	lines  []int32  // for each line of the result, the line of the document

	attributes map[string]string    // of the site; nil: not made yet
	found      map[naming]*included // what documents name; nil: it cannot be read
	files      map[string]*included // by their names in the project
	kept       int                  // bytes of files
}

// A naming is how a document names a file.
type naming struct {
	form *include
	dir  string // of the document
	name string
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
	var f directive.Fence
	for i := 0; i < len(lines) && e.err == nil; i++ {
		line := strings.TrimRight(lines[i], "\r\n")
		trimmed := strings.TrimSpace(line)
		found, match := e.form(forms, line, f != "")
		if found == nil {
			if !f.Read(trimmed) && len(imports) > 0 && strings.HasPrefix(trimmed, "<") {
				if m := compile(`^<([A-Z]\w*)\b[^>]*/?>`).FindStringSubmatch(trimmed); m != nil && imports[m[1]] != "" && e.fits(m[1], imports[m[1]]) {
					write(i, imports[m[1]])
					continue
				}
			}
			write(i, lines[i])
			continue
		}
		groups := groupsOf(found.pattern, match)
		last := i
		options := make(map[string]string)
		if found.options || found.closes != "" {
			last = e.block(found, lines, i, options, groups["indent"])
		}
		var texts []string
		if found.pattern == snippetBlock.pattern {
			for _, l := range lines[i+1 : max(i+1, last)] {
				if t, ok := e.include(from, found, map[string]string{"file": strings.TrimSpace(l)}, options, depth, f != ""); ok {
					texts = append(texts, t)
				}
			}
		} else if t, ok := e.include(from, found, groups, options, depth, f != ""); ok {
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

// fits reports whether a text may still be added for an include, and counts it.
func (e *expansion) fits(name, text string) bool {
	if len(text) > e.left {
		e.first = cmp.Or(e.first, name)
		return false
	}
	e.left -= len(text)
	return true
}

// form returns the include that a line is, with the match.
func (e *expansion) form(forms []include, line string, fenced bool) (*include, []string) {
	if len(line) > 1000 || e.looked < 0 {
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
	if e.err = e.ctx.Err(); e.err != nil {
		return "", false
	}
	name := strings.TrimSpace(groups["file"])
	if formatOf(from) == asciidoc {
		if e.attributes == nil {
			e.attributes = e.page.Tree.site.attributes()
		}
		name = fillIn(name, e.attributes)
	}
	if e.looked -= minLook; e.looked < 0 {
		e.first = cmp.Or(e.first, name)
		return "", false
	}
	f := e.find(from, form, name)
	if f == nil || depth >= maxIncludeDepth || slices.Contains(e.stack, f.name) {
		missing := name
		if f != nil {
			missing = f.name
		}
		e.parts = append(e.parts, Part{missing, true})
		return "", false
	}
	if e.looked -= max(0, f.size-minLook); e.looked < 0 {
		e.first = cmp.Or(e.first, f.name)
		return "", false
	}
	part := cmp.Or(groups["lines"], groups["part"], groups["region"])
	code := form.fenced || groups["kind"] == "literalinclude" || strings.Contains(part, ":type=code")
	of := &f.code
	if !code {
		of = f.document()
	}
	text := of.part(part, options, e.left)
	language := cmp.Or(options["language"], strings.TrimSpace(groups["fence"]), strings.TrimPrefix(path.Ext(f.name), "."))
	fenced := code && !inFence
	switch {
	case !fenced || len(text) > e.left:
	case formatOf(from) == rst:
		text = indented(groups["indent"]+".. code-block:: "+language, groups["indent"]+"    ", strings.TrimRight(text, "\n")+"\n", e.left)
	default:
		text = excerpt.Fenced(strings.TrimRight(text, "\n")+"\n", language)
	}
	if !e.fits(f.name, text) {
		return "", false
	}
	e.parts = append(e.parts, Part{f.name, false})
	if fenced {
		return text, true
	}
	if !code && !inFence {
		e.stack = append(e.stack, f.name)
		text = e.expand(f.name, text, depth+1)
		e.stack = e.stack[:len(e.stack)-1]
	}
	return strings.TrimRight(text, "\n") + "\n", true
}

// find returns the file that a name means for a document, from the bases of the form, or nil.
func (e *expansion) find(from string, form *include, name string) *included {
	key := naming{form, path.Dir(from), name}
	if f, known := e.found[key]; known {
		return f
	}
	if e.disk != nil {
		if e.err = e.disk.Enter(e.ctx); e.err != nil {
			return nil
		}
		defer e.disk.Leave()
	}
	for _, c := range e.candidates(from, form, name) {
		f := e.files[c]
		if f == nil {
			if f = e.read(c); f == nil {
				continue
			}
			e.files[c] = f
		}
		e.found[key] = f
		return f
	}
	e.found[key] = nil
	return nil
}

// candidates returns the files that a name may mean, the best first.
func (e *expansion) candidates(from string, form *include, name string) []string {
	if name == "" || strings.Contains(name, "://") {
		return nil
	}
	site, root := e.page.Tree.site, e.page.Tree.Root
	var folders []string
	for _, base := range form.bases {
		if base == "page" && strings.HasPrefix(name, "/") {
			base = "root"
		}
		folder, below, _ := strings.Cut(base, "/")
		folder, known := map[string]string{"page": path.Dir(from), "root": root, "site": site.Dir, "project": "."}[folder]
		if !known {
			folder, below = site.Dir, base
		}
		folders = append(folders, join(folder, below))
	}
	candidates := e.page.candidates(strings.TrimPrefix(name, "/"), folders)
	if target := e.antora(from, name); target != "" {
		candidates = slices.Insert(candidates, 0, target)
	}
	return candidates
}

// maxKept is how many bytes of files an expansion keeps.
const maxKept = 4 << 20

// read returns a file that may be included, or nil.
func (e *expansion) read(name string) *included {
	real, ok := e.set.mayInclude(e.page.Tree.Root, name)
	if !ok {
		return nil
	}
	if _, again := e.set.seen.LoadOrStore(path.Dir(real), true); !again {
		e.set.options.Visit(path.Dir(real))
	}
	data, err := readBounded(e.set.docs, real)
	if err != nil {
		return nil
	}
	if e.kept += len(data); e.kept > maxKept {
		clear(e.found)
		clear(e.files)
		e.kept = len(data)
	}
	return &included{name: name, size: len(data), code: source{text: WithoutOutputs(name, string(data))}}
}

// mayInclude reports whether a document may include a file if it can be opened, and returns the file with links
// resolved: git does not ignore the file. A hidden name is allowed only inside the documents' folder, and not if that is
// the project folder.
func (s *Set) mayInclude(root, name string) (real string, ok bool) {
	real, err := walk.Resolve(s.fsys, name)
	if err != nil || !fs.ValidPath(real) || s.docs.Ignored(name, false) || s.docs.Ignored(real, false) {
		return "", false
	}
	for part := range strings.SplitSeq(real, "/") {
		switch walk.HidingOf(part) {
		case walk.NotHidden:
		case walk.DotName:
			if root == "." || !within(root, real) || part == ".git" {
				return "", false
			}
		default:
			return "", false
		}
	}
	return real, true
}
