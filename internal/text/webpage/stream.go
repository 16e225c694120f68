package webpage

import (
	"slices"

	"golang.org/x/net/html"
)

// Bounds of [reveal]. A node may be moved again with the part that it was moved to.
const (
	maxReveals = 2_000
	maxMoved   = 1_000_000 // nodes
)

// reveals finds the calls that put parts of a page to their places.
var reveals = pattern(`\$R([CRS])\("([^"]+)", ?"([^"]+)"`)

// boundaries are the comments that begin and end boundaries.
var boundaries = map[string]int{"$": 1, "$?": 1, "$!": 1, "$~": 1, "/$": -1}

// reveal puts the parts that React streams at the end of a page, hidden, to their places, as the scripts of the page do. $RC and $RR
// replace everything from a template up to the comment that ends its boundary, and $RS replaces only a template:
//
//	<!--$?--><template id="B:0"></template><p>Loading…</p><!--/$-->
//	<div hidden id="S:0"><main>…</main></div><script>$RC("B:0","S:0")</script>
func reveal(doc *html.Node, text string) {
	calls, ids := reveals().FindAllStringSubmatch(text, maxReveals), make(map[string]*html.Node)
	for n := range doc.Descendants() {
		if id := attribute(n, "id"); len(calls) > 0 && id != "" && ids[id] == nil {
			ids[id] = n
		}
	}
	moved := 0
	for _, call := range calls {
		place, part := ids[call[2]], ids[call[3]]
		if call[1] == "S" {
			place, part = part, place
		}
		if moved > maxMoved || place == nil || part == nil || place.Parent == nil || within(place, part) {
			continue
		}
		depth := 0 // of the boundaries in what is replaced
		for n := place.NextSibling; n != nil && call[1] != "S"; n = place.NextSibling {
			if n.Type == html.CommentNode {
				depth += boundaries[n.Data]
			}
			if depth < 0 {
				break
			}
			remove(n)
		}
		children := slices.Collect(part.ChildNodes())
		moved += len(children)
		replace(place, children...)
		remove(part)
	}
}
