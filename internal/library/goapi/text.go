package goapi

import (
	"bytes"
	"context"
	"fmt"
	"go/doc"
	"go/doc/comment"
	"go/printer"
	"go/token"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
)

const (
	indexed = 100_000   // bytes of a text; the tool for documents shows as much of a document in one answer
	maxPart = 1_000_000 // bytes of a part; a little less than what is read of a document of a dependency
)

// A renderer writes the text of one package.
type renderer struct {
	ctx        context.Context
	set        *token.FileSet
	pkg        *doc.Package
	parser     *comment.Parser
	importPath string
	note       string          // about the source
	headings   map[string]bool // the names of functions, types and methods
	out        bytes.Buffer
}

func (r *renderer) render() ([]Part, error) {
	if r.pkg.Name == "main" {
		fmt.Fprintf(&r.out, "# command %s\n\n`%s`\n", LastPart(r.importPath), r.importPath)
		r.comment(r.pkg.Doc, 2)
		return []Part{{Text: r.out.String()}}, nil
	}
	fmt.Fprintf(&r.out, "# package %s\n\n`import %q`\n", r.pkg.Name, r.importPath)
	if r.note != "" {
		fmt.Fprintf(&r.out, "\n%s\n", r.note)
	}
	r.comment(r.pkg.Doc, 2)
	r.examples("", r.pkg.Examples, 2)
	head := r.take()
	r.values("Constants", r.pkg.Consts)
	r.values("Variables", r.pkg.Vars)
	r.functions(r.pkg.Funcs, "", 2)
	rest := r.take()
	types := make([]string, len(r.pkg.Types))
	size := len(head) + len(rest)
	for i, t := range r.pkg.Types {
		if err := r.ctx.Err(); err != nil {
			return nil, err
		}
		r.typ(t)
		types[i] = r.take()
		size += len(types[i])
	}
	if size > indexed {
		r.index()
		head += r.take()
	}
	if size <= maxPart {
		return []Part{{Text: head + rest + strings.Join(types, "")}}, nil
	}
	parts := []Part{{Text: head + rest}}
	byInitial := make(map[string][]int)
	for i, t := range r.pkg.Types {
		byInitial[initial(t.Name)] = append(byInitial[initial(t.Name)], i)
	}
	for _, name := range slices.Sorted(maps.Keys(byInitial)) {
		fmt.Fprintf(&r.out, "# package %s: types in %s\n\n`import %q`\n", r.pkg.Name, strings.ToUpper(name), r.importPath)
		part := Part{Name: name}
		for _, i := range byInitial[name] {
			r.out.WriteString(types[i])
			part.Types = append(part.Types, r.pkg.Types[i].Name)
		}
		part.Text = r.take()
		parts = append(parts, part)
	}
	return parts, nil
}

// take returns what was written since the last call.
func (r *renderer) take() string {
	text := r.out.String()
	r.out.Reset()
	return text
}

// initial returns the first letter of a name in lower case.
func initial(name string) string {
	c, _ := utf8.DecodeRuneInString(name)
	return string(unicode.ToLower(c))
}

// LastPart returns the last part of an import path that is not a version.
func LastPart(importPath string) string {
	parts := strings.Split(importPath, "/")
	if n := len(parts); n > 1 && len(parts[n-1]) > 1 && strings.Trim(parts[n-1], "v0123456789") == "" {
		return parts[n-2]
	}
	return parts[len(parts)-1]
}

// index lists the names of all functions, types and methods.
func (r *renderer) index() {
	r.heading(2, "Index")
	r.out.WriteByte('\n')
	names := func(before string, funcs []*doc.Func, separator string) {
		for _, f := range funcs {
			r.out.WriteString(before + f.Name)
			before = separator
		}
	}
	names("- functions: ", r.pkg.Funcs, ", ")
	if len(r.pkg.Funcs) > 0 {
		r.out.WriteByte('\n')
	}
	for _, t := range r.pkg.Types {
		r.out.WriteString("- type " + t.Name)
		names("; ", t.Funcs, ", ")
		names(": ", t.Methods, ", ")
		r.out.WriteByte('\n')
	}
}

func (r *renderer) heading(level int, text string) {
	fmt.Fprintf(&r.out, "\n%s %s\n", strings.Repeat("#", level), text)
}

func (r *renderer) values(heading string, values []*doc.Value) {
	if len(values) > 0 && heading != "" {
		r.heading(2, heading)
	}
	for _, v := range values {
		r.code(v.Decl)
		r.comment(v.Doc, 3)
	}
}

// functions writes functions, or the methods of a type.
func (r *renderer) functions(funcs []*doc.Func, of string, level int) {
	for _, f := range funcs {
		name := f.Name
		if f.Recv != "" {
			name = of + "." + f.Name
		}
		r.heading(level, name)
		r.code(f.Decl)
		r.comment(f.Doc, level+1)
		r.examples(name, f.Examples, level+1)
	}
}

func (r *renderer) typ(t *doc.Type) {
	r.heading(2, t.Name)
	r.code(t.Decl)
	r.comment(t.Doc, 3)
	r.values("", t.Consts)
	r.values("", t.Vars)
	r.examples(t.Name, t.Examples, 3)
	r.functions(t.Funcs, "", 3)
	r.functions(t.Methods, t.Name, 3)
}

// comment writes a comment. level is the level of the headings in it.
func (r *renderer) comment(text string, level int) {
	if strings.TrimSpace(text) == "" {
		return
	}
	p := comment.Printer{
		HeadingLevel: level,
		HeadingID:    func(*comment.Heading) string { return "" },
		DocLinkURL:   r.link,
	}
	r.out.WriteByte('\n')
	for line := range bytes.Lines(p.Markdown(r.parser.Parse(text))) {
		if line[0] != '\t' { // otherwise it is code
			line = plainNames(line)
		}
		r.out.Write(line)
	}
}

// plainNames removes the backslashes of go/doc/comment from names such as SO\_REUSEADDR, which Markdown does not need and
// which hide the name from a search for it.
func plainNames(line []byte) []byte {
	isName := func(i int) bool {
		return i >= 0 && i < len(line) && (line[i] >= utf8.RuneSelf || unicode.IsLetter(rune(line[i])) || unicode.IsDigit(rune(line[i])))
	}
	var plain []byte
	for i, c := range line {
		if c == '\\' && i+1 < len(line) && line[i+1] == '_' && isName(i-1) && isName(i+2) {
			continue
		}
		plain = append(plain, c)
	}
	return plain
}

// code writes a declaration.
func (r *renderer) code(node any) {
	var b bytes.Buffer
	if err := print(&b, r.set, node); err == nil {
		r.fence("go", b.String())
	}
}

func print(b *bytes.Buffer, set *token.FileSet, node any) error {
	config := printer.Config{Mode: printer.UseSpaces | printer.TabIndent, Tabwidth: 8}
	return config.Fprint(b, set, node)
}

// fence writes a block of code.
func (r *renderer) fence(language, code string) {
	r.out.WriteString("\n" + excerpt.Fenced(strings.TrimRight(code, "\n"), language))
}
