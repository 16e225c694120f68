package webui

import (
	"context"
	"strings"
	"testing"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/cost"
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

func rendered(t *testing.T) func(string) {
	return func(text string) {
		if _, _, err := renderMarkdown(t.Context(), text, nil, nil); err != nil && err != errMarkdown {
			t.Error(err)
		}
	}
}

func TestCostOfMarkdown(t *testing.T) {
	cost.Readers(t, []string{"| ", "|-", "\n", "\n\n", "$$", "```math\n", "    ", "> ", "- ", "# a", "[^a]", "[^a]: ", "[a]: b\n", "[a](b)", "::: tip\n", "<b>", "==", "a", "<details>\n"},
		map[string]func(string){"Markdown": rendered(t)}, ".", "../text/directive")
}

// TestCostOfCode renders formulas of a language that has no lexer, and a block whose lexer takes minutes for it.
func TestCostOfCode(t *testing.T) {
	for _, text := range []string{
		strings.Repeat("\n\n$$", 120_000), "```markdown\n" + strings.Repeat("\n", 120_000) + "```\n", strings.Repeat("```markdown\n"+strings.Repeat("\n", 5_000)+"```\n", 100),
	} {
		cost.Check(t, text, rendered(t))
	}
}

// TestLargeTables checks that a table of many short rows, which the parser pads, is shown as text, and that the usual ones stay.
func TestLargeTables(t *testing.T) {
	table := func(columns, rows, written int) string {
		return strings.Repeat("|a", columns) + "|\n" + strings.Repeat("|-", columns) + "|\n" + strings.Repeat(strings.Repeat("|a", written)+"|\n", rows)
	}
	for _, test := range []struct {
		columns, rows, written int
		want                   string
	}{{1000, 40_000, 1, "<pre"}, {8, 5000, 8, "<table"}, {9, 20, 1, "<table"}, {300, 700, 300, "<pre"}} {
		cost.Check(t, table(test.columns, test.rows, test.written), func(text string) {
			html, _, err := renderMarkdown(t.Context(), text, nil, nil)
			if err != nil || !strings.HasPrefix(string(html), test.want) {
				t.Errorf("%v: %.100s, %v", test, html, err)
			}
		})
	}
	cost.Check(t, strings.Repeat(table(100, 90, 1)+"\n\n", 700), rendered(t))
}

// TestRenderingEndsWithTheRequest counts nothing of a block of code after the end of its request.
func TestRenderingEndsWithTheRequest(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if html := highlight(ctx, "go", "func f()"); html != "func f()" {
		t.Errorf("code: %s", html)
	}
	if html := highlight(t.Context(), "go", "func f()"); html != `<span class="k">func</span> <span class="nf">f</span>()` {
		t.Errorf("code of a request that goes on: %s", html)
	}
}
