package page

import (
	"html/template"
	"strings"
	"time"

	"github.com/alecthomas/chroma/v2"
	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/util"

	"github.com/mcp-docs-server/mcp-docs-server/internal/page/lexers"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/lazyregexp"
)

const (
	// maxCode is how many bytes of code are highlighted, and codeTime how long that may take:
	// lexers are regular expressions that backtrack. The rest is plain text.
	maxCode  = 128 << 10
	codeTime = 400 * time.Millisecond
)

// highlight returns code with its tokens marked. language is a language or a file name.
func highlight(language, code string) template.HTML {
	var b strings.Builder
	rest := code
	if lexer := lexers.Find(language); lexer != nil && len(code) <= maxCode {
		rest = marked(&b, chroma.Coalesce(lexer), code)
	}
	template.HTMLEscape(&b, []byte(rest))
	return template.HTML(b.String())
}

// marked writes marked code until its time is over, and returns the rest of the code.
func marked(b *strings.Builder, lexer chroma.Lexer, code string) (rest string) {
	end := time.Now().Add(codeTime)
	// Without EnsureLF, the tokens together are the code, so the rest is known.
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

// classOf returns the CSS class of a token type, or "". Themes have colours for a few classes.
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

// A codeRenderer highlights blocks of code, and writes links and raw HTML.
type codeRenderer struct {
	links  linker
	linked bool // in a link
}

func (c *codeRenderer) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindFencedCodeBlock, c.fenced)
	r.Register(east.KindTaskCheckBox, func(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
		if box := "☐ "; entering {
			if n.(*east.TaskCheckBox).IsChecked {
				box = "☑ "
			}
			_, _ = w.WriteString(box) // not an input, which would need a label
		}
		return ast.WalkContinue, nil
	})
	r.Register(ast.KindLink, c.link)
	r.Register(ast.KindImage, c.image)
	r.Register(ast.KindHTMLBlock, c.html)
	r.Register(ast.KindRawHTML, c.html)
}

var (
	// codeLanguage matches the language of code: js {1,3}, {.python .x}, {code-block} python, ts:line-numbers, rust,ignore.
	codeLanguage = lazyregexp.New(`^(?:\{code[\w-]*\}|[{.\s])*([\w+#-]*)`)
	// codeTitle matches the title of code, or its name in a group.
	codeTitle = lazyregexp.New(`\b(?:title|filename|file)=["\']([^"\']+)["\']|\s\[([^\[\]"]+)\]`)
	// codeOption matches an option of code in MyST.
	codeOption = lazyregexp.New(`^(?::[\w-]+:.*\n)+\n?`)
)

// codeInfo returns the language and the title that the first line of code names.
func codeInfo(info string) (language, title string) {
	if m := codeTitle().FindStringSubmatch(info); m != nil {
		title = m[1] + m[2]
	}
	return codeLanguage().FindStringSubmatch(info)[1], title
}

func (c *codeRenderer) fenced(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	block, info := n.(*ast.FencedCodeBlock), ""
	code := string(block.Lines().Value(source))
	if block.Info != nil {
		info = string(block.Info.Segment.Value(source))
	}
	language, label := codeInfo(info)
	if label == "" && language == "mermaid" {
		label = "Diagram in Mermaid"
	}
	if strings.HasPrefix(info, "{") {
		if code = codeOption().ReplaceAllString(code, ""); code == "" {
			return ast.WalkSkipChildren, nil
		}
	}
	if label != "" {
		_, _ = w.WriteString(`<p class="label">` + template.HTMLEscapeString(label) + "</p>\n")
	}
	_, _ = w.WriteString(`<pre class="code"><code>` + string(highlight(language, code)) + "</code></pre>\n")
	return ast.WalkSkipChildren, nil
}
