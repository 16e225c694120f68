package excerpt

import (
	"strings"
	"unicode"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/lazyregexp"
)

// maxQuoted is how many characters of a name stand in a sentence of the server.
const maxQuoted = 60

// sentenceEnd finds where a name could end the sentence around it and begin another one.
var sentenceEnd = lazyregexp.New(`[.!?:;](?: |$)|[。！？：；．｡।؟۔]`)

// Quote returns a name in quotation marks as [Name] returns it, or "" if nothing is left.
func Quote(name string) string {
	if name = Name(name); name == "" {
		return ""
	}
	return `"` + name + `"`
}

// Name returns a name from a file, such as a title, for a sentence that the server says to a model. The author of the file must
// not speak in that sentence: the name is cut where a sentence ends, and after 60 characters. It has no line breaks, no control or
// invisible characters, and no brackets of marks for models, such as "<|im_start|>" and "[INST]". Paths and URIs that a client
// passes back must not be cut.
func Name(name string) string {
	name = OneLine(strings.Map(func(r rune) rune {
		switch {
		case strings.ContainsRune("<>[]|｜`", r):
			return ' '
		case strings.ContainsRune(`"“”„‟«»`, r):
			return '\''
		case unicode.IsSpace(r), unicode.IsPrint(r) && !unicode.In(r, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point):
			return r
		}
		return -1
	}, strings.ToValidUTF8(Cut(name, 4<<10), "")))
	for _, part := range sentenceEnd().Split(name, -1) {
		if name = strings.TrimSpace(part); name != "" {
			break
		}
	}
	if characters := []rune(name); len(characters) > maxQuoted {
		name = strings.TrimSpace(string(characters[:maxQuoted-1])) + "…"
	}
	return name
}
