package excerpt

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/directive"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/lazyregexp"
)

// ids matches the ids that texts of all formats define in a line: {#id}, <a name=id>, [[id]], [#id], (label)=, ".. _label:" and options
// such as ":name: id".
const ids = `\{[^{}]{0,200}#([\w:./-]+)[^{}]{0,200}\}|\b(?:id|name|title|label|header|path|query|body|permalink|anchor)\s*[=:]\s*(?:"([^"]{1,200})"|'([^']{1,200})'|([^\s"',\]>]+))` +
	`|\{/\*\s*#?([^\s*]{1,200})\s*\*/\}|\[\[\[?([^\[\],\s]{1,200})[^\]]{0,200}\]\]|\[[\w-]*#([^\],.%\s]+)|anchor:([^\[\s]{1,200})\[|^\(([^)]+)\)=|^\s*:(?:name|label):\s*(\S+)|\$\$[ \t]*\(([^)]{1,200})\)\s*$|^\[\^([^\]\s]+)\]:` +
	"|\\.\\. _`?([^:`]{1,200})`?:"

// IDs matches the ids that a line of a text defines. One of the groups is the id.
var IDs = lazyregexp.New(ids)

// between matches what may stand between an id and the heading that it names.
var between = lazyregexp.New(ids + `|<[^<>]{0,300}>`)

// A Section is a heading with the text below it, up to the next heading of its level or above.
type Section struct {
	Heading
	Text string // including the line of the heading
}

// FindSection returns the first section of a text whose heading has the requested text, ignoring
// case, or the requested name in links, with or without "#" before it, or else the same letters and digits: generators
// of sites name headings in different ways. If no heading has the name, the section is that in which the text defines it as an id.
func FindSection(text string, headings []Heading, asked string) (Section, bool) {
	want := strings.TrimSpace(strings.TrimLeft(asked, "#"))
	if want == "" {
		return Section{}, false
	}
	slugged := Anchor(want)
	index := -1
	for i, h := range headings {
		if strings.EqualFold(h.Text, want) || h.Slug == strings.ToLower(want) {
			index = i
			break
		}
		if index < 0 && slugged != "" && (h.Slug == slugged || Anchor(h.Text) == slugged) {
			index = i
		}
	}
	if letters := lettersOf(slugged); index < 0 && letters != "" {
		index = slices.IndexFunc(headings, func(h Heading) bool { return lettersOf(h.Slug) == letters || lettersOf(Anchor(h.Text)) == letters })
	}
	if index < 0 {
		index = defining(text, headings, want)
	}
	if index < 0 {
		return Section{}, false
	}
	h := headings[index]
	return Section{h, text[h.Start:SectionEnd(text, headings, index)]}, true
}

// defining returns the index of the heading in whose section, or directly before which, a text defines an id; -1: there is none.
func defining(text string, headings []Heading, id string) int {
	low, offset := strings.ToLower(id), 0
	for line := range strings.Lines(text) {
		if len(line) <= directive.MaxLine && strings.Contains(strings.ToLower(line), low) &&
			slices.ContainsFunc(IDs().FindAllStringSubmatch(line, 100), func(m []string) bool { return strings.EqualFold(strings.Join(m[1:], ""), id) }) {
			next, _ := slices.BinarySearchFunc(headings, offset, func(h Heading, offset int) int { return h.Start - offset })
			if next < len(headings) && headings[next].Start-offset <= directive.MaxLine &&
				!strings.ContainsFunc(between().ReplaceAllString(text[offset:headings[next].Start], ""), unicode.IsLetter) {
				return next
			}
			return next - 1
		}
		offset += len(line)
	}
	return -1
}

// lettersOf returns a name in links without hyphens and underscores.
func lettersOf(name string) string { return strings.NewReplacer("-", "", "_", "").Replace(name) }

// SectionEnd returns the offset of the end of the section that one of the headings begins.
func SectionEnd(text string, headings []Heading, index int) int {
	for _, next := range headings[index+1:] {
		if next.Level <= headings[index].Level {
			return next.Start
		}
	}
	if len(headings) >= MaxHeadings {
		return endAfter(text, headings[len(headings)-1].End, headings[index].Level)
	}
	return len(text)
}

// endAfter returns the start of the first heading after an offset with at most the given level.
func endAfter(text string, offset, level int) int {
	for {
		headings := headingsAfter(text, offset, 0)
		for _, h := range headings {
			if h.Level <= level {
				return h.Start
			}
		}
		if len(headings) < MaxHeadings {
			return len(text)
		}
		offset = headings[len(headings)-1].End
	}
}

// Unfound returns an additional hint for a section that was not found, or "".
func Unfound(headings []Heading) string {
	if len(headings) < MaxHeadings {
		return ""
	}
	return fmt.Sprintf("only the first %d headings of a document can be asked for; search for what is below the others, or read them by their lines", MaxHeadings)
}

const (
	maxCompared = 5000 // headings that are compared with a missing one
	maxAsked    = 256  // bytes of the missing one
	maxNear     = 10   // suggestions
	sameStart   = 3    // letters that make words similar; shorter ones must be equal
)

// OfferSections returns the headings that have words like a missing one, the most similar first, or else the first headings.
// near reports whether they are similar.
func OfferSections(all []Heading, asked string) (headings []string, near bool) {
	var starts []string
	for word := range strings.FieldsFuncSeq(Anchor(Cut(asked, maxAsked)), func(r rune) bool { return r == '-' }) {
		letters := []rune(word + "-")
		starts = append(starts, "-"+string(letters[:min(len(letters), sameStart)]))
	}
	alike := make(map[string]int)
	var similar []string
	for _, h := range all[:min(len(all), maxCompared)] {
		headings = append(headings, h.Text)
		if _, known := alike[h.Text]; known {
			continue
		}
		name := "-" + Anchor(h.Text) + "-"
		for _, start := range starts {
			alike[h.Text] += strings.Count(name, start)
		}
		if alike[h.Text] > 0 {
			similar = append(similar, h.Text)
		}
	}
	if slices.SortStableFunc(similar, func(a, b string) int { return alike[b] - alike[a] }); len(similar) > 0 {
		return similar[:min(len(similar), maxNear)], true
	}
	return headings, false
}
