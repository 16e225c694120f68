package webpage

import (
	"context"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Bounds of the anchors of a page.
const (
	maxAnchors  = 20_000
	maxAnchorID = 200 // bytes
)

// anchors finds the ids of a page. Readers of Markdown make ids of headings only. So an id belongs to its heading, or
// to the next one if there is no text between the two, and else to the one before.
func (p *Page) anchors(ctx context.Context, content *html.Node) {
	heading := -1
	lines := make(map[*html.Node]bool) // tables, and whether their rows become lines
	inLine := func(n *html.Node) bool {
		for n = n.Parent; n != nil; n = n.Parent {
			if n.DataAtom == atom.Table {
				if _, known := lines[n]; !known {
					lines[n] = hasLines(n)
				}
				return lines[n]
			}
		}
		return false
	}
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
		if ctx.Err() != nil {
			return
		}
		switch n.Type {
		case html.TextNode:
			if len(pending) > 0 && strings.TrimSpace(n.Data) != "" {
				settle(heading)
			}
		case html.ElementNode:
			id := attribute(n, "id")
			if id == "" && n.DataAtom == atom.A {
				id = attribute(n, "name")
			}
			if id != "" && len(id) <= maxAnchorID && len(pending) < maxAnchors {
				pending = append(pending, id)
			}
			switch n.DataAtom {
			case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
				if strings.TrimSpace(text(n)) != "" && !inLine(n) {
					heading++
					settle(heading)
				}
			}
		}
	}
	settle(heading)
	p.Headings = heading + 1
}
