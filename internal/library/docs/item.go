package docs

import (
	"fmt"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/jsonwire"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/lazyregexp"
)

const (
	maxShown     = 256       // bytes of a client's text that an answer repeats
	maxItem      = 100 << 10 // bytes of one text, unless the client sets a limit in lines
	maxAnswer    = 400 << 10 // bytes of all texts of an answer
	maxPaths     = 100       // of a request
	reserved     = 3 << 10   // bytes reserved for each path that is not answered yet
	headerMargin = 2 << 10   // bytes of a text outside its body
	maxHeadings  = 20        // offered if a section is not found
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

// show sets the body to the window, and adds the line numbers if the window is not the whole text.
func (t *item) show(text string, offset, limit, size int) {
	lines := excerpt.LinesOf(text, offset, limit, size)
	if lines.Beyond {
		t.fail("%s", lines.Missing())
		return
	}
	if lines.Partial() {
		t.set("lines", fmt.Sprintf("%d-%d of %d", lines.First, lines.Last, lines.Total))
	}
	t.body = lines.Text + lines.HowToGoOn()
}
