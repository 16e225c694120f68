package page

import (
	"bytes"
	"html/template"
	"strings"
	"time"

	"github.com/alecthomas/chroma/v2"
	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/util"
	"golang.org/x/net/html"

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

// A codeRenderer highlights blocks of code. It omits raw HTML, but images that have a target.
type codeRenderer struct{ links linker }

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
	r.Register(ast.KindHTMLBlock, c.html)
	r.Register(ast.KindRawHTML, c.html)
}

func (c *codeRenderer) html(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkSkipChildren, nil
	}
	switch n := n.(type) {
	case *ast.RawHTML:
		c.images(w, n.Segments.Value(source), "", "")
	case *ast.HTMLBlock:
		c.images(w, n.Lines().Value(source), "<p>", "</p>\n")
	}
	return ast.WalkSkipChildren, nil
}

// images writes the images in raw HTML that have a target, between two texts.
func (c *codeRenderer) images(w util.BufWriter, raw []byte, before, after string) {
	if c.links == nil || !bytes.Contains(raw, []byte("<img")) {
		return
	}
	for tokens := html.NewTokenizer(bytes.NewReader(raw)); tokens.Next() != html.ErrorToken; {
		t := tokens.Token()
		if t.Data != "img" {
			continue
		}
		named := make(map[string]string)
		for _, a := range t.Attr {
			named[a.Key] = a.Val
		}
		if to := c.links(named["src"], true); to != "" {
			_, _ = w.WriteString(before)
			image := html.Token{Type: html.SelfClosingTagToken, Data: "img", Attr: []html.Attribute{{Key: "src", Val: to}, {Key: "alt", Val: named["alt"]}}}
			_, _ = w.WriteString(image.String() + after)
		}
	}
}

// codeTitle matches the title of code, or its name in a group.
var codeTitle = lazyregexp.New(`\b(?:title|filename|file)=["\']([^"\']+)["\']|\[([^\]]+)\]$`)

func (c *codeRenderer) fenced(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	block := n.(*ast.FencedCodeBlock)
	var code strings.Builder
	for i := range block.Lines().Len() {
		line := block.Lines().At(i)
		code.Write(line.Value(source))
	}
	label, info := "", ""
	if block.Info != nil {
		info = string(block.Info.Segment.Value(source))
	}
	if m := codeTitle().FindStringSubmatch(info); m != nil {
		label = m[1] + m[2]
	} else if strings.HasPrefix(info, "mermaid") {
		label = "Diagram in Mermaid"
	}
	if label != "" {
		_, _ = w.WriteString(`<p class="label">` + template.HTMLEscapeString(label) + "</p>\n")
	}
	_, _ = w.WriteString(`<pre class="code"><code>`)
	_, _ = w.WriteString(string(highlight(string(block.Language(source)), code.String())))
	_, _ = w.WriteString("</code></pre>\n")
	return ast.WalkSkipChildren, nil
}
