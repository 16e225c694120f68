package site

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// selectPart returns the lines of a text that a form asks for: "2:10", "1-3,5", the name of a region, or options such
// as "tags=a;b" and ":lines: 1-3".
func selectPart(text, part string, options map[string]string) string {
	part = strings.TrimSpace(part)
	if v := cmp.Or(options["lines"], attribute(part, "lines"), attribute(part, "range"), attribute(part, "ln")); v != "" {
		return lineRanges(text, v)
	}
	if v := cmp.Or(attribute(part, "tags"), attribute(part, "tag"), attribute(part, "id"), attribute(part, ":fragment"), attribute(part, "name")); v != "" {
		return regions(text, strings.FieldsFunc(v, func(r rune) bool { return r == ';' || r == ',' }))
	}
	start := cmp.Or(options["start-after"], options["start-at"], attribute(part, "start"))
	end := cmp.Or(options["end-before"], options["end-at"], attribute(part, "end"))
	if start != "" || end != "" {
		return between(text, start, end, options["start-at"] != "", options["end-at"] != "")
	}
	if v := options["pyobject"]; v != "" {
		return pythonObject(text, v)
	}
	if n, err := strconv.Atoi(options["start-line"]); err == nil {
		return lineRanges(text, strconv.Itoa(n+1)+"-")
	}
	switch {
	case part == "" || strings.ContainsAny(part, "=[ "):
		return text
	case compile(`^L?\d*(?:[:,-]L?\d*)*$`).MatchString(part):
		return lineRanges(text, strings.ReplaceAll(part, "L", ""))
	}
	return regions(text, []string{part})
}

// attribute returns the value of name=value, name="value" or name[value] in a list of options.
func attribute(options, name string) string {
	m := compile(`(?:^|[\s,&?])` + name + `(?:=|\[)(?:"([^"]*)"|'([^']*)'|([^\s,&\]]+))`).FindStringSubmatch(options)
	if m == nil {
		return ""
	}
	return m[1] + m[2] + m[3]
}

// lineRanges returns lines by number: "1-3,5", "2:10", "3..5", "4-", ":7".
func lineRanges(text, ranges string) string {
	lines := strings.SplitAfter(text, "\n")
	var b strings.Builder
	for _, r := range strings.FieldsFunc(ranges, func(r rune) bool { return r == ',' || r == ';' }) {
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
		for i := max(1, from); i <= min(to, len(lines)); i++ {
			b.WriteString(lines[i-1])
		}
	}
	return b.String()
}

// regionMark matches the marks at which a region begins or ends, in all forms that generators have. The last group of
// each kind is a tag of DocFX, which any line of code may have.
const regionMark = `(?:#region|#pragma region|\bregion:?)\s+(\S.*?)\s*(?:-->|\*/)?\s*$|\bANCHOR:\s*([^\s*]+)|\btag::([^\[\]\s]+)\[\]|\[start:([^\]]+)\]|<([\w.-]+)>\s*(?:-->)?\s*$` +
	`|(\b(?:#pragma )?endregion\b)\s*(.*?)\s*(?:-->|\*/)?\s*$|\bANCHOR_END:\s*([^\s*]+)|\bend::([^\[\]\s]+)\[\]|\[end:([^\]]+)\]|</([\w.-]+)>`

// regions returns the lines between the marks of regions, without other marks. A text without a mark of any name is
// returned whole.
func regions(text string, names []string) string {
	var b strings.Builder
	in := make(map[string]bool)
	found := false
	for line := range strings.Lines(text) {
		if m := compile(regionMark).FindStringSubmatch(line); m != nil {
			begin, end := strings.Join(m[1:6], ""), strings.Join(m[7:], "")
			switch {
			case begin != "" && slices.Contains(names, begin):
				in[begin], found = true, true
				continue
			case m[6] != "" && end == "":
				clear(in)
				continue
			case end != "" && slices.Contains(names, end):
				delete(in, end)
				continue
			case m[5] == "" && m[11] == "": // a mark of another region
				continue
			}
		}
		if len(in) > 0 {
			b.WriteString(line)
		}
	}
	if !found {
		return text
	}
	return b.String()
}

func between(text, start, end string, startIn, endIn bool) string {
	if start != "" {
		i := strings.Index(text, start)
		if i < 0 {
			return text
		}
		if startIn {
			text = text[strings.LastIndexByte(text[:i], '\n')+1:]
		} else if j := strings.IndexByte(text[i:], '\n'); j >= 0 {
			text = text[i+j+1:]
		}
	}
	if end != "" {
		if i := strings.Index(text, end); i >= 0 {
			if endIn {
				if j := strings.IndexByte(text[i:], '\n'); j >= 0 {
					return text[:i+j+1]
				}
				return text
			}
			text = text[:strings.LastIndexByte(text[:i], '\n')+1]
		}
	}
	return text
}
