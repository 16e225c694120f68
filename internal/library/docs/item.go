package docs

import (
	"fmt"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/jsonwire"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/lazyregexp"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/tokens"
)

const (
	maxShown       = 256 // bytes of a client's text that an answer repeats
	maxLeftOut     = 40  // of a path without an answer
	maxPaths       = 100 // of a request
	leastRoom      = 90  // tokens kept for a path that is not answered yet, and
	usualRoom      = 750 // if there are few
	lineMargin     = 60  // tokens of what says how to go on
	maxHeadings    = 20  // offered if a section is not found
	maxOutline     = 40  // headings of a document
	maxLongOutline = 200 // of one of which only the beginning is shown
)

// An item is one text of an answer.
type item struct {
	header strings.Builder
	body   string
}

// set adds a line to the YAML.
func (t *item) set(key, value string) {
	fmt.Fprintf(&t.header, "%s: %s\n", key, scalar(value))
}

// fail sets the error of the item and repeats it in the body.
func (t *item) fail(format string, args ...any) {
	t.body = fmt.Sprintf(format, args...)
	t.set("error", t.body)
}

func (t *item) String() string {
	return "---\n" + t.header.String() + "---\n\n" + t.body
}

// bare matches strings that YAML reads the same with and without quotes. A string that begins with
// anything except a letter or slash may be a number or date.
var bare = lazyregexp.New(`^[A-Za-z/_][A-Za-z0-9/_.,()"'=+-]*( [A-Za-z0-9/_.,()"'=+-]+)*$`)

// words of YAML 1.1 and 1.2 that are not strings.
var reservedWords = lazyregexp.New(`(?i)^(y|n|yes|no|on|off|true|false|null|nan|inf)$`)

// scalar writes a string as YAML. A JSON string is valid YAML, except that YAML requires more
// characters to be escaped.
func scalar(s string) string {
	if bare().MatchString(s) && !reservedWords().MatchString(s) {
		return s
	}
	var out strings.Builder
	for _, r := range string(jsonwire.AppendString(nil, s)) {
		if r >= 0x7f && r < 0xa0 || r == 0xfeff || r == 0xfffe || r == 0xffff {
			fmt.Fprintf(&out, `\u%04x`, r)
		} else {
			out.WriteRune(r)
		}
	}
	return out.String()
}

// outlined is the size in bytes of the shortest text whose headings an answer lists.
const outlined = 8 << 10

// outline adds the headings of a long text to the YAML, with their lines. If there are more than most, the deepest ones are left out,
// unless the title would be alone.
func (t *item) outline(text string, all []excerpt.Heading, most int) {
	if len(text) < outlined {
		return
	}
	var levels []int // of the headings around a heading
	depths, counts := make([]int, len(all)), [6]int{}
	for i, h := range all {
		for len(levels) > 0 && levels[len(levels)-1] >= h.Level {
			levels = levels[:len(levels)-1]
		}
		depths[i] = len(levels)
		counts[len(levels)]++
		levels = append(levels, h.Level)
	}
	depth, total := 0, counts[0]
	for depth+1 < len(counts) && (total+counts[depth+1] <= most || total < 2) {
		depth++
		total += counts[depth]
	}
	var headings []string
	for i, h := range all {
		if depths[i] <= depth {
			headings = append(headings, fmt.Sprintf("%d %s %s", h.Line, strings.Repeat("-", depths[i]), h.Text))
		}
	}
	t.list("outline", headings, most)
}

// show sets the body to the window of a part of a text, and adds the numbers of its lines if it is not the whole text. offset
// and the numbers count the lines of the text. The window has at most size bytes, and the item at most room tokens.
func (t *item) show(text string, part excerpt.Section, offset, limit, size, room int) {
	room -= tokens.Estimate(t.header.String()) + lineMargin
	lines := excerpt.LinesOf(part.Text, offset-part.Line+1, limit, size, room).After(part.Line - 1)
	if lines.Beyond {
		t.fail("%s", lines.Missing())
		return
	}
	t.body = lines.Text + lines.HowToGoOn()
	if lines.Total = excerpt.CountLines(text); lines.Partial() {
		t.set("lines", fmt.Sprintf("%d-%d of %d", lines.First, lines.Last, lines.Total))
	}
}
