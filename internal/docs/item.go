package docs

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
)

const (
	maxShown     = 256       // bytes of what a client sent that an answer repeats
	maxItem      = 100 << 10 // bytes of one text, unless the client sets a limit in lines
	maxAnswer    = 400 << 10 // bytes of all texts of an answer
	maxPaths     = 100       // of a request
	reserved     = 3 << 10   // bytes kept for each path that is still to be answered
	headerMargin = 2 << 10   // bytes of a text for what is not its body
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

// fail makes the item an error whose body repeats it.
func (t *item) fail(format string, args ...any) {
	t.body = fmt.Sprintf(format, args...)
	t.set("error", t.body)
}

func (t *item) String() string {
	return "---\n" + t.header.String() + "---\n\n" + t.body
}

// bare matches what YAML reads as the same string with and without quotes. What begins with anything but a letter or
// slash may be a number or date.
var bare = regexp.MustCompile(`^[A-Za-z/_][A-Za-z0-9/_.,()"'=+-]*( [A-Za-z0-9/_.,()"'=+-]+)*$`)

// words of YAML 1.1 and 1.2 that are no strings.
var reservedWords = regexp.MustCompile(`(?i)^(y|n|yes|no|on|off|true|false|null|nan|inf)$`)

// scalar writes a string as YAML. A JSON string is one, except that YAML wants some more characters escaped.
func scalar(s string) string {
	if bare.MatchString(s) && !reservedWords.MatchString(s) {
		return s
	}
	var b strings.Builder
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(s); err != nil {
		return `""` // strings can always be encoded
	}
	var out strings.Builder
	for _, r := range strings.TrimSuffix(b.String(), "\n") {
		if r >= 0x7f && r < 0xa0 || r == 0xfeff || r == 0xfffe || r == 0xffff {
			fmt.Fprintf(&out, `\u%04x`, r)
		} else {
			out.WriteRune(r)
		}
	}
	return out.String()
}

// A window is the lines of a body that are shown.
type window struct {
	text        string
	first, last int // lines, from 1
	total       int
	broken      bool // the last line is cut
	beyond      bool // there are no such lines
}

// look chooses lines of a text: limit of them, or all if that is 0, from the line offset on, as far as size bytes go.
func look(text string, offset, limit, size int) window {
	w := window{total: strings.Count(text, "\n"), first: max(offset, 1)}
	if !strings.HasSuffix(text, "\n") && text != "" {
		w.total++
	}
	if w.first > w.total {
		w.beyond = w.first > 1
		w.last = w.total
		return w
	}
	start := 0
	for range w.first - 1 {
		start += strings.IndexByte(text[start:], '\n') + 1
	}
	end, n := start, 0
	for end < len(text) && (limit <= 0 || n < limit) {
		length := strings.IndexByte(text[end:], '\n') + 1
		if length == 0 {
			length = len(text) - end
		}
		if end+length-start > size {
			if n == 0 { // no line would be shown at all
				end, n, w.broken = start+len(cut(text[start:end+length], size)), 1, true
			}
			break
		}
		end += length
		n++
	}
	w.text, w.last = text[start:end], w.first+n-1
	return w
}

// show makes the window the body, and says so where it is not the whole.
func (t *item) show(text string, offset, limit, size int) {
	w := look(text, offset, limit, size)
	switch {
	case w.beyond:
		t.fail("There is no line %d: the last one is %d.", w.first, w.total)
		return
	case w.first > 1 || w.last < w.total || w.broken:
		t.set("lines", fmt.Sprintf("%d-%d of %d", w.first, w.last, w.total))
	}
	t.body = w.text
	switch {
	case w.broken && w.last < w.total:
		t.body += fmt.Sprintf("\n\n[Line %d is too long and was cut. To go on behind it, use offset %d.]\n", w.last, w.last+1)
	case w.broken:
		t.body += fmt.Sprintf("\n\n[Line %d is too long and was cut.]\n", w.last)
	case w.last < w.total:
		t.body += fmt.Sprintf("\n[Lines %d to %d of %d. To go on, use offset %d.]\n", w.first, w.last, w.total, w.last+1)
	}
}
