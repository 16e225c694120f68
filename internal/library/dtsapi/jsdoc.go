package dtsapi

import (
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/directive"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/lazyregexp"
)

// hidden reports whether a JSDoc comment says that its declaration is not for users.
func hidden(comment string) bool { return hiding().MatchString(comment) }

var (
	hiding = lazyregexp.New(`@(internal|private|hidden|ignore)\b`)
	// The text of a link is what follows its target, after a "|" or a space.
	inline = lazyregexp.New(`\{@(?:link|linkcode|linkplain|inheritDoc|see)\s+([^\s|}]{1,500})\s*\|?\s*([^}]{0,500})\}`)
	// The beginning of a line that is a tag.
	tag = lazyregexp.New(`^@([A-Za-z]+)\b[ \t:]*(.*)$`)
	// The name of a parameter, perhaps as [name=default], after its type.
	parameter = lazyregexp.New(`^(?:\{[^}]*\}\s*)?(\[?[\w$.]+(?:=[^\]]*)?\]?)\s*:?\s*(?:-\s*)?(.*)$`)
	braced    = lazyregexp.New(`^\{[^}]*\}\s*`)
)

// tagLabels are the words that begin the texts of tags. Texts of other tags are left out.
var tagLabels = map[string]string{
	"returns": "Returns: ", "return": "Returns: ", "throws": "Throws: ", "default": "Default: ", "defaultValue": "Default: ", "defaultvalue": "Default: ",
	"deprecated": "**Deprecated.** ", "see": "See: ", "since": "Since: ", "experimental": "**Experimental.** ", "alpha": "**Alpha.** ", "beta": "**Beta.** ",
	"remarks": "", "description": "", "summary": "", "desc": "", "note": "Note: ", "example": "Example:\n\n",
}

// markdown returns a JSDoc comment as Markdown, or "". Headings become bold, so they do not look like symbols.
func markdown(comment string) string {
	comment = strings.TrimSuffix(strings.TrimPrefix(excerpt.Cut(comment, maxComment), "/**"), "*/")
	var w jsdocWriter
	for line := range strings.Lines(comment) {
		line = strings.TrimRight(line, " \t\r\n")
		bare := strings.TrimLeft(line, " \t")
		if rest, ok := strings.CutPrefix(bare, "*"); ok {
			line = strings.TrimPrefix(rest, " ")
		} else {
			line = bare
		}
		w.line(line)
	}
	w.end()
	return strings.TrimSpace(w.out.String())
}

// A jsdocWriter writes Markdown.
type jsdocWriter struct {
	out     strings.Builder
	fence   directive.Fence
	skipped bool // the text of a tag that is left out
	example []string
	inside  bool // an @example, whose lines are in example
	list    bool // the last line is of a list of parameters
}

func (w *jsdocWriter) line(line string) {
	if w.fence == "" {
		m := tag().FindStringSubmatch(line)
		if m != nil && (!w.inside || m[1][0] >= 'a') { // otherwise it is a decorator in code
			w.end()
			w.tag(m[1], m[2])
			return
		}
	}
	if w.skipped {
		return
	}
	bare := strings.TrimLeft(line, " \t")
	code := w.fence.Read(bare)
	if w.inside {
		w.example = append(w.example, line)
		return
	}
	if !code {
		line = prose(line)
	}
	w.out.WriteString(line + "\n")
}

// prose returns a line of text without inline tags, and a heading as bold text.
func prose(line string) string {
	line = inline().ReplaceAllStringFunc(line, func(link string) string {
		m := inline().FindStringSubmatch(link)
		target, text := m[1], strings.TrimSpace(m[2])
		switch {
		case strings.Contains(target, "://") && text != "":
			return "[" + text + "](" + target + ")"
		case strings.Contains(target, "://"):
			return "<" + target + ">"
		case text != "":
			return text
		}
		return "`" + target + "`"
	})
	if bare := strings.TrimLeft(line, " "); strings.HasPrefix(bare, "#") && strings.HasPrefix(strings.TrimLeft(bare, "#"), " ") {
		line = "**" + strings.Trim(bare, "# ") + "**"
	}
	if bare := strings.TrimSpace(line); len(bare) > 2 && (strings.Trim(bare, "=") == "" || strings.Trim(bare, "-") == "") {
		line = "" // it would make a heading of the line above
	}
	return line
}

// tag begins the text of a tag.
func (w *jsdocWriter) tag(name, text string) {
	label, known := tagLabels[name]
	w.skipped = false
	wasList := w.list
	w.list = false
	switch {
	case name == "param" || name == "arg" || name == "argument" || name == "property" || name == "prop":
		m := parameter().FindStringSubmatch(text)
		if m == nil {
			w.skipped = true
			return
		}
		w.list = true
		if !wasList {
			w.out.WriteString("\n")
		}
		w.out.WriteString("- `" + m[1] + "`")
		if m[2] != "" {
			w.out.WriteString(": " + prose(m[2]))
		}
		w.out.WriteString("\n")
	case name == "example":
		w.inside = true
		if caption := strings.TrimSpace(strings.NewReplacer("<caption>", "", "</caption>", "").Replace(text)); caption != "" {
			w.example = append(w.example, text)
		}
	case !known:
		w.skipped = true
	default:
		if name != "deprecated" && name != "see" {
			text = braced().ReplaceAllString(text, "")
		}
		if label == "Default: " && text != "" && !strings.Contains(text, "`") && len(text) < 100 {
			text = "`" + text + "`"
		}
		w.out.WriteString("\n" + label + prose(text) + "\n")
	}
}

// end ends the text of a tag. An example without a fence is code.
func (w *jsdocWriter) end() {
	if w.inside {
		text := strings.Trim(strings.Join(w.example, "\n"), "\n")
		switch {
		case strings.TrimSpace(text) == "":
		case strings.Contains(text, "```"):
			w.out.WriteString("\nExample:\n\n")
			var fence directive.Fence
			for line := range strings.SplitSeq(text, "\n") {
				if !fence.Read(strings.TrimLeft(line, " \t")) {
					line = prose(line)
				}
				w.out.WriteString(line + "\n")
			}
		default:
			w.out.WriteString("\nExample:\n\n" + excerpt.Fenced(text, "ts"))
			w.fence = ""
		}
		w.example, w.inside = nil, false
	}
	if w.fence != "" {
		w.out.WriteString(string(w.fence) + "\n")
		w.fence = ""
	}
	w.skipped = false
}
