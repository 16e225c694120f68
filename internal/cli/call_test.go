package cli

import (
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
	t.Chdir(given.Folder(t, callable...))
	rows(t,
		row{"search retry", 0, "docs/guides/setup.md:3: Setup\n  Set the retry limit to 3.\n", ""},
		row{"search zebra", 0, "…A zebra …", ""},
		row{"search retry limit --or attempts", 0, "…guides/setup.md:…", ""},
		row{"search xyzzy --exit-code", 1, "…No passage has these words.…", ""},
		row{"prompt review schema=a.json", 0, "user:\nReview. Answer in English.\n\nuser:\nx://h/a.json (application/json)\n{}\n", ""},
		row{"prompt review schema=b.bin language=German", 0, "…Answer in German.…x://h/b.bin (application/octet-stream)\n[2 bytes]\n", ""},
		row{"prompt odd", 0, "user:\n" + `An \x1b]0;title\x07 escape.` + "\n", ""},
		row{"call list_resources", 0, "…x://h/a.json\tapplication/json…", ""},
		row{`call read_resource '{"uri": "x://h/nope"}'`, 1, "…x://h/nope…", "…the tool read_resource reports a mistake\n"},
		row{"call read_resource uri=x://h/nope --json", 1, "{\n  \"isError\": true,\n  \"content\": [\n    {\n      \"text\": …x://h/nope…", "…the tool read_resource reports a mistake\n"},
		row{"call read_resource uri=x://h/a.json --json", 0, `…"isError": false,…"structuredContent": {},…"content": […`, ""},
		row{"call read_resource uri=x://h/a.json", 0, "…{}…", ""},
		row{"call searchAcme paths=hostile.md paths=guides/setup.md", 0, "…A zebra…Set the retry limit to 3.…", ""},
		row{`call searchAcme 'paths=["guides/setup.md"]'`, 0, "…Set the retry limit to 3.…", ""})
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

func TestCompletion(t *testing.T) {
	t.Setenv(webtools.SearXNGVar, "http://localhost:1")
	t.Chdir(given.Folder(t, callable...))
	for args, want := range map[string]string{
		"call ''": "searchAcme\tAcme documentation\nlist_resources\tList resources\nread_resource\tRead a resource\n:4\n",
		"call --capture ''": "searchAcme\tAcme documentation\nlist_resources\tList resources\nread_resource\tRead a resource\n" +
			"scrape\tScrape a web page\nweb_search\tWeb search\nmap\tURLs of a site\ncrawl\tCrawl a site\n:4\n",
		"call --allow 'no rule' scrape ''": ":4\n",
		"call nope ''":                     ":4\n",
		"prompt ''":                        "odd\todd\nreview\tReview\n:4\n",
		"prompt nope ''":                   ":4\n",
		"read x:":                          "x://h/a.json\nx://h/b.bin\n:4\n",
		"read x://h/a.json ''":             ":16\n",
		"explain x://h/a":                  "x://h/a.json\n:0\n",
		"list x://h/b":                     "x://h/b.bin\n:4\n",
		"list ''":                          "resources\ndocs\nprompts\ntools\nskills\n:4\n",
		"list ./":                          ":16\n",
		"publish --access ''":              "public\nrestricted\n:4\n",
		"serve --log-level ''":             "debug\ninfo\nwarn\nerror\n:4\n",
		"man serv":                         "serve\tServe a project over standard input and output, or over HTTP (the default command)\n:4\n",
	} {
		line(t, "__complete "+args).ends(0).printsOnly(want)
	}
}

// Every command has a manual page, which names its options.
func TestMan(t *testing.T) {
	for args, want := range map[string]string{"": `\-\-config FILE`, " serve": "served at /<package>/mcp each", " check": ".SH GLOBAL OPTIONS\n.nf\n", " completion bash": ".nf\n\tsource <(mcp\\-docs\\-server completion bash)"} {
		rows(t, row{"man" + args, 0, ".TH \"MCP-DOCS-SERVER…" + want + "…", ""})
	}
	if got, want := roff(".dot\n'quote\n\\back-slash…"), "\\&.dot\n\\&'quote\n\\eback\\-slash\\[u2026]"; got != want {
		t.Errorf("roff: %q, want %q", got, want)
	}
}
