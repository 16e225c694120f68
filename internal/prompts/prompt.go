package prompts

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/jsondoc"
	"github.com/mcp-docs-server/mcp-docs-server/internal/nearest"
	"github.com/mcp-docs-server/mcp-docs-server/internal/uri"
)

// MaxText is how long, in bytes, a prompt may become when it is filled in. Without a bound, a long value for an argument
// with many placeholders would become text of any size.
const MaxText = 16 << 20

// A Prompt is a text with places for arguments. It never changes.
type Prompt struct {
	Name        string
	Title       string     // the name where the file gives none
	Description string     // may be empty
	Arguments   []Argument // in the order of the file
	File        string     // below the project folder

	parts []part
}

// A Block is a stretch of a prompt that is filled in.
type Block struct {
	Text  string // of a resource, the line that stands for it, for where it cannot be had
	URI   string // of a resource as the line spells it, with or without percent-encoding; else empty
	Image bool   // the resource stands there as an image
}

// An ArgumentError says what is wrong with one argument of a request. Its text is for whoever made the request.
type ArgumentError struct {
	Name   string
	Reason string // such as "is required"
}

func (e *ArgumentError) Error() string { return "argument " + jsondoc.Quote(e.Name) + " " + e.Reason }

// ArgumentErrors are what is wrong with several arguments of a request.
type ArgumentErrors []*ArgumentError

// Error returns all of them on one line.
func (es ArgumentErrors) Error() string {
	texts := make([]string, len(es))
	for i, e := range es {
		texts[i] = e.Error()
	}
	return strings.Join(texts, "; ")
}

// Unwrap lets [errors.As] find the first.
func (es ArgumentErrors) Unwrap() []error {
	errs := make([]error, len(es))
	for i, e := range es {
		errs[i] = e
	}
	return errs
}

// maxErrors bounds what one request is told.
const maxErrors = 10

// Render fills the prompt in. There is at least one block. embed, if not nil, is asked whether the URI of a resource
// block is to be one; a line for which it says no stays in the text around it. The error is an [*ArgumentError], or
// [ArgumentErrors] where there are several.
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

// Text returns the prompt as one text, in which placeholder says what stands for each argument: links stay lines.
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

// values returns what stands in the places of the arguments, in their order.
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

// hint says which argument is meant, or which there are.
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
	most := slices.Index(each, slices.Max(each)) // the file alone is shorter
	return &ArgumentError{p.Arguments[most].Name, fmt.Sprintf("makes the prompt longer than %d bytes", MaxText)}
}

// Complete returns the values of an argument that begin with a prefix, in whatever case, in the order of the file. It is
// false for an argument that may have any value, or is none.
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
	value bool // of an argument: nothing of it is cut off
}

// expand appends the pieces of the part with their values.
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

// expand returns the URI. See the package comment for what becomes of the values.
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

// appendText appends a block of text without the blank lines that the author put at its ends, if anything is left.
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
