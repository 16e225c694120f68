package prompts

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/media"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/rootfs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/frontmatter"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/jsondoc"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/nearest"
)

// Bounds on one file. They are far above the needs of a prompt that a person reads and fills in.
const (
	MaxFileSize  = 1 << 20
	MaxArguments = 256
	maxProblems  = 100
)

var errTooLarge = fmt.Errorf("is larger than %d bytes", MaxFileSize)

// readFile reads a file.
func readFile(fsys fs.FS, name string) ([]byte, error) {
	data, err := rootfs.ReadFile(fsys, name, MaxFileSize)
	if errors.Is(err, rootfs.ErrTooLarge) {
		err = errTooLarge
	}
	return data, err
}

// parse parses a prompt. The prompt is nil if and only if the problems contain an error.
func parse(file, name string, data []byte) (*Prompt, jsondoc.Problems) {
	r := &report{file: file}
	p := &Prompt{Name: name, Title: name, File: file}
	content := media.Classify("prompt.md", "", data) // .mdx files are text by the same rules
	if !content.IsText {
		r.add(0, 0, false, "is not text in UTF-8")
		return nil, r.problems
	}
	text := strings.TrimPrefix(content.Text, "\ufeff")
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text)

	var head header
	body, line := text, 1
	if front, began := frontmatter.Find(text); began {
		if front.End == 0 {
			within := ""
			if len(text) > frontmatter.MaxSize {
				within = fmt.Sprintf(" within %d bytes", frontmatter.MaxSize)
			}
			r.add(1, 1, false, "the front matter that begins here has no closing ---%s", within)
			return nil, r.problems
		}
		body, line = text[front.End:], front.Line
		head = readHeader(r, front.YAML)
		if head.title != "" {
			p.Title = excerpt.OneLine(head.title)
		}
		p.Description = head.description
	}
	p.Arguments, p.line = head.arguments, line
	t := readText(r, body, line)
	if !head.broken {
		p.parts = t.bind(r, head)
		if p.Description == "" && r.errors == 0 {
			p.Description = excerpt.Seen(firstSentence(p.Text(func(argument string) string { return "{" + argument + "}" })))
		}
	}
	if strings.TrimSpace(body) == "" {
		r.add(line, 0, true, "the prompt has no text")
	}
	r.problems.Sort()
	if r.errors > 0 {
		p = nil
	}
	return p, r.problems
}

// A report collects the problems of one file.
type report struct {
	file     string
	problems jsondoc.Problems
	errors   int // counts also those beyond the bound
}

// hasRoom reports whether the report has room for one more problem. It always has room for the
// first error.
func (r *report) hasRoom(warning bool) bool {
	return len(r.problems) < maxProblems || !warning && r.errors == 0
}

func (r *report) add(line, column int, warning bool, format string, args ...any) {
	if r.hasRoom(warning) {
		r.problems = append(r.problems, jsondoc.Problem{
			File: r.file, Line: line, Column: column, Reason: fmt.Sprintf(format, args...), Warning: warning,
		})
	}
	if !warning {
		r.errors++
	}
}

// meant suggests the name that is most similar to a word.
func meant(word string, names []string) string {
	if name, ok := nearest.One(word, names); ok {
		return "; did you mean " + jsondoc.Quote(name) + "?"
	}
	return ""
}
