package webpage

import (
	"crypto/rand"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/weburl"
)

// readHTML converts HTML to Markdown.
func (p *Page) readHTML(s Source, c Choice) (err error) {
	began := processTime()
	defer func() {
		if r := recover(); r != nil { // libraries may panic on hostile pages
			err = fmt.Errorf("the HTML cannot be converted: %v", r)
		}
	}()
	doc, notes, err := parse(strings.ReplaceAll(decodeMarkup(s), "\x00", ""))
	if err != nil {
		return fmt.Errorf("the HTML cannot be read: %w", err)
	}
	p.Notes = append(p.Notes, notes...)
	base := baseOf(doc, s.URL)
	scripts := holds(doc, func(n *html.Node) bool { return n.DataAtom == atom.Script && !isData(n) })
	if err := narrow(doc, c.Include, c.Exclude); err != nil {
		return err
	}
	permalinks := removeControls(doc, base)
	p.express(doc)
	prepare(doc)
	content, name := doc, ""
	if c.Whole || len(c.Include) > 0 {
		name, _, _ = titleOf(doc, mainRegion(doc))
	} else {
		content, name = p.mainContent(doc, s.URL, permalinks)
	}
	unlist(content)
	headings := p.anchors(content)
	p.collect(content, base)
	if c.KeepHTML {
		p.Marked.HTML, err = render(content)
		p.Marked.HTML = boxes.Replace(p.Marked.HTML)
	}
	flattenLists(content, 0)
	flattenCells(content)
	settle(content)
	escapeAll(content)
	markHeadings(headings)
	markdown, whole, failed := convert(content, func() bool { return processTime()-began > pageTime })
	if err = errors.Join(err, failed); err != nil {
		return fmt.Errorf("the HTML cannot be converted: %w", err)
	}
	if !whole {
		p.note("The page is cut: converting it takes more than %v of processor time.", pageTime)
	}
	p.finish(name, markdown, headings, scripts)
	return nil
}

// finish sets the title and the Markdown of a page. scripts says that the page has scripts.
func (p *Page) finish(name, markdown string, headings []*html.Node, scripts bool) {
	p.Title = title(name)
	markdown = strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(p.numberAnchors(clean(boxes.Replace(markdown)), headings)), "* * *\n"), "\n* * *")
	heading := headingEnd(escapeTitle(p.Title))
	if scripts && words(markdown, heading) < mostUnmade {
		p.note(NeedsBrowser)
	}
	begin, _, _ := strings.Cut(markdown, "\n")
	if p.Title != "" && firstHeading(markdown) == "" && strings.Join(strings.Fields(strings.TrimLeft(begin, "#")), " ") != heading {
		markdown = "# " + heading + "\n\n" + markdown
		p.Headings++
		for i := range p.Anchors {
			p.Anchors[i].Heading++
		}
	}
	if markdown = strings.TrimSpace(p.fit(markdown)); markdown != "" {
		p.Marked.Markdown = noFrontMatter(markdown + "\n")
	}
}

// NeedsBrowser is the note of a page with scripts and under [mostUnmade] words besides its title and headings: the scripts make its text.
const NeedsBrowser = "needs a browser: scripts make the text of the page"

const mostUnmade = 20

// words counts the words of Markdown outside of headings and of a line that is the title.
func words(markdown, title string) (n int) {
	for line := range strings.Lines(markdown) {
		if fields := strings.Fields(line); !strings.HasPrefix(line, "#") && strings.Join(fields, " ") != title {
			n += len(fields)
		}
	}
	return n
}

var boxes = strings.NewReplacer(boxEmpty+" ", "[ ] ", boxChecked+" ", "[x] ", boxEmpty, "[ ] ", boxChecked, "[x] ", noteStart, "[^", noteEnd, "]")

// render returns the HTML of content, without the head of a page.
func render(content *html.Node) (string, error) {
	content = bodyOf(content)
	if content.DataAtom == atom.Body {
		content.Attr = nil
	}
	var b strings.Builder
	err := html.Render(&b, content)
	return strings.TrimSpace(strings.TrimSuffix(strings.TrimPrefix(b.String(), "<body>"), "</body>")), err
}

// maxLinked is the maximum number of bytes of all URLs of a page. Later links become text.
const maxLinked = 12 << 20

// collect replaces the URL of each link and image by a mark. It removes links with schemes other than http, https and
// mailto, but keeps their texts.
func (p *Page) collect(content *html.Node, base *url.URL) {
	p.Marked.Mark = "https://" + strings.ToLower(rand.Text()) + ".invalid/"
	target := func(href string) *url.URL {
		if p.linked > maxLinked {
			return nil
		}
		return resolve(base, href)
	}
	for _, n := range elements(content) {
		switch n.DataAtom {
		case atom.A:
			if u := target(attribute(n, "href")); u != nil {
				n.Attr = []html.Attribute{{Key: "href", Val: p.refer(Reference{URL: u})}}
			} else {
				unwrap(n)
			}
		case atom.Img:
			alt := plain(attribute(n, "alt"))
			if u := target(imageSource(n)); u != nil && u.Scheme != "mailto" {
				n.Attr = []html.Attribute{{Key: "src", Val: p.refer(Reference{URL: u, Image: true})}, {Key: "alt", Val: alt}}
				continue
			}
			if alt != "" {
				n.Parent.InsertBefore(newText(alt), n)
			}
			remove(n)
		}
	}
	if p.linked > maxLinked {
		p.note("The complete links of the page have more than %d MiB: the others are left out.", maxLinked>>20)
	}
}

func (p *Page) refer(r Reference) string {
	p.References = append(p.References, r)
	p.linked += len(destination(r.URL.String()))
	return fmt.Sprintf("%s%d", p.Marked.Mark, len(p.References)-1)
}

// imageSource returns the URL of an image, which is in another attribute if a script loads the image late.
func imageSource(n *html.Node) (source string) {
	for _, key := range []string{"data-src", "data-original", "data-lazy-src", "src", "srcset", "data-srcset", "data-lazy-srcset"} {
		source = strings.TrimSpace(attribute(n, key))
		if strings.HasSuffix(key, "srcset") {
			source, _, _ = strings.Cut(source+" ", " ")
		}
		if source != "" && !strings.HasPrefix(strings.ToLower(source), "data:") {
			break
		}
	}
	return strings.TrimSuffix(source, ",")
}

// plain returns a text for the brackets of an image, with a space for each character that has a meaning in Markdown:
// the library escapes only some of them.
func plain(s string) string {
	words := strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune("\\[]`<>|!*_~$\uf002", r) })
	return title(strings.Join(words, " "))
}

// escapeTitle returns a title as the text of a heading, escaped and without tags.
func escapeTitle(s string) string {
	return strings.NewReplacer("<", "&lt;", ">", "&gt;").Replace(escape(s, utf8.RuneError))
}

// maxURL is the maximum length of a link, in bytes. Longer ones contain data.
const maxURL = 4096

// resolve returns the absolute URL of a link, or nil if the link is not kept.
func resolve(base *url.URL, href string) *url.URL {
	if strings.TrimFunc(href, func(r rune) bool { return r <= ' ' }) == "" || len(href) > maxURL {
		return nil
	}
	u, err := weburl.Resolve(base, href)
	if err != nil || u.Scheme != "mailto" && (u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil) {
		return nil
	}
	if s := u.String(); len(s) > maxURL || strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r == 0x7f }) {
		return nil
	}
	return u
}

// pageTime is how long a page may take, of the processor. How long that takes depends on the load of the computer.
const pageTime = 9 * time.Second

// pieceNodes is about how many nodes are converted at a time, so that converted elements free their memory, and a page
// can be cut between two pieces.
const pieceNodes = 5000
