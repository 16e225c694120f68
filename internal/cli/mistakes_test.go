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

// refuses runs command lines that fail: each prints nothing, and one line of errors for each part of a text, without a
// secret. Only after a mistake in the command line, it names its help, and the exit code is 2. refuses returns the
// commands that had one.
func refuses(t *testing.T, table [][2]string) map[string]bool {
	t.Helper()
	misused := make(map[string]bool)
	for _, mistake := range table {
		t.Run(mistake[0], func(t *testing.T) {
			s := line(t, mistake[0])
			lines, want := strings.Split(strings.TrimSuffix(helpLine.ReplaceAllString(s.errs, ""), "\n"), "\n"), strings.Split(mistake[1], "…")
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
	both := "mcp-docs-server.json:1:10: name is a number…mcp-docs-server.json:1:23: limits is an array…templates.json:1:2: entry 1: name is missing" +
		`…templates.json:1:23: entry 1: …templates.json:2:2: entry 2 ("n"): uriTemplate is missing…entry 3 ("n"): …templates.json:2:57: entry 4`
	parent := given.Folder(t, "good/"+goodConfig, "good/resources/x/h/a.md=# A", "good/docs/index.md=# A", "good/prompts/review.md=Review.", "good/file=x", "good/store=u:secret@h/db\n",
		`bad/mcp-docs-server.json={"name": 1, "limits": []}`, "bad/resources/templates.json=[{\"uriTemplate\": \"x://{a b}\"},\n {\"name\": \"n\"}, {\"uriTemplate\": \"x://{a\", \"name\": \"n\"}, 3]",
		`syntax/mcp-docs-server.json={"name": 'Acme'}`, "torn/mcp-docs-server.json={", `wrong/mcp-docs-server.json={"package": "wrong"}`, "wrong/resources/templates.json=[{", "blocked/docs=x",
		"linked/"+goodConfig, "linked/real/a.md=", "linked/docs->real", "hostile/"+`mcp-docs-server.json={"name": "A", "package": "a & calc.exe", "version": "1"}`, "bare/",
		"captured/"+strings.Replace(goodConfig, "{", `{"capture": {"store": "files"},`, 1), "captured/captures->../other", "other/")
	t.Chdir(filepath.Join(parent, "good"))
	misused := refuses(t, [][2]string{
		{"serch", `unknown command "serch"; did you mean "search"?`},
		{"ls", `did you mean "list"?`},
		{"grep x", `did you mean "search"?`},
		{".", `unknown command "."; did you mean "serve ."`},
		{"nothing", `unknown command "nothing"`},
		{"-V", "did you mean -v, --version?"},
		{"help nothing", `unknown command "nothing"`},
		{"man nothing", `unknown command "nothing"`},
		{"completion nothing", `unknown command "nothing"`},
		{"completion bash x", "takes no arguments"},
		{"version x", "takes no arguments"},

		{"serve nope", "nope: no such file or folder"},
		{"serve -c nope.json", "nope.json: no such file or folder"},
		{"serve . -c mcp-docs-server.json", "not both"},
		{"serve -d nope", "--docs nope: no such file or folder"},
		{"serve . .", "--http serves several"},
		{"serve ../syntax", "mcp-docs-server.json:1:10: is not valid JSON: unexpected \"'\" where a value must begin; text must stand in double quotes"},
		{"serve ../bad", both},
		{"list ../bad", both},
		{"serve --port 3000", "unknown flag: --port; write --http=HOST:PORT"},
		{"serve --http -p 8080", "unknown flag: -p; write --http=HOST:PORT"},
		{"serve --htp", "unknown flag: --htp; did you mean --http?"},
		{"serve --http :80", "write --http=127.0.0.1:80 for this computer, or --http=0.0.0.0:80 for all networks"},
		{"serve --http 99999", "--http=127.0.0.1:99999: the port must be a number from 0 to 65535"},
		{"serve --http=:65536", "the port must be a number"},
		{"serve --http x", "--http=x is neither a folder nor an address and a port"},
		{"serve --http=", "--http= is neither a folder nor an address and a port"},
		{"serve --poll x", `--poll is "x", must be a time such as 90s or 5m`},
		{"serve --no-watch=maybe", `--no-watch is "maybe", must be true or false`},
		{"serve --audit=", "--audit= names no file: write --audit=FILE, or --audit for standard error"},
		{"serve --audit=.", ": is a folder, must be a file"},
		{"serve --audit=resources/x/log", ": is in the folder resources, which is served; name a place outside of it"},
		{"serve ../linked --audit=../linked/real/log.md", ": is in the folder ../linked/docs, which is served"},
		{"serve --http=127.0.0.1:0 . .", `two projects have the package name "acme-docs"`},
		{"serve --token-file=x", "--token-file needs --http"},
		{"serve --http=:0", "--no-auth"},
		{"MCP_DOCS_TOKEN= serve --http=:0", "MCP_DOCS_TOKEN: the token is empty"},
		{"MCP_DOCS_TOKEN_FILE= serve --http", "MCP_DOCS_TOKEN_FILE is empty"},
		{"PORT=http serve --http", `PORT is "http"`},
		{"serve --http . --no-auth --token-file=x", "contradicts"},
		{"serve --http=127.0.0.1:0 --allow-host=*", "--allow-host"},
		{"serve --http 0 --session-key-file nope", "nope: no such file or folder"},
		{"serve --http --rate=0", "must be a number from 0.001 to 1000000"},
		{"serve --http --rate=NaN", "must be a number from 0.001 to 1000000"},
		{"serve --http --rate +Inf", "must be a number from 0.001 to 1000000"},
		{"serve --http --rate=1e309", "must be a number from 0.001 to 1000000"},
		{"MCP_DOCS_RATE=nan serve --http", "must be a number from 0.001 to 1000000"},
		{"serve --http --max-connections=0", "must be a whole number from 1"},
		{"serve --store=postgres://h/db", "--store needs --http"},
		{"serve --http '--store=postgres://u:se cret@h/db'", "--store is not the URL of a PostgreSQL database"},
		{"serve --http --store=postgres://u:secret@h/db", "--store has a password"},
		{"serve --http '--store=postgres://u@h/db?sslmode=disable&pass%77ord=secret'", "--store has a password"},
		{"serve --http --store=postgres://h/db --store-file=x", "--store and --store-file both give"},
		{"MCP_DOCS_STORE=postgres://u:secret@h/db serve --http --capture-dir=x", "captures are either in the store or in the folder"},
		{"MCP_DOCS_STORE=u:secret@h/db serve --http=127.0.0.1:0", "MCP_DOCS_STORE is not the URL"},
		{"serve --http=127.0.0.1:0 --store-file=none", "none: "},
		{"serve --http=127.0.0.1:0 --store-file=store", "store is not the URL"},
		{"serve --from x", "--from needs --http"},
		{"serve --http --from x --cache-dir c", "--from needs a store: --store, --store-file or MCP_DOCS_STORE"},
		{"serve --http --from x --store=postgres://u@127.0.0.1:1/d", "--from needs --cache-dir DIR"},
		{"serve --http --from X --cache-dir c --store=postgres://u@127.0.0.1:1/d", `--from "X" is not a name for a project in the store`},
		{"serve --http --from x --cache-dir c --no-watch --store=postgres://u@127.0.0.1:1/d", "--no-watch is for folders and has no meaning with --from"},
		{"serve --http=127.0.0.1:0 --from x --cache-dir /dev/null/c --store=postgres://u@127.0.0.1:1/d", "the store cannot be reached…--cache-dir /dev/null/c: is not a folder, or is not in one"},
		{"serve --capture --browser --browser-path nope", "--browser-path: nope: no such program"},
		{"serve --capture --browser-pages 0", "must be a whole number from 1 to 100"},
		{"serve --allow http://10.0.0.1/", `--allow: "http://10.0.0.1/" is a URL: write only its host, with a port or without`},
		{"serve --capture --capture-dir docs/captures", "which is served; name a place outside of it"},
		{"serve --capture --capture-dir resources", "which is served; name a place outside of it"},
		{"serve --capture --capture-dir prompts/x", "which is served; name a place outside of it"},
		{"serve --capture --capture-dir file", "file: the folder of captures cannot be made or opened: "},
		{"serve ../captured", "captures: is not a folder, and a link is not followed"},
		{"OPTIMIZE_FOR=speed serve --capture", "OPTIMIZE_FOR is speed, which needs Firecrawl: also set FIRECRAWL_API_KEY"},
		{"OPTIMIZE_FOR=quality serve --capture", `OPTIMIZE_FOR is "quality", must be cost or speed`},
		{"LLM_PROVIDER=google serve --capture", `LLM_PROVIDER is "google", must be anthropic, openai or openai-compatible`},
		{"LLM_PROVIDER=openai serve --capture", "LLM_API_KEY is not set"},
		{"MCP_RESOURCE_TTL=soon serve --capture", `MCP_RESOURCE_TTL is "soon"`},
		{"FIRECRAWL_BASE_URL=firecrawl.example 'BRAVE_API_KEY=se cret' serve --capture", "BRAVE_API_KEY has a character that no key has…FIRECRAWL_BASE_URL must be a URL"},

		{"list nope", "nope: no such file or folder"},
		{"list -x", "unknown flag: -x"},
		{"list a b c", "a is not a kind of things to list"},
		{"list documents", `"documents" is neither a folder nor a kind of things; did you mean "list docs"?`},
		{"list prompt", `"prompt" is neither a folder nor a kind of things; did you mean "list prompts"?`},
		{"list --long --json", "--long"},
		{"list 'docs://[' .", "docs://["},
		{"read", "read takes"},
		{"read x://h/b.md", "there is no resource x://h/b.md; did you mean x://h/a.md?"},
		{"read x://h/b.md --json", "resource not found: \"x://h/b.md\"; did you mean x://h/a.md?"},
		{"read x://h", "x://h is a folder"},
		{"read docs/indx.md", "there is no document docs/indx.md"},
		{"read ../x", "there is no document ../x"},
		{"read /etc/passwd", "there is no document /etc/passwd"},
		{"explain", "explain takes"},
		{"search", "search takes words"},
		{"search ' '", "search takes words"},
		{"search x --project ../bad", both},
		{"search x --limit=-1", `--limit is "-1", must be a whole number`},
		{"search x --deps=cargo", "--deps is \"cargo\", must be one of npm, go, all"},
		{"check --deps go", `"go" is not a folder; write --deps=go`},
		{"check --format xml", "xml"},
		{"check --format github --json", "--json"},
		{"check a b", "check takes"},
		{"check nope", "nope: no such file or folder"},
		{"prompt nope", `there is no prompt "nope"; prompts: review`},
		{"prompt reviw", `there is no prompt "reviw"; did you mean review?`},
		{"prompt review x", `"x" is not an argument of a prompt: write KEY=VALUE`},
		{"call nope", `there is no tool "nope"; tools: searchAcme, list_resources, read_resource`},
		{"call read_resource uri=x://h/a.md uri=x://h", `the argument "uri" is given twice`},
		{"call read_resource uri=x://h/a.md x", `"x" is not an argument of a tool: write KEY=VALUE, or one JSON object`},
		{"call searchAcme []", "the arguments of a tool are a JSON object"},
		{"call searchAcme {", "the text ends too early, at byte 1"},
		{"call searchAcme --allow 'no rule'", "--allow: "},
		{"call scrape url=https://a.example/", `there is no tool "scrape" without --capture`},

		{"capture", "takes the URLs of pages"},
		{"capture example.com/docs", "write https:// before it"},
		{"capture ftp://example.com/", "must be http or https"},
		{"capture https://me:secret@example.com/", "leave it out"},
		{"capture https://%zz/", "is not a URL"},
		{"capture --allow a:b:c https://a.example/", "--allow"},
		{"capture --timeout -1s https://a.example/", "--timeout"},
		{"capture --timeout soon https://a.example/", `--timeout is "soon", must be a time such as 90s or 5m`},
		{"capture --update", "docs"},
		{"capture --update --into docs", "docs: has no captured pages"},
		{"capture --update --into nope", "nope: has no captured pages"},
		{"capture http://localhost:1/ --into file", "is not a folder"},

		{"config nothing", `unknown client "nothing". Clients are claude-code, claude-desktop, vscode, cursor, gemini-cli, qwen-code, codex, opencode, windsurf, zed, cline, jetbrains, lm-studio, goose.`},
		{"config cursr", `unknown client "cursr"; did you mean "cursor"?`},
		{"config --write", "--write and --remove take a client"},
		{"config Cursor zed --write", "config takes one client at a time"},
		{"config codex ../bare --package", `mcp-docs-server.json: names no npm package: write "package": "@me/docs" into it, or give --url`},
		{"config codex ../hostile --package", `"a & calc.exe" is not the name of an npm package`},
		{"config cursor --package --command", "no command adds this server to Cursor: leave out --command"},
		{"config codex --package --url https://example.com/mcp", "give one of --package, --url and --binary"},
		{"config windsurf --scope project", "Windsurf has no file of the scope project that can be written: leave out --scope"},
		{"config codex --url https://example.com/mcp --header 'X: secret'", `--header: the header "X" must end with a variable of the environment`},
		{"config cursor --scope user --remove --name other", `has no server "other"`},
		{"config claude-code --deps=rust", "--deps"},
		{"config claude-code --deps --package", "--deps"},
		{"config claude-code --deps --url https://example.com/mcp", "--deps"},
		{"init file", "file: is a file, must be a folder"},
		{"init ../torn", "mcp-docs-server.json:1:2: "},
		{"init ../blocked", "docs: is a file, must be a folder: rename it"},
		{"init a b", "init takes at most one folder"},
		{"init . --docs manual", "init takes neither --config nor --docs"},

		{"publish -n -o x", "not both"},
		{"publish --target pip", `--target is "pip", must be one of npm`},
		{"publish --target mcpb --access public", "--access is for --target npm and has no meaning for mcpb"},
		{"publish --target server-json --mcpb /nope --mcpb-url https://github.com/", "--mcpb /nope: no such file or folder"},
		{"publish --max-size 0", "must be a whole number from 1"},
		{"publish --target store --to x", "say which store: --store postgres://user@host/database, --store-file or MCP_DOCS_STORE"},
		{"publish --target store --store postgres://u:hunter2@h/d --to x", "--store has a password"},
		{"publish --target store --store postgres://u@127.0.0.1:1/d --to x", "the store cannot be reached"},
		{"publish --target store --store postgres://u@127.0.0.1:1/d", "say under which name replicas find the project, as in --to handbook"},
		{"publish --target store --store postgres://u@127.0.0.1:1/d --to ../x", `--to "../x" is not a name for a project in the store`},
		{"cloudflare", "say what to do: cloudflare deploy"},
		{"cloudflare deploy nope", "nope: no such file or folder"},
		{"cloudflare deploy --max-size 0", "must be a whole number from 1"},
		{"cloudflare deploy --account-id x", "unknown flag: --account-id; wrangler reads CLOUDFLARE_ACCOUNT_ID"},
		{"store", "say what to do: store versions"},
		{"store migrate", "say which store"},
		{"store versions --store postgres://u@127.0.0.1:1/d", "store versions takes the name"},
		{"store versions x --store postgres://u@127.0.0.1:1/d", "the store cannot be reached: 127.0.0.1:1: "},
		{"store rollback --store postgres://u@127.0.0.1:1/d x one", `"one" is not the number of a version`},
	})
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
		refuses(t, [][2]string{{"PATH=" + filepath.Join(parent, "good") + " serve --capture --browser", "--browser-no-sandbox"}})
	}
}
