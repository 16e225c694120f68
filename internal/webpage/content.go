package webpage

import (
	"cmp"
	"context"
	"net/url"
	"strings"

	readability "codeberg.org/readeck/go-readability/v2"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

const (
	// maxReadable is how many elements readability gets: its time grows faster than their number.
	maxReadable = 30_000
	// enough is how much content is an article, in characters.
	enough = 200
)

// mainContent returns the part of a document that is about something, and the title. It takes the
// document apart. The element that it returns has no parent.
func mainContent(ctx context.Context, doc *html.Node, at *url.URL) (content *html.Node, name string) {
	name, exact := titleOf(doc)
	region := mainRegion(doc)
	if ctx.Err() != nil {
		return doc, name
	}
	if article := readable(doc, at); article != nil && article.Node != nil {
		found := size(article.Node)
		// An index, a reference or a short page has little of what readability takes for text.
		if found >= enough && (region == nil || 2*found >= size(region)) {
			if t := strings.TrimSpace(article.Title()); t != "" && !exact {
				name = t
			}
			return article.Node, name
		}
	}
	if region == nil {
		region = doc
	}
	region = detached(region)
	for _, n := range elements(region) {
		if n.Parent != nil && aside(n) {
			remove(n)
		}
	}
	return region, name
}

// readable returns what readability finds. It is the one function that knows it.
func readable(doc *html.Node, at *url.URL) *readability.Article {
	parser := readability.NewParser()
	parser.KeepClasses = true // they have the languages of code
	parser.MaxElemsToParse = maxReadable
	article, err := parser.ParseDocument(doc, at) // it works on a copy
	if err != nil {
		return nil
	}
	return &article
}

// mainRegion returns the element that a document says to be its main content, or nil if it does not
// say, or names several.
func mainRegion(doc *html.Node) *html.Node {
	var mains, articles []*html.Node
	for n := range doc.Descendants() {
		switch {
		case n.DataAtom == atom.Main, attribute(n, "role") == "main":
			mains = append(mains, n)
		case n.DataAtom == atom.Article:
			articles = append(articles, n)
		}
	}
	switch {
	case len(articles) == 1 && (len(mains) == 0 || 2*size(articles[0]) >= size(mains[0])):
		return articles[0]
	case len(mains) > 0:
		return mains[0]
	}
	return nil
}

// aside reports whether an element stands beside the content.
func aside(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Nav, atom.Aside, atom.Form, atom.Head:
		return true
	case atom.Header, atom.Footer: // of the page, and not of an article
		return n.Parent.DataAtom == atom.Body || n.Parent.DataAtom == atom.Div && n.Parent.Parent != nil && n.Parent.Parent.DataAtom == atom.Body
	}
	switch attribute(n, "role") {
	case "navigation", "banner", "contentinfo", "search", "complementary":
		return true
	}
	return false
}

func detached(n *html.Node) *html.Node {
	remove(n)
	return n
}

// titleOf returns the title of a document: that of its head, else its first heading. If the one has
// the other in it, with the name of the site, the heading is exactly the title of the page.
func titleOf(doc *html.Node) (name string, exact bool) {
	var head, heading string
	headings := 0
	for n := range doc.Descendants() {
		switch {
		case n.DataAtom == atom.Title && n.Namespace == "" && head == "":
			head = title(text(n))
		case n.DataAtom == atom.H1:
			if headings++; headings == 1 {
				heading = title(text(n))
			}
		}
	}
	if headings == 1 && heading != "" && (head == "" || strings.Contains(head, heading)) {
		return heading, true
	}
	return cmp.Or(head, heading), false
}
