// Package markup reads documents that are not written in Markdown by their lines: reStructuredText, AsciiDoc, Org and notebooks.
package markup

import (
	"cmp"
	"encoding/json"
	"path"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/directive"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/lazyregexp"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/settings"
)

// A Line is a line of a document.
type Line struct {
	Raw   string
	Text  string // as Markdown for a search; of a heading, its title
	End   string // what ends it
	Level int    // of a heading; 0: it is none
	Code  bool   // it is in a block of code: the first line, which may be a directive, is not
}

// maxMarked is the number of bytes up to which a line is read for marks.
const maxMarked = directive.MaxLine

var compile = lazyregexp.Compiled

const adornments = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"

// adorns returns the character that a line consists of, or 0.
func adorns(line string) byte {
	line = strings.TrimRight(line, " \t\r\n")
	if len(line) < 2 || !strings.Contains(adornments, line[:1]) || strings.Trim(line, line[:1]) != "" {
		return 0
	}
	return line[0]
}

// RST returns the lines of a text in reStructuredText.
func RST(text string) (lines []Line) {
	literal := -1 // indentation of the line before the code
	for raw := range strings.Lines(text) {
		trimmed := strings.TrimRight(raw, " \t\r\n")
		l := Line{Raw: trimmed, End: raw[len(trimmed):]}
		indent := len(l.Raw) - len(strings.TrimLeft(l.Raw, " \t"))
		switch {
		case len(l.Raw) > maxMarked:
			l.Text = l.Raw
		case literal >= 0 && (l.Raw == "" || indent > literal):
			l.Code, l.Text = true, l.Raw
		default:
			literal = -1
			if strings.Contains(l.Raw, "::") && compile(`^\s*\.\. (?:code-block|sourcecode|code|literalinclude|parsed-literal)::|^\s*(?:[^\s.]|\.[^.]|\.\.\S).*::$|^\s*::$`).MatchString(l.Raw) {
				literal = indent
			}
			if adorns(l.Raw) == 0 && !(strings.Contains(l.Raw, ".. ") && compile(`^\s*\.\. (?:index|currentmodule|_[^:]+|highlight)::?`).MatchString(l.Raw)) {
				l.Text = l.Raw
			}
		}
		lines = append(lines, l)
	}
	levels := make(map[string]int)
	for i := 0; i+1 < len(lines); i++ {
		key, title := "", lines[i].Raw
		switch over, under := adorns(title), adorns(lines[i+1].Raw); {
		case over != 0 && under == 0 && i+2 < len(lines) && adorns(lines[i+2].Raw) == over && lines[i+1].Raw != "":
			i++
			key, title = string([]byte{over, over}), strings.TrimSpace(lines[i].Raw)
		case over == 0 && under != 0 && title != "" && title[0] != ' ' && title[0] != '\t' && !strings.HasPrefix(title, ".. ") && len(lines[i+1].Raw) >= min(len([]rune(title)), 4):
			key = string(under)
		default:
			continue
		}
		levels[key] = cmp.Or(levels[key], len(levels)+1)
		lines[i].Level, lines[i].Text = levels[key], rstText(title)
		i++
	}
	return lines
}

// rstText returns inline RST as plain text.
func rstText(s string) string {
	s = compile("(?::[\\w:+-]+:)?``?([^`]*?)(?:\\s*<[^`>]*>)?``?_{0,2}").ReplaceAllString(s, "$1")
	return strings.NewReplacer("**", "", `\*`, "*", `\_`, "_", `\ `, "").Replace(s)
}

// RSTFields returns the fields at the start of a text, such as ":orphan:".
func RSTFields(text string) settings.Values {
	v := make(settings.Values)
	for line := range strings.Lines(text) {
		m := compile(`^:([\w-]+):\s*(.*?)\s*$`).FindStringSubmatch(line)
		if m == nil {
			if strings.TrimSpace(line) == "" || strings.HasPrefix(line, "..") {
				continue
			}
			break
		}
		v[m[1]] = m[2]
	}
	if m := compile(`(?m)^\s+:description(?: lang=\w+)?:\s*(.+)$`).FindStringSubmatch(text); m != nil && strings.Contains(text, ".. meta::") {
		v["description"] = m[1]
	}
	return v
}

const (
	maxValue      = 300  // bytes of a value that is put in place of a name: values of values double with each line
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

// Org returns the lines of a text in Org.
func Org(text string) (lines []Line) {
	until, drawer := "", false
	for raw := range strings.Lines(text) {
		trimmed := strings.TrimRight(raw, " \t\r\n")
		l := Line{Raw: trimmed, End: raw[len(trimmed):]}
		folded := strings.ToLower(strings.TrimSpace(trimmed[:min(len(trimmed), 40)]))
		stars := len(trimmed) - len(strings.TrimLeft(trimmed, "*"))
		switch {
		case until != "":
			if l.Code = folded != until; !l.Code {
				until = ""
			} else {
				l.Text = trimmed
			}
		case strings.HasPrefix(folded, "#+begin_src"), strings.HasPrefix(folded, "#+begin_example"):
			kind, _, _ := strings.Cut(folded, " ")
			until = strings.Replace(kind, "begin", "end", 1)
		case folded == ":properties:", folded == ":logbook:":
			drawer = true
		case drawer:
			drawer = folded != ":end:"
		case strings.HasPrefix(folded, "#+title:"):
			l.Level, l.Text = 1, orgText(trimmed[strings.IndexByte(trimmed, ':')+1:])
		case strings.HasPrefix(folded, "#"):
		case stars > 0 && strings.HasPrefix(trimmed[stars:], " "):
			l.Level, l.Text = stars, orgText(trimmed[stars:])
		default:
			l.Text = orgText(trimmed)
			if l.Text = strings.TrimRight(l.Text, " "); strings.HasPrefix(trimmed, " ") {
				l.Text = trimmed[:len(trimmed)-len(strings.TrimLeft(trimmed, " \t"))] + strings.TrimLeft(l.Text, " ")
			}
		}
		lines = append(lines, l)
	}
	return lines
}

// orgText returns inline Org as plain text: a link is its text.
func orgText(s string) string {
	s = strings.TrimSpace(s)
	if len(s) > maxMarked || !strings.Contains(s, "[[") {
		return s
	}
	return compile(`\[\[(?:[^\[\]]{1,500}\]\[)?([^\[\]]{1,500})\]\]`).ReplaceAllString(s, "$1")
}

// OrgFields returns the keywords at the start of a text, such as "#+TITLE: x".
func OrgFields(text string) settings.Values {
	v := make(settings.Values)
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		key, value, ok := strings.Cut(strings.TrimPrefix(line, "#+"), ":")
		if line != "" && !(ok && strings.HasPrefix(line, "#+")) && !strings.HasPrefix(line, ":") || len(v) > 100 {
			break
		}
		if value = strings.TrimSpace(value); value != "" && strings.HasPrefix(line, "#+") {
			v[strings.ToLower(key)] = value
		}
	}
	return v
}

// A notebookFile is what is served of a Jupyter notebook: not the outputs of its cells.
type notebookFile struct {
	Cells []struct {
		Type   string          `json:"cell_type"`
		Source json.RawMessage `json:"source"`
	} `json:"cells"`
	Metadata struct {
		Language struct {
			Name string `json:"name"`
		} `json:"language_info"`
		Kernel struct {
			Language string `json:"language"`
		} `json:"kernelspec"`
	} `json:"metadata"`
	Format int `json:"nbformat"`
	Minor  int `json:"nbformat_minor"`
}

// WithoutOutputs returns a Jupyter notebook without the outputs of its cells. A text that is not a notebook gives "",
// because outputs could be anywhere in it. A file of any other name is returned as it is.
func WithoutOutputs(name, text string) string {
	if !strings.EqualFold(path.Ext(name), ".ipynb") {
		return text
	}
	var book notebookFile
	if json.Unmarshal([]byte(text), &book) != nil {
		return ""
	}
	out, _ := json.MarshalIndent(book, "", " ") // its cells are valid
	return string(out) + "\n"
}

// Notebook returns a Jupyter notebook as Markdown: its Markdown cells, and its code cells in fences, without
// outputs. A text that is not a notebook gives "".
func Notebook(text string) string {
	var book notebookFile
	if json.Unmarshal([]byte(text), &book) != nil {
		return ""
	}
	language := cmp.Or(book.Metadata.Language.Name, book.Metadata.Kernel.Language)
	var b strings.Builder
	for _, cell := range book.Cells {
		var source string
		var lines []string
		if json.Unmarshal(cell.Source, &lines) == nil {
			source = strings.Join(lines, "")
		} else if json.Unmarshal(cell.Source, &source) != nil {
			continue
		}
		if source = strings.TrimRight(source, "\n"); strings.TrimSpace(source) == "" {
			continue
		}
		switch cell.Type {
		case "markdown":
			b.WriteString(source + "\n\n")
		case "code":
			b.WriteString(excerpt.Fenced(source, language) + "\n")
		}
	}
	return b.String()
}
