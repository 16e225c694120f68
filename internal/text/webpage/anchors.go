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

// anchors finds the ids of a page. Markdown has no ids but those that readers make of headings. So
// an id is at its heading, or at the next one if no text stands between the two, and else at the
// one before.
func (p *Page) anchors(ctx context.Context, content *html.Node) {
	heading := -1
	var pending []string
	settle := func(at int) {
		for _, id := range pending {
			if len(p.Anchors) < maxAnchors {
				p.Anchors = append(p.Anchors, Anchor{id, at})
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
				if strings.TrimSpace(text(n)) != "" {
					heading++
					settle(heading)
				}
			}
		}
	}
	settle(heading)
	p.Headings = heading + 1
}
