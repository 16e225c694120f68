package prompts

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/jsondoc"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/nearest"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/uri"
)

// MaxText is the maximum size of a rendered prompt in bytes. Without a bound, a long value for an
// argument with many placeholders would produce text of any size.
const MaxText = 16 << 20

// A Prompt is a text with placeholders for arguments. It is immutable. Its JSON is a prompt of MCP; the JSON of an [Argument] is an argument of MCP.
type Prompt struct {
	Name  string `json:"name"`
	Title string `json:"title,omitempty"`
	// if the file has none, the first sentence of the text
	Description string     `json:"description,omitempty"`
	Arguments   []Argument `json:"arguments,omitempty"`
	File        string     `json:"-"`

	line  int
	parts []Part
}

// Parts returns the parts of the text, for programs that render the prompt as [Prompt.Render] does. They must not be changed.
func (p *Prompt) Parts() []Part { return p.parts }

// A Link is a line of a prompt that stands for a resource, whatever the arguments are.
type Link struct {
	URI  string // as spelled in the line
	Line int
}

// Links returns the lines that stand for resources. Those with placeholders in the URI are left
// out.
func (p *Prompt) Links() []Link {
	var links []Link
	line := p.line
	for _, part := range p.parts {
		if l := part.Link; l != nil && len(l.URI.Arguments) == 0 {
			links = append(links, Link{l.URI.Text, line})
		}
		line += strings.Count(part.Text, "\n")
	}
	return links
}

// A Block is a part of a rendered prompt.
type Block struct {
	Text  string // of a resource: its line, used if it is not available
	URI   string // of a resource, as spelled; else empty
	Image bool
}

// wrong says what is wrong with one argument of a request.
func wrong(name, reason string) string { return "argument " + jsondoc.Quote(name) + " " + reason }

// maxErrors bounds the number of errors in one response.
const maxErrors = 10

// Render replaces the placeholders. It returns at least one block. embed, if not nil, reports
// whether the URI of a resource link becomes a block; if not, the line stays in the text around it.
// The error, which is for the client, names all arguments that are wrong.
func (p *Prompt) Render(args map[string]string, embed func(uri string) bool) ([]Block, error) {
	values, err := p.values(args)
	if err != nil {
		return nil, err
	}
	if err := p.measure(values); err != nil {
		return nil, err
	}
	var blocks []Block
	var text draft
	for _, part := range p.parts {
		if part.Link != nil {
			if to := part.Link.expand(values); isResource(to) && (embed == nil || embed(to)) {
				blocks = appendText(blocks, text.template(), values)
				text = draft{}
				line := strings.TrimRight(part.expand(values), " \t")
				blocks = append(blocks, Block{Text: line, URI: to, Image: part.Link.Image})
				continue
			}
		}
		text.add(part.Template, values)
	}
	if blocks = appendText(blocks, text.template(), values); len(blocks) == 0 {
		blocks = []Block{{}}
	}
	return blocks, nil
}

// Text returns the prompt as one text. placeholder returns the text for each argument; links stay
// lines.
func (p *Prompt) Text(placeholder func(argument string) string) string {
	values := make([]string, len(p.Arguments))
	for i, a := range p.Arguments {
		values[i] = placeholder(a.Name)
	}
	var text draft
	for _, part := range p.parts {
		text.add(part.Template, values)
	}
	if blocks := appendText(nil, text.template(), values); len(blocks) > 0 {
		return blocks[0].Text
	}
	return ""
}

// values returns the values of the arguments, in their order.
func (p *Prompt) values(args map[string]string) ([]string, error) {
	values := make([]string, len(p.Arguments))
	var errs []string
	names := make([]string, len(p.Arguments))
	for i := range p.Arguments {
		a := &p.Arguments[i]
		names[i] = a.Name
		value, given := args[a.Name]
		given = given && !(value == "" && a.blank())
		switch {
		case given:
			values[i] = value
			if flaw := a.flaw(value); flaw != "" {
				errs = append(errs, wrong(a.Name, flaw))
			}
		case a.Required:
			errs = append(errs, wrong(a.Name, "is required"))
		case a.Default != nil:
			values[i] = *a.Default
		}
	}
	unknown := slices.DeleteFunc(slices.Sorted(maps.Keys(args)), func(name string) bool { return slices.Contains(names, name) })
	for _, name := range unknown[:min(len(unknown), maxErrors)] {
		errs = append(errs, wrong(name, "is not known"+hint(name, names)))
	}
	if len(errs) > 0 {
		return nil, errors.New(strings.Join(errs[:min(len(errs), maxErrors)], "; "))
	}
	return values, nil
}

// hint suggests a similar argument, or lists the arguments.
func hint(name string, names []string) string {
	if len(names) == 0 {
		return "; the prompt has no arguments"
	}
	if _, near := nearest.One(name, names); near {
		return meant(name, names)
	}
	return "; the prompt has " + oneOf(names)[len("one of "):]
}

// measure returns an error if the text would be longer than [MaxText].
func (p *Prompt) measure(values []string) error {
	total := 0
	each := make([]int, len(values))
	count := func(t Template, factor int) {
		for argument, text := range t.Pieces {
			if total += len(text); argument >= 0 {
				each[argument] += factor * len(values[argument])
				total += factor * len(values[argument])
			}
		}
	}
	for _, part := range p.parts {
		count(part.Template, 1)
		if part.Link != nil {
			count(part.Link.URI, 3) // percent-encoding
		}
	}
	if total <= MaxText {
		return nil
	}
	most := slices.Index(each, slices.Max(each))
	return errors.New(wrong(p.Arguments[most].Name, fmt.Sprintf("makes the prompt longer than %d bytes", MaxText)))
}

// Complete returns the values of an argument that begin with a prefix, ignoring case, in the order
// of the file. It returns false if the argument may have any value or does not exist.
func (p *Prompt) Complete(argument, prefix string) (values []string, ok bool) {
	i := slices.IndexFunc(p.Arguments, func(a Argument) bool { return a.Name == argument })
	if i < 0 {
		return nil, false
	}
	all := p.Arguments[i].Enum
	if p.Arguments[i].Type == TypeBoolean {
		all = []string{"true", "false"}
	}
	prefix = strings.ToLower(prefix)
	for _, v := range all {
		if strings.HasPrefix(strings.ToLower(v), prefix) {
			values = append(values, v)
		}
	}
	return values, len(all) > 0
}

// add appends a template without the placeholders whose values are empty.
func (d *draft) add(t Template, values []string) {
	for argument, text := range t.Pieces {
		if argument >= 0 && values[argument] != "" {
			d.text.WriteString(slot)
			d.arguments = append(d.arguments, argument)
		}
		d.text.WriteString(text)
	}
}

// expand returns the text with values for its placeholders.
func (t Template) expand(values []string) string {
	var b strings.Builder
	for argument, text := range t.Pieces {
		if argument >= 0 {
			b.WriteString(values[argument])
		}
		b.WriteString(text)
	}
	return b.String()
}

// expand returns the URI. The package comment says how values are encoded.
func (l *PartLink) expand(values []string) string {
	if l.URI.Text == slot {
		return l.URI.expand(values)
	}
	var b []byte
	for argument, text := range l.URI.Pieces {
		if argument >= 0 {
			b = uri.AppendSegment(b, values[argument])
		}
		b = append(b, text...)
	}
	return string(b)
}

// appendText appends a block of text without the author's blank lines at its ends, unless the rest
// is empty. Values are never trimmed.
func appendText(blocks []Block, t Template, values []string) []Block {
	for {
		line, rest, ok := strings.Cut(t.Text, "\n")
		if !ok || strings.Trim(line, " \t") != "" {
			break
		}
		t.Text = rest
	}
	if t.Text = strings.TrimRight(t.Text, " \t\n"); t.Text == "" {
		return blocks
	}
	return append(blocks, Block{Text: t.expand(values)})
}

// The types of an argument. MCP sends all of them as strings.
const (
	TypeString  = "string"
	TypeNumber  = "number" // decimal, as in Go and JSON
	TypeBoolean = "boolean"
)

var types = []string{TypeString, TypeNumber, TypeBoolean}

// An Argument is a parameter of a prompt.
type Argument struct {
	Name        string   `json:"name"`
	Title       string   `json:"title,omitempty"`
	Description string   `json:"description,omitempty"`
	Type        string   `json:"-"`
	Required    bool     `json:"required"`
	Enum        []string `json:"-"` // allowed values; none: any
	Default     *string  `json:"-"`
}

// blank reports whether an empty string counts as an argument that is not given.
func (a *Argument) blank() bool {
	return !a.Required && (a.Type != TypeString || len(a.Enum) > 0 && !slices.Contains(a.Enum, ""))
}

// flaw returns what is wrong with a value, as the end of a sentence about the argument, or "".
func (a *Argument) flaw(value string) string {
	switch {
	case a.Type == TypeNumber && !isNumber(value):
		return "is " + jsondoc.Quote(value) + ", must be a number"
	case a.Type == TypeBoolean && value != "true" && value != "false":
		return "is " + jsondoc.Quote(value) + `, must be "true" or "false"`
	case len(a.Enum) > 0 && !a.lists(value):
		return "is " + jsondoc.Quote(value) + ", must be " + oneOf(a.Enum) + meant(value, a.Enum)
	}
	return ""
}

// lists reports whether the enumeration contains a value. Numbers are compared by value, not by
// spelling.
func (a *Argument) lists(value string) bool {
	if a.Type != TypeNumber {
		return slices.Contains(a.Enum, value)
	}
	n, _ := strconv.ParseFloat(value, 64)
	return slices.ContainsFunc(a.Enum, func(s string) bool {
		m, _ := strconv.ParseFloat(s, 64)
		return m == n
	})
}

// isNumber reports whether a string is a finite decimal number. Go also accepts infinities,
// hexadecimal digits and the like, which the reader of the prompt may not.
func isNumber(s string) bool {
	_, err := strconv.ParseFloat(s, 64)
	return err == nil && strings.Trim(s, "+-.0123456789eE") == ""
}

// oneOf lists values for a message, the first of them if there are many.
func oneOf(values []string) string {
	const most = 20
	var quoted []string
	for _, v := range values[:min(len(values), most)] {
		quoted = append(quoted, jsondoc.Quote(v))
	}
	text := "one of " + strings.Join(quoted, ", ")
	if more := len(values) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// The meanings of the words between double braces.
type wording int

const (
	isText wording = iota
	isName
	isMistake
)

const nameRule = `a name is made of letters, digits, "_", "-" and ".", and begins with a letter, a digit or "_"`

// wordingOf classifies words. Three dots in front are the spread syntax of JSX.
func wordingOf(s string) wording {
	if s == "" || strings.HasPrefix(s, "...") {
		return isText
	}
	result := isName
	for i, r := range s {
		switch {
		case r == '_', unicode.IsLetter(r), unicode.IsDigit(r):
		case i > 0 && (r == '-' || r == '.' || unicode.IsMark(r)):
		case r == '-' || r == '.' || r == ' ' || r == '\t':
			result = isMistake
		default:
			return isText
		}
	}
	return result
}
