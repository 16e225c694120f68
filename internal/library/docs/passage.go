package docs

import (
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/directive"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
)

const (
	passageSize = 1200 // bytes; longer sections are split at a paragraph, so that a passage is about one thing
	passageMost = 4096 // bytes; longer paragraphs are split at the end of a line or word
)

// section splits a text that begins at the end of the previous one into passages. Each passage except the first of a
// document begins at a heading or after a blank line, if there is one within the size limit.
func (p *docWriter) section(text string) {
	for text != "" {
		next := len(text)
		if next > passageSize {
			next = splitAt(text)
		}
		part := text[:next]
		if strings.TrimSpace(part) != "" {
			p.passage(part)
		}
		if p.fence = fenceAfter(part, p.fence); next == len(text) { // code ends with its section
			p.fence = ""
		}
		p.line += strings.Count(part, "\n")
		p.offset += next
		text = text[next:]
	}
}

// splitAt returns where to split a text that is too long for one passage.
func splitAt(text string) int {
	for offset := 0; offset < len(text); {
		i := strings.Index(text[offset:min(len(text), passageMost)], "\n\n")
		if i < 0 {
			break
		}
		offset += i + 2
		if offset >= passageSize/2 {
			return offset
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

// fenceAfter returns the fence of the code that a text begins and does not end, or "". fence is the fence of the code in which
// the text begins.
func fenceAfter(text, fence string) string {
	if !strings.Contains(text, "```") && !strings.Contains(text, "~~~") {
		return fence
	}
	f := directive.Fence(fence)
	for line := range strings.Lines(text) {
		line = strings.TrimLeft(strings.TrimRight(line, " \t\r\n"), "> \t")
		f.Read(line)
	}
	return string(f)
}
