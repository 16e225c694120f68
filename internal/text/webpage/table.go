package webpage

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

const (
	// maxRowSpan is the maximum of rowspan: the library makes a cell for each row.
	maxRowSpan = 50
	// maxSpanning is how many cells a table with spans may have.
	maxSpanning = 2000
	// maxGrid is how many cells the rows of a table may have if each is as long as the longest.
	maxGrid = 100_000
	// maxRagged is how many of them there may be for each cell that the table has.
	maxRagged = 20
)

// spans bounds how many columns and rows the cells of a table take, since the library makes a cell
// for each: some pages have a colspan of 100 where they mean all columns. No row becomes longer
// than the one with most cells.
func spans(table *html.Node) {
	longest, inRow, all := 1, 0, 0
	rows := make(map[*html.Node]int) // the cells of each
	for n := range table.Descendants() {
		switch n.DataAtom {
		case atom.Tr:
			inRow = 0
		case atom.Td, atom.Th:
			inRow++
			all++
			rows[n.Parent]++
			longest = max(longest, inRow)
		}
	}
	for n := range table.Descendants() {
		if n.DataAtom != atom.Td && n.DataAtom != atom.Th {
			continue
		}
		columns := span(n, "colspan", 1+max(0, longest-rows[n.Parent]))
		rows[n.Parent] += columns - 1
		most := maxRowSpan
		if all > maxSpanning {
			most = 1
		}
		span(n, "rowspan", most)
	}
}

// span bounds an attribute of a cell, and returns what it is then.
func span(cell *html.Node, key string, most int) int {
	v := attribute(cell, key)
	if v == "" {
		return 1
	}
	n, err := strconv.Atoi(strings.TrimSpace(v))
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		n = 1
	}
	n = min(max(n, 1), most)
	set(cell, key, strconv.Itoa(n))
	return n
}

// flattenCells makes each cell of a table one line, as tables of Markdown need it. A table that
// holds code or another table was made for the layout: its cells become paragraphs. So do those of
// a table that is [ragged].
func flattenCells(ctx context.Context, content *html.Node) {
	for _, n := range elements(ctx, content) {
		if n.DataAtom == atom.Table && n.Parent != nil && isLayout(n) {
			for _, part := range append(elements(ctx, n), n) {
				switch part.DataAtom {
				case atom.Table, atom.Tbody, atom.Thead, atom.Tfoot, atom.Tr, atom.Td, atom.Th, atom.Caption:
					part.DataAtom, part.Data, part.Attr = atom.Div, "div", nil
				case atom.Col, atom.Colgroup:
					remove(part)
				}
			}
		}
	}
	for _, n := range elements(ctx, content) {
		if n.DataAtom == atom.Blockquote && n.Parent != nil && hasCode(n) {
			n.DataAtom, n.Data, n.Attr = atom.Div, "div", nil // the library quotes only the first line of code
		}
		if !inCell(n) {
			continue
		}
		switch n.DataAtom {
		case atom.Br, atom.Hr:
			n.Parent.InsertBefore(space(), n)
			remove(n)
		case atom.P, atom.Div, atom.Ul, atom.Ol, atom.Li, atom.Dl, atom.Dt, atom.Dd, atom.Blockquote, atom.Section, atom.Article, atom.Figure, atom.Figcaption,
			atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Details, atom.Summary, atom.Center, atom.Address, atom.Header, atom.Footer, atom.Main:
			n.Parent.InsertBefore(space(), n)
			n.Parent.InsertBefore(space(), n.NextSibling)
			unwrap(n)
		}
	}
}

func space() *html.Node { return &html.Node{Type: html.TextNode, Data: " "} }

func isLayout(table *html.Node) bool {
	cells := 0
	for n := range table.Descendants() {
		switch n.DataAtom {
		case atom.Pre, atom.Table:
			return true
		case atom.Td, atom.Th:
			cells++
		}
	}
	return cells < 2 || ragged(table, cells)
}

// ragged reports whether a table of so many cells becomes far larger when its rows are padded to
// the longest, as the library does: a row of 1500 cells and 1500 rows of one are 15 KB, and 7 MB
// then.
func ragged(table *html.Node, cells int) bool {
	ends := make(map[int]int) // how many columns of cells above end at a row
	rows, last, longest, spanned, row := 0, 0, 0, 0, 0
	for n := range table.Descendants() {
		switch n.DataAtom {
		case atom.Tr:
			spanned -= ends[rows]
			rows++
			row = spanned
		case atom.Td, atom.Th:
			columns := max(1, number(n, "colspan"))
			row += columns
			if below := number(n, "rowspan") - 1; below > 0 {
				spanned += columns
				ends[rows+below] += columns
				last = max(last, rows+below)
			}
		}
		longest = max(longest, row)
	}
	return max(rows, last)*longest > min(maxGrid, maxRagged*cells)
}

// number returns an attribute that [span] has bounded, or 0.
func number(cell *html.Node, key string) int {
	n, _ := strconv.Atoi(attribute(cell, key))
	return n
}

// hasCode reports whether a node has a block of code in it.
func hasCode(top *html.Node) bool {
	for n := range top.Descendants() {
		if n.DataAtom == atom.Pre {
			return true
		}
	}
	return false
}

func inCell(n *html.Node) bool {
	for p := n.Parent; p != nil; p = p.Parent {
		if p.DataAtom == atom.Td || p.DataAtom == atom.Th {
			return true
		}
	}
	return false
}
