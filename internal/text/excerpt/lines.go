package excerpt

import (
	"fmt"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/tokens"
)

// Lines is a range of lines of a text.
type Lines struct {
	Text        string
	First, Last int  // from 1
	Skipped     int  // bytes of line First that are skipped
	Total       int  // number of lines of the whole text
	Broken      bool // the last line is cut
	Beyond      bool // the text has no line First, or that line is shorter than Skipped
}

// MaxText is the number of bytes of a text in an answer.
const MaxText = 100 << 10

// LinesOf returns limit lines of a text, or all lines if limit is 0, starting at line offset, up to size bytes that take at most
// room tokens.
func LinesOf(text string, offset, limit, size, room int) Lines {
	return LinesFrom(text, offset, 0, limit, size, room)
}

// LinesFrom is [LinesOf] without the first skip bytes of the first line, so that a client can read
// a long line in parts. A skip into a character is reduced to the start of that character.
func LinesFrom(text string, offset, skip, limit, size, room int) Lines {
	w := linesFrom(text, offset, skip, limit, size)
	if n := tokens.Fit(w.Text, room); n < len(w.Text) {
		return linesFrom(text, offset, skip, limit, n)
	}
	return w
}

func linesFrom(text string, offset, skip, limit, size int) Lines {
	w := Lines{Total: CountLines(text), First: max(offset, 1)}
	if w.First > w.Total {
		w.Beyond = w.First > 1 || skip > 0
		w.Last = w.Total
		return w
	}
	start := 0
	for range w.First - 1 {
		start += strings.IndexByte(text[start:], '\n') + 1
	}
	if skip > 0 {
		line, _, _ := strings.Cut(text[start:], "\n")
		if skip >= len(line) {
			w.Beyond, w.Last = true, w.First
			return w
		}
		w.Skipped = len(Cut(line, skip))
		start += w.Skipped
	}
	end, n := start, 0
	for end < len(text) && (limit <= 0 || n < limit) {
		length := strings.IndexByte(text[end:], '\n') + 1
		if length == 0 {
			length = len(text) - end
		}
		if end+length-start > size {
			if n == 0 { // otherwise no line would be shown
				end, n, w.Broken = start+len(Cut(text[start:end+length], size)), 1, true
			}
			break
		}
		end += length
		n++
	}
	w.Text, w.Last = text[start:end], w.First+n-1
	return w
}

// CountLines returns the number of lines of a text.
func CountLines(text string) int {
	n := strings.Count(text, "\n")
	if !strings.HasSuffix(text, "\n") && text != "" {
		n++
	}
	return n
}

// After returns the lines with the numbers that they have after n other lines.
func (w Lines) After(n int) Lines {
	w.First, w.Last, w.Total = w.First+n, w.Last+n, w.Total+n
	return w
}

// Partial reports whether the text has more than these lines.
func (w Lines) Partial() bool { return w.First > 1 || w.Skipped > 0 || w.Last < w.Total || w.Broken }

// Missing returns the message that the text does not have these lines.
func (w Lines) Missing() string {
	if w.First <= w.Total {
		return fmt.Sprintf("Line %d has fewer bytes.", w.First)
	}
	return fmt.Sprintf("There is no line %d: the last one is %d.", w.First, w.Total)
}

// HowToGoOn returns the hint how to read the next lines, or "" if no lines follow.
func (w Lines) HowToGoOn() string {
	if !w.Broken {
		if w.Last < w.Total {
			return fmt.Sprintf("\n[Lines %d to %d of %d. To continue, use offset %d.]\n", w.First, w.Last, w.Total, w.Last+1)
		}
		return ""
	}
	how := ""
	if w.Last < w.Total {
		how = fmt.Sprintf(" To continue after it, use offset %d.", w.Last+1)
	}
	return fmt.Sprintf("\n\n[Line %d is too long and was cut.%s]\n", w.Last, how)
}
