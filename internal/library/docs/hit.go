package docs

import (
	"context"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/mcp-docs-server/mcp-docs-server/internal/library/dependencies"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/frontmatter"
)

// A word of the wording that found a page counts four times as much as another word when a snippet is chosen, times its rarity.
const ownWorth, phraseWorth = 4, 64

// hit returns a page with its passages. all are the terms of all wordings.
func (p foundPage) hit(ctx context.Context, all []term) Hit {
	stems := make(map[string]int, len(all))
	value := func(i int, worth float32) {
		stems[p.terms[i]] = 1 + max(stems[p.terms[i]]-1, int(worth*p.idf([]int{i})))
	}
	for _, t := range all {
		for _, i := range t.from {
			value(i, 1)
		}
	}
	var phrases []string
	for _, t := range p.asked {
		if len(t.passages) > 0 {
			phrases = append(phrases, folded(t.word))
		}
		for k, i := range t.from {
			worth := float32(1)
			if t.share[k] == 1 {
				worth = ownWorth
			}
			value(i, worth)
		}
	}
	d := p.doc()
	h := Hit{Path: d.path, URI: d.uri, More: []Passage{}, Score: float64(p.score), Foreign: d.foreign, Kind: d.kind()}
	h.Title, h.Description = p.library.titles(d)
	if d.uri != "" {
		h.Path = ""
	} else if p.deps != nil {
		h.Package = p.deps.set.Of(h.Path)
		h.Path = dependencies.Folder + "/" + h.Path
	}
	whole := "" // text of all passages
	for i, s := range p.ranked {
		passage := p.read(ctx, d, s.passage, stems, phrases, &whole)
		switch {
		case i == 0:
			h.Passage = passage
		case passage.Line != h.Line && !slices.ContainsFunc(h.More, func(p Passage) bool { return p.Line == passage.Line }):
			h.More = append(h.More, passage)
		}
	}
	return h
}

// read reads a passage, in which the stems and phrases are looked for.
func (s *shelf) read(ctx context.Context, d *document, number uint32, stems map[string]int, phrases []string, whole *string) Passage {
	p := s.passages[number]
	out := Passage{Heading: p.Heading, body: excerpt.Focus{Titled: p.Heading != ""}, Line: int(p.Line), top: int(p.Line), stems: stems}
	text, ok := s.library.passage(ctx, d, p, whole)
	if !ok {
		return out
	}
	_, out.body.Text, out.top = readers(text, p)
	out.body.Units = excerpt.Units(out.body.Text, p.Code)
	out.focus(stems, phrases)
	out.Snippet = out.Excerpt(snippetSize)
	return out
}

// readers returns the text of a passage as readers see it, without front matter unless there is nothing else, and its first line.
func readers(text string, p IndexedPassage) (front, out string, line int) {
	end := 0
	if p.Offset == 0 {
		if end = frontmatter.After(text).End; strings.TrimSpace(text[end:]) == "" {
			end = 0
		}
	}
	return text[:end], excerpt.Compact(text[end:], p.Code), int(p.Line) + strings.Count(text[:end], "\n")
}

// passage reads a passage from its file, in Unicode's form NFC. whole is the text of the document as the index has it, which is read if it
// is empty. It returns false if the file has changed.
func (l *Library) passage(ctx context.Context, d *document, p IndexedPassage, whole *string) (text string, ok bool) {
	if *whole == "" {
		var err error
		if *whole, err = l.indexable(ctx, d); err != nil {
			return "", false
		}
	}
	if int(p.Offset)+int(p.Size) > len(*whole) { // an included file has changed
		return "", false
	}
	return norm.NFC.String((*whole)[p.Offset:][:p.Size]), true
}

// indexable returns the text of a document as the index has it, if the document is as the scan found it.
func (l *Library) indexable(ctx context.Context, d *document) (string, error) {
	text, _, err := l.source(d, maxIndexed, true)
	if err != nil || d.page() == nil {
		return text, err
	}
	c, err := l.sites.Content(ctx, d.page(), text)
	return d.searchable(c.Text), err
}

// leadSize is the greatest number of bytes of a section that an answer shows.
const leadSize = 1000

// section returns the best passage of a page with the rest of its section around it, as far as an answer may show it.
func (p foundPage) section(ctx context.Context, best Passage) Passage {
	number := p.ranked[0].passage
	doc := p.passages[number].Document
	whole := ""
	read := func(n uint32) (text string, line int, units []excerpt.Unit) {
		text, _ = p.library.passage(ctx, p.docs[doc], p.passages[n], &whole)
		_, text, line = readers(text, p.passages[n])
		return text, line, excerpt.Units(text, p.passages[n].Code)
	}
	join := func(units []excerpt.Unit, size int, more []excerpt.Unit) []excerpt.Unit {
		units = slices.Clone(units)
		for _, u := range more {
			u.Start, u.End = u.Start+size, u.End+size
			units = append(units, u)
		}
		return units
	}
	first, body := number, &best.body
	for first > 0 && p.passages[first].Later && p.passages[first-1].Document == doc && body.Start < leadSize {
		first--
		text, line, units := read(first)
		body.Units = join(units, len(text), body.Units)
		body.Text, body.Start, body.Match, best.top = text+body.Text, body.Start+len(text), body.Match+len(text), line
	}
	level := levelOf(body.Text)
	for n := number + 1; int(n) < len(p.passages) && p.passages[n].Document == doc && len(body.Text) < body.Start+leadSize; n++ {
		more, _, units := read(n)
		if !p.passages[n].Later && levelOf(more) <= level {
			break
		}
		body.Units = join(body.Units, len(body.Text), units)
		body.Text += more
	}
	best.last = best.top + strings.Count(strings.TrimSpace(body.Text), "\n")
	return best
}

// levelOf returns the level of the heading that begins a text, or 0.
func levelOf(text string) int {
	line, rest, _ := strings.Cut(strings.TrimLeft(text, "\r\n \t"), "\n")
	under, _, _ := strings.Cut(rest, "\n")
	switch n := len(line) - len(strings.TrimLeft(line, "#")); {
	case n > 0:
		return n
	case strings.HasPrefix(under, "=="):
		return 1
	case strings.HasPrefix(under, "--"):
		return 2
	}
	return 0
}
