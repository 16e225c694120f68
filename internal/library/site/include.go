package site

import (
	"cmp"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/walk"
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

// expand puts the text of the files that a document includes in place of the lines that name them. A file that cannot
// be read leaves its line as it is.
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
	var f fence
	for i := 0; i < len(lines); i++ {
		line := strings.TrimRight(lines[i], "\r\n")
		trimmed := strings.TrimSpace(line)
		found, match := e.form(forms, line, f != "")
		if found == nil {
			if !f.read(trimmed) && len(imports) > 0 && strings.HasPrefix(trimmed, "<") {
				if m := compile(`^<([A-Z]\w*)\b[^>]*/?>`).FindStringSubmatch(trimmed); m != nil && imports[m[1]] != "" {
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
		name = fillIn(name, site.attributes())
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

// read opens the file that a name means for a document, from the bases of the form.
func (e *expansion) read(from string, form *include, name string) (target string, data []byte, ok bool) {
	if name == "" || strings.Contains(name, "://") {
		return "", nil, false
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
	for _, c := range candidates {
		real, ok := e.set.mayInclude(root, c)
		if !ok {
			continue
		}
		if _, again := e.set.seen.LoadOrStore(path.Dir(real), true); !again {
			e.set.options.Visit(path.Dir(real))
		}
		if data, err := readBounded(e.set.docs, real); err == nil {
			return c, data, true
		}
	}
	return "", nil, false
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
