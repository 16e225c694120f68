package excerpt

import (
	"fmt"
	"slices"
	"strings"
)

// A Section is a heading with the text below it, up to the next heading of its level or above.
type Section struct {
	Heading
	Text string // including the line of the heading
}

// FindSection returns the first section of a text whose heading has the requested text, ignoring
// case, or the requested name in links, with or without "#" before it, or else the same letters and digits: generators
// of sites name headings in different ways.
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
		return Section{}, false
	}
	h := headings[index]
	return Section{h, text[h.Start:SectionEnd(text, headings, index)]}, true
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

// OfferSections returns the headings that have words like those of a missing one, the most similar first, or else the first headings.
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
