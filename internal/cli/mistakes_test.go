package cli

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/command"
	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/webaccess"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/given"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

// goWords are words of the Go library that mean nothing to users.
var goWords = regexp.MustCompile(`dial tcp|lookup |strconv|no such file or directory|invalid character|cannot unmarshal|context deadline|%!|invalid argument|exec: |: EOF`)

// helpLine is the line that ends a message about a mistake in the command line.
var helpLine = regexp.MustCompile(`(?m)^(?:20[0-9TZ:.-]+ )?mcp-docs-server: run "mcp-docs-server(?: help" for the commands and| [a-z ]+--help" for its arguments and) options\.\n`)

// refuses runs command lines that fail: each prints nothing, and one line of errors for each line of a text, without a
// secret. Only after a mistake in the command line, it names its help, and the exit code is 2. refuses returns the
// commands that had one.
func refuses(t *testing.T, table []given.Case) map[string]bool {
	t.Helper()
	misused := make(map[string]bool)
	for _, mistake := range table {
		t.Run(mistake.Name, func(t *testing.T) {
			s := line(t, mistake.Name)
			lines, want := strings.Split(strings.TrimSuffix(helpLine.ReplaceAllString(s.errs, ""), "\n"), "\n"), strings.Split(mistake.Text, "\n")
			code := 1
			if helpLine.MatchString(s.errs) {
				code = 2
				misused[s.args[0]] = true
			}
			if s.code != code || s.out != "" || len(lines) != len(want) || goWords.MatchString(s.errs) || strings.Contains(s.errs, "secret") {
				t.Errorf("code %d, output %q, errors %q", s.code, s.out, s.errs)
			}
			for i, part := range want[:min(len(lines), len(want))] {
				if !strings.Contains(lines[i], part) {
					t.Errorf("line %q lacks %q", lines[i], part)
				}
			}
		})
	}
	return misused
}

// commandNames are the commands of the program, without the commands that cobra adds.
func commandNames() []string {
	root := newRoot(&command.App{})
	addCompletion(root)
	root.InitDefaultHelpCmd()
	var names []string
	for _, c := range root.Commands() {
		names = append(names, c.Name())
	}
	slices.Sort(names)
	return names
}

// The command line of every command can be wrong.
func TestMistakes(t *testing.T) {
	withoutVariables(t)
	homeFolder(t)
	for _, name := range append([]string{"LLM_API_KEY", "LLM_API_BASE_URL"}, append(webaccess.ServiceVariables, webaccess.CaptureVariables...)...) {
		t.Setenv(name, "")
	}
	parent := given.Folder(t, "good/"+goodConfig, "good/resources/x/h/a.md=# A", "good/docs/index.md=# A", "good/prompts/review.md=Review.", "good/file=x",
		`bad/mcp-docs-server.json={"name": 1, "limits": []}`, "bad/resources/templates.json=[{\"uriTemplate\": \"x://{a b}\"},\n {\"name\": \"n\"}, {\"uriTemplate\": \"x://{a\", \"name\": \"n\"}, 3]",
		`syntax/mcp-docs-server.json={"name": 'Acme'}`, "torn/mcp-docs-server.json={", `wrong/mcp-docs-server.json={"package": "wrong"}`, "wrong/resources/templates.json=[{", "blocked/docs=x",
		"linked/"+goodConfig, "linked/real/a.md=", "linked/docs->real", "hostile/"+`mcp-docs-server.json={"name": "A", "package": "a & calc.exe", "version": "1"}`, "bare/",
		"captured/"+strings.Replace(goodConfig, "{", `{"capture": {"store": "files"},`, 1), "captured/captures->../other", "other/")
	t.Chdir(filepath.Join(parent, "good"))
	must.Write(t, "store", "u:secret@h/db\n") // for this user alone
	misused := refuses(t, given.Cases(t, "mistakes.txt"))
	must.Equal(t, commandNames(), slices.DeleteFunc(slices.Sorted(maps.Keys(misused)), func(name string) bool { return !slices.Contains(commandNames(), name) }), "commands whose command line is wrong (-program +table)")
	for _, made := range []string{"docs/web", "../linked/real/log.md", "docs/captures"} {
		if _, err := os.Stat(made); err == nil {
			t.Errorf("%s was made", made)
		}
	}
	rows(t,
		row{"MCP_DOCS_TOKNE_FILE=x serve", 0, "", "…MCP_DOCS_TOKNE_FILE has no effect; did you mean MCP_DOCS_TOKEN_FILE?…"},
		row{"serve --allow 127.0.0.1", 0, "", "…--allow: without effect, as agents cannot capture pages: give --capture too\n…"},
		row{"serve --capture-dir x --browser", 0, "", "…--browser, --capture-dir: without effect, as agents cannot capture pages: give --capture too\n…"},
		row{"OPTIMIZE_FOR=quality LLM_PROVIDER=google MCP_RESOURCE_TTL=soon serve", 0, "", "…"}, // without captures, they have no effect
		row{"capture http://169.254.169.254/latest/", 1, "1 page: 1 failed\n", "…is a metadata address…"},
	)
	line(t, "serve --http=127.0.0.1:0 . ../wrong").ends(1).complains("templates.json:1:3:") // that project would never be ready
	line(t, "serve --capture --allow 10.0.0.1").ends(0).hides("without effect")
	if os.Geteuid() == 0 {
		must.Do(t, os.WriteFile("chromium", nil, 0o755))
		refuses(t, []given.Case{{Name: "PATH=" + filepath.Join(parent, "good") + " serve --capture --browser", Text: "--browser-no-sandbox"}})
	}
}
