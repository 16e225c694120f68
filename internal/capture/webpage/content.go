package webpage

import (
	"cmp"
	"log/slog"
	"net/url"
	"strings"

	readability "codeberg.org/readeck/go-readability/v2"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

const (
	// maxReadable is how many nodes readability gets: its time grows faster than their number.
	maxReadable = 60_000
	// enough is the minimum length of the content of an article, in letters and digits.
	enough = 160
	// maxMains is how many main elements are compared. A page has one, or several of which some are hidden.
	maxMains = 8
)

// mainContent returns the main content of a document, as an element without a parent, and the title. The page gets a
// note if the choice is doubtful. mainContent takes the document apart.
//
// Readability finds the content of articles, but it drops tables, terms, code and short sections of documentation. So
// its result is used only for articles, and only if it keeps most of their code. Documentation that declares itself an
// article has permalinks, which lead from headings to themselves.
func (p *Page) mainContent(doc *html.Node, at *url.URL, permalinks int) (content *html.Node, name string) {
	all := weigh(bodyOf(doc))
	region := mainRegion(doc)
	name, exact, own := titleOf(doc, region)
	if permalinks < 2 && isArticle(doc) {
		if article := readable(doc, at); article != nil && weigh(article.Node).prose() >= enough && 2*codeAndTerms(article.Node) >= codeAndTerms(cmp.Or(region, bodyOf(doc))) {
			if t := strings.TrimSpace(article.Title()); t != "" && !exact {
				name = t
			}
			p.noteKept(weigh(article.Node), all)
			return article.Node, name
		}
	}
	marked := region != nil
	region = cmp.Or(region, bodyOf(doc))
	remove(region)
	clearRegion(region, own)
	kept := weigh(region)
	if p.noteKept(kept, all); !marked && kept.text == all.text && kept.linked > kept.prose() && kept.prose() >= enough {
		p.note("The content cannot be separated from the navigation of the site: all of the page is here.")
	}
	return region, name
}

// noteKept adds a note if more than half of the text of a page is left out, and more than a footer has. Text in links does
// not count, because most links lead through the site.
func (p *Page) noteKept(kept, all weight) {
	if left := all.prose() - kept.prose(); left >= 3*enough && left > kept.prose() {
		p.note("Only the main content is here, with %d of the %d characters of the page that are not in links. Ask for the whole page if something is missing.", kept.prose(), all.prose())
	}
}

// readable returns the article that readability finds, or nil. No other function calls the library.
func readable(doc *html.Node, at *url.URL) *readability.Article {
	if atMost(doc, maxReadable) == maxReadable {
		return nil
	}
	parser := readability.NewParser()
	parser.Logger = slog.New(slog.DiscardHandler)
	parser.KeepClasses = true
	shieldHeadings(doc)
	article, err := parser.ParseDocument(doc, at) // the parser works on a copy
	restoreHeadings(doc)
	if err != nil || article.Node == nil {
		return nil
	}
	restoreHeadings(article.Node)
	return &article
}

// shielded is the attribute of a heading that hides its level and its id from readability, which turns each h1 into an h2, and
// removes elements with an id such as comments or menu.
const shielded = "data-shielded"

func shieldHeadings(doc *html.Node) {
	for _, n := range all(doc, isHeading) {
		set(n, shielded, n.Data+" "+attribute(n, "id"))
		drop(n, "id")
	}
}

func restoreHeadings(top *html.Node) {
	for _, n := range all(top, isHeading) {
		if name, id, ok := strings.Cut(attribute(n, shielded), " "); ok {
			rename(n, atom.Lookup([]byte(name)))
			drop(n, shielded)
			set(n, "id", id)
		}
	}
}

// articleTypes finds article types in the structured data of a page.
var articleTypes = pattern(`"@type"\s*:\s*\[?\s*"(\w*Article|BlogPosting)"`)

// isArticle reports whether a page declares itself an article, as newspapers and blogs do.
func isArticle(doc *html.Node) bool {
	return holds(doc, func(n *html.Node) bool {
		kind, property := attribute(n, "itemtype"), attribute(n, "property")
		return strings.HasSuffix(kind, "schema.org/BlogPosting") || strings.Contains(kind, "schema.org/") && strings.HasSuffix(kind, "Article") ||
			n.DataAtom == atom.Meta && (strings.HasPrefix(property, "article:") || property == "og:type" && strings.EqualFold(attribute(n, "content"), "article")) ||
			isData(n) && articleTypes().MatchString(text(n))
	})
}

// codeAndTerms returns the number of code blocks and defined terms, which are typical of documentation.
func codeAndTerms(top *html.Node) int {
	return len(all(top, is(atom.Pre, atom.Dt)))
}

// mainRegion returns the element that a document declares as its main content, the largest one if there are several, or
// nil.
func mainRegion(doc *html.Node) (region *html.Node) {
	mains := all(doc, func(n *html.Node) bool { return n.DataAtom == atom.Main || attribute(n, "role") == "main" })
	for _, n := range mains[:min(len(mains), maxMains)] {
		if region == nil || size(n) > size(region) {
			region = n
		}
	}
	return region
}

// aside reports whether an element declares that it is not content.
func aside(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Nav, atom.Aside, atom.Form, atom.Head:
		return true
	case atom.Header, atom.Footer: // the header of the page, not of an article
		return n.Parent.DataAtom == atom.Body || n.Parent.DataAtom == atom.Div && n.Parent.Parent != nil && n.Parent.Parent.DataAtom == atom.Body
	}
	switch attribute(n, "role") {
	case "navigation", "banner", "contentinfo", "search", "complementary", "dialog", "alertdialog", "menu", "menubar":
		return n.DataAtom != atom.Dfn
	case "tabpanel":
		return false
	}
	// an ornament, or a second form of a text
	return attribute(n, "aria-hidden") == "true"
}

// titleOf returns the title of a document: the title in its head, else its first heading. If the title in the head
// contains a heading, with the name of the site after it, that heading is the exact title of the page. A heading outside
// the main content may be the name of the site, so only the start of the title counts for it.
//
// own is the heading of the page if it has one of level one that no link leads away from, or another element with the title.
func titleOf(doc, region *html.Node) (name string, exact bool, own *html.Node) {
	var head, heading string
	var first *html.Node
	headings, inside := 0, false
	for n := range doc.Descendants() {
		switch {
		case n.DataAtom == atom.Title && head == "":
			head = title(text(n))
		case n.DataAtom == atom.H1 && !inside:
			headings++
			if inside = region != nil && within(n, region); inside || headings == 1 {
				heading, first = title(text(n)), n
			}
		}
	}
	// A heading in the header of the site, or one that is a link, is the name of the site if the title of the page has another heading too.
	named := strings.Contains(strings.ToLower(head), strings.ToLower(heading))
	if site := first; headings > 0 && !inside && named && (firstLink(site) != nil && size(firstLink(site)) == size(site) || closest(site, is(atom.Header)) != nil) {
		own = descendant(doc, func(n *html.Node) bool {
			return isHeading(n) && n != site && len(title(text(n))) > 2 && strings.Contains(strings.Replace(head, heading, "", 1), title(text(n))) && within(n, cmp.Or(region, doc))
		})
		if own != nil {
			remove(site)
			return title(text(own)), true, own
		}
	}
	if heading != "" && (head == "" || inside && strings.Contains(head, heading) || headings == 1 && strings.HasPrefix(head, heading)) {
		return heading, true, first
	}
	// the first block whose text is the title
	own = descendant(bodyOf(doc), func(n *html.Node) bool {
		return oneOf(n, atom.P, atom.Div) && n.FirstChild != nil && n.FirstChild.Type == html.TextNode && strings.Join(strings.Fields(n.FirstChild.Data), " ") == head
	})
	if own != nil {
		rename(own, atom.H1)
	} else if headings == 1 && firstLink(first) == nil {
		own = first
	}
	return cmp.Or(head, heading), false, own
}
