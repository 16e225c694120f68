package doctor_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mcp-docs-server/mcp-docs-server/internal/author/clients"
	"github.com/mcp-docs-server/mcp-docs-server/internal/author/doctor"
	"github.com/mcp-docs-server/mcp-docs-server/internal/mcp/loopback"
	"github.com/mcp-docs-server/mcp-docs-server/internal/project"
)

// observe returns the facts about a project with these settings and files.
func observe(t *testing.T, settings string, files map[string]string) *doctor.Facts {
	t.Helper()
	dir := t.TempDir()
	put := func(name, text string) {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	put("mcp-docs-server.json", `{"name": "Acme", "package": "@acme/docs", "version": "1.2.3"`+settings+`}`)
	for name, text := range files {
		put(name, text)
	}
	p, _, err := project.Open(t.Context(), project.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	live, err := p.Live(project.LiveOptions{NoWatch: true})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ran := make(chan error, 1)
	go func() { ran <- live.Run(ctx) }()
	facts, err := doctor.Observe(ctx, loopback.New(live.Server()))
	cancel()
	if failed := <-ran; err != nil || failed != nil {
		t.Fatal(err, failed)
	}
	return facts
}

// said returns the findings about a client, one a line.
func said(t *testing.T, f *doctor.Facts, id string) string {
	t.Helper()
	d, ok := f.Diagnose(id)
	if !ok {
		t.Fatalf("there is no client %q", id)
	}
	var b strings.Builder
	for _, finding := range d.Findings {
		fmt.Fprintf(&b, "%s: %s → %s\n", finding.Kind, finding.Text, finding.Advice)
	}
	return b.String()
}

func TestDiagnose(t *testing.T) {
	long := strings.Repeat("A rather long line of text for a model to read.\n", 2000)
	for _, test := range []struct {
		name, settings string
		files          map[string]string
		want           map[string][]string // parts of the findings, by client
	}{
		{"nothing", "", nil, map[string][]string{
			"":            {"works: The server offers 0 resources, 0 templates, 0 prompts and 3 tools."},
			"codex":       {"works: All four lists answer"},
			"gemini-cli":  {"works: It is assumed to use only tools, and gets searchAcme"},
			"claude-code": {"works: No text and no answer"},
			"continue":    {"works: It reads one page"},
		}},
		{"several pages", `, "limits": {"pageSize": 2}`, map[string]string{"resources/x/h/a": "1", "resources/x/h/b": "1", "resources/x/h/c": "1"}, map[string][]string{
			"claude-code": {"limited: Versions before 2.1.147 offer only the first 2 of 3 resources for @ mentions. → Raise limits.pageSize"},
			"continue":    {"limited: It reads one page of a list: 2 of 3 resources."},
			"gemini-cli":  {"works: It reads only listed resources and follows all pages, so it can read all 3 resources."},
		}},
		{"long texts", "", map[string]string{"resources/x/h/long.md": long, "resources/x/h/short.md": "# Short", "docs/long.md": long}, map[string][]string{
			"claude-code": {"limited: A model that reads these texts as resources may get only a part, because an output has at most 25,000 tokens: x://h/long.md (96 KB)."},
		}},
		{"too large", `, "limits": {"maxReadBytes": 100000}`, map[string]string{"resources/x/h/big.md": long + long}, map[string][]string{
			"": {"fails: Some listed files cannot be read: x://h/big.md: "},
		}},
		{"names", "", map[string]string{
			"resources/x/h/a+b&c:d(e.md": "1", "resources/x/h/100%25.md": "1", "resources/x/my host/a.md": "", "resources/http/Example/a.md": "1",
			"resources/x/h/été.md": "1", "resources/x/other/été.md": "1",
			"resources/templates.json": `[{"uriTemplate": "x://h/{name}.md", "name": "n"}, {"uriTemplate": "x://other/{+name}.md", "name": "m"}]`,
		}, map[string][]string{
			"vscode": {
				"works: It rewrites characters such as %2B in URIs: the only read works.", "works: All 4 folders can be opened, also without the slash at the end.",
				"limited: Files without bytes look like folders: x://my%20host/a.md.", "limited: A URI with a space in the host cannot be opened: x://my%20host/a.md.",
				"for these templates: x://h/{name}.md. → Write {+name}",
			},
			"cline": {"It does not follow changes"},
		}},
		{"same titles", `, "describe": true`, map[string]string{"resources/x/h/a.md": "# Setup", "resources/x/h/b.md": "# Setup", "resources/x/h/c.md": "# Other"}, map[string][]string{
			"claude-desktop": {`limited: Users who attach a resource see identical rows: "Setup" (2 times).`},
		}},
		{"no tools for resources", `, "tools": {"resources": false}`, map[string]string{"resources/x/h/a": "1", "prompts/a.md": "Do."}, map[string][]string{
			"cursor":   {"works: Its documentation lists tools, resources and prompts, so it gets 1 tool, 1 resource and 1 prompt."},
			"zed":      {"works: It uses tools and prompts, and gets searchAcme.", `limited: It does not get the resource`, "works: The prompt can be used with a slash."},
			"windsurf": {`limited: It does not get the resource: there is no tool for that. → Set "tools": {"resources": true}.`, "limited: It may not show the prompt."},
			"chatgpt":  {"limited: It asks for the tools search and fetch, which are off."},
		}},
		{"connector", `, "tools": {"connector": true}, "docsResources": true`, map[string]string{"docs/setup.md": "# Setup\n\nRun the setup.\n"}, map[string][]string{
			"chatgpt": {"works: It searches, and then fetches what it found: docs://Acme/setup.md."},
		}},
		{"long instructions", `, "instructions": "` + strings.Repeat("word ", 500) + `"`, nil, map[string][]string{
			"claude-code": {"limited: The instructions have 2500 bytes, of which the model gets 2048."},
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			facts := observe(t, test.settings, test.files)
			for id, parts := range test.want {
				got := said(t, facts, id)
				for _, want := range parts {
					if !strings.Contains(got, want) {
						t.Errorf("%s: %q is missing in\n%s", id, want, got)
					}
				}
			}
			for _, id := range doctor.IDs() {
				if got := said(t, facts, id); strings.Contains(got, "fails") && test.name != "too large" {
					t.Errorf("%s:\n%s", id, got)
				}
			}
		})
	}
}

// Every client that config supports has a profile.
func TestClients(t *testing.T) {
	for _, id := range clients.IDs() {
		if !slices.Contains(doctor.IDs(), id) {
			t.Errorf("nothing is known of %s", id)
			continue
		}
		client, _ := clients.Find(id)
		if d, _ := new(doctor.Facts).Diagnose(id); d.Title != client.Title {
			t.Errorf("%s is called %q, and %q by config", id, d.Title, client.Title)
		}
	}
	if _, ok := new(doctor.Facts).Diagnose("nope"); ok {
		t.Error("a client that does not exist has a diagnosis")
	}
}
