package prompts

import (
	"errors"
	"fmt"
	"maps"
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
	parts []Part
}

// Parts returns the parts of the text, for programs that render the prompt as [Prompt.Render] does. They must not be changed.
func (p *Prompt) Parts() []Part { return p.parts }

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
		if l := part.Link; l != nil && len(l.URI) == 1 && !l.URI[0].Placeholder {
			links = append(links, Link{l.URI[0].Text, line})
		}
		for _, piece := range part.Pieces {
			if !piece.Placeholder {
				line += strings.Count(piece.Text, "\n")
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
	var text []run
	for _, part := range p.parts {
		if part.Link != nil {
			if to := part.Link.expand(values); isResource(to) && (embed == nil || embed(to)) {
				blocks = appendText(blocks, text)
				text = nil
				line := strings.TrimRight(join(part.expand(nil, values)), " \t")
				blocks = append(blocks, Block{Text: line, URI: to, Image: part.Link.Image})
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
	count := func(pieces []Piece, factor int) {
		for _, pc := range pieces {
			if pc.Placeholder {
				each[pc.Argument] += factor * len(values[pc.Argument])
				total += factor * len(values[pc.Argument])
			} else {
				total += len(pc.Text)
			}
		}
	}
	for _, part := range p.parts {
		count(part.Pieces, 1)
		if part.Link != nil {
			count(part.Link.URI, 3) // each byte may become three
		}
	}
	if total <= MaxText {
		return nil
	}
	most := slices.Index(each, slices.Max(each)) // the file itself is shorter
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

// A run is a piece with its value.
type run struct {
	text  string
	value bool // the value of an argument, which is never trimmed
}

// expand appends the part with values for its placeholders.
func (p Part) expand(runs []run, values []string) []run {
	for _, pc := range p.Pieces {
		if pc.Placeholder {
			runs = append(runs, run{values[pc.Argument], true})
		} else {
			runs = append(runs, run{pc.Text, false})
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
func (l *PartLink) expand(values []string) string {
	if len(l.URI) == 1 && l.URI[0].Placeholder {
		return values[l.URI[0].Argument]
	}
	var b []byte
	for _, pc := range l.URI {
		if pc.Placeholder {
			b = uri.AppendSegment(b, values[pc.Argument])
		} else {
			b = append(b, pc.Text...)
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
