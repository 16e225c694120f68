package clients

import (
	"encoding/base64"
	"encoding/json"
	"net/url"
	"strings"
	"testing"

	"github.com/BurntSushi/toml"
	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v4"
)

// hostile are words that some language, shell or client takes for something else.
var hostile = []string{
	"/my docs", `C:\my docs\a`, `it's "here"`, "$HOME", "${HOME}", "$(id)", "`id`", "100%", "%PATH%", "a\nb", "a\tb", "\x1b[31m", "\x7f", "\u0085", "\u2028",
	"\u202e", "\ufeff", "\ufffe", "é 文 😀", "\U000e0001", "-y", "--", "@x", "# x", "a#b", "null", "1e3", "~", "a;b", "a&b|c<d>e^f", "!x", "{a: b}", "[", "*?",
	"“x”", `\`, `\\`, `a\`, `a\"`, "'''", `"""`, "&amp;", "</details>", "```", "a,b=c",
}

// entry is what a client reads of a server.
type entry struct {
	Command string
	Args    []string
	URL     string
	Type    string // "" where the client wants none
}

// read reads a snippet as the client does.
func read(t *testing.T, id string, s Setup, name string) entry {
	t.Helper()
	var file map[string]map[string]map[string]any
	var err error
	switch s.Format {
	case "json":
		err = json.Unmarshal([]byte(s.Snippet), &file)
	case "toml":
		_, err = toml.Decode(s.Snippet, &file)
	case "yaml":
		err = yaml.Unmarshal([]byte(s.Snippet), &file)
	}
	if err != nil {
		t.Fatalf("%s: %v in\n%s", id, err, s.Snippet)
	}
	root := map[string]string{"vscode": "servers", "codex": "mcp_servers", "goose": "extensions"}[id]
	if root == "" {
		root = "mcpServers"
	}
	if id == "goose" {
		name = strings.ToLower(name)
	}
	fields := file[root][name]
	if len(file) != 1 || len(file[root]) != 1 || fields == nil || s.Entry != name || s.Key != root && s.Format != "toml" {
		t.Fatalf("%s: key %q, entry %q, snippet\n%s", id, s.Key, s.Entry, s.Snippet)
	}
	return decode(fields)
}

func decode(fields map[string]any) entry {
	var e entry
	for key, value := range fields {
		switch key {
		case "command", "cmd":
			e.Command = value.(string)
		case "args":
			e.Args = []string{}
			for _, arg := range value.([]any) {
				e.Args = append(e.Args, arg.(string))
			}
		case "url", "httpUrl", "uri":
			e.URL = value.(string)
		case "type":
			e.Type = value.(string)
		}
	}
	return e
}

// types are what the clients want as the type of a program and of a remote server.
var types = map[string][2]string{"claude-code": {"", "http"}, "vscode": {"stdio", "http"}, "goose": {"stdio", "streamable_http"}}

func TestSnippetsReadBack(t *testing.T) {
	const address = "https://example.com:8443/mcp?a=b&c=%20'()$x"
	servers := []Server{Package("acme-docs", "@acme/docs"), Installed("acme-docs", "@acme/docs", "acme-docs"), Remote("Acme_1", address), Local("1e3", "/bin/x")}
	for _, word := range hostile {
		servers = append(servers, Local("null", "/bin/"+word, "serve", word))
	}
	for _, s := range servers {
		for _, c := range All() {
			for _, goos := range []string{Linux, MacOS, Windows} {
				setup, err := c.Setup(s, goos)
				if err != nil {
					t.Fatal(err)
				}
				if setup.Dialog != "" {
					if c.ID != "claude-desktop" || s.URL == "" || setup.Snippet != s.URL+"\n" || setup.File != "" {
						t.Errorf("%s: %+v", c.ID, setup)
					}
					continue
				}
				want := entry{URL: s.URL, Type: types[c.ID][1]}
				if s.URL == "" {
					want = entry{Command: s.Command, Args: append([]string{}, s.Args...), Type: types[c.ID][0]}
					if s.Script && goos == Windows {
						want.Command, want.Args = "cmd", append([]string{"/c", s.Command}, s.Args...)
					}
				}
				if diff := cmp.Diff(want, read(t, c.ID, setup, s.Name)); diff != "" {
					t.Errorf("%s on %s (-want +got):\n%s\n%s", c.ID, goos, diff, setup.Snippet)
				}
			}
		}
	}
}

// The snippets as people see them.
func TestSnippets(t *testing.T) {
	for _, test := range []struct {
		id, file string
		s        Server
		want     string
	}{
		{"claude-code", ".mcp.json", Package("acme-docs", "@acme/docs"), `{
  "mcpServers": {
    "acme-docs": {
      "command": "npx",
      "args": ["-y", "@acme/docs"]
    }
  }
}
`},
		{"vscode", ".vscode/mcp.json", Remote("acme-docs", "https://example.com/mcp"), `{
  "servers": {
    "acme-docs": {
      "type": "http",
      "url": "https://example.com/mcp"
    }
  }
}
`},
		{"gemini-cli", "~/.gemini/settings.json", Remote("acme-docs", "https://example.com/mcp"), `{
  "mcpServers": {
    "acme-docs": {
      "httpUrl": "https://example.com/mcp"
    }
  }
}
`},
		{"codex", "~/.codex/config.toml", Package("acme-docs", "@acme/docs"), `
[mcp_servers.acme-docs]
command = "npx"
args = ["-y", "@acme/docs"]
`},
		{"goose", "~/.config/goose/config.yaml", Server{Name: "acme-docs", Title: "Acme", Command: "/bin/mcp-docs-server", Args: []string{"serve", "/a b"}}, `extensions:
  "acme-docs":
    enabled: true
    type: stdio
    name: "acme-docs"
    description: "Documentation of Acme"
    cmd: "/bin/mcp-docs-server"
    args: ["serve", "/a b"]
    timeout: 300
`},
	} {
		c, ok := Find(test.id)
		if !ok {
			t.Fatalf("there is no client %q", test.id)
		}
		setup, err := c.Setup(test.s, Linux)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(test.want, setup.Snippet); diff != "" || setup.File != test.file {
			t.Errorf("%s: file %q (-want +got):\n%s", test.id, setup.File, diff)
		}
	}
}

func TestFiles(t *testing.T) {
	got := map[string]string{}
	for _, c := range All() {
		setup, err := c.Setup(Package("a", "a"), Windows)
		if err != nil {
			t.Fatal(err)
		}
		got[c.ID] = setup.File
	}
	want := map[string]string{
		"claude-code": ".mcp.json", "claude-desktop": `%APPDATA%\Claude\claude_desktop_config.json`, "vscode": ".vscode/mcp.json",
		"cursor": `%USERPROFILE%\.cursor\mcp.json`, "gemini-cli": `%USERPROFILE%\.gemini\settings.json`,
		"codex": `%USERPROFILE%\.codex\config.toml`, "lm-studio": `%USERPROFILE%\.lmstudio\mcp.json`,
		"goose": `%APPDATA%\Block\goose\config\config.yaml`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestCommands(t *testing.T) {
	pkg, installed, remote := Package("acme-docs", "@acme/docs"), Installed("acme-docs", "@acme/docs", "acme-docs"), Remote("acme-docs", "https://example.com/mcp?a=b")
	local := Local("acme-docs", "/opt/my bin/mcp-docs-server", "serve", "/it's")
	for _, test := range []struct {
		id, goos string
		s        Server
		want     string
	}{
		{"claude-code", Linux, pkg, "claude mcp add acme-docs -- npx -y @acme/docs"},
		{"claude-code", Linux, local, `claude mcp add acme-docs -- '/opt/my bin/mcp-docs-server' serve '/it'\''s'`},
		{"claude-code", MacOS, installed, "claude mcp add acme-docs -- acme-docs"},
		{"claude-code", Windows, pkg, `claude mcp add acme-docs "--" cmd /c npx -y "@acme/docs"`},
		{"claude-code", Linux, remote, "claude mcp add --transport http acme-docs 'https://example.com/mcp?a=b'"},
		{"codex", Linux, pkg, "codex mcp add acme-docs -- npx -y @acme/docs"},
		{"codex", Windows, remote, `codex mcp add acme-docs --url "https://example.com/mcp?a=b"`},
		{"codex", Windows, Remote("a", "https://example.com/mcp?a=b&c=d"), ""},
		{"codex", Windows, Local("a", `C:\x\mcp-docs-server.exe`, "serve", `C:\my docs`), `codex mcp add a "--" C:\x\mcp-docs-server.exe serve "C:\my docs"`},
		{"gemini-cli", Linux, pkg, "gemini mcp add --scope user acme-docs npx -- -y @acme/docs"},
		{"gemini-cli", Linux, installed, "gemini mcp add --scope user acme-docs acme-docs"},
		{"gemini-cli", Linux, remote, "gemini mcp add --scope user --transport http acme-docs 'https://example.com/mcp?a=b'"},
		{"vscode", Linux, pkg, `code --add-mcp '{"name":"acme-docs","command":"npx","args":["-y","@acme/docs"]}'`},
		{"vscode", Linux, remote, `code --add-mcp '{"name":"acme-docs","type":"http","url":"https://example.com/mcp?a=b"}'`},
		{"vscode", Windows, installed, `code --add-mcp "{\""name\"":\""acme-docs\"",\""command\"":\""cmd\"",\""args\"":[\""/c\"",\""acme-docs\""]}"`},
		{"cursor", Linux, pkg, ""},
	} {
		c, _ := Find(test.id)
		setup, err := c.Setup(test.s, test.goos)
		if err != nil {
			t.Fatal(err)
		}
		if setup.Command != test.want {
			t.Errorf("%s on %s: %s\nwant %s", test.id, test.goos, setup.Command, test.want)
		}
		if gone := c.command != nil && test.want == ""; gone != (len(setup.Notes) > 0) {
			t.Errorf("%s on %s: notes %q", test.id, test.goos, setup.Notes)
		}
	}
}

// Links are taken apart as browsers and clients do.
func TestLinks(t *testing.T) {
	servers := []Server{Package("acme-docs", "@acme/docs"), Remote("acme-docs", "https://example.com/mcp?a=b&c=%20+()")}
	for _, word := range hostile {
		servers = append(servers, Local("acme-docs", "/bin/"+word, "serve", word))
	}
	prefixes := map[string][2]string{
		"vscode":    {"vscode:mcp/install?", "https://vscode.dev/redirect/mcp/install?"},
		"cursor":    {"cursor://anysphere.cursor-deeplink/mcp/install?", "https://cursor.com/en/install-mcp?"},
		"lm-studio": {"lmstudio://add_mcp?", "https://lmstudio.ai/install-mcp?"},
		"goose":     {"goose://extension?", "https://goose-docs.ai/extension?"},
	}
	for _, s := range servers {
		for _, c := range All() {
			setup, err := c.Setup(s, Windows) // a link does not depend on the system
			if err != nil {
				t.Fatal(err)
			}
			prefix, ok := prefixes[c.ID]
			if !ok || c.ID == "goose" && s.URL == "" && s.Command != "npx" {
				if setup.Link != "" || setup.WebLink != "" {
					t.Errorf("%s: link %q, %q", c.ID, setup.Link, setup.WebLink)
				}
				continue
			}
			for i, link := range []string{setup.Link, setup.WebLink} {
				query, ok := strings.CutPrefix(link, prefix[i])
				if !ok || strings.ContainsAny(query, "+()<>\"'` \n") {
					t.Fatalf("%s: %q", c.ID, link)
				}
				want := entry{URL: s.URL}
				if s.URL == "" {
					want = entry{Command: s.Command, Args: s.Args}
				}
				var got entry
				switch c.ID {
				case "goose":
					values := parseQuery(t, query)
					got = entry{Command: values.Get("cmd"), Args: values["arg"], URL: values.Get("url"), Type: values.Get("type")}
					if s.URL != "" {
						want.Type = "streamable_http"
					}
					if values.Get("id") != "acme-docs" || values.Get("name") != "acme-docs" || values.Get("description") != "Documentation of acme-docs" {
						t.Errorf("%q", link)
					}
				case "vscode":
					if s.URL != "" {
						want.Type = "http"
					}
					document, err := url.PathUnescape(query)
					if err != nil {
						t.Fatal(err)
					}
					name := ""
					if i == 1 {
						values := parseQuery(t, query)
						document, name = values.Get("config"), values.Get("name")
					}
					got = decodeJSON(t, document, &name)
					if name != "acme-docs" {
						t.Errorf("%q: name %q", link, name)
					}
				default:
					values := parseQuery(t, query)
					document, err := base64.StdEncoding.DecodeString(values.Get("config"))
					if err != nil {
						t.Fatal(err)
					}
					name := values.Get("name")
					got = decodeJSON(t, string(document), &name)
					if name != "acme-docs" {
						t.Errorf("%q: name %q", link, name)
					}
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("%s: %q (-want +got):\n%s", c.ID, link, diff)
				}
			}
		}
	}
}

func parseQuery(t *testing.T, query string) url.Values {
	t.Helper()
	values, err := url.ParseQuery(query)
	if err != nil {
		t.Fatal(err)
	}
	return values
}

func decodeJSON(t *testing.T, document string, name *string) entry {
	t.Helper()
	var fields map[string]any
	if err := json.Unmarshal([]byte(document), &fields); err != nil {
		t.Fatalf("%v in %s", err, document)
	}
	if own, ok := fields["name"]; ok {
		*name = own.(string)
	}
	return decode(fields)
}

func TestChecks(t *testing.T) {
	for _, test := range []struct {
		s    Server
		want string // "" is good
	}{
		{Package("acme-docs", "docs"), ""},
		{Package("1_a", "@Acme/docs.js"), ""},
		{Remote("a", "http://[::1]:8080/mcp"), ""},
		{Package("", "docs"), `the name "" does not suit all clients`},
		{Package("-a", "docs"), `the name "-a" does not`},
		{Package("a b", "docs"), `the name "a b" does not`},
		{Package("a\n", "docs"), `the name "a\n" does not`},
		{Package(strings.Repeat("a", 65), "docs"), "at most 64"},
		{Package("a", "docs & calc"), `"docs & calc" is no name of an npm package`},
		{Package("a", "-g"), `"-g" is no name`},
		{Package("a", "../x"), `"../x" is no name`},
		{Package("a", ""), `"" is no name`},
		{Installed("a", "-g", "a"), `"-g" is no name`},
		{Server{Name: "a", Title: "\xff", Command: "a"}, `the title "\xff" is not UTF-8`},
		{Local("a", "/bin/\xff"), `"/bin/\xff" is not UTF-8`},
		{Local("a", "/bin/a", "\x00"), `"\x00" has a NUL`},
		{Local("a", "-x"), `the program "-x" looks like an option`},
		{Local("a", ""), `the program "" looks like an option or is empty`},
		{Local("a", "x", ""), `an argument of "x" is empty`},
		{Remote("a", "file:///etc/passwd"), `"file:///etc/passwd" is no URL of a server`},
		{Remote("a", "https:///mcp"), "is no URL of a server"},
		{Remote("a", "https://example.com/a b"), "is no URL of a server"},
		{Remote("a", "https://example.com/`"), "is no URL of a server"},
		{Remote("a", "https://é.example"), "is no URL of a server"},
		{Remote("a", "https://u:p@example.com/"), "the URL of example.com has a user name or password"},
		{Remote("a", "https://example.com/#x"), "has a fragment"},
		{Remote("a", "https://example.com/#"), "has a fragment"},
	} {
		for _, c := range All() {
			_, err := c.Setup(test.s, Linux)
			if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
				t.Errorf("%+v: %v, want %q", test.s, err, test.want)
			}
		}
	}
}

// Clients that put variables into their file are named.
func TestNotes(t *testing.T) {
	for _, test := range []struct{ id, dir, want string }{
		{"claude-code", "/a/${HOME}/b", `Claude Code may put something else for the "${HOME}" in "/a/${HOME}/b"`},
		{"claude-code", "/a/$HOME/b", ""},
		{"gemini-cli", "/a/$HOME/b", `Gemini CLI may put something else for the "$HOME" in`},
		{"gemini-cli", "/a/$/b", ""},
		{"vscode", "/${x}", "VS Code may"},
		{"cursor", "/${x}", "Cursor may"},
		{"codex", "/${x}", ""},
	} {
		c, _ := Find(test.id)
		setup, err := c.Setup(Local("a", "x", "serve", test.dir), Linux)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(setup.Notes, "\n"); test.want == "" && got != "" || !strings.Contains(got, test.want) {
			t.Errorf("%s: %q: %q, want %q", test.id, test.dir, got, test.want)
		}
	}
}
