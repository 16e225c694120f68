package docs

import (
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/excerpt"
)

const (
	passageSize = 1200 // bytes; longer sections are split at a paragraph, so that a passage is about one thing
	passageMost = 4096 // bytes; longer paragraphs are split wherever a line or word ends
)

// A span is the part of a document that makes one passage.
type span struct {
	heading    int // index of its heading, or -1
	start, end int // offsets
	line       int // of start, from 1
}

// spans splits a document. Each passage but a document's first begins at a heading or behind a blank line, where there
// are any in time.
func spans(text string, headings []excerpt.Heading) []span {
	var out []span
	start, line := 0, 1
	section := func(h, end int) {
		for start < end {
			next := end
			if end-start > passageSize {
				next = start + splitAt(text[start:end])
			}
			part := text[start:next]
			if strings.TrimSpace(part) != "" {
				out = append(out, span{heading: h, start: start, end: next, line: line})
			}
			line += strings.Count(part, "\n")
			start = next
		}
	}
	for i, h := range headings {
		section(i-1, h.Start)
	}
	section(len(headings)-1, len(text))
	return out
}

// splitAt returns where to split a text that is too long for one passage.
func splitAt(text string) int {
	for at := 0; at < len(text); {
		i := strings.Index(text[at:min(len(text), passageMost)], "\n\n")
		if i < 0 {
			break
		}
		at += i + 2
		if at >= passageSize/2 {
			return at
		}
	}
	if len(text) <= passageMost {
		return len(text)
	}
	window := text[:passageMost]
	if i := strings.LastIndexByte(window, '\n'); i > passageMost/2 {
		return i + 1
	}
	if i := strings.LastIndexByte(window, ' '); i > passageMost/2 {
		return i + 1
	}
	return len(excerpt.Cut(text, passageMost))
}
