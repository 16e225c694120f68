package cli

import (
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

var callable = []string{
	`mcp-docs-server.json={"name": "Acme", "package": "@acme/docs", "version": "1.2.3", "docsResources": true}`,
	"docs/guides/setup.md=# Setup\n\nSet the retry limit to 3.\n", "docs/hostile.md=# Hostile\n\nA zebra \x1b[31mred\x1b[0m.\n",
	"prompts/review.md=---\ntitle: Review\nargs:\n  language: {enum: [English, German], default: English}\n  schema: {description: A schema}\n---\nReview. Answer in {{language}}.\n\n[s](x://h/{{schema}})\n",
	"prompts/broken.md=---\nargs: [\n---\n", "prompts/odd.md=An \x1b]0;title\x07 escape.",
	"resources/x/h/a.json={}", "resources/x/h/b.bin=\x00\xff",
}

// Commands that call the server print the same result that a client gets.
func TestCalls(t *testing.T) {
	t.Chdir(given.Folder(t, callable...))
	rows(t, transcript(t, "calls.txt")...)
	if code, out, errs := run(t, strings.NewReader(`{"paths": ["hostile.md"]}`), "call", "searchAcme", "-"); code != 0 || !strings.Contains(out, `A zebra \x1b[31mred\x1b[0m.`) {
		t.Errorf("arguments from standard input: code %d, %s%s", code, out, errs)
	}
}

// A host on this computer is called only if an option allows it.
func TestCallOfAPrivateHost(t *testing.T) {
	t.Chdir(given.Folder(t, callable...))
	call := "call scrape maxChars=50 formats=markdown formats=links url=" + webSite(t, map[string]string{"/page": "<!doctype html><title>Own</title><p>A page of this computer."}) + "/page --capture "
	rows(t,
		row{call, 1, "…--allow…", "…"},
		row{call + "--allow 127.0.0.1:*", 0, "…A page of this computer.…", "…"},
		row{call + "--allow 127.0.0.1:* resultHandling=saveOnly", 0, "…memory://cleaned/…", "…"},
		row{call + "--allow 127.0.0.2:*", 1, "…--allow…", "…"},
		row{strings.Replace(call, "--capture", onLoopback, 1), 2, "", "…give --capture too…"})
}

// The tool web_search asks the configured service.
func TestWebSearch(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, `{"results":[{"url":"https://a.example/","title":"A","content":"About %s"}]}`, r.URL.Query().Get("q"))
	}))
	defer server.Close()
	t.Chdir(given.Folder(t, goodConfig))
	t.Setenv("SEARXNG_BASE_URL", server.URL)
	rows(t, row{"call web_search query=bells --capture", 0, "Found 1 results for \"bells\" (1 web)…About bells…", ""})
}

func TestServices(t *testing.T) {
	for _, name := range webaccess.ServiceVariables {
		t.Setenv(name, "")
	}
	for variables, want := range map[string]string{
		"": "off: none of SEARXNG_BASE_URL, BRAVE_API_KEY and FIRECRAWL_API_KEY is set",
		"BRAVE_API_KEY=a FIRECRAWL_API_KEY=b SEARXNG_BASE_URL=https://s.example ": "by SearXNG, then Brave, then Firecrawl, where agents capture pages (--capture)",
		"'BRAVE_API_KEY=se cret' FIRECRAWL_BASE_URL=firecrawl.example ": "off: BRAVE_API_KEY has a character that no key has; look for spaces and line ends in it\n" +
			"FIRECRAWL_BASE_URL must be a URL such as https://api.example.com/path, without user name, password, \"?\" and \"#\"",
	} {
		t.Run(variables, func(t *testing.T) {
			_, after, _ := strings.Cut(line(t, variables+"serve --print-config").out, "\nweb_search")
			must.Equal(t, want, strings.TrimSpace(after))
		})
	}
}

// list tools includes the tools of a project that captures pages, and writes nothing.
func TestListOfToolsThatCapture(t *testing.T) {
	t.Chdir(given.Folder(t, strings.Replace(goodConfig, "{", `{"capture": {"store": "files"},`, 1)))
	line(t, "list tools").ends(0).printsOnly("searchAcme\nlist_resources\nread_resource\nscrape\nmap\ncrawl\n")
	if _, err := os.Stat("captures"); err == nil {
		t.Error("list made the folder of captures")
	}
}
