package goapi

import (
	"bytes"
	"context"
	"fmt"
	"go/ast"
	"go/doc"
	"go/doc/comment"
	"go/printer"
	"go/token"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/library/dependencies"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/lazyregexp"
)

// A renderer writes the text of one package.
type renderer struct {
	ctx        context.Context
	set        *token.FileSet
	pkg        *doc.Package
	parser     *comment.Parser
	importPath string
	note       string // about the source
	page       string // the name of the first page
	out        bytes.Buffer
}

func (r *renderer) render() ([]dependencies.Page, error) {
	if r.pkg.Name == "main" {
		r.comment(r.pkg.Doc, 2)
		return dependencies.NewPages(r.page, fmt.Sprintf("# command %s\n\n`%s`\n", LastPart(r.importPath), r.importPath), r.take(), nil), nil
	}
	title := fmt.Sprintf("# package %s\n\n`import %q`\n", r.pkg.Name, r.importPath)
	if r.note != "" {
		title += "\n" + r.note + "\n"
	}
	r.comment(r.pkg.Doc, 2)
	r.examples("", r.pkg.Examples, 2)
	lead := r.take()
	var sections []dependencies.Section
	add := func(name string) {
		if text := r.take(); text != "" {
			sections = append(sections, dependencies.Section{Name: name, Text: text})
		}
	}
	r.values("Constants", r.pkg.Consts)
	add("Constants")
	r.values("Variables", r.pkg.Vars)
	add("Variables")
	for _, f := range r.pkg.Funcs {
		r.functions([]*doc.Func{f}, "", 2)
		add(f.Name)
	}
	for _, t := range r.pkg.Types {
		if err := r.ctx.Err(); err != nil {
			return nil, err
		}
		r.typ(t)
		add(t.Name)
	}
	return dependencies.NewPages(r.page, title, lead, sections), nil
}

// take returns the text that was written since the last call.
func (r *renderer) take() string {
	text := r.out.String()
	r.out.Reset()
	return text
}

// LastPart returns the last part of an import path that is not a version.
func LastPart(importPath string) string {
	parts := strings.Split(importPath, "/")
	if n := len(parts); n > 1 && len(parts[n-1]) > 1 && strings.Trim(parts[n-1], "v0123456789") == "" {
		return parts[n-2]
	}
	return parts[len(parts)-1]
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
func (r *renderer) functions(funcs []*doc.Func, typeName string, level int) {
	for _, f := range funcs {
		name := f.Name
		if f.Recv != "" {
			name = typeName + "." + f.Name
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

// examples writes the examples of a symbol, or of the package.
func (r *renderer) examples(symbol string, examples []*doc.Example, level int) {
	for _, e := range examples {
		if e.Code.End()-e.Code.Pos() > maxExample {
			continue
		}
		var b bytes.Buffer
		if err := print(&b, r.set, &printer.CommentedNode{Node: e.Code, Comments: e.Comments}); err != nil {
			continue
		}
		code := b.String()
		if _, ok := e.Code.(*ast.BlockStmt); ok { // otherwise it is a whole file
			code = strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(code), "{"), "}")
			code = strings.TrimSpace(strings.ReplaceAll(code, "\n\t", "\n"))
		}
		title := strings.TrimSpace("Example " + symbol)
		if e.Suffix != "" {
			title += " (" + e.Suffix + ")"
		}
		r.heading(level, title)
		r.comment(e.Doc, level+1)
		r.fence("go", code)
	}
}

// comment writes a comment. level is the level of the headings in it.
func (r *renderer) comment(text string, level int) {
	if strings.TrimSpace(text) == "" {
		return
	}
	p := comment.Printer{
		HeadingLevel: level,
		HeadingID:    func(*comment.Heading) string { return "" },
		// agents find a symbol by its name
		DocLinkURL: func(*comment.DocLink) string { return "" },
	}
	r.out.WriteByte('\n')
	for line := range bytes.Lines(p.Markdown(r.parser.Parse(text))) {
		if line[0] != '\t' { // otherwise it is code
			line = escaped().ReplaceAll(line, []byte("${1}_"))
		}
		r.out.Write(line)
	}
}

// escaped matches a backslash of go/doc/comment in a name such as SO\_REUSEADDR, which Markdown does not need and which hides the name from
// a search for it.
var escaped = lazyregexp.New(`([\pL\pN])\\_`)

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
