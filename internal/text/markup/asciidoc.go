package markup

import (
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/settings"
)

const (
	// bytes of a value that is put in place of a name: values of values double with each line
	maxValue      = 300
	maxAttributes = 2000 // of a text
)

// FillIn puts the values of attributes in place of {name}.
func FillIn(text string, known map[string]string) string {
	return compile(`\\?\{([\w-]+)\}`).ReplaceAllStringFunc(text, func(s string) string {
		if s[0] == '\\' {
			return s[1:]
		}
		if v, ok := known[s[1:len(s)-1]]; ok && len(v) <= maxValue {
			return strings.TrimSuffix(v, "@")
		}
		return s
	})
}

// asciidocText returns inline AsciiDoc as plain text.
func asciidocText(s string) string {
	if strings.Contains(s, "[") {
		s = compile(`(?:(?:link|xref):[^\s\[]{1,500}|pass:\w{0,20})\[([^\[\]]{0,500})\]`).ReplaceAllString(s, "$1")
		s = compile(`\[\[[^\[\]]{0,200}\]\]|\[#[^\[\]]{0,200}\]`).ReplaceAllString(s, "")
	}
	return strings.TrimSpace(asciidocMarks.Replace(s))
}

var asciidocMarks = strings.NewReplacer("`+", "", "+`", "", "`", "", "**", "", "__", "") // once: each line of a page needs it

// AsciiDoc returns the lines of a text in AsciiDoc, with the attributes that the text sets. The caller gives the attributes of the site in
// known, and the function adds the attributes of the text.
func AsciiDoc(text string, known map[string]string) (lines []Line, own settings.Values) {
	own = make(settings.Values)
	block := ""          // the line that ends the block
	depth, unmet := 0, 0 // conditions around the line, and the first of them that does not hold
	for raw := range strings.Lines(text) {
		trimmed := strings.TrimRight(raw, " \t\r\n")
		l := Line{Raw: trimmed, End: raw[len(trimmed):]}
		lines = append(lines, l)
		at := &lines[len(lines)-1]
		if block != "" || len(trimmed) > maxMarked {
			at.Code, at.Text = block != "", trimmed
			if trimmed == block {
				block, at.Text = "", ""
			} else if block != "" && block[0] == '/' {
				at.Text = ""
			}
			continue
		}
		m := compile(`^(?:(-{4,}|\.{4,}|\+{4,}|/{4,}|//.*)|:(!?[\w-]+!?):(?:\s+(.*))?|(={1,6}|#{1,6})\s+(\S.*?)(?:\s+=+)?|(ifn?def|endif)::(.*)\[\]|\[[^\]]*\]|={4,}|(?:ifn?def|endif)::.*)$`).FindStringSubmatch(trimmed)
		switch {
		case m == nil:
			at.Text = asciidocText(trimmed)
		case m[1] != "":
			at.Code = true
			if len(m[1]) > 3 && strings.Trim(m[1], m[1][:1]) == "" {
				block = trimmed
			}
		case m[2] != "":
			if len(known) < maxAttributes {
				known[m[2]] = excerpt.Cut(FillIn(m[3], known), maxValue+1) // a longer value is not used
				own[m[2]] = known[m[2]]
			}
		case m[4] != "":
			at.Level, at.Text = len(m[4]), excerpt.Cut(asciidocText(FillIn(m[5], known)), 200)
		case m[6] == "endif" && depth > 0:
			if unmet == depth {
				unmet = 0
			}
			depth--
		case m[6] != "" && m[6] != "endif":
			depth++
			if _, set := known[m[7]]; unmet == 0 && set != (m[6] == "ifdef") {
				unmet = depth
			}
		}
		at.Code = at.Code || unmet > 0
	}
	return lines, own
}
