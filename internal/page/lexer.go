package page

import (
	"embed"
	"io/fs"
	"sync"

	"github.com/alecthomas/chroma/v2"
)

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
		panic(err) // the pattern is valid
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
