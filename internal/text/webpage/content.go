package webpage

import (
	"cmp"
	"context"
	"log/slog"
	"net/url"
	"slices"
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
	// wholeArticle is how much text readability is content with, in characters. It is its own default.
	wholeArticle = 500
)

// mainContent returns the part of a document that is about something, and the title. It takes the
// document apart. The element that it returns has no parent.
func mainContent(ctx context.Context, doc *html.Node, at *url.URL) (content *html.Node, name string) {
	region := mainRegion(doc)
	name, exact := titleOf(doc, region)
	if ctx.Err() != nil {
		return doc, name
	}
	if region != nil && plainRegion(region) {
		if heading := heading(region); heading != "" && strings.Contains(name, heading) {
			name = heading // of the title, it is what is not the name of the site
		} else if !exact {
			name = cmp.Or(readableTitle(doc, at), name)
		}
		return detached(region), name
	}
	if article := readable(doc, at, wholeArticle); article != nil && article.Node != nil {
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
	for _, n := range elements(ctx, region) {
		if n.Parent != nil && aside(n) {
			remove(n)
		}
	}
	return region, name
}

// heading returns the first heading of the highest rank.
func heading(region *html.Node) string {
	for n := range region.Descendants() {
		if n.DataAtom == atom.H1 {
			return title(text(n))
		}
	}
	return ""
}

// readableTitle returns the title that readability finds. It gets what it takes that from: the title,
// metadata and headings.
func readableTitle(doc *html.Node, at *url.URL) string {
	head := &html.Node{Type: html.ElementNode, Data: "head", DataAtom: atom.Head}
	body := &html.Node{Type: html.ElementNode, Data: "body", DataAtom: atom.Body}
	for n := range doc.Descendants() {
		to := head
		switch {
		case n.DataAtom == atom.H1, n.DataAtom == atom.H2:
			to = body
		case n.DataAtom != atom.Title && n.DataAtom != atom.Meta && !isData(n):
			continue
		}
		named := &html.Node{Type: html.ElementNode, Data: n.Data, DataAtom: n.DataAtom, Attr: slices.Clone(n.Attr)}
		named.AppendChild(&html.Node{Type: html.TextNode, Data: text(n)})
		to.AppendChild(named)
	}
	top := &html.Node{Type: html.ElementNode, Data: "html", DataAtom: atom.Html}
	top.AppendChild(head)
	top.AppendChild(body)
	small := &html.Node{Type: html.DocumentNode}
	small.AppendChild(top)
	if article := readable(small, at, 0); article != nil {
		return strings.TrimSpace(article.Title())
	}
	return ""
}

// readable returns what readability finds. Of less text than so many characters, it tries again with
// fewer rules. It is the one function that knows the library.
func readable(doc *html.Node, at *url.URL, characters int) *readability.Article {
	count := 0
	for n := range doc.Descendants() { // the parser copies the document before it counts
		if n.Type == html.ElementNode {
			if count++; count > maxReadable {
				return nil
			}
		}
	}
	parser := readability.NewParser()
	parser.CharThresholds = characters
	parser.Logger = slog.New(slog.DiscardHandler)
	parser.KeepClasses = true // they have the languages of code
	parser.MaxElemsToParse = maxReadable
	renameIDs(doc, "id", aboutID)
	article, err := parser.ParseDocument(doc, at) // it works on a copy
	renameIDs(doc, aboutID, "id")
	if err != nil {
		return nil
	}
	if article.Node != nil {
		renameIDs(article.Node, aboutID, "id")
	}
	return &article
}

// aboutID has the id of an element, for as long as readability has the document: it removes what has
// an id like comments or menu, also a heading or a section about these.
const aboutID = "data-about-id"

// renameIDs renames an attribute of the elements whose ids say what they are about.
func renameIDs(doc *html.Node, from, to string) {
	for n := range doc.Descendants() {
		if n.Type != html.ElementNode || from == "id" && holds(n) && !has(n, topical) {
			continue
		}
		for i := range n.Attr {
			if n.Attr[i].Key == from {
				n.Attr[i].Key = to
			}
		}
	}
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

// plainRegion reports whether an element is content and nothing else, so that readability has nothing
// to find: much text, of which little is links, and no element or name of what pages put beside it.
func plainRegion(region *html.Node) bool {
	text, linked := 0, 0
	for n := range region.Descendants() {
		switch {
		case n.Type == html.TextNode:
			text += letters(n.Data)
		case n.Type != html.ElementNode:
		case aside(n), floats(n), n.DataAtom == atom.Header, n.DataAtom == atom.Footer, n.DataAtom == atom.Noscript: // which may have the images
			return false
		case holds(n) && (besides(attribute(n, "class")) || besides(attribute(n, "id"))):
			return false
		case n.DataAtom == atom.A:
			linked += size(n)
		}
	}
	return text >= 2*enough && 4*linked <= text
}

// floats reports whether an element is over the content, or repeats it for the eye: formulas are also
// there as text.
func floats(n *html.Node) bool {
	switch attribute(n, "role") {
	case "dialog", "alertdialog", "menu", "menubar":
		return true
	}
	return attribute(n, "aria-hidden") == "true" && size(n) > 0
}

// holds reports whether an element holds others, so that its name says what they are. The names of
// headings, links and words are those of what they are about.
func holds(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Div, atom.Section, atom.Article, atom.Ul, atom.Ol, atom.Dl, atom.Li, atom.P, atom.Table, atom.Figure, atom.Details, atom.Fieldset, atom.Address, atom.Menu, 0:
		return true
	}
	return false
}

// besides reports whether a class or an id has a word for what pages put beside their content.
func besides(names string) bool {
	if names == "" {
		return false
	}
	names = strings.ToLower(names)
	for _, word := range []string{
		"ad-", "advert", "agegate", "author", "banner", "breadcrumb", "byline", "combx", "comment", "community", "contact", "contrib", "cookie", "cover-wrap",
		"dateline", "disqus", "download", "edit", "extra", "feedback", "footer", "gallery", "gdpr", "hidden", "legends", "login", "masthead", "media", "menu",
		"meta", "modal", "nav", "newsletter", "outbrain", "pager", "pagination", "popup", "prev-next", "prevnext", "promo", "rating", "recommend", "related", "remark", "replies", "rss",
		"scroll", "share", "shopping", "shoutbox", "sidebar", "skyscraper", "social", "sponsor", "subscribe", "supplemental", "tags", "teaser", "toc", "tool",
		"top", "tweet", "widget", "yom-remote",
	} {
		if strings.Contains(names, word) {
			return true
		}
	}
	return false
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
// the other in it, with the name of the site, the heading is exactly the title of the page. A heading
// outside of the main content may be the name of the site itself, which stands at the end.
func titleOf(doc, region *html.Node) (name string, exact bool) {
	var head, heading string
	headings, inside := 0, false
	for n := range doc.Descendants() {
		switch {
		case n.DataAtom == atom.Title && n.Namespace == "" && head == "":
			head = title(text(n))
		case n.DataAtom == atom.H1:
			if headings++; headings == 1 {
				heading, inside = title(text(n)), region == nil || within(n, region)
			}
		}
	}
	if headings == 1 && heading != "" && (head == "" || strings.HasPrefix(head, heading) || inside && strings.Contains(head, heading)) {
		return heading, true
	}
	return cmp.Or(head, heading), false
}

// within reports whether a node is below another one.
func within(n, region *html.Node) bool {
	for n = n.Parent; n != nil; n = n.Parent {
		if n == region {
			return true
		}
	}
	return false
}
