package clients

import (
	"encoding/base64"
	"encoding/json"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pelletier/go-toml/v2"
	"go.yaml.in/yaml/v4"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

// hostile holds words that some language, shell or client treats specially.
var hostile = []string{
	"/my docs", `C:\my docs\a`, `it's "here"`, "$HOME", "${HOME}", "$(id)", "`id`", "100%", "%PATH%", "a\nb", "a\tb", "\x1b[31m", "\x7f", "\u0085", "\u2028",
	"\u202e", "\ufeff", "\ufffe", "é 文 😀", "\U000e0001", "-y", "--", "@x", "# x", "a#b", "null", "1e3", "~", "a;b", "a&b|c<d>e^f", "!x", "{a: b}", "[", "*?",
	"“x”", `\`, `\\`, `a\`, `a\"`, "'''", `"""`, "&amp;", "</details>", "```", "a,b=c", "/*", "/?", "/bin/[a-z]*",
}

// entry is a server as a client reads it from its file.
type entry struct {
	Command string
	Args    []string
	URL     string
	Type    string // "" if the client needs none
}

// read reads a snippet like the client.
func read(t *testing.T, id string, s Setup, name string) entry {
	t.Helper()
	var file map[string]map[string]map[string]any
	var err error
	switch s.Format {
	case "json":
		err = json.Unmarshal([]byte(s.Snippet), &file)
	case "toml":
		err = toml.Unmarshal([]byte(s.Snippet), &file)
	case "yaml":
		err = yaml.Unmarshal([]byte(s.Snippet), &file)
	}
	if err != nil {
		t.Fatalf("%s: %v in\n%s", id, err, s.Snippet)
	}
	root := map[string]string{"vscode": "servers", "codex": "mcp_servers", "goose": "extensions", "opencode": "mcp", "zed": "context_servers"}[id]
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
			if words, ok := value.([]any); ok { // opencode
				e.Command, e.Args = words[0].(string), []string{}
				for _, arg := range words[1:] {
					e.Args = append(e.Args, arg.(string))
				}
				continue
			}
			e.Command = value.(string)
		case "args":
			e.Args = []string{}
			for _, arg := range value.([]any) {
				e.Args = append(e.Args, arg.(string))
			}
		case "url", "httpUrl", "uri", "serverUrl":
			e.URL = value.(string)
		case "type":
			e.Type = value.(string)
		}
	}
	return e
}

// types holds the types that clients need for a program and for a remote server.
var types = map[string][2]string{"claude-code": {"", "http"}, "vscode": {"stdio", "http"}, "goose": {"stdio", "streamable_http"},
	"opencode": {"local", "remote"}, "cline": {"", "streamableHttp"}}

func TestSnippetsReadBack(t *testing.T) {
	const address = "https://example.com:8443/mcp?a=b&c=%20'()$x"
	servers := []Server{Package("acme-docs", "@acme/docs"), Remote("Acme_1", address), Local("1e3", "/bin/x"),
		Through("acme-docs", "@acme/cli", "serve", `C:\my docs`)}
	for _, word := range hostile {
		servers = append(servers, Local("null", "/bin/"+word, "serve", word))
	}
	for _, s := range servers {
		for _, c := range All() {
			for _, goos := range []string{Linux, MacOS, Windows} {
				setup := must.Get(c.Setup(s, goos))(t)
				if (setup.Dialog == "") == (setup.File == "") {
					t.Errorf("%s: dialog %q and file %q", c.ID, setup.Dialog, setup.File)
				}
				if setup.Dialog != "" && c.ID != "jetbrains" {
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

func TestCommands(t *testing.T) {
	pkg, remote := Package("acme-docs", "@acme/docs"), Remote("acme-docs", "https://example.com/mcp?a=b")
	local := Local("acme-docs", "/opt/my bin/mcp-docs-server", "serve", "/it's")
	for _, test := range []struct {
		id, goos string
		s        Server
		want     string
	}{
		{"claude-code", Linux, pkg, "claude mcp add acme-docs -- npx -y @acme/docs"},
		{"claude-code", Linux, local, `claude mcp add acme-docs -- '/opt/my bin/mcp-docs-server' serve '/it'\''s'`},
		{"claude-code", Windows, pkg, `claude mcp add acme-docs "--" cmd /c npx -y "@acme/docs"`},
		{"claude-code", Linux, remote, "claude mcp add --transport http acme-docs 'https://example.com/mcp?a=b'"},
		{"codex", Windows, remote, `codex mcp add acme-docs --url "https://example.com/mcp?a=b"`},
		{"codex", Windows, Remote("a", "https://example.com/mcp?a=b&c=d"), ""},
		{"codex", Windows, Local("a", `C:\x\mcp-docs-server.exe`, "serve", `C:\my docs`), `codex mcp add a "--" C:\x\mcp-docs-server.exe serve "C:\my docs"`},
		{"gemini-cli", Linux, pkg, "gemini mcp add --scope user acme-docs npx -- -y @acme/docs"},
		{"gemini-cli", Linux, remote, "gemini mcp add --scope user --transport http acme-docs 'https://example.com/mcp?a=b'"},
		{"claude-code", Windows, Through("a", "@acme/cli", "serve", `C:\my docs`), `claude mcp add a "--" cmd /c npx -y "@acme/cli" serve "C:\my docs"`},
		{"vscode", Linux, pkg, `code --add-mcp '{"name":"acme-docs","command":"npx","args":["-y","@acme/docs"]}'`},
		{"vscode", Linux, remote, `code --add-mcp '{"name":"acme-docs","type":"http","url":"https://example.com/mcp?a=b"}'`},
		{"vscode", Windows, pkg, ""},
		{"cursor", Linux, pkg, ""},
	} {
		c, _ := Find(test.id)
		setup := must.Get(c.Setup(test.s, test.goos))(t)
		if setup.Command != test.want {
			t.Errorf("%s on %s: %s\nwant %s", test.id, test.goos, setup.Command, test.want)
		}
		if gone := c.command != nil && test.want == "" && test.id != "vscode"; gone != (len(setup.Notes) > 0) {
			t.Errorf("%s on %s: notes %q", test.id, test.goos, setup.Notes)
		}
	}
}

// Every client with another scope has a file for it, and no file of the user is in a folder that other
// people share.
func TestScopes(t *testing.T) {
	got := map[string]string{}
	for _, c := range All() {
		for _, scope := range []Scope{User, Project} {
			in, err := c.In(scope, false)
			if err != nil {
				continue
			}
			setup := must.Get(in.Setup(Package("a", "a"), MacOS))(t)
			if setup.InFolder != (scope == Project) && setup.File != "" {
				t.Errorf("%s: the file of the scope %s is %s", c.ID, scope, setup.File)
			}
			if scope == Project {
				got[c.ID] = setup.File
			} else if c.ID == "vscode" && setup.File != "~/Library/Application Support/Code/User/mcp.json" {
				t.Errorf("%s", setup.File)
			}
		}
	}
	want := map[string]string{"claude-code": ".mcp.json", "vscode": ".vscode/mcp.json", "cursor": ".cursor/mcp.json", "gemini-cli": ".gemini/settings.json",
		"qwen-code": ".qwen/settings.json", "codex": ".codex/config.toml", "opencode": "opencode.json", "zed": ".zed/settings.json"}
	must.Equal(t, want, got)
}

// Links are parsed like browsers and clients parse them.
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
			must.Do(t, err)
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
					document := must.Get(url.PathUnescape(query))(t)
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
					document := must.Get(base64.StdEncoding.DecodeString(values.Get("config")))(t)
					name := values.Get("name")
					got = decodeJSON(t, string(document), &name)
					if name != "acme-docs" {
						t.Errorf("%q: name %q", link, name)
					}
				}
				must.Equal(t, want, got, c.ID, ", ", link)
			}
		}
	}
}

func parseQuery(t *testing.T, query string) url.Values {
	t.Helper()
	return must.Get(url.ParseQuery(query))(t)
}

func decodeJSON(t *testing.T, document string, name *string) entry {
	t.Helper()
	var fields map[string]any
	if err := json.Unmarshal([]byte(document), &fields); err != nil {
		t.Fatalf("%v in %s", err, document)
	}
	if value, ok := fields["name"]; ok {
		*name = value.(string)
	}
	return decode(fields)
}

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
