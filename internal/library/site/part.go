package site

import (
	"cmp"
	"strconv"
	"strings"
)

// An included is a file that documents include, as an expansion keeps it: a page may include parts of it thousands of times.
type included struct {
	name string // in the project
	size int    // bytes, with the outputs of a notebook
	code source // its text, as code

	whole *source // its text as a document, nil until the first call of document
}

// document returns the text of the file as a part of another document: without front matter, and a notebook as Markdown.
func (f *included) document() *source {
	if f.whole == nil {
		_, end, _ := splitFront(f.code.text)
		f.whole = &source{text: f.code.text[end:]}
		if formatOf(f.name) == notebook {
			f.whole.text = notebookText(f.whole.text)
		}
	}
	return f.whole
}

// A source is a text of which documents include parts.
type source struct {
	text   string
	starts []int32 // offsets of its lines, and its length; nil until the first call of lines
	marks  []mark
	marked bool // marks are known
}

// part returns the lines that a form asks for: "2:10", "1-3,5", the name of a region, or options such as "tags=a;b" and
// ":lines: 1-3". It may stop when it has more than most bytes.
func (s *source) part(part string, options map[string]string, most int) string {
	part = strings.TrimSpace(part)
	if v := cmp.Or(options["lines"], attribute(part, "lines"), attribute(part, "range"), attribute(part, "ln")); v != "" {
		return s.lineRanges(v, most)
	}
	if v := cmp.Or(attribute(part, "tags"), attribute(part, "tag"), attribute(part, "id"), attribute(part, ":fragment"), attribute(part, "name")); v != "" {
		return s.regions(strings.FieldsFunc(v, func(r rune) bool { return r == ';' || r == ',' }))
	}
	start := cmp.Or(options["start-after"], options["start-at"], attribute(part, "start"))
	end := cmp.Or(options["end-before"], options["end-at"], attribute(part, "end"))
	if start != "" || end != "" {
		return between(s.text, start, end, options["start-at"] != "", options["end-at"] != "")
	}
	if v := options["pyobject"]; v != "" {
		return pythonObject(s.text, v)
	}
	if n, err := strconv.Atoi(options["start-line"]); err == nil {
		return s.lineRanges(strconv.Itoa(n+1)+"-", most)
	}
	switch {
	case part == "" || strings.ContainsAny(part, "=[ "):
		return s.text
	case compile(`^L?\d*(?:[:,-]L?\d*)*$`).MatchString(part):
		return s.lineRanges(strings.ReplaceAll(part, "L", ""), most)
	}
	return s.regions([]string{part})
}

// attribute returns the value of name=value, name="value" or name[value] in a list of options.
func attribute(options, name string) string {
	m := compile(`(?:^|[\s,&?])` + name + `(?:=|\[)(?:"([^"]*)"|'([^']*)'|([^\s,&\]]+))`).FindStringSubmatch(options)
	if m == nil {
		return ""
	}
	return m[1] + m[2] + m[3]
}

// lines returns the offsets at which lines begin, and the length of the text.
func (s *source) lines() []int32 {
	if s.starts == nil {
		s.starts = []int32{0}
		for line := range strings.Lines(s.text) {
			s.starts = append(s.starts, s.starts[len(s.starts)-1]+int32(len(line)))
		}
	}
	return s.starts
}

// lineRanges returns lines by number: "1-3,5", "2:10", "3..5", "4-", ":7".
func (s *source) lineRanges(ranges string, most int) string {
	starts := s.lines()
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
			to = len(starts) - 1
		}
		if !isRange {
			to = from
		}
		if from, to = max(1, from), min(to, len(starts)-1); from <= to {
			b.WriteString(s.text[starts[from-1]:starts[to]])
		}
		if b.Len() > most {
			break
		}
	}
	return b.String()
}

// regionMark matches the marks at which a region begins or ends, in all forms that generators have. The last group of
// each kind is a tag of DocFX, which any line of code may have.
const regionMark = `(?:#region|#pragma region|\bregion:?)\s+(\S.*?)\s*(?:-->|\*/)?\s*$|\bANCHOR:\s*([^\s*]+)|\btag::([^\[\]\s]+)\[\]|\[start:([^\]]+)\]|<([\w.-]+)>\s*(?:-->)?\s*$` +
	`|(\b(?:#pragma )?endregion\b)\s*(.*?)\s*(?:-->|\*/)?\s*$|\bANCHOR_END:\s*([^\s*]+)|\bend::([^\[\]\s]+)\[\]|\[end:([^\]]+)\]|</([\w.-]+)>`

// A mark is a line with which a region begins or ends.
type mark struct {
	start, end    int32  // offsets of the line
	begins, ends  string // names of regions
	endsAll, code bool   // it ends all regions, or may be a line of code
}

// regionMarks returns the marks in the text.
func (s *source) regionMarks() []mark {
	if s.marked {
		return s.marks
	}
	s.marked = true
	start := int32(0)
	for line := range strings.Lines(s.text) {
		end := start + int32(len(line))
		if strings.ContainsAny(line, "<:[") || strings.Contains(line, "region") {
			if m := compile(regionMark).FindStringSubmatch(line); m != nil {
				ends := strings.Join(m[7:], "")
				s.marks = append(s.marks, mark{start, end, strings.Join(m[1:6], ""), ends, m[6] != "" && ends == "", m[5] != "" || m[11] != ""})
			}
		}
		start = end
	}
	return s.marks
}

// regions returns the lines between the marks of regions, without other marks. A text without a mark of any name is
// returned whole.
func (s *source) regions(names []string) string {
	var b strings.Builder
	wanted, in, found, from := make(map[string]bool), make(map[string]bool), false, int32(0)
	for _, name := range names {
		wanted[name] = true
	}
	for _, m := range s.regionMarks() {
		if len(in) > 0 {
			b.WriteString(s.text[from:m.start])
		}
		from = m.end
		switch {
		case wanted[m.begins]:
			in[m.begins], found = true, true
		case m.endsAll:
			clear(in)
		case wanted[m.ends]:
			delete(in, m.ends)
		case m.code:
			from = m.start
		}
	}
	if !found {
		return s.text
	}
	if len(in) > 0 {
		b.WriteString(s.text[from:])
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
