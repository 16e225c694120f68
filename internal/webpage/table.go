package webpage

import (
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
// holds code or another table was made for the layout: its cells become paragraphs.
func flattenCells(content *html.Node) {
	for _, n := range elements(content) {
		if n.DataAtom == atom.Table && n.Parent != nil && isLayout(n) {
			for _, part := range append(elements(n), n) {
				switch part.DataAtom {
				case atom.Table, atom.Tbody, atom.Thead, atom.Tfoot, atom.Tr, atom.Td, atom.Th, atom.Caption:
					part.DataAtom, part.Data, part.Attr = atom.Div, "div", nil
				case atom.Col, atom.Colgroup:
					remove(part)
				}
			}
		}
	}
	for _, n := range elements(content) {
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
	return cells < 2
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
