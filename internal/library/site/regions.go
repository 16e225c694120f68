package site

import (
	"slices"
	"strconv"
	"strings"
)

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
	// at returns the first line with the mark, or the one after it; -1: none
	at := func(mark string, after bool) int {
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
