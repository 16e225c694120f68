package prompts

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/jsondoc"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/nearest"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/uri"
)

// MaxText is the maximum size of a rendered prompt in bytes. Without a bound, a long value for an
// argument with many placeholders would produce text of any size.
const MaxText = 16 << 20

// A Prompt is a text with placeholders for arguments. It is immutable.
type Prompt struct {
	Name        string
	Title       string     // the name if the file has no title
	Description string     // the first sentence of the text if the file has no description; may be empty
	Arguments   []Argument // in the order of the file
	File        string     // below the project folder

	line  int // of the text, from 1
	parts []part
}

// A Link is a line of a prompt that stands for a resource, whatever the arguments are.
type Link struct {
	URI  string // as spelled in the line
	Line int    // from 1
}

// Links returns the lines that stand for resources. Those with placeholders in the URI are left
// out.
func (p *Prompt) Links() []Link {
	var links []Link
	line := p.line
	for _, part := range p.parts {
		if l := part.link; l != nil && len(l.uri) == 1 && !l.uri[0].placeholder {
			links = append(links, Link{l.uri[0].text, line})
		}
		for _, piece := range part.pieces {
			if !piece.placeholder {
				line += strings.Count(piece.text, "\n")
			}
		}
	}
	return links
}

// A Block is a part of a rendered prompt.
type Block struct {
	Text  string // for a resource, its line in the prompt, for use if the resource is not available
	URI   string // of a resource, as spelled in the line, with or without percent-encoding; else empty
	Image bool   // the line is an image
}

// An ArgumentError says what is wrong with one argument of a request. Its text is for the client.
type ArgumentError struct {
	Name   string
	Reason string // such as "is required"
}

func (e *ArgumentError) Error() string { return "argument " + jsondoc.Quote(e.Name) + " " + e.Reason }

// ArgumentErrors are the errors of several arguments of a request.
type ArgumentErrors []*ArgumentError

// Error returns all errors on one line.
func (es ArgumentErrors) Error() string {
	texts := make([]string, len(es))
	for i, e := range es {
		texts[i] = e.Error()
	}
	return strings.Join(texts, "; ")
}

// Unwrap lets [errors.As] find the first error.
func (es ArgumentErrors) Unwrap() []error {
	errs := make([]error, len(es))
	for i, e := range es {
		errs[i] = e
	}
	return errs
}

// maxErrors bounds the number of errors in one response.
const maxErrors = 10

// Render replaces the placeholders. It returns at least one block. embed, if not nil, reports
// whether the URI of a resource link becomes a block; if not, the line stays in the text around it.
// The error is an [*ArgumentError], or [ArgumentErrors] if there are several.
func (p *Prompt) Render(args map[string]string, embed func(uri string) bool) ([]Block, error) {
	values, err := p.values(args)
	if err != nil {
		return nil, err
	}
	if err := p.measure(values); err != nil {
		return nil, err
	}
	var blocks []Block
	var text []run
	for _, part := range p.parts {
		if part.link != nil {
			if to := part.link.expand(values); isResource(to) && (embed == nil || embed(to)) {
				blocks = appendText(blocks, text)
				text = nil
				line := strings.TrimRight(join(part.expand(nil, values)), " \t")
				blocks = append(blocks, Block{Text: line, URI: to, Image: part.link.image})
				continue
			}
		}
		text = part.expand(text, values)
	}
	if blocks = appendText(blocks, text); len(blocks) == 0 {
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
	var text []run
	for _, part := range p.parts {
		text = part.expand(text, values)
	}
	if blocks := appendText(nil, text); len(blocks) > 0 {
		return blocks[0].Text
	}
	return ""
}

// values returns the values of the arguments, in their order.
func (p *Prompt) values(args map[string]string) ([]string, error) {
	values := make([]string, len(p.Arguments))
	var errs ArgumentErrors
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
				errs = append(errs, &ArgumentError{a.Name, flaw})
			}
		case a.Required:
			errs = append(errs, &ArgumentError{a.Name, "is required"})
		case a.Default != nil:
			values[i] = *a.Default
		}
	}
	var unknown []string
	for name := range args {
		if !slices.Contains(names, name) {
			unknown = append(unknown, name)
		}
	}
	slices.Sort(unknown)
	for _, name := range unknown[:min(len(unknown), maxErrors)] {
		errs = append(errs, &ArgumentError{name, "is not known" + hint(name, names)})
	}
	switch len(errs) {
	case 0:
		return values, nil
	case 1:
		return nil, errs[0]
	}
	return nil, errs[:min(len(errs), maxErrors)]
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
	count := func(pieces []piece, factor int) {
		for _, pc := range pieces {
			if pc.placeholder {
				each[pc.argument] += factor * len(values[pc.argument])
				total += factor * len(values[pc.argument])
			} else {
				total += len(pc.text)
			}
		}
	}
	for _, part := range p.parts {
		count(part.pieces, 1)
		if part.link != nil {
			count(part.link.uri, 3) // each byte may become three
		}
	}
	if total <= MaxText {
		return nil
	}
	most := slices.Index(each, slices.Max(each)) // the file itself is shorter
	return &ArgumentError{p.Arguments[most].Name, fmt.Sprintf("makes the prompt longer than %d bytes", MaxText)}
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

// A run is a piece with its value.
type run struct {
	text  string
	value bool // the value of an argument, which is never trimmed
}

// expand appends the part with values for its placeholders.
func (p part) expand(runs []run, values []string) []run {
	for _, pc := range p.pieces {
		if pc.placeholder {
			runs = append(runs, run{values[pc.argument], true})
		} else {
			runs = append(runs, run{pc.text, false})
		}
	}
	return runs
}

func join(runs []run) string {
	var b strings.Builder
	for _, r := range runs {
		b.WriteString(r.text)
	}
	return b.String()
}

// expand returns the URI. The package comment says how values are encoded.
func (l *link) expand(values []string) string {
	if len(l.uri) == 1 && l.uri[0].placeholder {
		return values[l.uri[0].argument]
	}
	var b []byte
	for _, pc := range l.uri {
		if pc.placeholder {
			b = uri.AppendSegment(b, values[pc.argument])
		} else {
			b = append(b, pc.text...)
		}
	}
	return string(b)
}

// appendText appends a block of text without the author's blank lines at its ends, unless the rest
// is empty.
func appendText(blocks []Block, runs []run) []Block {
	runs = slices.DeleteFunc(runs, func(r run) bool { return r.text == "" })
	for len(runs) > 0 && !runs[0].value {
		text := runs[0].text
		for {
			line, rest, ok := strings.Cut(text, "\n")
			if !ok || strings.Trim(line, " \t") != "" {
				break
			}
			text = rest
		}
		if text != "" {
			runs[0].text = text
			break
		}
		runs = runs[1:]
	}
	for len(runs) > 0 && !runs[len(runs)-1].value {
		last := &runs[len(runs)-1]
		if last.text = strings.TrimRight(last.text, " \t\n"); last.text != "" {
			break
		}
		runs = runs[:len(runs)-1]
	}
	if len(runs) == 0 {
		return blocks
	}
	return append(blocks, Block{Text: join(runs)})
}
