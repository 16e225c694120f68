package site

import (
	"context"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/media"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/directive"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/markup"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/prose"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/secret"
)

// A Content is the text of a page as clients read it.
type Content struct {
	Text  string // with its includes; clients see lines of it
	Parts []Part
	Left  string // the first include beyond the bounds, or ""
}

// A Part is a file that was put into a document.
type Part struct {
	File    string // below the project folder, or as the document names a missing file
	Line    int
	Missing bool // a note stands in its place
}

// NotIncluded returns the line that stands for a text that is not there: its file is missing, or only a program makes it.
func NotIncluded(name string) string {
	return "[text not included: " + excerpt.Cut(excerpt.OneLine(name), 200) + "]"
}

// maxMarked is the number of bytes up to which a line is read for marks.
const maxMarked = directive.MaxLine

// linesOf returns the lines of a text in a format other than Markdown, and what the text says of itself.
func linesOf(f format, attributes map[string]string, text string) (lines []markup.Line, front values) {
	switch f {
	case rst:
		return markup.RST(text), markup.RSTFields(text)
	case asciidoc:
		return markup.AsciiDoc(text, attributes)
	}
	return markup.Org(text), markup.OrgFields(text)
}

// A place says where a line of a document stands.
type place uint8

const (
	inProse place = iota
	inCode
	verbose // in a comment, a formula, or a verbatim element
)

// placesOf returns where each line of a text stands.
func placesOf(f format, attributes map[string]string, text string) (places []place) {
	if !f.isMarkdown() {
		lines, _ := linesOf(f, attributes, text)
		for _, l := range lines {
			places = append(places, map[bool]place{true: inCode}[l.Code])
		}
		return places
	}
	prose := text
	if slices.ContainsFunc(hidden, func(marks [2]string) bool { return strings.Contains(text, marks[0]) }) {
		prose = proseOf(text)
	}
	for l := range directive.Lines(text) {
		p := inProse
		if l.Code == directive.Fenced || l.Code == directive.Indented {
			p = inCode
		} else if strings.TrimSpace(prose[l.Start:l.End]) == "" && strings.TrimSpace(l.Text) != "" {
			p = verbose
		}
		places = append(places, p)
	}
	return places
}

// isMarkdown reports whether a text in this format is Markdown once its parts are in their places.
func (f format) isMarkdown() bool { return f != rst && f != asciidoc && f != org }

// Searchable returns a text of a page as Markdown, as readers of the published page see it: headings of all formats have the marks
// of Markdown, tags are gone, entities are characters, cells and items stand apart, and what only a site's program understands is
// left out. Code is as it is written. It has as many lines as the text.
func Searchable(p *Page, text string) string {
	f := formatOf(p.File)
	if f == pdf {
		return text
	}
	if f.isMarkdown() {
		end := findFront(text).End
		return text[:end] + prose.Text(text[end:])
	}
	var b strings.Builder
	lines, _ := linesOf(f, p.Tree.site.attributes(), text)
	for _, l := range lines {
		switch {
		case l.Level > 0:
			b.WriteString(strings.Repeat("#", min(6, l.Level)) + " ")
		case l.Code && l.Text != "":
			b.WriteString("    ")
		}
		b.WriteString(l.Text + l.End)
	}
	return b.String()
}

// Cleaner returns the function that leaves out of Markdown, without front matter, what neither readers nor browsers understand, or
// nil for a page in another format. Elements and lines stay.
func Cleaner(p *Page) func(text string) string {
	if f := formatOf(p.File); !f.isMarkdown() || f == pdf {
		return nil
	}
	return prose.Clean
}

// Content returns the text of a page, of which text is the file's: it puts the text of the files that a document includes in
// place of the lines that name them, whatever the generator. A page that was captured from the web includes nothing. The error is
// ctx.Err().
func (s *Set) Content(ctx context.Context, p *Page, text string) (Content, error) {
	text = strings.TrimPrefix(text, "\ufeff")
	f := formatOf(p.File)
	switch f {
	case notebook:
		return Content{Text: notebookText(text)}, nil
	case openapi:
		return Content{Text: masked(s.apiText(p, text))}, nil
	case pdf:
		return Content{Text: masked(text)}, nil
	}
	wiki := f == markdown && strings.Contains(text, "[[")
	if s.options.Foreign || !wiki && len(formsIn(text, forms)) == 0 && !hasMacros(text) || CaptureOf(text) != nil {
		return Content{Text: text}, nil
	}
	p.includes.Store(true)
	e := &expansion{ctx: ctx, set: s, page: p, work: maxWork, wiki: wiki, attributes: p.Tree.site.attributes(), files: make(map[string]*included)}
	if f == asciidoc {
		markup.AsciiDoc(text, e.attributes)
	}
	text = e.expand(p.File, text)
	return Content{Text: text, Parts: e.parts, Left: e.first}, e.err
}

// maxImages bounds the images of a page.
const maxImages = 1000

// Uses returns the files that a page includes, and the images that it names, below the project folder, each once. text
// is the file's. Of a captured page, only the images count that were captured with it. The error is ctx.Err().
func (s *Set) Uses(ctx context.Context, p *Page, text string) (files []string, err error) {
	c, err := s.Content(ctx, p, text)
	if err != nil {
		return nil, err
	}
	for _, part := range c.Parts {
		if !part.Missing {
			files = with(files, part.File)
		}
	}
	images, capture := make(map[string]bool), CaptureOf(text)
	for line := range strings.Lines(c.Text) {
		for name := range strings.FieldsFuncSeq(line[:min(len(line), maxMarked)], func(r rune) bool { return strings.ContainsRune("\"'()<>[]{}|,;=:` \t\r\n", r) }) {
			if path.Ext(name) == "" || images[name] || len(images) == maxImages {
				continue
			}
			if kind, _ := media.ByName(name); strings.HasPrefix(kind, "image/") {
				images[name] = true
				if file := s.Image(p, name); capture.MayShow(file) {
					files = with(files, file)
				}
			}
		}
	}
	return files, nil
}

// Image returns the file of an image below the project folder as a page names it, or "".
func (s *Set) Image(p *Page, name string) string {
	target, _ := cutLink(name)
	if target == "" || External(name) {
		return ""
	}
	file := s.lead(p, target, "").File
	kind, _ := media.ByName(file)
	if _, ok := s.served(file); !ok || !strings.HasPrefix(kind, "image/") {
		return ""
	}
	return file
}

const (
	maxRegions = 64 // open in each other
	maxNames   = 16
)

// cutOut returns the lines of a text that a form asks for: "2:10", "1-3,5", the name of a region, or options such as "tags=a;b"
// and ":lines: 1-3". It may stop when it has more than most bytes.
func cutOut(text, part string, most int) string {
	if v := optionIn(part, "lines|range|ln"); v != "" {
		return linesByNumber(text, v, most)
	}
	if v := optionIn(part, "tags?|id|:fragment|name"); v != "" {
		return regionsOf(text, strings.FieldsFunc(v, func(r rune) bool { return r == ';' || r == ',' }))
	}
	start, end := optionIn(part, "start|start-after|start-at"), optionIn(part, "end|end-before|end-at")
	if start != "" || end != "" {
		return between(text, start, end, optionIn(part, "start-at") != "", optionIn(part, "end-at") != "")
	}
	if n, err := strconv.Atoi(optionIn(part, "start-line")); err == nil {
		return linesByNumber(text, strconv.Itoa(n+1)+"-", most)
	}
	switch part = strings.TrimSpace(part); {
	case part == "" || strings.ContainsAny(part, "=[ \n") || part[0] == ':' && strings.Count(part, ":") > 1:
		return text
	case compile(`^L?\d*(?:[:,-]L?\d*)*$`).MatchString(part):
		return linesByNumber(text, strings.ReplaceAll(part, "L", ""), most)
	}
	return regionsOf(text, []string{part})
}

// optionIn returns the value of name=value, name="value", name[value] or a line ":name: value" in a list of options, of which
// names is a pattern.
func optionIn(options, names string) string {
	m := compile(`(?:^|[\s,&?])(?:` + names + `)(?:=|\[)(?:"([^"]*)"|'([^']*)'|([^\s,&\]]+))|(?m:^\s*:(?:` + names + `):[ \t]*(.*?)[ \t\r]*$)`).FindStringSubmatch(options)
	if m == nil {
		return ""
	}
	return strings.Join(m[1:], "")
}

// linesByNumber returns lines by number: "1-3,5", "2:10", "3..5", "4-", ":7".
func linesByNumber(text, ranges string, most int) string {
	lines := slices.Collect(strings.Lines(text))
	var b strings.Builder
	for r := range strings.FieldsFuncSeq(ranges, func(r rune) bool { return r == ',' || r == ';' }) {
		r = strings.ReplaceAll(strings.ReplaceAll(strings.TrimSpace(r), "..", "-"), ":", "-")
		first, last, isRange := strings.Cut(r, "-")
		from, err := strconv.Atoi(first)
		if err != nil {
			from = 1
		}
		to, err := strconv.Atoi(last)
		if err != nil {
			to = len(lines)
		}
		if !isRange {
			to = from
		}
		for i := max(1, from); i <= min(to, len(lines)) && b.Len() <= most; i++ {
			b.WriteString(lines[i-1])
		}
	}
	return b.String()
}

// regionMark matches the marks at which a region begins or ends, in all forms that generators have. The last group of
// each kind is a tag of DocFX, which any line of code may have.
const regionMark = `(?:#region|#pragma region|\bregion:?)\s+(\S.{0,200}?)\s*(?:-->|\*/)?\s*$|\bANCHOR:\s*([^\s*]+)|\btag::([^\[\]\s]{1,200})\[\]|\[start:([^\]]{1,200})\]|<([\w.-]{1,200})>\s*(?:-->)?\s*$` +
	`|(\b(?:#pragma )?endregion\b)\s*(.{0,200}?)\s*(?:-->|\*/)?\s*$|\bANCHOR_END:\s*([^\s*]+)|\bend::([^\[\]\s]{1,200})\[\]|\[end:([^\]]{1,200})\]|</([\w.-]{1,200})>`

// regionsOf returns the lines between the marks of regions, without marks: the regions with the names, or, as AsciiDoc
// has it, of all regions ("*") or all lines ("**"), without the regions named after "!". The innermost region decides. A text
// without a mark of any name is returned whole.
func regionsOf(text string, names []string) string {
	chosen := make(map[string]bool)
	names = names[:min(len(names), maxNames)]
	for _, name := range names {
		chosen[strings.TrimPrefix(name, "!")] = name[0] != '!'
	}
	every, everyKnown := chosen["*"]
	whole := chosen["**"] || !slices.ContainsFunc(names, func(name string) bool { return name[0] != '!' })
	type region struct {
		name string
		in   bool
	}
	var b strings.Builder
	var open []region
	in, found := whole, whole
	for line := range strings.Lines(text) {
		marked := len(line) <= maxMarkedLine && (whole || everyKnown || len(open) > 0 || slices.ContainsFunc(names, func(name string) bool { return strings.Contains(line, name) }))
		if marked && (strings.ContainsAny(line, "<:[") || strings.Contains(line, "region")) {
			if m := compile(regionMark).FindStringSubmatch(line); m != nil {
				begins, ends := strings.Join(m[1:6], ""), strings.Join(m[7:], "")
				choice, known := chosen[begins]
				if _, ended := chosen[ends]; m[5]+m[11] == "" || known || ended {
					found = found || known || everyKnown
					switch {
					case begins == "":
						for i, r := range slices.Backward(open) {
							if ends == "" || r.name == ends {
								open = slices.Delete(open, i, i+1)
								break
							}
						}
					case len(open) == maxRegions:
					case !known && everyKnown:
						open = append(open, region{begins, every && (in || len(open) == 0)})
					default:
						open = append(open, region{begins, known && choice || !known && in})
					}
					if in = whole; len(open) > 0 {
						in = open[len(open)-1].in
					}
					continue
				}
			}
		}
		if in {
			b.WriteString(line)
		}
	}
	if !found {
		return text
	}
	return b.String()
}

// between returns the lines after the first one with start, or from it on if startIn is true, before the next one with end, or up
// to it if endIn is true.
func between(text, start, end string, startIn, endIn bool) string {
	lines := slices.Collect(strings.Lines(text))
	at := func(mark string, after bool) int { // the first line with the mark, or after it; -1: none
		i := slices.IndexFunc(lines, func(line string) bool { return strings.Contains(line, mark) })
		if i >= 0 && after {
			i++
		}
		return i
	}
	first := at(start, start != "" && !startIn)
	if first < 0 {
		return text
	}
	lines = lines[first:]
	if last := at(end, endIn); end != "" && last >= 0 {
		lines = lines[:last]
	}
	return strings.Join(lines, "")
}

// A Capture is what front matter says of a page that was captured from the web. nil: the author of the project wrote the page.
//
// Nobody of the project wrote the text of a captured page. So what it names, it does not get: it includes no files, its brackets
// are not links of a wiki, and of the files that it shows or links to, only those that were captured with it are served because of it.
type Capture struct {
	assets []string // below the folder of the captured page
}

// CaptureOf returns what the front matter of a text says of its capture. It looks for keys, so a mistake in the YAML that an author adds
// does not make the page the author's.
func CaptureOf(text string) *Capture {
	front := findFront(text)
	has := func(key string) bool {
		return strings.Contains(front.YAML, key) && compile(`(?m)^["']?`+key+`["']?[ \t]{0,100}:`).MatchString(front.YAML)
	}
	if front.TOML || !has("url") || !has("sha256") {
		return nil
	}
	c := &Capture{}
	v, _ := readFront(front)
	for _, asset := range v.List("assets") {
		if _, name, ok := strings.Cut(asset, " "); ok && name != "" {
			c.assets = append(c.assets, name)
		}
	}
	return c
}

// MayShow reports whether the page may show a file of the project, or make it readable with a link.
func (c *Capture) MayShow(file string) bool {
	return c == nil || slices.ContainsFunc(c.assets, func(asset string) bool { return file == asset || strings.HasSuffix(file, "/"+asset) })
}

// masked returns a text that was made of a file, with notes in place of secrets. The bytes of the file were checked when it was
// opened, but what is joined or left out may have split a secret there. If a secret remains, the text is a note.
func masked(text string) string {
	if out, _, ok := secret.Mask([]byte(text)); ok {
		return string(out)
	}
	return "[removed: looks like a secret]\n"
}

// notebookText returns a notebook as Markdown, without secrets.
func notebookText(text string) string { return masked(markup.Notebook(text)) }
