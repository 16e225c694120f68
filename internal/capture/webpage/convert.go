package webpage

import (
	"bytes"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"github.com/JohannesKaufmann/html-to-markdown/v2/marker"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/base"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/commonmark"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/strikethrough"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/table"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

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
	joinTexts(content)
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

// joinTexts makes one node of texts that follow each other, without comments. The converter would take quadratic time for it.
func joinTexts(top *html.Node) {
	for _, n := range slices.Collect(top.Descendants()) {
		if n.Type == html.TextNode && n.Parent != nil {
			var text strings.Builder
			for next := n.NextSibling; next != nil && (next.Type == html.TextNode || next.Type == html.CommentNode); next = n.NextSibling {
				if remove(next); next.Type == html.TextNode {
					text.WriteString(next.Data)
				}
			}
			n.Data += text.String()
		}
	}
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

// maxNesting is the maximum nesting of lists and quotes: each level writes a mark or spaces before each line.
const maxNesting = 20

// flattenLists turns lists and quotes that are nested too deeply into paragraphs, in an element at a depth. Elements are nested up to
// maxDepth.
func flattenLists(top *html.Node, depth int) {
	for n := top.FirstChild; n != nil; n = n.NextSibling {
		inside, marked := depth, oneOf(n, atom.Blockquote, atom.Ul, atom.Ol)
		if marked {
			inside++
		}
		if inside > maxNesting && (marked || n.DataAtom == atom.Li) {
			n.DataAtom, n.Data, n.Attr = atom.Div, "div", nil
		}
		flattenLists(n, inside)
	}
}

// unlist turns lists into divisions if their items are sections that begin with headings, as Javadoc and
// scaladoc write them, or footnotes: readers do not find these in a Markdown list.
func unlist(content *html.Node) {
	for _, list := range elements(content) {
		if !oneOf(list, atom.Ul, atom.Ol) {
			continue
		}
		items := all(list, func(n *html.Node) bool { return n.Parent == list && n.DataAtom == atom.Li && size(n) > 0 })
		if len(items) > 0 && !slices.ContainsFunc(items, func(n *html.Node) bool { return !beginsSection(n) }) {
			for _, n := range append(items, list) {
				rename(n, atom.Div)
			}
		}
	}
}

// beginsSection reports whether the first text in an element is in a heading, or begins a footnote.
func beginsSection(top *html.Node) bool {
	n := firstText(top)
	return n != nil && (strings.HasPrefix(n.Data, noteStart) || isHeading(closest(n, func(p *html.Node) bool { return isHeading(p) || p == top })))
}

// settle removes everything that does not become text. If it were removed after the escapes, the meaning of the text
// around it would change: a backslash could come before an escaped bracket, or the backticks of an empty code element
// could begin or end other code.
func settle(top *html.Node) {
	for _, n := range slices.Collect(top.Descendants()) {
		switch {
		case n.DataAtom == atom.Script, n.DataAtom == atom.Noscript, n.DataAtom == atom.Meta:
			remove(n)
		case n.Type == html.TextNode:
			n.Data = reserved.Replace(clean(n.Data))
		}
	}
	for _, n := range elements(top) {
		if inlineCode[n.DataAtom] && n.Parent != nil && !inCode(n) {
			content := strings.TrimSpace(text(n))
			// The library removes the spaces around the code.
			if left, right, _ := strings.Cut(text(n), content); content != "" && left+right != "" {
				n.Parent.InsertBefore(newText(left), n)
				n.Parent.InsertBefore(newText(right), n.NextSibling)
			}
			if rename(n, atom.Code); content == "" {
				unwrap(n)
			}
		}
	}
}

// joints removes the hyphens and joiners inside of words, which no search would find with them.
var joints = strings.NewReplacer("\u00ad", "", "\u2060", "")

// reserved removes characters that have a meaning while a page is converted. The library turns the first one into a line end.
var reserved = strings.NewReplacer("\uf002", "", "\ufeff", "", string(headingMark), "", string(headingMarkEnd), "")

// escapeAll escapes the text in a node, except code, so that Markdown reads all of it as plain text. The library can
// do this too, but in quadratic time: 50 KB of brackets take two seconds.
func escapeAll(top *html.Node) {
	var block *html.Node
	last := utf8.RuneError // RuneError: the next character begins a line
	for n := range top.Descendants() {
		if n.Type != html.TextNode {
			if n.DataAtom == atom.Br || blocks[n.DataAtom] {
				last = utf8.RuneError
			}
			continue
		}
		if around := closest(n, func(p *html.Node) bool { return !phrasing[p.DataAtom] }); around != block {
			block, last = around, utf8.RuneError
		}
		before := last
		if strings.TrimSpace(n.Data) != "" {
			last, _ = utf8.DecodeLastRuneInString(n.Data)
		}
		if !inCode(n) {
			n.Data = escape(joints.Replace(n.Data), before)
			if strings.Contains(n.Data, "#") && closest(n, isHeading) != nil {
				n.Data = headingEnd(n.Data)
			}
		}
		// also in code: cells take precedence over code
		if strings.Contains(n.Data, "|") && closest(n, isCell) != nil {
			n.Data = strings.ReplaceAll(n.Data, "|", `\|`)
		}
	}
}

// phrasing are the elements that continue the line of the text before them.
var phrasing = elementSet("a abbr b bdi bdo big cite code data del dfn em font i ins kbd label mark q s samp small span strike strong sub sup time tt u var")

// escape returns a text with a backslash before each character that has a meaning in Markdown. before is the previous
// character in the line; RuneError: the text begins the line.
func escape(s string, before rune) string {
	var b strings.Builder
	b.Grow(len(s) + len(s)/16)
	start := len(s) - len(strings.TrimLeft(s, " \t\n\r\f"))
	b.WriteString(s[:start])
	if before == utf8.RuneError && blockMarks().MatchString(s[start:]) {
		sign := len(s) - len(strings.TrimLeft(s[start:], "0123456789"))
		b.WriteString(s[start:sign] + `\` + s[sign:sign+1])
		start = sign + 1
	}
	for i := start; i < len(s); i++ {
		c := s[i]
		next := byte(' ')
		if i+1 < len(s) {
			next = s[i+1]
		}
		switch {
		case c == '[', c == ']', c == '`',
			c == '*' && !(i > 0 && s[i-1] == ' ' && next == ' '),
			c == '~' && (next == '~' || i > 0 && s[i-1] == '~' || i == start),
			c == '\\' && (i+1 == len(s) || next == '\n' || next < utf8.RuneSelf && (unicode.IsPunct(rune(next)) || unicode.IsSymbol(rune(next)))),
			c == '!' && i+1 == len(s):
			b.WriteByte('\\')
			b.WriteByte(c)
		case c == '_':
			end := i
			for end < len(s) && s[end] == '_' {
				end++
			}
			before := before
			if i > 0 {
				before, _ = utf8.DecodeLastRuneInString(s[:i])
			}
			after, _ := utf8.DecodeRuneInString(s[end:])
			run := s[i:end]
			if !wordRune(before) || !wordRune(after) {
				run = strings.ReplaceAll(run, "_", `\_`)
			}
			b.WriteString(run)
			i = end - 1
		case c == '&' && entity().MatchString(s[i:]):
			b.WriteString("&amp;")
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// headingEnd escapes a text at the end of a heading, where a "#" would close the heading. The library puts its
// backslash before the character that precedes such a "#".
func headingEnd(s string) string {
	visible := strings.TrimRightFunc(s, unicode.IsSpace)
	before, found := strings.CutSuffix(visible, "#")
	if !found {
		return s
	}
	if backslashes := len(before) - len(strings.TrimRight(before, `\`)); backslashes%2 == 1 {
		before = before[:len(before)-1]
	}
	return before + "&#35;" + s[len(visible):]
}

func wordRune(r rune) bool {
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r))
}

// blockMarks finds the start of a line that would otherwise begin a heading, a list or a rule. A ">" becomes an entity, which begins no quote.
var blockMarks = pattern(`^(?:[:|]|--|\+\+|==|(?:#{1,6}|[-+=]|[0-9]{1,10}[.)])(?:[ \t\n]|$))`)

// entity finds a character reference of HTML, such as "&amp;", at the start of a text.
var entity = pattern(`^&#?[0-9A-Za-z]{1,38};`)

// quote writes a quote. Unlike the library, it puts the mark of quotes before each line of code, too.
func quote(ctx converter.Context, w converter.Writer, n *html.Node) converter.RenderStatus {
	var b bytes.Buffer
	ctx.RenderChildNodes(ctx, &b, n)
	content := strings.TrimSpace(b.String())
	if content == "" {
		return converter.RenderSuccess
	}
	if kind := attribute(n, admonitionKind); kind != "" {
		content = "[!" + kind + "]\n" + content
	}
	_, _ = w.WriteString("\n\n")
	for line := range strings.SplitSeq(blankLines().ReplaceAllString(content, "\n\n"), "\n") {
		_, _ = w.WriteString(strings.TrimRight("> "+strings.ReplaceAll(line, string(marker.MarkerCodeBlockNewline), string(marker.MarkerCodeBlockNewline)+"> "), " ") + "\n")
	}
	_, _ = w.WriteString("\n\n")
	return converter.RenderSuccess
}

// blankLines finds several blank lines outside of code, whose lines end with a mark while a page is converted.
var blankLines = pattern(`\n{3,}`)
