// Package lexers returns the lexer of a language or file, for highlighting.
//
// The lexers are chroma's for the most common languages. Package
// github.com/alecthomas/chroma/v2/lexers has some 270 of them and reads each when the program
// starts, which took 5 ms and 11 MB of every start, even if no page was ever shown. This package
// reads the heads of some 60 files when the first lexer is requested, and the rules of a lexer when
// it is first used.
//
// The folder xml contains the lexers, which gen copies from chroma, and chroma's licence.
package lexers

import (
	"embed"
	"io/fs"
	"sync"

	"github.com/alecthomas/chroma/v2"
)

//go:generate go run ./gen

//go:embed xml/*.xml
var files embed.FS

// registry has all lexers. They refer to each other through it.
var registry = sync.OnceValue(func() *chroma.LexerRegistry {
	r := chroma.NewLexerRegistry()
	names, err := fs.Glob(files, "xml/*.xml")
	if err != nil {
		panic(err) // the pattern is valid
	}
	for _, name := range names {
		r.Register(chroma.MustNewXMLLexer(files, name))
	}
	// In chroma, these names belong to a lexer for HTML with PHP, which is Go code.
	php := r.Get("php").Config()
	php.Filenames = append(php.Filenames, "*.php", "*.php[345]", "*.phtml", "*.inc")
	return r
})

// maxName is how many bytes the name of a language or file may have.
const maxName = 200

// known has the lexers that were looked up, and nil for names without one: a look-up takes a millisecond.
var known = struct {
	sync.Mutex
	lexers map[string]chroma.Lexer
}{lexers: make(map[string]chroma.Lexer)}

// maxKnown bounds the lexers in known. If there are more, they are looked up again.
const maxKnown = 1000

// Find returns the lexer for a language, such as "go" or "c++", or for a file name. It returns nil
// if there is none.
func Find(name string) chroma.Lexer {
	if name == "" || len(name) > maxName {
		return nil
	}
	known.Lock()
	defer known.Unlock()
	lexer, ok := known.lexers[name]
	if !ok {
		if len(known.lexers) >= maxKnown {
			clear(known.lexers)
		}
		lexer = registry().Get(name)
		known.lexers[name] = lexer
	}
	return lexer
}
