package webpage

import (
	"strings"

	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/base"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/commonmark"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/strikethrough"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/table"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// pieceNodes is about how many nodes are converted at a time, so that converted elements free their memory, and a page
// can be cut between two pieces.
const pieceNodes = 5000

// convert converts prepared elements to Markdown, and takes them apart. It stops when late reports true;
// whole is then false.
func convert(content *html.Node, late func() bool) (markdown string, whole bool, err error) {
	c := converter.NewConverter(converter.WithEscapeMode(converter.EscapeModeDisabled), converter.WithPlugins(
		base.NewBasePlugin(),
		commonmark.NewCommonmarkPlugin(
			commonmark.WithLinkEmptyContentBehavior(commonmark.LinkBehaviorSkip),
			commonmark.WithLinkEmptyHrefBehavior(commonmark.LinkBehaviorSkip),
			commonmark.WithListEndComment(false),
		),
		strikethrough.NewStrikethroughPlugin(),
		table.NewTablePlugin(
			table.WithHeaderPromotion(true),
			table.WithSkipEmptyRows(true),
			table.WithCellPaddingBehavior(table.CellPaddingBehaviorMinimal),
		),
	))
	c.Register.RendererFor("blockquote", converter.TagTypeBlock, quote, converter.PriorityEarly+1)
	var b strings.Builder
	whole = pieces(content, func(piece *html.Node) bool {
		if late() {
			return false
		}
		var out []byte
		if out, err = c.ConvertNode(piece); err == nil && len(out) > 0 {
			b.Write(out)
			b.WriteString("\n\n")
		}
		return err == nil
	})
	return b.String(), whole, err
}

// pieces takes content apart and calls use with each piece, until use returns false.
func pieces(content *html.Node, use func(*html.Node) bool) bool {
	if atMost(content, pieceNodes) == pieceNodes && (divisions[content.DataAtom] || content.Type == html.DocumentNode) {
		return divide(content, use)
	}
	return use(content)
}

// divide divides an element between its blocks. Inline elements stay with their neighbours.
func divide(top *html.Node, use func(*html.Node) bool) bool {
	var piece *html.Node
	nodes := 0
	end := func() bool {
		done := piece
		piece, nodes = nil, 0
		return done == nil || use(done)
	}
	for n := top.FirstChild; n != nil; n = top.FirstChild {
		top.RemoveChild(n)
		size := atMost(n, pieceNodes)
		if size == pieceNodes && divisions[n.DataAtom] {
			if !end() || !divide(n, use) {
				return false
			}
			continue
		}
		if piece == nil {
			piece = &html.Node{Type: html.ElementNode, Data: "div", DataAtom: atom.Div}
		}
		piece.AppendChild(n)
		if nodes += size; nodes >= pieceNodes && (divisions[n.DataAtom] || blocks[n.DataAtom]) && !end() {
			return false
		}
	}
	return end()
}

// atMost returns the number of nodes below a node, or most if there are more.
func atMost(top *html.Node, most int) (count int) {
	for range top.Descendants() {
		if count++; count == most {
			break
		}
	}
	return count
}

var (
	// divisions are elements that only divide a page into blocks.
	divisions = map[atom.Atom]bool{
		atom.Html: true, atom.Body: true, atom.Main: true, atom.Article: true, atom.Section: true, atom.Div: true, atom.Header: true,
		atom.Footer: true, atom.Aside: true, atom.Nav: true,
	}
	blocks = map[atom.Atom]bool{
		atom.P: true, atom.H1: true, atom.H2: true, atom.H3: true, atom.H4: true, atom.H5: true, atom.H6: true, atom.Ul: true, atom.Ol: true, atom.Dl: true,
		atom.Table: true, atom.Pre: true, atom.Blockquote: true, atom.Figure: true, atom.Hr: true, atom.Details: true, atom.Address: true,
	}
)
