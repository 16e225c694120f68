package webpage

import (
	"net/url"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Characters that stand for "[^" and "]" of a footnote while a page is converted: brackets would be escaped.
const (
	noteStart = "\U000f5a02"
	noteEnd   = "\U000f5a03"
)

const (
	// maxNote is how many nodes a footnote may have.
	maxNote = 200
	// maxNoteLinks is how many links to footnotes are looked at: each visits the nodes of a footnote.
	maxNoteLinks = 5000
)

// noteMarks finds the texts of links to footnotes. Names are in brackets, or raised.
var noteMarks = pattern(`^(\d{1,4}|[*†‡]{1,3}|\[[\pL\d][\pL\d_.-]{0,30}\])$`)

// footnotes writes footnotes as Markdown does: [^1] and [^1]: text. A reference is a link to an element that has a link back
// to the reference.
func footnotes(doc *html.Node) {
	places := make(map[string]*html.Node)
	var links []*html.Node
	for n := range doc.Descendants() {
		if len(n.Attr) == 0 {
			continue
		}
		if n.DataAtom == atom.A {
			places["#"+attribute(n, "name")] = n
			if len(links) < maxNoteLinks && strings.Contains(attribute(n, "href"), "#") && (noteMarks().MatchString(bare(text(n))) || noteMarks().MatchString(strings.TrimSpace(text(n)))) {
				links = append(links, n)
			}
		}
		places["#"+attribute(n, "id")] = n
	}
	target := func(link *html.Node) *html.Node {
		// the name of the page itself may come first
		_, id, _ := strings.Cut(attribute(link, "href"), "#")
		id, _ = url.PathUnescape(id)
		return places["#"+id]
	}
	labels, taken := make(map[*html.Node]string), make(map[string]bool)
	for _, link := range links {
		note := target(link)
		for note != nil && phrasing[note.DataAtom] {
			note = note.Parent
		}
		if link.Parent == nil || note == nil || within(link, note) || atMost(note, maxNote) == maxNote {
			continue
		}
		label, mutual := labels[note], false
		for _, c := range elements(note) {
			if back := target(c); c.DataAtom == atom.A && back != nil && (within(link, back) && atMost(back, maxAlone) < maxAlone || within(back, link) || back.Parent == link.Parent && phrasing[back.Parent.DataAtom]) {
				remove(alone(c, note))
				mutual = true
			}
		}
		if label == "" && mutual {
			for label = bare(text(link)); taken[label]; label += "-2" {
			}
			labels[note], taken[label] = label, true
			defineNote(note, label)
		}
		if label != "" {
			replace(alone(link, nil), newText(noteStart+label+noteEnd))
		}
	}
}

// defineNote writes a label before the text of a footnote, which is in the element or follows it.
func defineNote(n *html.Node, label string) {
	if next := after(n); !hasText(n) && next != nil {
		remove(n)
		n = next
	}
	first := withText(n.FirstChild)
	for ; first != nil && first.Type == html.ElementNode && !phrasing[first.DataAtom]; first = withText(n.FirstChild) {
		n = first
	}
	if first != nil && first.Type == html.TextNode {
		first.Data = strings.TrimLeft(first.Data, " .:\n\t\u00a0")
	}
	n.InsertBefore(newText(noteStart+label+noteEnd+": "), first)
}
