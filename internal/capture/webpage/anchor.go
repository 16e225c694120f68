package webpage

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
)

// Bounds of the anchors of a page.
const (
	maxAnchors  = 20_000
	maxAnchorID = 200 // bytes
)

// anchors finds the ids of a page. Readers of Markdown make ids for headings only. So an id belongs to the heading that
// has it, or to the next heading if no text is between the two, or else to the previous heading.
func (p *Page) anchors(content *html.Node) (headings []*html.Node) {
	heading := -1
	var pending []string
	settle := func(heading int) {
		for _, id := range pending {
			if len(p.Anchors) < maxAnchors {
				p.Anchors = append(p.Anchors, Anchor{id, heading})
			}
		}
		pending = pending[:0]
	}
	for n := range content.Descendants() {
		switch {
		case n.Type == html.TextNode && hasText(n):
			settle(heading)
		case n.Type == html.ElementNode:
			if id := cmp.Or(attribute(n, "id"), attribute(n, "name")); id != "" && len(id) <= maxAnchorID && len(pending) < maxAnchors {
				pending = append(pending, id)
			}
			pending = append(pending, strings.Fields(attribute(n, insideIDs))...)
			if isHeading(n) && hasText(n) {
				headings = append(headings, n)
				heading++
				settle(heading)
			}
		}
	}
	settle(heading)
	return headings
}

// While a page is converted, each heading ends with a mark and its number: a heading may become text in a table, or be
// in a list or a quote, where readers of Markdown find no headings. The marks are characters without a meaning.
const (
	headingMark    = '\ue000'
	headingMarkEnd = '\ue001'
)

func markHeadings(headings []*html.Node) {
	for i, n := range headings {
		n.AppendChild(newText(string(headingMark) + strconv.Itoa(i) + string(headingMarkEnd)))
	}
}

// numberAnchors gives the anchors the numbers of the headings that readers of Markdown find, and returns the
// Markdown without marks.
func (p *Page) numberAnchors(markdown string, headings []*html.Node) string {
	found := excerpt.Headings(markdown)
	// of marks to numbers of headings in the Markdown
	numbers := slices.Repeat([]int{-1}, len(headings))
	for i, h := range found {
		line, _, _ := strings.Cut(markdown[h.Start:h.End], "\n")
		_, mark, _ := strings.Cut(line, string(headingMark))
		mark, _, _ = strings.Cut(mark, string(headingMarkEnd))
		if n, err := strconv.Atoi(mark); err == nil && n >= 0 && n < len(numbers) {
			numbers[n] = i
		}
	}
	last := -1
	for i, n := range numbers {
		last = max(last, n)
		numbers[i] = last
	}
	for i, a := range p.Anchors {
		if a.Heading >= 0 {
			p.Anchors[i].Heading = numbers[a.Heading]
		}
	}
	p.Headings = len(found)
	return headingMarks().ReplaceAllString(markdown, "")
}

var headingMarks = pattern(" *\ue000[0-9]*\ue001?")
