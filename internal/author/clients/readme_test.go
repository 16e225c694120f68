package clients

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pelletier/go-toml/v2"
	"go.yaml.in/yaml/v4"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

var (
	fence = regexp.MustCompile("(?ms)^```(\\w+)\n(.*?)\n```$")
	link  = regexp.MustCompile(`\[([^\]]*)\]\(([^)]*)\)`)
)

func TestReadme(t *testing.T) {
	for _, test := range []struct {
		s       Server
		links   []string
		parts   []string
		formats map[string]int
	}{
		{Package("acme-docs", "@acme/docs"), []string{"VS Code", "Cursor", "LM Studio", "Goose"}, []string{
			"claude mcp add acme-docs -- npx -y @acme/docs\n",
			"In `~/.config/Claude/claude_desktop_config.json`, on macOS `~/Library/Application Support/Claude/claude_desktop_config.json`, on Windows `%APPDATA%\\Claude\\claude_desktop_config.json`:",
			"Or in `.vscode/mcp.json` in the folder you work in:",
			"On Windows the command is `cmd` and its arguments are `/c`, `npx`, `-y`, `@acme/docs`; on a command line write `cmd /c npx -y \"@acme/docs\"`.\n",
		}, map[string]int{"sh": 5, "json": 12, "toml": 1, "yaml": 1}},
		{Server{Name: "a", Title: "](x) `<b>\n\n# T", URL: "https://example.com/)](x)/***?a='b'&c=[]"}, []string{"VS Code", "Cursor", "LM Studio", "Goose"}, []string{
			"Customize → Connectors → Add custom connector:\n\n```text\nhttps://example.com/)](x)/***?a='b'&c=[]\n```\n",
		}, map[string]int{"sh": 5, "json": 11, "toml": 1, "yaml": 1, "text": 1}},
	} {
		text := must.Get(Readme(test.s))(t)
		for _, part := range test.parts {
			if !strings.Contains(text, part) {
				t.Errorf("%s: %q is not in\n%s", test.s.Name, part, text)
			}
		}
		formats := map[string]int{}
		for _, m := range fence.FindAllStringSubmatch(text, -1) {
			formats[m[1]]++
			var v map[string]any
			var err error
			switch m[1] {
			case "json":
				err = json.Unmarshal([]byte(m[2]), &v)
			case "toml":
				err = toml.Unmarshal([]byte(m[2]), &v)
			case "yaml":
				err = yaml.Unmarshal([]byte(m[2]), &v)
			}
			if err != nil {
				t.Errorf("%v in\n%s", err, m[2])
			}
		}
		if diff := cmp.Diff(test.formats, formats); diff != "" {
			t.Errorf("%s: blocks (-want +got):\n%s", test.s.Name, diff)
		}
		// Outside the blocks, values are only in links and, for packages, in code.
		rest := fence.ReplaceAllString(text, "")
		var links []string
		for _, m := range link.FindAllStringSubmatch(rest, -1) {
			if !strings.HasPrefix(m[2], "https://") {
				t.Errorf("%q is not a link for a page", m[2])
			}
			links = append(links, m[1])
		}
		if diff := cmp.Diff(test.links, links); diff != "" {
			t.Errorf("%s: links (-want +got):\n%s", test.s.Name, diff)
		}
		if strings.Count(rest, "<details>") != len(clients) || strings.Count(rest, "</details>") != len(clients) || strings.Contains(rest, "\n# ") {
			t.Errorf("%s: structure of\n%s", test.s.Name, rest)
		}
	}
}

func TestReadmeOfAProgram(t *testing.T) {
	if text, err := Readme(Local("a", "/bin/a")); err == nil || !strings.Contains(err.Error(), `"/bin/a" is a program on this machine`) {
		t.Errorf("%q, %v", text, err)
	}
	if _, err := Readme(Package("a", "-x")); err == nil {
		t.Error("a wrong package has a README")
	}
}
