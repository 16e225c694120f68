package docs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/mcp-docs-server/mcp-docs-server/internal/library/site"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/frontmatter"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/lazyregexp"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/tokens"
)

// A Request asks for documents by their paths, for passages by a query, or for both.
type Request struct {
	Query        string   // free text
	Alternatives []string // other wordings of the query, best first
	Paths        []string // next to a query, they restrict the search
	// words for suggestions. Next to a query, they are another alternative
	Keywords []string
	Section  string // heading or slug: only the part of the files below it
	// number of the first line, or of a query's first page, from 1; 0 is the first
	Offset int
	Limit  int // number of lines, or of a query's pages; 0 is as many as fit
	Page   int // of the results of a query, from 1; without Offset and Limit
}

// A RequestError says what is wrong with a request.
type RequestError string

func (e RequestError) Error() string { return string(e) }

// Of a text of more than longText characters, a request without a section and lines gets the headings and longShown bytes.
const longText, longShown = 40_000, 8_000

var errTooLarge = errors.New("is too large")

// maxRead is the size in bytes of the largest file that an answer shows, in parts. Finding its
// lines requires reading the whole file.
const maxRead = 64 << 20

// Answer returns one text for each path and one for the query, as the package comment describes.
// The text of a path reports what is wrong with the path; the error is a [RequestError]
// or ctx.Err().
func (l *Library) Answer(ctx context.Context, r Request) ([]string, error) {
	l = l.known()
	query := strings.TrimSpace(r.Query)
	if len(r.Paths) == 0 && query == "" {
		return nil, RequestError("paths or query is required")
	}
	r.Offset, r.Limit = max(r.Offset, 0), max(r.Limit, 0)
	a := &reply{library: l, request: r, words: strings.Join(r.Keywords, " "), left: tokens.MaxAnswer}
	if query != "" {
		if r.Page > 1 && r.Offset == 0 && r.Limit == 0 {
			a.request.Offset, a.request.Limit = leadShown+1+(min(r.Page, maxHits)-2)*pagesShown, pagesShown
		}
		err := a.query(ctx, r.query())
		return a.texts, err
	}
	paths := r.Paths[:min(len(r.Paths), maxPaths)]
	kept := min(max(tokens.MaxAnswer/2/max(len(paths), 1), leastRoom), usualRoom)
	for i, p := range paths {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := a.path(ctx, p, a.left-(len(paths)-i-1)*kept); err != nil {
			return nil, err
		}
	}
	if n := len(r.Paths); n > maxPaths {
		t := new(item)
		t.fail("Only the first %d of %d paths are answered.", maxPaths, n)
		a.texts = append(a.texts, t.String())
	}
	return a.texts, nil
}

// query returns the query of a request that has one.
func (r Request) query() Query {
	q := Query{Words: strings.TrimSpace(r.Query), Alternatives: r.Alternatives, Paths: r.Paths, Wait: indexWait}
	if more := strings.Join(r.Keywords, " "); strings.TrimSpace(more) != "" {
		q.Alternatives = append(slices.Clone(q.Alternatives), more)
	}
	return q
}

// Completes reports whether documents of other languages and versions cannot change the answer to a request: it asks for
// paths that are there, and its query has no filter.
func (l *Library) Completes(r Request) bool {
	if strings.TrimSpace(r.Query) != "" {
		_, only, _ := l.wordings(r.query())
		return only == nil
	}
	return !slices.ContainsFunc(r.Paths[:min(len(r.Paths), maxPaths)], func(asked string) bool {
		p := l.find(asked)
		return p.file == nil && !p.folder && !p.invalid
	})
}

// A reply is an answer that is being written.
type reply struct {
	library *Library
	request Request
	words   string // keywords
	texts   []string
	left    int // tokens
	last    *reading
}

// A reading is the document that was read last for an answer: many paths may lead to it.
type reading struct {
	*document
	site.Content
	exact    bool
	err      error
	headings []excerpt.Heading // nil until they are needed
}

// reading reads a document, unless it is the last one.
func (a *reply) reading(ctx context.Context, d *document) *reading {
	if a.last == nil || a.last.document != d {
		a.last = &reading{document: d}
		a.last.Content, a.last.exact, a.last.err = a.library.content(ctx, d, maxRead)
	}
	return a.last
}

func (r *reading) below() []excerpt.Heading {
	if r.headings == nil {
		r.headings = headings(r.document, r.Text)
	}
	return r.headings
}

// withLines matches a path with lines, as programs print them: guide.md:45-90, guide.md:45.
var withLines = lazyregexp.New(`^(.+):([0-9]{1,9})(?:-([0-9]{1,9}))?$`)

// path answers one path, in at most room tokens.
func (a *reply) path(ctx context.Context, asked string, room int) error {
	t, full := new(item), room < usualRoom/2
	t.set("path", shown(asked))
	defer func() {
		text := t.String()
		if full || tokens.Estimate(text) > room {
			t = new(item)
			t.set("path", excerpt.Ellipsis(excerpt.OneLine(shown(asked)), maxLeftOut))
			t.fail("Left out: the answer is full. Ask for this path by itself.")
			text = t.String()
		}
		a.left -= tokens.Estimate(text)
		a.texts = append(a.texts, text)
	}()
	p := a.library.find(asked)
	if m := withLines().FindStringSubmatch(asked); m != nil && p.file == nil && !p.folder {
		if of := a.library.find(m[1]); of.file != nil {
			defer func(r Request) { a.request = r }(a.request)
			first, _ := strconv.Atoi(m[2])
			last, _ := strconv.Atoi(m[3])
			p, a.request.Offset, a.request.Limit = of, first, max(0, last-first+1)
		}
	}
	switch {
	case full:
	case p.invalid:
		t.fail("Invalid path")
	case p.several != nil:
		t.fail("Several documents have paths that end so. Ask for one of them:")
		t.body += "\n\n" + list(p.several, len(p.several))
	case p.attached != "":
		return a.attachment(ctx, t, asked, p, room)
	case p.file == nil && !p.folder:
		return a.unknown(ctx, t, asked, room)
	case p.deps != nil:
		p.deps.setPackage(t, p.path)
		of := *a // the same answer about another library
		of.library = p.deps.library
		if p.folder {
			return of.folder(ctx, t, asked, p, room)
		}
		of.file(ctx, t, p.file, cmp.Or(a.request.Section, p.section), room)
	case p.folder:
		if done, err := a.index(ctx, t, asked, p, room); done || err != nil {
			return err
		}
		return a.folder(ctx, t, asked, p, room)
	default:
		a.file(ctx, t, p.file, cmp.Or(a.request.Section, p.section), room)
	}
	return nil
}

// shown returns a text of a client as an answer repeats it.
func shown(s string) string { return excerpt.Ellipsis(strings.ToValidUTF8(s, "\ufffd"), maxShown) }

func (a *reply) file(ctx context.Context, t *item, d *document, section string, room int) {
	read := a.reading(ctx, d)
	text := read.Text
	switch {
	case errors.Is(read.err, errTooLarge):
		t.fail("The file is too large: it has more than %d bytes.", maxRead)
		return
	case errors.As(read.err, new(RequestError)): // of a PDF file
		t.fail("%v", read.err)
		return
	// the error is not shown: a client could learn of paths outside the folder
	case read.err != nil:
		t.fail("The file cannot be read.")
		return
	case !read.exact && !d.isMarkdown():
		t.fail("The file is not text.")
		return
	}
	if d.page() != nil {
		t.setPage(a.library, d.page(), read.Content)
	}
	part := excerpt.Section{Text: text, Heading: excerpt.Heading{Line: 1}}
	if section = strings.TrimSpace(section); section != "" {
		found, ok := excerpt.FindSection(text, Outlined(d.path, read.below()), section)
		if !ok && d.isPDF() { // a page
			found, ok = excerpt.FindSection(text, read.below(), section)
		}
		switch {
		case ok:
			part = found
			t.set("section", shown(found.Heading.Text))
			t.set("line", fmt.Sprint(found.Line))
		case a.request.Section != "" || len(text) >= outlined:
			unfound(t, read.below(), section)
			return
		default: // a link can name another element than a heading
			t.set("note", fmt.Sprintf("No heading is named \"%s\".", shown(excerpt.OneLine(section))))
			section = ""
		}
	}
	size := excerpt.MaxText
	if section == "" && a.request.Offset <= 1 {
		headings := maxOutline
		if a.request.Limit == 0 && utf8.RuneCountInString(text) > longText {
			size, headings = longShown, maxLongOutline
		}
		t.outline(text, Outlined(d.path, read.below()), headings)
	}
	t.show(text, part, a.request.Offset, a.request.Limit, size, room)
	if !read.exact {
		t.set("error", "The file is not UTF-8. Invalid bytes are shown as U+FFFD.")
	}
}

// unfound says that no heading of a document is the section that was asked for.
func unfound(t *item, all []excerpt.Heading, section string) {
	t.fail("Section \"%s\" not found.", shown(excerpt.OneLine(section)))
	headings, near := excerpt.OfferSections(all, section)
	if near {
		t.body += "\n\nThe nearest headings:\n" + list(headings, maxSuggestions)
	} else if len(headings) > 0 {
		t.body += "\n\nThe headings of the document:\n" + list(headings, maxHeadings)
	}
}

const (
	maxShown       = 256 // bytes of a client's text that an answer repeats
	maxLeftOut     = 40  // of a path without an answer
	maxPaths       = 100 // of a request
	leastRoom      = 90  // tokens kept for a path that is not answered yet, and
	usualRoom      = 750 // if there are few
	lineMargin     = 60  // tokens of what says how to go on
	maxHeadings    = 20  // offered if a section is not found
	maxOutline     = 40  // headings of a document
	maxLongOutline = 200 // of one of which only the beginning is shown
)

// An item is one text of an answer.
type item struct {
	header strings.Builder
	body   string
}

// set adds a line to the YAML.
func (t *item) set(key, value string) {
	fmt.Fprintf(&t.header, "%s: %s\n", key, scalar(value))
}

// fail sets the error of the item and repeats it in the body.
func (t *item) fail(format string, args ...any) {
	t.body = fmt.Sprintf(format, args...)
	t.set("error", t.body)
}

func (t *item) String() string {
	return "---\n" + t.header.String() + "---\n\n" + t.body
}

// bare matches strings that YAML reads the same with and without quotes. A string that begins with
// anything except a letter or slash may be a number or date.
var bare = lazyregexp.New(`^[A-Za-z/_][A-Za-z0-9/_.,()"'=+-]*( [A-Za-z0-9/_.,()"'=+-]+)*$`)

// words of YAML 1.1 and 1.2 that are not strings.
var reservedWords = lazyregexp.New(`(?i)^(y|n|yes|no|on|off|true|false|null|nan|inf)$`)

// scalar writes a string as YAML.
func scalar(s string) string {
	if bare().MatchString(s) && !reservedWords().MatchString(s) {
		return s
	}
	return frontmatter.Quoted(s)
}

// outlined is the size in bytes of the shortest text whose headings an answer lists.
const outlined = 8 << 10

// outline adds the headings of a long text to the YAML, with their lines. If there are more than most, the deepest ones are left out,
// unless the title would be alone.
func (t *item) outline(text string, all []excerpt.Heading, most int) {
	if len(text) < outlined {
		return
	}
	var levels []int // of the headings around a heading
	depths, counts := make([]int, len(all)), [6]int{}
	for i, h := range all {
		for len(levels) > 0 && levels[len(levels)-1] >= h.Level {
			levels = levels[:len(levels)-1]
		}
		depths[i] = len(levels)
		counts[len(levels)]++
		levels = append(levels, h.Level)
	}
	depth, total := 0, counts[0]
	for depth+1 < len(counts) && (total+counts[depth+1] <= most || total < 2) {
		depth++
		total += counts[depth]
	}
	var headings []string
	for i, h := range all {
		if depths[i] <= depth {
			headings = append(headings, fmt.Sprintf("%d %s %s", h.Line, strings.Repeat("-", depths[i]), h.Text))
		}
	}
	t.list("outline", headings, most)
}

// show sets the body to the window of a part of a text, and adds the numbers of its lines if it is not the whole text. offset
// and the numbers count the lines of the text. The window has at most size bytes, and the item at most room tokens.
func (t *item) show(text string, part excerpt.Section, offset, limit, size, room int) {
	room -= tokens.Estimate(t.header.String()) + lineMargin
	lines := excerpt.LinesOf(part.Text, offset-part.Line+1, limit, size, room).After(part.Line - 1)
	if lines.Beyond {
		t.fail("%s", lines.Missing())
		return
	}
	t.body = lines.Text + lines.HowToGoOn()
	if lines.Total = excerpt.CountLines(text); lines.Partial() {
		t.set("lines", fmt.Sprintf("%d-%d of %d", lines.First, lines.Last, lines.Total))
	}
}

// maxOfSite is how many values a list about a page has.
const maxOfSite = 20

// setPage adds what is known of a page to the YAML of an answer.
func (t *item) setPage(l *Library, p *site.Page, c site.Content) {
	set := func(key, value string) {
		if value != "" {
			t.set(key, shown(excerpt.OneLine(value)))
		}
	}
	// the text may begin with the title
	if head := c.Text[:min(len(c.Text), 4<<10)]; !strings.Contains(head, "# "+p.Title+"\n") {
		set("title", p.Title)
	}
	if p.Tree.Other {
		set("language", p.Language())
		set("version", p.Version())
	}
	var names []string
	for _, part := range c.Parts {
		if !part.Missing {
			names = union(names, part.File)
		}
	}
	t.list("includes", names, maxOfSite)
	if c.Left != "" {
		set("left out", c.Left+" and perhaps later includes: the page would be too large, or take too long")
	}
	names = nil
	if p.Tree.Other { // who reads the default page did not ask for others
		for _, o := range l.sites.Others(p) {
			names = append(names, cmp.Or(o.Version(), o.Language())+": "+o.Path)
		}
	}
	t.list("others", names, maxOfSite)
}

// list adds a list to the YAML, of at most most values.
func (t *item) list(key string, values []string, most int) {
	if len(values) == 0 {
		return
	}
	t.header.WriteString(scalar(key) + ":\n")
	for _, v := range values[:min(len(values), most)] {
		t.header.WriteString("  - " + scalar(shown(excerpt.OneLine(v))) + "\n")
	}
	if len(values) > most {
		t.header.WriteString("  - and others\n")
	}
}
