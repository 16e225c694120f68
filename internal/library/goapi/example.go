package goapi

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/doc"
	"go/printer"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/lazyregexp"
)

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
			if places := output().FindAllStringIndex(code, -1); len(places) > 0 && (e.Output != "" || e.EmptyOutput) {
				code = code[:places[len(places)-1][0]]
			}
			code = strings.TrimSpace(strings.ReplaceAll(code, "\n\t", "\n"))
		}
		title := strings.TrimSpace("Example " + symbol)
		if e.Suffix != "" {
			title += " (" + e.Suffix + ")"
		}
		r.heading(level, title)
		r.comment(e.Doc, level+1)
		r.fence("go", code)
		if e.Output != "" {
			fmt.Fprint(&r.out, "\nOutput:\n")
			r.fence("", e.Output)
		}
	}
}

// output finds the comment that begins the expected output of an example.
var output = lazyregexp.New(`(?i)//[[:space:]]*(unordered )?output:`)
