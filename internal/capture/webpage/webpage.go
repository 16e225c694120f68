// Package webpage converts what a web server sent to Markdown. It uses neither the network nor the disk.
//
// [Choice.Read] works in this order:
//
//  1. It finds the kind of the bytes ([Kind]): from the Content-Type or, if that is missing or the bytes
//     contradict it, from the bytes.
//  2. It decodes text as browsers do: by a byte order mark, the charset of the Content-Type, or a
//     declaration in the HTML or XML. It removes characters that text cannot hold, such as NUL.
//  3. It replaces elements that Markdown lacks, or that a page hides, with other elements: formulas,
//     signatures, exponents, tabs. See meaning.go.
//  4. It keeps the main content of HTML. For a page that declares itself an article, this is what
//     readability finds; otherwise the main element or the body, without navigation: see clearRegion.
//     [Page.Notes] say if much of the page is left out, or if the content cannot be separated from the rest.
//     The caller can ask for the whole page instead, and choose its parts with CSS selectors.
//  5. It writes Markdown: ATX headings, fenced code with its language, tables, absolute links.
//
// All input is hostile. Links have the scheme http, https or mailto, also in Markdown that the server
// sent; no HTML tag of a page is kept; and no page begins with front matter, which could be mistaken for
// the front matter that the caller puts before the page. Sizes and depths are bounded before a library
// gets the input.
//
// [Page.Markdown] inserts the references last, so that a caller can first fetch images, or link pages to
// each other.
package webpage

import (
	"encoding/json"
	"fmt"
	"html"
	"mime"
	"net/url"
	"path"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
)

// A Kind says what a source is.
type Kind uint8

const (
	HTML     Kind = iota
	Markdown      // unchanged except for its links
	Text          // JSON, XML, feeds and other text, unchanged
	PDF           // see package pdftext
	Bytes
)

const (
	// maxMarkdown is about the size of the largest page. Making links absolute makes them longer: five bytes of a
	// page can become four thousand.
	maxMarkdown = 32 << 20
	// maxTitle is the maximum length of a title, in characters.
	maxTitle = 300
)

// A Source is what a server sent.
type Source struct {
	URL         *url.URL // after redirects
	ContentType string
	Body        []byte
}

// A Choice says what is kept of HTML. The zero value is the main content.
type Choice struct {
	// Whole keeps all of a page, and not only its main content.
	Whole bool
	// Include keeps only the parts that one of these CSS selectors selects, and Exclude removes the parts that one of
	// them selects. Both apply to the page as it was sent.
	Include, Exclude []string
	// KeepHTML also keeps the HTML of the parts that become Markdown, see [Page.HTML], and Lists the [Leads] of the page.
	KeepHTML, Lists bool
}

// A Reference is a link or an image of a page.
type Reference struct {
	URL   *url.URL
	Image bool
}

// MarshalJSON writes the URL as a text, for the parent of a process.
func (r Reference) MarshalJSON() ([]byte, error) {
	return json.Marshal([]any{r.URL.String(), r.Image})
}

// UnmarshalJSON reads what [Reference.MarshalJSON] wrote.
func (r *Reference) UnmarshalJSON(data []byte) (err error) {
	var text string
	if err = json.Unmarshal(data, &[]any{&text, &r.Image}); err == nil {
		r.URL, err = url.Parse(text)
	}
	return err
}

// An Anchor is a place that a link with a fragment leads to.
type Anchor struct {
	ID      string
	Heading int // number of the heading at or before the place; -1: none
}

// A Page is a source that [Choice.Read] has read.
type Page struct {
	Kind  Kind
	MIME  string
	Title string
	Text  string // in UTF-8; "" for HTML, PDF and Bytes
	// References are in the order of the page. Pages that were Markdown have none.
	References []Reference
	// Anchors are the places in HTML that links lead to, and Headings is the number of headings in the Markdown.
	Anchors  []Anchor
	Headings int
	// Notes are sentences that say what the Markdown lacks.
	Notes []string
	// Links and Images are what [Choice.Lists] requested, wherever on the page they are: URLs, and the texts of links after them.
	Links, Images []string

	// Marked are the forms of the page, with Mark and a number in place of each reference. [Page.Markdown] and [Page.HTML] insert them.
	Marked struct{ Markdown, HTML, Mark string }

	linked int
}

// Read reads what a server sent. An error says that the source cannot be made into a page. Read is for a process that does nothing else, may use 496 MiB of memory, and is ended after some
// seconds: only the tree and the Markdown of a page are bounded. If they would take more, Read reads the beginning of the page, and
// says so in [Page.Notes].
func (c Choice) Read(s Source) (*Page, error) {
	kind, mediaType, language := classify(s)
	p := &Page{Kind: kind, MIME: mediaType}
	_, parameters, _ := mime.ParseMediaType(s.ContentType)
	charset := parameters["charset"]
	if c.Lists {
		leads := ReadLeads(s, nil, "")
		for _, l := range leads.Links {
			p.Links = append(p.Links, strings.TrimRight(l.URL.String()+" "+l.Text, " "))
		}
		p.Images = leads.Images
	}
	switch p.Kind {
	case PDF, Bytes:
		return p, nil
	case HTML:
		return p, p.readHTML(s, c)
	case Markdown:
		p.Text = clean(decodeText(s.Body, charset, ""))
		p.readMarkdown(s.URL)
	default:
		p.Text = clean(decodeText(s.Body, charset, language))
		p.Title = path.Base(s.URL.Path)
		if p.Title == "/" || p.Title == "." {
			p.Title = s.URL.Hostname()
		}
		p.Marked.Markdown = excerpt.Fenced(p.Text, language)
	}
	p.Title = title(p.Title)
	return p, nil
}

func (p *Page) note(format string, args ...any) {
	p.Notes = append(p.Notes, fmt.Sprintf(format, args...))
}

// fit returns Markdown that stays within its bound when its links are absolute: it is cut at the end of a line.
func (p *Page) fit(markdown string) string {
	most := maxMarkdown - p.linked
	if len(markdown) <= most {
		return markdown
	}
	p.note("The page is cut: it has more than %d MiB as Markdown with complete links.", maxMarkdown>>20)
	return markdown[:strings.LastIndexByte(markdown[:most], '\n')+1]
}

// Markdown returns the page as Markdown. rewrite returns the target of each reference; the target is its URL if
// rewrite is nil or returns "", or if the page would become too long. The result is "" for PDF and Bytes.
func (p *Page) Markdown(rewrite func(Reference) string) string {
	return p.complete(p.Marked.Markdown, rewrite, destination)
}

// HTML returns the HTML of the kept parts of a page, without scripts and with absolute links, if [Choice.KeepHTML]
// requested it.
func (p *Page) HTML() string { return p.complete(p.Marked.HTML, nil, html.EscapeString) }

// complete returns a text with its references inserted.
func (p *Page) complete(text string, rewrite func(Reference) string, write func(string) string) string {
	if p.Marked.Mark == "" {
		return text
	}
	length := len(text)
	return regexp.MustCompile(regexp.QuoteMeta(p.Marked.Mark)+"[0-9]*").ReplaceAllStringFunc(text, func(mark string) string {
		n, err := strconv.Atoi(mark[len(p.Marked.Mark):])
		if err != nil || n >= len(p.References) {
			return ""
		}
		target := p.References[n].URL.String()
		if rewrite != nil {
			if other := rewrite(p.References[n]); other != "" && length+3*len(other) <= maxMarkdown {
				target = other
			}
		}
		length += len(target)
		return write(target)
	})
}

// destination returns a URL as a link destination: it escapes characters that would end it, such as parentheses
// and spaces.
func destination(target string) string {
	var b strings.Builder
	for i := range len(target) {
		switch c := target[i]; {
		case c <= ' ', c == '(', c == ')', c == '<', c == '>', c == '\\', c == '`', c == '|', c == '*', c == 0x7f:
			fmt.Fprintf(&b, "%%%02X", c)
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// title returns a title on one line, with bounded length.
func title(s string) string {
	s = strings.Join(strings.Fields(clean(s)), " ")
	if utf8.RuneCountInString(s) > maxTitle {
		s = string([]rune(s)[:maxTitle-1]) + "…"
	}
	return s
}
