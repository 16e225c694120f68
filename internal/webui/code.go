package webui

import (
	"context"
	"embed"
	"html/template"
	"io/fs"
	"strings"
	"sync"
	"time"

	"github.com/alecthomas/chroma/v2"
	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/util"
	"golang.org/x/sync/semaphore"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/lazyregexp"
)

const (
	// maxCode is how many bytes of code are highlighted, codeTime how long that may take for a block of code, and pageTime for all
	// blocks of a page. Lexers are regular expressions that backtrack: one token can take seconds. The rest is plain text.
	maxCode  = 128 << 10
	codeTime = 400 * time.Millisecond
	pageTime = 3 * codeTime
)

// lexing bounds how many blocks are highlighted at a time, with those whose time is over and whose token has not ended.
var lexing = semaphore.NewWeighted(2)

// pageLeft is the key of a [*time.Duration] in the context of a page: what is left of [pageTime].
type pageLeft struct{}

// withPageTime returns the context of a page, whose blocks of code share their time.
func withPageTime(ctx context.Context) context.Context {
	if ctx.Value(pageLeft{}) != nil {
		return ctx
	}
	return context.WithValue(ctx, pageLeft{}, new(pageTime))
}

// highlight returns code with its tokens marked. language is a language or a file name.
func highlight(ctx context.Context, language, code string) template.HTML {
	var b strings.Builder
	rest, began := code, time.Now()
	ctx = withPageTime(ctx)
	if left := ctx.Value(pageLeft{}).(*time.Duration); *left > 0 && len(code) <= maxCode {
		ctx, cancel := context.WithTimeout(ctx, min(codeTime, *left))
		if lexer := findLexer(language); lexer != nil {
			rest = marked(ctx, &b, lexer, code)
		}
		cancel()
		*left -= time.Since(began)
	}
	template.HTMLEscape(&b, []byte(rest))
	return template.HTML(b.String())
}

// marked writes marked code until ctx ends, and returns the rest of the code. The lexer then goes on to the end of its token.
func marked(ctx context.Context, b *strings.Builder, lexer chroma.Lexer, code string) (rest string) {
	if lexing.Acquire(ctx, 1) != nil {
		return code
	}
	tokens := make(chan chroma.Token, 100)
	go func() {
		defer lexing.Release(1)
		defer close(tokens)
		defer func() { _ = recover() }() // the rest is plain text
		// Without EnsureLF, the tokens together are the code, so the rest is known.
		next, err := lexer.Tokenise(&chroma.TokeniseOptions{State: "root"}, code)
		for err == nil {
			t := next()
			if t == chroma.EOF {
				return
			}
			select {
			case tokens <- t:
			case <-ctx.Done():
				return
			}
		}
	}()
	class := ""
	open := func(next string) {
		if class != next && class != "" {
			b.WriteString("</span>")
		}
		if class != next && next != "" {
			b.WriteString(`<span class="` + next + `">`)
		}
		class = next
	}
	defer open("")
	for {
		select {
		case t, ok := <-tokens:
			if !ok || !strings.HasPrefix(code, t.Value) {
				return code
			}
			open(classOf(t.Type))
			code = code[len(t.Value):]
			template.HTMLEscape(b, []byte(t.Value))
		case <-ctx.Done():
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
	ctx    context.Context
	links  linker
	linked bool
}

func (c *codeRenderer) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindFencedCodeBlock, c.fenced)
	r.Register(east.KindTaskCheckBox, func(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
		if box := "☐ "; entering {
			if n.(*east.TaskCheckBox).IsChecked {
				box = "☑ "
			}
			_, _ = w.WriteString(box) // an input would need a label
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
		label = "diagram (Mermaid)"
	}
	if strings.HasPrefix(info, "{") {
		if code = codeOption().ReplaceAllString(code, ""); code == "" {
			return ast.WalkSkipChildren, nil
		}
	}
	if label != "" {
		_, _ = w.WriteString(`<p class="label">` + template.HTMLEscapeString(label) + "</p>\n")
	}
	begin := `<pre class="code"><code>`
	if language == "math" {
		begin = `<pre class="code"><code class="math">`
	}
	_, _ = w.WriteString(begin + string(highlight(c.ctx, language, code)) + "</code></pre>\n")
	return ast.WalkSkipChildren, nil
}

// lexerFiles are chroma's lexers for the most common languages. Package
// github.com/alecthomas/chroma/v2/lexers has some 270 of them and reads each when the program
// starts, which took 5 ms and 11 MB of every start, even if no page was ever shown. The web UI
// reads the heads of some 60 files when the first lexer is requested, and the rules of a lexer when
// it is first used.
//
// Command generate copies them from chroma, with chroma's licence.
//
//go:embed lexers/*.xml
var lexerFiles embed.FS

// allLexers has all lexers. They refer to each other through it.
var allLexers = sync.OnceValue(func() *chroma.LexerRegistry {
	r := chroma.NewLexerRegistry()
	names, err := fs.Glob(lexerFiles, "lexers/*.xml")
	if err != nil {
		panic(err)
	}
	for _, name := range names {
		r.Register(chroma.MustNewXMLLexer(lexerFiles, name))
	}
	// In chroma, these names belong to a lexer for HTML with PHP, which is Go code.
	php := r.Get("php").Config()
	php.Filenames = append(php.Filenames, "*.php", "*.php[345]", "*.phtml", "*.inc")
	return r
})

// maxLexerName is how many bytes the name of a language or file may have.
const maxLexerName = 200

// knownLexers has the lexers that were looked up, and nil for names without one: a look-up takes a millisecond.
var knownLexers = struct {
	sync.Mutex
	lexers map[string]chroma.Lexer
}{lexers: make(map[string]chroma.Lexer)}

// maxKnownLexers bounds the lexers in knownLexers. If there are more, they are looked up again.
const maxKnownLexers = 1000

// findLexer returns the lexer for a language, such as "go" or "c++", or for a file name. It returns nil
// if there is none.
func findLexer(name string) chroma.Lexer {
	if name == "" || len(name) > maxLexerName {
		return nil
	}
	knownLexers.Lock()
	defer knownLexers.Unlock()
	lexer, ok := knownLexers.lexers[name]
	if !ok {
		if len(knownLexers.lexers) >= maxKnownLexers {
			clear(knownLexers.lexers)
		}
		lexer = allLexers().Get(name)
		knownLexers.lexers[name] = lexer
	}
	return lexer
}
