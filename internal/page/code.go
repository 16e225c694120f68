package page

import (
	"html/template"
	"strings"
	"time"

	"github.com/alecthomas/chroma/v2"

	"github.com/mcp-docs-server/mcp-docs-server/internal/page/lexers"
)

const (
	// maxCode is how many bytes of code are highlighted, and codeTime how long that may take:
	// lexers are regular expressions that go back. What is left is plain.
	maxCode  = 128 << 10
	codeTime = 400 * time.Millisecond
)

// highlight marks the words of code. language is the name of one, or that of a file.
func highlight(language, code string) template.HTML {
	var b strings.Builder
	rest := code
	if lexer := lexers.Find(language); lexer != nil && len(code) <= maxCode {
		rest = marked(&b, chroma.Coalesce(lexer), code)
	}
	template.HTMLEscape(&b, []byte(rest))
	return template.HTML(b.String())
}

// marked writes code with its marks, as far as there is time, and returns what is left of it.
func marked(b *strings.Builder, lexer chroma.Lexer, code string) (rest string) {
	end := time.Now().Add(codeTime)
	// Without EnsureLF the tokens are the code, so that what is left is known.
	tokens, err := lexer.Tokenise(&chroma.TokeniseOptions{State: "root"}, code)
	if err != nil {
		return code
	}
	for n := 0; ; n++ {
		t := tokens()
		if t == chroma.EOF || !strings.HasPrefix(code, t.Value) {
			return code
		}
		code = code[len(t.Value):]
		if class := classOf(t.Type); class != "" {
			b.WriteString(`<span class="` + class + `">`)
			template.HTMLEscape(b, []byte(t.Value))
			b.WriteString("</span>")
		} else {
			template.HTMLEscape(b, []byte(t.Value))
		}
		if n%64 == 0 && time.Now().After(end) {
			return code
		}
	}
}

// classOf is the class of a kind of token: themes have colours for a few.
func classOf(t chroma.TokenType) string {
	switch {
	case t.InCategory(chroma.Comment):
		return "c"
	case t == chroma.KeywordConstant || t == chroma.LiteralNumber || t.InSubCategory(chroma.LiteralNumber):
		return "m"
	case t.InCategory(chroma.Keyword):
		return "k"
	case t.InSubCategory(chroma.LiteralString):
		return "s"
	case t == chroma.NameTag, t == chroma.NameFunction, t == chroma.NameClass, t == chroma.NameDecorator:
		return "nf"
	case t == chroma.NameAttribute, t == chroma.NameBuiltin, t == chroma.NameVariable:
		return "na"
	case t == chroma.GenericInserted:
		return "gi"
	case t == chroma.GenericDeleted:
		return "gd"
	}
	return ""
}
