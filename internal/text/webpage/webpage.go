// Package webpage makes Markdown of what a web server sent. It knows no network and no disk.
//
// [Read] does this, in this order:
//
//  1. It finds out what the bytes are: from the Content-Type, or from the bytes themselves where
//     that says nothing or is contradicted by them. See [Kind].
//  2. Text is decoded: by a byte order mark, the charset of the Content-Type, or what HTML and XML
//     say of themselves, as browsers do. What text cannot hold is left out, NUL among it.
//  3. What Markdown has no element for, or a page hides, is expressed by other elements: formulas, signatures,
//     exponents, tabs, frames. See meaning.go.
//  4. Of HTML, the main content is kept: of a page that says that it is an article, what readability
//     finds; else the main element, or the body, without what leads through the site. See
//     clearRegion. [Page.Notes] say if much less than the page is kept, or if nothing tells the
//     content apart. The caller can ask for the whole page instead, and select by CSS what is kept
//     of it.
//  5. That becomes Markdown: ATX headings, fenced code with its language, tables, absolute links.
//
// All of it is hostile. No link but http, https and mailto is left, also in Markdown that the
// server sent; of HTML, no tag is left; and no page begins with front matter, since what is put
// before it would otherwise be one of two. Sizes and depths are bounded before a library gets them.
//
// References are put in last, by [Page.Markdown], so that a caller can fetch images first, or make
// links between pages that it has.
package webpage

import (
	"context"
	"fmt"
	"html"
	"mime"
	"net/url"
	"path"
	"strings"
	"unicode/utf8"
)

// A Kind is what a page is.
type Kind uint8

const (
	HTML     Kind = iota // it becomes Markdown
	Markdown             // it is kept as it is, but for its links
	Text                 // JSON, XML, feeds and other text; it is kept as it is
	PDF                  // package pdftext makes text of it
	Bytes                // everything else
)

func (k Kind) String() string { return [...]string{"html", "markdown", "text", "pdf", "bytes"}[k] }

const (
	// maxMarkdown is about the size of the largest page that is made. Links become longer when they
	// are complete: five bytes of a page become four thousand.
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
	// Include keeps only what one of these selects, and Exclude keeps nothing that one of them
	// selects. Both see the page as it was sent.
	Include, Exclude []*Selector
	// KeepHTML keeps what becomes Markdown as HTML too, see [Page.HTML].
	KeepHTML bool
}

// A Reference is a link or an image of a page.
type Reference struct {
	URL   *url.URL // absolute
	Image bool
}

// An Anchor is a place that a link with a fragment leads to.
type Anchor struct {
	ID      string
	Heading int // the number of the heading that is there, or before it; -1: there is none before
}

// A Page is a source that was read.
type Page struct {
	Kind     Kind
	MIME     string // without parameters
	Title    string // "" if there is none
	Language string // of a text, as a fence names it
	Text     string // a text as it is, in UTF-8; "" for HTML, PDF and Bytes
	// References are in the order of the page. Those of a page that was Markdown are left out.
	References []Reference
	// Anchors are the places of HTML that links lead to, and Headings is how many headings its
	// Markdown has.
	Anchors  []Anchor
	Headings int
	// Notes are sentences about what the Markdown does not have of the page.
	Notes []string

	markdown string // with marks for references
	html     string // likewise
	mark     string // before the number of a reference
	linked   int    // the bytes of the URLs of References
}

// Read reads what a server sent. An error means that it cannot be made into a page, or is that of
// ctx. It is [ErrLarge] for a page that should not be converted in the process of a server.
func Read(ctx context.Context, s Source) (*Page, error) { return Choice{}.Read(ctx, s) }

// Read is the function [Read] for what is chosen.
func (c Choice) Read(ctx context.Context, s Source) (*Page, error) { return c.read(ctx, s, light) }

// ReadLarge is [Choice.Read] in a process that does nothing else, and may have 496 MiB of memory and 20 seconds of
// processor time. Of a page that would take more, it reads the beginning, and says so in [Page.Notes].
func (c Choice) ReadLarge(ctx context.Context, s Source) (*Page, error) { return c.read(ctx, s, large) }

func (c Choice) read(ctx context.Context, s Source, b bounds) (*Page, error) {
	p := &Page{}
	p.Kind, p.MIME, p.Language = classify(s)
	if b.refuses(p.Kind, s.Body) {
		return p, ErrLarge
	}
	_, parameters, _ := mime.ParseMediaType(s.ContentType)
	charset := parameters["charset"]
	switch p.Kind {
	case PDF, Bytes:
		return p, nil
	case HTML:
		return p, p.readHTML(ctx, s, c, b)
	case Markdown:
		p.Text = clean(decodeText(s.Body, charset, ""))
		if err := p.readMarkdown(b.within(ctx), s.URL); err != nil {
			return nil, err
		}
	default:
		p.Text = clean(decodeText(s.Body, charset, p.Language))
		p.Title = path.Base(s.URL.Path)
		if p.Title == "/" || p.Title == "." {
			p.Title = s.URL.Hostname()
		}
		p.markdown = Fence(p.Text, p.Language)
	}
	p.Title = title(p.Title)
	return p, nil
}

func (p *Page) note(format string, args ...any) {
	p.Notes = append(p.Notes, fmt.Sprintf(format, args...))
}

// fit returns Markdown that is not too long when its links are complete, cut at the end of a line.
func (p *Page) fit(markdown string) string {
	most := maxMarkdown - p.linked
	if len(markdown) <= most {
		return markdown
	}
	p.note("The page is cut: it has more than %d MiB as Markdown with complete links.", maxMarkdown>>20)
	return markdown[:strings.LastIndexByte(markdown[:most], '\n')+1]
}

// Markdown returns the page as Markdown. Each reference is what rewrite returns for it, or its URL
// if that is "" or rewrite is nil, or if the page would become too long. It is "" for PDF and
// Bytes.
func (p *Page) Markdown(rewrite func(Reference) string) string {
	return p.complete(p.markdown, rewrite, destination)
}

// HTML returns the HTML of what is kept of a page, without scripts and with complete links, if
// [Choice.KeepHTML] asked for it.
func (p *Page) HTML() string { return p.complete(p.html, nil, html.EscapeString) }

// complete returns a text with references put in.
func (p *Page) complete(text string, rewrite func(Reference) string, write func(string) string) string {
	if p.mark == "" {
		return text
	}
	var b strings.Builder
	rest := text
	for {
		before, after, found := strings.Cut(rest, p.mark)
		b.WriteString(before)
		if !found {
			return b.String()
		}
		n, digits := 0, 0
		for digits < len(after) && after[digits] >= '0' && after[digits] <= '9' && n < len(p.References) {
			n = 10*n + int(after[digits]-'0')
			digits++
		}
		rest = after[digits:]
		if digits == 0 || n >= len(p.References) {
			continue
		}
		target := ""
		if rewrite != nil {
			target = rewrite(p.References[n])
		}
		if target == "" || b.Len()+3*len(target) > maxMarkdown {
			target = p.References[n].URL.String()
		}
		b.WriteString(write(target))
	}
}

// destination returns a URL as the destination of a link, which parentheses, spaces and the like
// would end.
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

// Fence returns a text as a code block of Markdown.
func Fence(text, language string) string {
	longest, run := 2, 0
	for i := range len(text) {
		if text[i] != '`' {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	fence := strings.Repeat("`", longest+1)
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return fence + language + "\n" + text + fence + "\n"
}

// title returns a title in one line, which is not too long.
func title(s string) string {
	s = strings.Join(strings.Fields(clean(s)), " ")
	if utf8.RuneCountInString(s) > maxTitle {
		s = string([]rune(s)[:maxTitle-1]) + "…"
	}
	return s
}
