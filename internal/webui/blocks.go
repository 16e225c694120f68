package webui

import (
	"cmp"
	"encoding/hex"
	"fmt"
	"html/template"
	"slices"
	"strings"
	"sync"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/directive"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/lazyregexp"
)

// A mark is a paragraph of Markdown that stands for a part of the frame of a block: "" ends the frames of the kinds that have
// an end. Its characters have no meaning.
func mark(kind, title string) string {
	return "\n\ue000" + kind + ":" + hex.EncodeToString([]byte(title)) + "\ue001\n\n"
}

var marks = lazyregexp.New(`(?:<p>)?\x{e000}(/?[a-z]+)([0-9]*):([0-9a-f]*)\x{e001}(?:</p>)?`)

// frames replaces the marks in HTML with the frames of blocks. Their elements may be nested in a wrong way: sanitize closes
// open ones.
func frames(html string) string {
	return marks().ReplaceAllStringFunc(html, func(m string) string {
		parts := marks().FindStringSubmatch(m)
		title, _ := hex.DecodeString(parts[3])
		label := template.HTMLEscapeString(string(title))
		switch kind := parts[1]; kind {
		case "label":
			return `<p class="label">` + label + "</p>"
		case "fold":
			return `<details class="fold"><summary>` + label + "</summary>"
		case "tab", "first":
			class, open := "tab", ""
			if kind == "first" {
				class, open = "tab first", ` open=""`
			}
			return fmt.Sprintf(`<details class="%s" name="t%s"%s><summary>%s</summary>`, class, parts[2], open, label)
		case "/fold":
			return "</details>"
		case "/notice":
			return "</section>"
		default:
			return `<section class="notice ` + kind + `"><p class="label">` + label + "</p>"
		}
	})
}

// A framing is the state of [framed].
type framing struct {
	out    strings.Builder
	open   []framedBlock
	tabs   int
	joined bool // a tab ends here, and the next joins its group
	code   bool
}

type framedBlock struct {
	indent, end string
	group       bool // its code blocks are tabs
	steps       int
}

// framed returns Markdown with marks for the frames of the blocks of generators, and formulas as code. clean, if not nil,
// returns a text without what only a site's program understands.
func framed(source string, clean func(string) string) string {
	f := &framing{}
	if clean != nil {
		source = clean(source)
	}
	lines := slices.Collect(directive.Lines(source))
	inFormula := false
	for i, l := range lines {
		if f.code && l.Code != directive.Fenced {
			f.mark("/fold", "")
			f.code, f.joined = false, true
		}
		for len(f.open) > l.Depth {
			f.close()
		}
		text := l.Text
		for _, o := range l.Opens {
			if o.Title == "" && o.Kind == "details" {
				o.Title = summaryOf(lines[i:min(len(lines), i+3)])
			}
			f.begin(o, text)
		}
		trimmed := strings.TrimSpace(text)
		if l.Marker {
			continue
		}
		switch n := len(f.open); {
		case l.Code == directive.Begins && n > 0 && f.open[n-1].group:
			fence := directive.OpenFence(trimmed)
			language, title := codeInfo(trimmed[len(fence):])
			f.tab(cmp.Or(title, words().FindStringSubmatch(trimmed)[1], language, "Code"))
			f.code, text = true, text[:len(text)-len(strings.TrimLeft(text, " \t"))]+fence+language
		case l.Code != directive.Prose:
		case trimmed == "$$":
			if inFormula = !inFormula; inFormula {
				text = "```math"
			} else {
				text = "```"
			}
		case inFormula:
		default:
			if m := summary().FindStringIndex(trimmed); m != nil && n > 0 {
				text = trimmed[m[1]:]
			}
			text = extended(text)
		}
		f.line(text)
	}
	if f.code {
		f.mark("/fold", "")
	}
	for len(f.open) > 0 {
		f.close()
	}
	return f.out.String()
}

// line writes a line inside of the open blocks.
func (f *framing) line(text string) {
	if strings.TrimSpace(text) != "" {
		f.joined = false
		if n := len(f.open); n > 0 {
			text = f.open[n-1].indent + text
		}
	}
	f.out.WriteString(text + "\n")
}

// mark writes a mark inside of the open blocks.
func (f *framing) mark(kind, title string) {
	if n := len(f.open); n > 0 {
		f.out.WriteString(strings.ReplaceAll(mark(kind, title), "\n\ue000", "\n"+f.open[n-1].indent+"\ue000"))
		return
	}
	f.out.WriteString(mark(kind, title))
}

// begin writes the frame of a block, which a line opens.
func (f *framing) begin(o directive.Opening, line string) {
	title, end := excerpt.Plain(o.Title), ""
	if title == "" && o.Leaf || strings.HasSuffix(o.Kind, "field") {
		title = o.Attribute("text", "name", "path", "query", "body", "header")
	}
	name := strings.ToUpper(o.Kind[:1]) + strings.ReplaceAll(o.Kind[1:], "-", " ")
	spaces := line[:len(line)-len(strings.TrimLeft(line, " \t"))]
	if n := len(f.open); n > 0 {
		spaces = f.open[n-1].indent + spaces
	}
	b := framedBlock{indent: spaces, group: o.Kind == "code-group" || o.Kind == "codegroup"}
	if n := len(f.open); n > 0 && o.Kind == "step" {
		f.open[n-1].steps++
		title = fmt.Sprintf("%d. %s", f.open[n-1].steps, cmp.Or(title, name))
	}
	f.open = append(f.open, b)
	switch alert := o.Alert(); {
	case o.Attribute("src") != "":
		f.line("\n![" + cmp.Or(o.Attribute("alt", "caption"), title) + "](<" + inLink().Replace(o.Attribute("src")) + ">)\n")
	case o.IsTab() && !o.Leaf:
		f.tab(cmp.Or(title, o.Attribute("value", "name"), "Tab"))
		end = "/fold"
	case o.Folds() && !o.Leaf:
		f.mark("fold", cmp.Or(title, name))
		end = "/fold"
	case alert != "" && !o.Leaf:
		f.mark(alert, cmp.Or(title, name))
		end = "/notice"
	case title != "":
		if to := o.Attribute("href", "to", "link", "url"); to != "" {
			f.line("\n**[" + title + "](<" + inLink().Replace(to) + ">)**\n")
		} else {
			f.mark("label", title)
		}
	}
	if text := o.Attribute("description", "desc"); text != "" {
		f.line(text + "\n")
	}
	f.joined = false
	if f.open = f.open[:len(f.open)-1]; !o.Leaf {
		b.end = end
		f.open = append(f.open, b)
	}
}

// inLink escapes a link of Markdown.
var inLink = sync.OnceValue(func() *strings.Replacer { return strings.NewReplacer("<", "%3C", ">", "%3E", "\n", " ") })

// tab writes the frame of a tab, which belongs to the group of the one before if nothing is between them.
func (f *framing) tab(title string) {
	kind := "tab"
	if !f.joined {
		f.tabs++
		kind = "first"
	}
	f.mark(fmt.Sprint(kind, f.tabs), title)
	f.joined = false
}

// close writes the end of the innermost frame.
func (f *framing) close() {
	b := f.open[len(f.open)-1]
	if b.end != "" {
		f.mark(b.end, "")
	}
	f.open = f.open[:len(f.open)-1]
	f.joined = b.end == "/fold"
}

// words matches the words of a title without quotes, as in Mintlify.
var words = lazyregexp.New(`^\S+\s*((?:[^\s={}]+(?:\s|$))*)`)

// summary matches the line of HTML that has the title of details.
var summary = lazyregexp.New(`^(?:<details[^>]*>\s*)?<summary[^>]*>(.*?)</summary>`)

// summaryOf returns the title of details that a line opens: in the line, or in one of the next.
func summaryOf(lines []directive.Line) string {
	for _, l := range lines {
		if m := summary().FindStringSubmatch(strings.TrimSpace(l.Text)); m != nil {
			return tags().ReplaceAllString(m[1], "")
		}
	}
	return ""
}

var (
	tags = lazyregexp.New(`<[^<>]*>`)
	// ticked and dollars match formulas as GitHub has them.
	ticked      = lazyregexp.New("\\$`+([^`]+)`+\\$")
	keys        = lazyregexp.New(`\+\+([a-z][a-z0-9+-]*[a-z0-9])\+\+`)
	highlighted = lazyregexp.New(`==([^\s=](?:[^=]*[^\s=])?)==`)
	dollars     = lazyregexp.New(`(^|[\s(])\$\$?([^\s$](?:[^$]*[^\s$\\])?)\$\$?([^\w$]|$)`)
)

// formula begins code that is a formula. It has no meaning in a text.
const formula = "\ue002"

// extended returns a line with its formulas as code, and with the marks of extensions of Markdown as HTML.
func extended(line string) string {
	if !strings.Contains(line, "$") && !strings.Contains(line, "==") && !strings.Contains(line, "++") {
		return line
	}
	parts := strings.Split(ticked().ReplaceAllString(line, "`"+formula+"$1`"), "`")
	for i := 0; i < len(parts); i += 2 { // outside code
		parts[i] = highlighted().ReplaceAllString(keys().ReplaceAllString(parts[i], "<kbd>$1</kbd>"), "<mark>$1</mark>")
		for range 2 { // the space between two formulas belongs to the first
			parts[i] = dollars().ReplaceAllString(parts[i], "$1`"+formula+"$2`$3")
		}
	}
	return strings.Join(parts, "`")
}
