// Package lexers finds the lexer of a language or file, for highlighting.
//
// The lexers are those of chroma for the languages that projects have most. Package
// github.com/alecthomas/chroma/v2/lexers has some 270 of them and reads each when the program
// starts: this took 5 ms and 11 MB of every start, also of one that never shows a page. Here, the
// heads of some 60 files are read when the first lexer is asked for, and the rules of a lexer when
// it is first used.
//
// The folder xml has the lexers as gen made them of chroma's, and chroma's licence.
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

// registry has all lexers. Its lexers refer to each other through it.
var registry = sync.OnceValue(func() *chroma.LexerRegistry {
	r := chroma.NewLexerRegistry()
	names, err := fs.Glob(files, "xml/*.xml")
	if err != nil {
		panic(err) // of the pattern
	}
	for _, name := range names {
		r.Register(chroma.MustNewXMLLexer(files, name))
	}
	// chroma has these names with a lexer of HTML with PHP in it, which is code.
	php := r.Get("php").Config()
	php.Filenames = append(php.Filenames, "*.php", "*.php[345]", "*.phtml", "*.inc")
	return r
})

// maxName is how long the name of a language or file may be.
const maxName = 200

// Find returns the lexer for the name of a language, such as "go" or "c++", or for that of a file.
// It returns nil if there is none.
func Find(name string) chroma.Lexer {
	if name == "" || len(name) > maxName {
		return nil
	}
	return registry().Get(name)
}
