package page

import (
	"bytes"
	"context"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/lazyregexp"
)

// Bounds of the tables of a page. The parser pads the short rows of a table: 94 KB of a table with 1,000 columns take 6.8 GB.
const (
	maxCells  = 200_000 // of a table
	maxPadded = 10_000  // cells that all small tables together may have more than their source
)

// delimiterRow matches the row of a table below its head.
var delimiterRow = lazyregexp.New(`^[ \t|:-]*-[ \t|:-]*$`)

// tables shows a paragraph as text if the parser would make a very large table of it, and after the end of ctx.
type tables struct {
	ctx    context.Context
	padded int // cells
}

func (t *tables) Transform(p *ast.Paragraph, reader text.Reader, _ parser.Context) {
	lines, source := p.Lines(), reader.Source()
	cells := func(i int) int {
		line := lines.At(i)
		return bytes.Count(line.Value(source), []byte("|")) + 1
	}
	columns, written, rows := 0, 0, 0
	for i := range lines.Len() {
		line := lines.At(i)
		if columns == 0 && i > 0 && delimiterRow().Match(bytes.TrimSpace(line.Value(source))) {
			columns = cells(i)
		}
		if columns > 0 {
			written, rows = written+min(columns, cells(i)), rows+1
		}
	}
	made := columns * rows
	if made > 2*written {
		t.padded += made - written
	}
	if made <= maxCells && (made <= 2*written || t.padded <= maxPadded) && t.ctx.Err() == nil {
		return
	}
	code := ast.NewCodeBlock()
	code.SetLines(lines)
	p.Parent().ReplaceChild(p.Parent(), p, code)
}
