package excerpt

import (
	"fmt"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/nearest"
)

// A Section is a heading with the text below it, up to the next heading of its level or above.
type Section struct {
	Heading
	Text string // including the line of the heading
}

// FindSection returns the first section of a text whose heading has the requested text, ignoring
// case, or the requested name in links, with or without "#" before it.
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
		if index < 0 && slugged != "" && h.Slug == slugged {
			index = i
		}
	}
	if index < 0 {
		return Section{}, false
	}
	h := headings[index]
	return Section{h, text[h.Start:SectionEnd(text, headings, index)]}, true
}

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

// The number of headings that are compared with a missing one, and the number of suggestions.
const (
	maxCompared = 5000
	maxNear     = 10
)

// OfferSections returns the headings that are similar to a missing one, or else the first headings.
// near reports whether they are similar.
func OfferSections(all []Heading, asked string) (headings []string, near bool) {
	texts := make([]string, min(len(all), maxCompared))
	for i := range texts {
		texts[i] = all[i].Text
	}
	want := strings.TrimSpace(strings.TrimLeft(asked, "#"))
	if found := nearest.Of(want, texts, maxNear); len(found) > 0 {
		return found, true
	}
	return texts, false
}
