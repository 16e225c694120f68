package page

import (
	"strings"
	"testing"
)

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
