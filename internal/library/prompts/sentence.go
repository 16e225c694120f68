package prompts

import (
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/directive"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/lazyregexp"
)

// maxSentence is the maximum length in bytes of a description that is made of the text.
const maxSentence = 200

var (
	// notProse matches lines that do not begin a sentence: headings, rules, HTML and tables.
	notProse = lazyregexp.New(`^(?:#{1,6}(?:\s|$)|[-*_=](?:\s*[-*_=]){2,}$|<|\|)`)
	// leading matches the marks of lists and quotes.
	leading = lazyregexp.New(`^(?:>\s?|[-*+]\s+|[0-9]{1,9}[.)]\s+)+`)
	// sentenceEnd matches the end of a sentence and the rest of the paragraph. A small letter does not begin a sentence:
	// the period before it ends an abbreviation.
	sentenceEnd = lazyregexp.New(`([.!?]["')\]]*)\s+[^\s\p{Ll}].*|([。！？]).*`)
)

// firstSentence returns the first sentence of Markdown without its markup, in one line, or "" if it has none outside of
// headings and code.
func firstSentence(text string) string {
	var paragraph []string
	var code directive.Fence
	for line := range strings.SplitSeq(text, "\n") {
		inside := inCode(&code, line)
		line = strings.TrimSpace(line)
		if inside || line == "" || notProse().MatchString(line) {
			if len(paragraph) > 0 {
				break
			}
			continue
		}
		mark := leading().FindString(line)
		if len(paragraph) > 0 && mark != "" && mark[0] != '>' {
			break // the next item of a list
		}
		paragraph = append(paragraph, line[len(mark):])
		if len(paragraph) == maxSentence {
			break
		}
	}
	sentence := sentenceEnd().ReplaceAllString(excerpt.Plain(excerpt.OneLine(strings.Join(paragraph, " "))), "$1$2")
	return excerpt.Ellipsis(sentence, maxSentence)
}
