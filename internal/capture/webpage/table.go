package webpage

import (
	"cmp"
	"errors"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

const (
	// maxRowSpan is the maximum rowspan: the library makes a cell for each row.
	maxRowSpan = 50
	// maxSpanning is the maximum number of cells of a table with cells over several rows, or with column names before
	// each cell.
	maxSpanning = 2000
	// maxGrid is the maximum number of cells of a table whose rows are all padded to the longest.
	maxGrid = 100_000
	// maxRagged is how many times as many cells a table may have when its rows are padded.
	maxRagged = 20
	// maxColumnName is the maximum length of a column name that is written before each cell, in bytes.
	maxColumnName = 80
)

// spans bounds how many columns and rows the cells of a table span, because the library makes a cell for each: some
// pages have a colspan of 100 to mean all columns. No row becomes longer than the row with most cells.
func spans(table *html.Node) {
	longest := 1
	rows := make(map[*html.Node]int)
	cells := all(table, isCell)
	for _, n := range cells {
		rows[n.Parent]++
		longest = max(longest, rows[n.Parent])
	}
	for _, n := range cells {
		columns := span(n, "colspan", 1+max(0, longest-rows[n.Parent]))
		rows[n.Parent] += columns - 1
		most := maxRowSpan
		if len(cells) > maxSpanning {
			most = 1
		}
		span(n, "rowspan", most)
	}
}

// span bounds an attribute of a cell, and returns its new value.
func span(cell *html.Node, key string, most int) int {
	v := attribute(cell, key)
	if v == "" {
		return 1
	}
	n, err := strconv.Atoi(strings.TrimSpace(v))
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		n = 1
	}
	for row := cell.Parent; n < most && row != nil && strings.TrimSpace(v) == "0" && key == "rowspan"; row = after(row) {
		n++
	}
	n = min(max(n, 1), most)
	set(cell, key, strconv.Itoa(n))
	return n
}

// flattenCells makes each cell of a table one line, as Markdown requires. A table whose cells cannot be single lines
// becomes sections.
func flattenCells(content *html.Node) {
	for _, n := range elements(content) {
		if closest(n, isCell) == nil {
			continue
		}
		switch n.DataAtom {
		case atom.Pre:
			replace(n, newElement(atom.Code, newText(strings.TrimSpace(text(n)))))
		case atom.Br, atom.Hr:
			n.Parent.InsertBefore(space(), n)
			remove(n)
		case atom.P, atom.Div, atom.Ul, atom.Ol, atom.Li, atom.Dl, atom.Dt, atom.Dd, atom.Blockquote, atom.Section, atom.Article, atom.Figure, atom.Figcaption,
			atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Details, atom.Summary, atom.Center, atom.Address, atom.Header, atom.Footer, atom.Main:
			n.Parent.InsertBefore(space(), n)
			n.Parent.InsertBefore(space(), n.NextSibling)
			if oneOf(n, atom.Ul, atom.Ol) {
				markItems(n)
			}
			unwrap(n)
		}
	}
}

// markItems writes the marks of a list of several items that becomes a part of a line.
func markItems(list *html.Node) {
	if len(all(list, func(n *html.Node) bool { return n.Parent == list && hasText(n) })) < 2 {
		return
	}
	next := max(1, number(list, "start"))
	for item := range list.ChildNodes() {
		if item.DataAtom != atom.Li || !hasText(item) {
			continue
		}
		mark := "• "
		if list.DataAtom == atom.Ol {
			mark = strconv.Itoa(next) + ". "
			next++
		}
		item.InsertBefore(newText(mark), item.FirstChild)
	}
}

// divideTable turns each row of a table into a section. Each cell follows the name of its column, if the table begins
// with a row of column names.
func divideTable(table *html.Node) {
	parts := partsOf(table)
	names := columnNames(parts)
	rows, column := 0, 0
	for _, n := range append(parts, table) {
		switch n.DataAtom {
		case atom.Tr:
			if rows++; rows == 1 && names != nil {
				remove(n)
			}
			column = 0
		case atom.Td, atom.Th:
			if rows > 1 && column < len(names) && names[column] != "" && hasText(n) {
				n.InsertBefore(label(names[column]), n.FirstChild)
			}
			column += max(1, number(n, "colspan"))
		case atom.Col, atom.Colgroup:
			remove(n)
			continue
		case atom.Table:
			if n != table {
				continue
			}
		case atom.Tbody, atom.Thead, atom.Tfoot, atom.Caption:
		default:
			continue
		}
		rename(n, atom.Div)
		n.Attr = nil
	}
}

// partsOf returns the elements in a table, without those in nested tables.
func partsOf(table *html.Node) []*html.Node {
	return all(table, func(n *html.Node) bool { return closest(n, isTable) == table })
}

// columnNames returns the cells of the first row of a table if that row names the columns. It returns nil if cells
// span several rows, or if the names would make the page far larger.
func columnNames(parts []*html.Node) (names []string) {
	rows, cells := 0, 0
	for _, n := range parts {
		if oneOf(n, atom.Td, atom.Th) {
			cells++
		}
		switch {
		case n.DataAtom == atom.Tr:
			rows++
		case rows == 1 && (n.DataAtom == atom.Td && n.Parent.Parent.DataAtom != atom.Thead || number(n, "colspan") > 1), number(n, "rowspan") > 1:
			return nil
		case rows == 1 && isCell(n):
			names = append(names, title(text(n)))
			if len(names[len(names)-1]) > maxColumnName {
				return nil
			}
		}
	}
	if rows < 2 || len(names) < 2 || cells > maxSpanning {
		return nil
	}
	return names
}

// hasLines reports whether each row of a table can be a line: there are several columns and several cells with text, and no cell contains code of
// several lines or another table.
func hasLines(table *html.Node) bool {
	cells, filled, columns, several := 0, 0, 0, false
	for n := range table.Descendants() {
		switch n.DataAtom {
		case atom.Table:
			return false
		case atom.Tr:
			columns = 0
		case atom.Pre:
			if strings.Contains(strings.TrimSpace(text(n)), "\n") {
				return false
			}
		case atom.Td, atom.Th:
			cells++
			columns++
			if several = several || columns > 1; hasText(n) {
				filled++
			}
		}
	}
	return several && filled != 1 && !ragged(table, cells)
}

// tableNames finds the classes of divisions that are tables, and cellNames the classes of their cells, of which the first one begins a row.
var tableNames, cellNames = names(`(?i)(^|[\s_-])table(\s|$)`), names(`(?i)(^|\s)col-\w+(\s|$)`)

// every reports whether an element has nothing but several elements of these classes.
func every(n *html.Node, names func(string) bool) bool {
	count := 0
	for c := range n.ChildNodes() {
		if c.Type == html.ElementNode && names(attribute(c, "class")) {
			count++
		} else if c.Type == html.ElementNode || hasText(c) {
			return false
		}
	}
	return count > 1
}

// divTable makes a table of divisions whose classes name its columns.
func divTable(n *html.Node) bool {
	if !named(n, tableNames) || !every(n, cellNames) {
		return false
	}
	row := n
	for _, c := range all(n, func(c *html.Node) bool { return c.Parent == n }) {
		if row == n || hasClass(c, "col-first") {
			row = newElement(atom.Tr)
			n.InsertBefore(row, c)
		}
		rename(c, atom.Td)
		remove(c)
		row.AppendChild(c)
	}
	rename(n, atom.Table)
	return true
}

// maxLabel is how many letters of a table of code may be a label.
const maxLabel = 20

// codeMarks finds a character that code has and a list of names has not.
var codeMarks = pattern(`[(){}\[\]=:;]`)

// listTable makes code of a table that has a line of it in each row: all text is code, or in elements that are divided by hard
// spaces. There is one cell in each row, or hard spaces stand in cells of their own. A short label may name the code.
func listTable(table *html.Node) bool {
	rows, cells, codes, hard, plain := 0, 0, 0, 0, 0
	for n := range table.Descendants() {
		switch {
		case n.DataAtom == atom.Tr:
			rows++
		case isCell(n):
			cells++
		case n.DataAtom == atom.Pre, isHeading(n):
			return false
		case n.Type == html.TextNode && n.Data != "" && strings.Trim(n.Data, "\u00a0") == "":
			hard++
		case n.Type == html.TextNode && inCode(n):
			codes++
		case n.Type == html.TextNode && n.Parent.DataAtom != atom.Span && n.Parent.Parent.DataAtom != atom.Span:
			plain += letters(n.Data)
		}
	}
	if codes+hard == 0 || plain > maxLabel || cells > rows && 2*hard < cells-rows || !codeMarks().MatchString(text(table)) {
		return false
	}
	rename(table, atom.Pre)
	return true
}

// numberNames finds the classes of cells with the number of a line, codeCells the classes of cells with the line, and codeStyles its styles.
var (
	numberNames = names(`(?i)(^|[\s_-])(num(ber)?s?|linenos?|line-?num(ber)?s?|gutter|lineno)([\s_-]|$)`)
	codeCells   = names(`(?i)(^|[\s_-])(code|source)([\s_-]|$)`)
	codeStyles  = names(`(?i)white-space:\s*(pre|break-spaces)|monospace`)
)

// numberedLines makes code of a table that has a line of it in each row, after the numbers of the line: they are text, an attribute, or
// the class of their cell says so. The cell of the line is code by its class, its style or what it contains; a ranking has no such cell.
func numberedLines(table *html.Node) bool {
	var lines []*html.Node
	for _, row := range partsOf(table) {
		if row.DataAtom != atom.Tr {
			continue
		}
		line := row.LastChild
		if line != nil && line.Type == html.TextNode {
			line = before(line)
		}
		numbers := 0
		for c := range row.ChildNodes() {
			switch s := strings.TrimSpace(text(c)); {
			case c == line || c.Type != html.ElementNode && s == "":
			case !isCell(c) || strings.Trim(s, "0123456789+-") != "" || s == "" && !has(c, "data-line-number") && !numberNames(attribute(c, "class")):
				return false
			default:
				numbers++
			}
		}
		if numbers == 0 || !isCell(line) || !codeCells(attribute(line, "class")) && !codeStyles(attribute(line, "style")) && (!holds(line, isPre) || size(descendant(line, isPre)) < size(line)) {
			return false
		}
		lines = append(lines, line)
	}
	if len(lines) < 2 {
		return false
	}
	for _, line := range lines {
		fill(line.Parent, newText(strings.TrimRight(text(cmp.Or(descendant(line, isPre), line)), "\r\n")+"\n"))
	}
	rename(table, atom.Pre)
	return true
}

// ragged reports whether a table with this many cells becomes far larger when its rows are padded to the longest, as
// the library does: a row of 1500 cells and 1500 rows of one cell are 15 KB, and 7 MB with padding.
func ragged(table *html.Node, cells int) bool {
	ends := make(map[int]int) // columns by the last row of cells from above
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

// number returns a number that is an attribute, or 0.
func number(cell *html.Node, key string) int {
	n, _ := strconv.Atoi(attribute(cell, key))
	return n
}
