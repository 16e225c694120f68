package cli

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/webaccess"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/given"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

// The tool web_search exists if a service is configured and agents can capture pages. Its results
// are resources.
func TestWebSearch(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/search" || r.URL.Query().Get("q") != "bells" || r.URL.Query().Get("format") != "json" {
			t.Errorf("asked for %s", r.URL)
		}
		fmt.Fprint(w, `{"results":[{"url":"https://10.0.0.1/","title":"A","content":"About bells"},{"url":"https://a.example/"}]}`)
	}))
	defer server.Close()
	dir := t.TempDir()
	given.In(t, dir).Write("mcp-docs-server.json", `{"name":"a","package":"a","version":"1.0.0"}`)
	if list := connect(t, dir, "--capture").call("tools/list", nil); strings.Contains(list, "web_search") {
		t.Errorf("without a service there is %s", list)
	}
	t.Setenv("SEARXNG_BASE_URL", server.URL)
	if list := connect(t, dir).call("tools/list", nil); strings.Contains(list, "web_search") {
		t.Errorf("without captures there is %s", list)
	}
	c := connect(t, dir, "--capture", "--ignore-robots", "--allow", "127.0.0.1:*")
	if list := c.call("tools/list", nil); !strings.Contains(list, `"web_search"`) || !strings.Contains(list, `"openWorldHint":true`) {
		t.Errorf("there is %s", list)
	}
	var answer struct {
		Result struct {
			Content []struct {
				Text     string
				Resource struct{ URI, Text string }
			}
		}
	}
	must.Do(t, json.Unmarshal([]byte(c.call("tools/call", map[string]any{"name": "web_search", "arguments": map[string]any{"query": "bells"}})), &answer))
	content := answer.Result.Content
	if len(content) != 2 || !strings.HasPrefix(content[0].Text, `Found 2 results for "bells" (2 web)`) || !strings.Contains(content[1].Resource.Text, "About bells") {
		t.Fatalf("%+v", content)
	}
	if read := c.call("resources/read", map[string]any{"uri": content[1].Resource.URI}); !strings.Contains(read, "About bells") {
		t.Errorf("the results are not resources: %s", read)
	}
}

func TestServices(t *testing.T) {
	for _, name := range webaccess.ServiceVariables {
		t.Setenv(name, "")
	}
	status := func() string {
		_, out, _ := run(t, strings.NewReader(""), "serve", "--print-config")
		_, after, _ := strings.Cut(out, "\nweb_search")
		return strings.TrimSpace(after)
	}
	if got := status(); got != "off: none of SEARXNG_BASE_URL, BRAVE_API_KEY and FIRECRAWL_API_KEY is set" {
		t.Error(got)
	}
	t.Setenv("BRAVE_API_KEY", "a")
	t.Setenv("FIRECRAWL_API_KEY", "b")
	t.Setenv("SEARXNG_BASE_URL", "https://s.example")
	if got := status(); got != "by SearXNG, then Brave, then Firecrawl, where agents capture pages (--capture)" {
		t.Error(got)
	}
	t.Setenv("FIRECRAWL_BASE_URL", "firecrawl.example")
	t.Setenv("BRAVE_API_KEY", "se cret")
	want := "BRAVE_API_KEY has a character that no key has; look for spaces and line ends in it\nFIRECRAWL_BASE_URL must be a URL such as https://api.example.com/path, without user name, password, \"?\" and \"#\""
	if got := status(); got != "off: "+want {
		t.Error(got)
	}
	dir := t.TempDir()
	given.In(t, dir).Write("docs/a.md", "# A")
	code, _, errors := run(t, strings.NewReader(""), "serve", dir, "--capture")
	if code != 2 || strings.Count(errors, "BRAVE_API_KEY has")+strings.Count(errors, "FIRECRAWL_BASE_URL must") != 2 || strings.Contains(errors, "se cret") {
		t.Errorf("exit code %d: %s", code, errors)
	}
}

// list tools includes the tools of a project that captures pages, and writes nothing.
func TestListOfToolsThatCapture(t *testing.T) {
	t.Chdir(t.TempDir())
	must.Write(t, "mcp-docs-server.json", `{"name": "Acme", "package": "acme", "version": "1.0.0", "capture": {"store": "files"}}`)
	try(t, "list", "tools").ends(0).printsOnly("searchAcme\nlist_resources\nread_resource\nscrape\nmap\ncrawl\n")
	if _, err := os.Stat("captures"); err == nil {
		t.Error("list made the folder of captures")
	}
}

// Options for captures cause a warning if agents cannot capture pages.
func TestCapturesAreOff(t *testing.T) {
	t.Chdir(given.Folder(t, goodConfig))
	for args, want := range map[string]string{
		"serve":                            "",
		"serve --allow 127.0.0.1":          "--allow: without effect, as agents cannot capture pages: give --capture too\n",
		"serve --capture-dir x --browser":  "--browser, --capture-dir: without effect, as agents cannot capture pages: give --capture too\n",
		"serve --capture --allow 10.0.0.1": "",
		"serve --allow http://10.0.0.1/":   "--allow: \"http://10.0.0.1/\" is a URL: write only its host, with a port or without\n",
	} {
		_, _, errs := run(t, strings.NewReader(""), strings.Fields(args)...)
		if !strings.Contains(errs, want) || want == "" && strings.Contains(errs, "--capture too") {
			t.Errorf("%s: %q, want %q", args, errs, want)
		}
	}
}

// An invalid environment variable ends the start, and the error names it.
func TestCaptureVariables(t *testing.T) {
	withoutVariables(t)
	for _, name := range append([]string{"LLM_API_KEY", "LLM_API_BASE_URL"}, append(webaccess.ServiceVariables, webaccess.CaptureVariables...)...) {
		t.Setenv(name, "")
	}
	dir := t.TempDir()
	for _, test := range []struct{ name, value, want string }{
		{"OPTIMIZE_FOR", "speed", "OPTIMIZE_FOR is speed, which needs Firecrawl: also set FIRECRAWL_API_KEY"},
		{"OPTIMIZE_FOR", "quality", `OPTIMIZE_FOR is "quality", must be cost or speed`},
		{"LLM_PROVIDER", "google", `LLM_PROVIDER is "google", must be anthropic, openai or openai-compatible`},
		{"LLM_PROVIDER", "openai", "LLM_API_KEY is not set"},
		{"MCP_RESOURCE_TTL", "soon", `MCP_RESOURCE_TTL is "soon"`},
	} {
		t.Run(test.name+"="+test.value, func(t *testing.T) {
			t.Setenv(test.name, test.value)
			code, _, errors := run(t, strings.NewReader(""), "serve", "--capture", dir)
			if code == exitFine || !strings.Contains(errors, test.want) {
				t.Errorf("exit code %d: %s", code, errors)
			}
			if code, _, errors := run(t, strings.NewReader(""), "serve", dir); code != exitFine {
				t.Errorf("without --capture: exit code %d: %s", code, errors)
			}
		})
	}
	t.Setenv("LLM_API_KEY", "sk-0123456789")
	t.Setenv("LLM_PROVIDER", "openai")
	if _, out, _ := run(t, strings.NewReader(""), "serve", "--print-config"); line(out, "LLM_API_KEY") != "set" || line(out, "LLM_PROVIDER") != "openai" || strings.Contains(out, "0123456789") {
		t.Errorf("%s", out)
	}
}

// Mistakes in the options of the browser are reported at the start.
func TestBrowserOptions(t *testing.T) {
	dir := t.TempDir()
	given.In(t, dir).Write("docs/a.md", "# A")
	t.Setenv("PATH", dir)
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--browser-path", dir + "/none"}, "none"},
		{[]string{"--browser-pages", "0"}, "must be a whole number from 1 to 100"},
	} {
		code, _, errors := run(t, strings.NewReader(""), append([]string{"serve", dir, "--capture"}, c.args...)...)
		if code != 2 || !strings.Contains(errors, c.want) {
			t.Errorf("%q: exit code %d: %s", c.args, code, errors)
		}
	}
	if os.Geteuid() == 0 {
		path := dir + "/chromium"
		must.Do(t, os.WriteFile(path, nil, 0o755))
		code, _, errors := run(t, strings.NewReader(""), "serve", dir, "--capture", "--browser")
		if code != 2 || !strings.Contains(errors, "--browser-no-sandbox") {
			t.Errorf("root starts a browser: exit code %d: %s", code, errors)
		}
	}
}
