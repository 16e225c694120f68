package page

import (
	"io/fs"
	"strings"
	"testing"

	"github.com/alecthomas/chroma/v2"
	original "github.com/alecthomas/chroma/v2/lexers"
	"github.com/google/go-cmp/cmp"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

// sample contains constructs of most languages.
const sample = `#!/bin/sh
# A comment
// Another, <!-- and one more -->
/* of two
   lines */
import os; package main; use strict; #include <stdio.h>
@decorator public static class Name<T> extends Other { private int x = 0x1F + 1.5e3; }
func main() { return fmt.Sprintf("%d\n", 'c') } # def f(self): pass
SELECT name FROM people WHERE id = 12 AND text LIKE '%x';
key: [1, "two", true, null]
[section]
name = "value" ; $HOME ${PATH:-x} $(ls -l | grep y)
<div class="a" id=b><script>let y = 1;</script><style>p { color: #fff }</style></div>
GET /index.html HTTP/1.1
+added
-removed
FROM alpine:3 AS build
	if [ -f x ]; then echo "$x"; fi
fn f(x: &str) -> Option<u8> { match x { _ => None } }
**bold** [link](target) {{ .Field | printf "%s" }}
`

func TestLexersAreChromas(t *testing.T) {
	names, err := fs.Glob(lexerFiles, "lexers/*.xml")
	if err != nil || len(names) < 50 {
		t.Fatalf("there are %d lexers; %v", len(names), err)
	}
	for i, name := range names {
		if must.RaceEnabled && i%8 != 0 {
			continue // one goroutine is enough
		}
		lexer, err := chroma.NewXMLLexer(lexerFiles, name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		name = lexer.Config().Name
		got, want := findLexer(name), original.Get(name)
		if got == nil || want == nil {
			t.Errorf("%s: the lexers are %v and %v", name, got, want)
			continue
		}
		if diff := cmp.Diff(lexed(t, want), lexed(t, got)); diff != "" {
			t.Errorf("%s differs (-chroma +here):\n%s", name, diff)
		}
	}
}

func lexed(t *testing.T, l chroma.Lexer) []chroma.Token {
	t.Helper()
	return must.Get(chroma.Tokenise(chroma.Coalesce(l), nil, sample))(t)
}

func TestFindLexer(t *testing.T) {
	for name, want := range map[string]string{
		"go": "Go", "Go": "Go", "golang": "Go", "main.go": "Go", "sh": "Bash", "console": "Bash Session", "C++": "C++", "c#": "C#",
		"ts": "TypeScript", "tsx": "TypeScript", "jsx": "react", "js": "JavaScript", "json": "JSON", "yaml": "YAML", "yml": "YAML", "py": "Python",
		"Dockerfile": "Docker", "dockerfile": "Docker", "Makefile": "Makefile", "index.php": "PHP", "README.md": "markdown",
		"a.html": "HTML", "diff": "Diff", "http": "HTTP", "powershell": "PowerShell", "bat": "Batchfile", "toml": "TOML", "rs": "Rust",
		"text": "", "": "", "no such language": "", strings.Repeat("go", 200): "",
	} {
		got := ""
		if l := findLexer(name); l != nil {
			got = l.Config().Name
		}
		if got != want {
			t.Errorf("findLexer(%q) is %q, want %q", name, got, want)
		}
	}
}
