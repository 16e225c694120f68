package cli

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/webtools"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/given"
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
	dir := given.Folder(t, callable...)
	t.Chdir(dir)
	for _, test := range []struct {
		args []string
		in   string
		code int
		out  string // its parts, separated by "…"
		errs string
	}{
		{[]string{"search", "retry"}, "", 0, "docs/guides/setup.md:3: Setup\n  Set the retry limit to 3.\n", ""},
		{[]string{"search", "zebra"}, "", 0, `A zebra…`, ""},
		{[]string{"search", "retry", "limit", "--or", "attempts"}, "", 0, "guides/setup.md:", ""},
		{[]string{"search", "xyzzy", "--exit-code"}, "", 1, "No passage has these words.", ""},
		{[]string{"search", " "}, "", 2, "", "search takes words"},
		{[]string{"search", "retry", "--limit=-1"}, "", 2, "", `--limit is "-1", must be a whole number`},
		{[]string{"prompt", "review", "schema=a.json"}, "", 0, "user:\nReview. Answer in English.\n\nuser:\nx://h/a.json (application/json)\n{}\n", ""},
		{[]string{"prompt", "review", "schema=b.bin", "language=German"}, "", 0, "Answer in German.…x://h/b.bin (application/octet-stream)\n[2 bytes]\n", ""},
		{[]string{"prompt", "odd"}, "", 0, `user:` + "\n" + `An \x1b]0;title\x07 escape.` + "\n", ""},
		{[]string{"prompt", "review"}, "", 1, "", `argument "schema" is required`},
		{[]string{"prompt", "revieww"}, "", 1, "", `there is no prompt "revieww"; did you mean review?`},
		{[]string{"prompt", "broken"}, "", 1, "", "prompts/broken.md:"},
		{[]string{"prompt", "review", "schema"}, "", 2, "", `"schema" is not an argument of a prompt: write KEY=VALUE`},
		{[]string{"call", "list_resources"}, "", 0, "x://h/a.json\tapplication/json", ""},
		{[]string{"call", "searchAcme", "-"}, `{"paths": ["hostile.md"]}`, 0, `A zebra \x1b[31mred\x1b[0m.`, ""},
		{[]string{"call", "read_resource", `{"uri": "x://h/nope"}`}, "", 1, "x://h/nope", "the tool read_resource reports a mistake"},
		{[]string{"call", "read_resource", "uri=x://h/nope", "--json"}, "", 1, "{\n  \"isError\": true,\n  \"content\": [\n    {\n      \"text\": …x://h/nope", "the tool read_resource reports a mistake"},
		{[]string{"call", "read_resource", "uri=x://h/a.json", "--json"}, "", 0, `"isError": false,…"structuredContent": {},…"content": [`, ""},
		{[]string{"call", "nope"}, "", 1, "", `there is no tool "nope"`},
		{[]string{"call", "read_resource", "uri=x://h/a.json"}, "", 0, "{}", ""},
		{[]string{"call", "searchAcme", "paths=hostile.md", "paths=guides/setup.md"}, "", 0, "A zebra…Set the retry limit to 3.", ""},
		{[]string{"call", "searchAcme", `paths=["guides/setup.md"]`}, "", 0, "Set the retry limit to 3.", ""},
		{[]string{"call", "read_resource", "uri=x://h/a.json", "uri=x://h/b.bin"}, "", 2, "", `the argument "uri" is given twice`},
		{[]string{"call", "read_resource", "uri=x://h/a.json", "x"}, "", 2, "", `"x" is not an argument of a tool: write KEY=VALUE, or one JSON object`},
		{[]string{"call", "scrape", "url=https://a.example/"}, "", 1, "", "there is no tool \"scrape\" without --capture\n"},
		{[]string{"call", "searchAcme", "--allow", "no rule"}, "", 2, "", "--allow: "},
		{[]string{"call", "searchAcme", "[]"}, "", 2, "", "the arguments of a tool are a JSON object"},
		{[]string{"call", "searchAcme", "{"}, "", 2, "", "the text ends too early, at byte 1"},
	} {
		code, out, errs := run(t, strings.NewReader(test.in), test.args...)
		rest := out
		for part := range strings.SplitSeq(test.out, "…") {
			_, after, ok := strings.Cut(rest, part)
			if !ok {
				t.Errorf("%q: output %q lacks %q", test.args, out, part)
				break
			}
			rest = after
		}
		if code != test.code || !strings.Contains(errs, test.errs) || test.errs == "" && errs != "" || strings.ContainsRune(out+errs, '\x1b') {
			t.Errorf("%q: code %d, want %d; output %q, errors %q, want %q", test.args, code, test.code, out, errs, test.errs)
		}
	}
}

// A host on this computer is called only if an option allows it.
func TestCallOfAPrivateHost(t *testing.T) {
	t.Chdir(given.Folder(t, callable...))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/page" {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, "<title>Own</title><p>A page of this computer.")
	}))
	defer server.Close()
	call := []string{"call", "scrape", "url=" + server.URL + "/page", "maxChars=50", "formats=markdown", "formats=links", "--capture"}
	for _, test := range []struct {
		options []string
		code    int
		out     string
	}{
		{nil, 1, "--allow"},
		{[]string{"--allow", "127.0.0.1:*"}, 0, "A page of this computer."},
		{[]string{"--allow", "127.0.0.1:*", "resultHandling=saveOnly"}, 0, "memory://cleaned/"},
		{[]string{"--allow", "127.0.0.2:*"}, 1, "--allow"},
	} {
		code, out, errs := run(t, nil, append(call, test.options...)...)
		if code != test.code || !strings.Contains(out, test.out) {
			t.Errorf("%q: code %d, output %q, errors %q", test.options, code, out, errs)
		}
	}
	try(t, "call", "scrape", "url="+server.URL, "--allow", "127.0.0.1:*").complains("give --capture too")
}

func TestCompletion(t *testing.T) {
	t.Setenv(webtools.SearXNGVar, "http://localhost:1")
	t.Chdir(given.Folder(t, callable...))
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"call", ""}, "searchAcme\tAcme documentation\nlist_resources\tList resources\nread_resource\tRead a resource\n:4\n"},
		{[]string{"call", "--capture", ""}, "searchAcme\tAcme documentation\nlist_resources\tList resources\nread_resource\tRead a resource\n" +
			"scrape\tScrape a web page\nweb_search\tWeb search\nmap\tURLs of a site\ncrawl\tCrawl a site\n:4\n"},
		{[]string{"call", "--allow", "no rule", "scrape", ""}, ":4\n"},
		{[]string{"call", "nope", ""}, ":4\n"},
		{[]string{"prompt", ""}, "odd\todd\nreview\tReview\n:4\n"},
		{[]string{"prompt", "nope", ""}, ":4\n"},
		{[]string{"read", "x:"}, "x://h/a.json\nx://h/b.bin\n:4\n"},
		{[]string{"read", "x://h/a.json", ""}, ":16\n"},
		{[]string{"explain", "x://h/a"}, "x://h/a.json\n:0\n"},
		{[]string{"list", "x://h/b"}, "x://h/b.bin\n:4\n"},
		{[]string{"list", ""}, "resources\ndocs\nprompts\ntools\nskills\n:4\n"},
		{[]string{"list", "./"}, ":16\n"},
		{[]string{"publish", "--access", ""}, "public\nrestricted\n:4\n"},
		{[]string{"serve", "--log-level", ""}, "debug\ninfo\nwarn\nerror\n:4\n"},
		{[]string{"man", "serv"}, "serve\tServe a project over standard input and output, or over HTTP (the default command)\n:4\n"},
	} {
		try(t, append([]string{"__complete"}, test.args...)...).ends(0).printsOnly(test.want)
	}
}

// Every command has a manual page, which names its options.
func TestMan(t *testing.T) {
	for args, want := range map[string]string{"": `\-\-config FILE`, "serve": "served at /<package>/mcp each", "check": ".SH GLOBAL OPTIONS\n.nf\n", "completion bash": ".nf\n\tsource <(mcp\\-docs\\-server completion bash)"} {
		code, out, errs := run(t, nil, append([]string{"man"}, strings.Fields(args)...)...)
		if code != 0 || errs != "" || !strings.HasPrefix(out, ".TH \"MCP-DOCS-SERVER") || !strings.Contains(out, want) {
			t.Errorf("man %s: code %d, output %.300q, errors %q", args, code, out, errs)
		}
	}
	if got, want := roff(".dot\n'quote\n\\back-slash…"), "\\&.dot\n\\&'quote\n\\eback\\-slash\\[u2026]"; got != want {
		t.Errorf("roff: %q, want %q", got, want)
	}
}
