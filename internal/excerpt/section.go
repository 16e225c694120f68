package excerpt

import (
	"fmt"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/nearest"
)

// A Section is a heading with the text below it, up to the next heading of its level or above.
type Section struct {
	Heading
	Text string // with the line of the heading
}

// FindSection returns the first section of a text with these headings whose heading is asked for by its text, in any case, or by
// its name in links, with or without "#" before it.
func FindSection(text string, headings []Heading, asked string) (Section, bool) {
	want := strings.TrimSpace(strings.TrimLeft(asked, "#"))
	if want == "" {
		return Section{}, false
	}
	slugged := anchor(want)
	at := -1
	for i, h := range headings {
		if strings.EqualFold(h.Text, want) || h.Slug == strings.ToLower(want) {
			at = i
			break
		}
		if at < 0 && slugged != "" && h.Slug == slugged {
			at = i
		}
	}
	if at < 0 {
		return Section{}, false
	}
	h, end := headings[at], len(text)
	for _, next := range headings[at+1:] {
		if next.Level <= h.Level {
			return Section{h, text[h.Start:next.Start]}, true
		}
	}
	if len(headings) >= MaxHeadings {
		end = endBehind(text, headings[len(headings)-1].End, h.Level)
	}
	return Section{h, text[h.Start:end]}, true
}

// endBehind returns where the first heading of a level, or of one above it, begins that is behind an offset.
func endBehind(text string, at, level int) int {
	for {
		o := Outliner{outline: outline{seen: make(map[string]int)}, at: at}
		headings := o.Add(text[at:])
		for _, h := range headings {
			if h.Level <= level {
				return h.Start
			}
		}
		if len(headings) < MaxHeadings {
			return len(text)
		}
		at = headings[len(headings)-1].End
	}
}

// Unfound says what more there is to say of a section that was not found, or "".
func Unfound(headings []Heading) string {
	if len(headings) < MaxHeadings {
		return ""
	}
	return fmt.Sprintf("only the first %d headings of a document can be asked for; search for what is below the others, or read them by their lines", MaxHeadings)
}

// How many headings are compared with one that is not there, and how many near ones are offered.
const (
	maxCompared = 5000
	maxNear     = 10
)

// OfferSections returns those headings that somebody may have meant who asked for a section that is not there, or else the first
// ones. near reports which.
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
