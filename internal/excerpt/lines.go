package excerpt

import (
	"fmt"
	"strings"
)

// Lines are some lines of a text.
type Lines struct {
	Text        string
	First, Last int  // from 1
	Total       int  // of the whole text
	Broken      bool // the last line is cut
	Beyond      bool // the text has no line First
}

// LinesOf returns limit lines of a text, or all if that is 0, from the line offset on, as far as size bytes go.
func LinesOf(text string, offset, limit, size int) Lines {
	w := Lines{Total: strings.Count(text, "\n"), First: max(offset, 1)}
	if !strings.HasSuffix(text, "\n") && text != "" {
		w.Total++
	}
	if w.First > w.Total {
		w.Beyond = w.First > 1
		w.Last = w.Total
		return w
	}
	start := 0
	for range w.First - 1 {
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

// Partial reports whether the text has more than these lines.
func (w Lines) Partial() bool { return w.First > 1 || w.Last < w.Total || w.Broken }

// Missing says that the text has no such lines.
func (w Lines) Missing() string {
	return fmt.Sprintf("There is no line %d: the last one is %d.", w.First, w.Total)
}

// HowToGoOn tells a reader of the lines how to get what follows them, or is empty if nothing does.
func (w Lines) HowToGoOn() string {
	switch {
	case w.Broken && w.Last < w.Total:
		return fmt.Sprintf("\n\n[Line %d is too long and was cut. To go on behind it, use offset %d.]\n", w.Last, w.Last+1)
	case w.Broken:
		return fmt.Sprintf("\n\n[Line %d is too long and was cut.]\n", w.Last)
	case w.Last < w.Total:
		return fmt.Sprintf("\n[Lines %d to %d of %d. To go on, use offset %d.]\n", w.First, w.Last, w.Total, w.Last+1)
	}
	return ""
}
