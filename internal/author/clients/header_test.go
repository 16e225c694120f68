package clients

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A token is in no file: each client gets its variable in the syntax of the client.
func TestHeaders(t *testing.T) {
	s := Remote("acme", "https://a.example/mcp")
	s.Headers = []Header{Bearer("DOCS_TOKEN")}
	for id, want := range map[string][]string{ // in the snippet, the command, and what comes after
		"claude-code":    {`"headers": {"Authorization": "Bearer ${DOCS_TOKEN}"}`, "", "set DOCS_TOKEN before you start it."},
		"claude-desktop": {"https://a.example/mcp\n", "", "sends no header that you choose"},
		"vscode":         {`"headers": {"Authorization": "Bearer ${input:DOCS_TOKEN}"}`, "", "VS Code asks for DOCS_TOKEN when it connects"},
		"cursor":         {`"headers": {"Authorization": "Bearer ${env:DOCS_TOKEN}"}`, "", "Restart Cursor"},
		"gemini-cli": {`"headers": {"Authorization": "Bearer ${DOCS_TOKEN}"}`,
			"gemini mcp add --scope user --transport http --header 'Authorization: Bearer ${DOCS_TOKEN}' acme https://a.example/mcp", "trust the folder"},
		"qwen-code": {`"headers": {"Authorization": "Bearer ${DOCS_TOKEN}"}`,
			"qwen mcp add --scope user --transport http --header 'Authorization: Bearer ${DOCS_TOKEN}' acme https://a.example/mcp", "trust the folder"},
		"codex": {`bearer_token_env_var = "DOCS_TOKEN"`,
			"codex mcp add acme --url https://a.example/mcp --bearer-token-env-var DOCS_TOKEN", "Restart Codex"},
		"opencode":  {`"headers": {"Authorization": "Bearer {env:DOCS_TOKEN}"}`, "", "Restart opencode"},
		"windsurf":  {`"headers": {"Authorization": "Bearer ${env:DOCS_TOKEN}"}`, "", "Refresh"},
		"zed":       {`"headers": {"Authorization": "Bearer <DOCS_TOKEN>"}`, "", "Zed replaces no variables: write the value itself in place of <DOCS_TOKEN>"},
		"cline":     {`"headers": {"Authorization": "Bearer <DOCS_TOKEN>"}`, "", "in place of <DOCS_TOKEN>"},
		"jetbrains": {`"headers": {"Authorization": "Bearer <DOCS_TOKEN>"}`, "", "in place of <DOCS_TOKEN>"},
		"lm-studio": {`"headers": {"Authorization": "Bearer <DOCS_TOKEN>"}`, "", "in place of <DOCS_TOKEN>"},
		"goose": {"    headers: {\"Authorization\": \"Bearer ${DOCS_TOKEN}\"}\n    env_keys: [\"DOCS_TOKEN\"]\n", "",
			"Start a new session"},
	} {
		setup := setupOf(t, id, s)
		if !strings.Contains(setup.Snippet, want[0]) || setup.Command != want[1] || !strings.Contains(setup.After, want[2]) {
			t.Errorf("%s: command %q, after %q, snippet\n%s", id, setup.Command, setup.After, setup.Snippet)
		}
		if id != "cursor" && setup.Link+setup.WebLink != "" {
			t.Errorf("%s: link %q, %q", id, setup.Link, setup.WebLink)
		}
		if len(setup.Notes) > 0 {
			t.Errorf("%s: %q", id, setup.Notes)
		}
	}
	if len(clients) != 14 {
		t.Errorf("there are %d clients", len(clients))
	}
	s.Headers = append(s.Headers, Header{"X-Api-Key", "", "KEY"})
	if got := setupOf(t, "codex", s); !strings.Contains(got.Snippet, "\nenv_http_headers = { \"X-Api-Key\" = \"KEY\" }\n") || got.Command != "" {
		t.Errorf("command %q, snippet\n%s", got.Command, got.Snippet)
	}
}

func TestParseHeader(t *testing.T) {
	if h, err := ParseHeader("Authorization: Bearer ${A_1}"); err != nil || h != Bearer("A_1") {
		t.Errorf("%+v, %v", h, err)
	}
	if h, err := ParseHeader("X-Api-Key:${KEY}"); err != nil || h != (Header{"X-Api-Key", "", "KEY"}) {
		t.Errorf("%+v, %v", h, err)
	}
	for text, want := range map[string]string{
		"Authorization: Bearer s3cret": `the header "Authorization" must end with a variable`,
		"${KEY}":                       "must end with a variable",
		"X: ${A} b":                    "must end with a variable",
		"X: ${A}${B}":                  "the header X has characters",
		"X: a\nb: ${A}":                "must end with a variable",
		"X y: ${A}":                    `"X y" is not the name of a header`,
		"X: ${A-b}":                    `"A-b" is not the name of an environment variable`,
		"X: ${}":                       "is not the name of an environment variable",
		": ${A}":                       "is not the name of a header",
	} {
		if _, err := ParseHeader(text); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%q: %v", text, err)
		}
	}
	s := Local("acme", "/bin/m")
	s.Headers = []Header{Bearer("A")}
	if _, err := clients[0].Setup(s, Linux); err == nil {
		t.Error("a program has a header")
	}
}

// Put keeps headers that the user added, and a value that the user wrote in place of a variable.
func TestPutHeaders(t *testing.T) {
	plain := Remote("acme", "https://a.example")
	token := plain
	token.Headers = []Header{Bearer("TOKEN")}
	for _, test := range []struct {
		name, id  string
		s         Server
		old, want string
	}{
		{"no header given", "cursor", plain, `{"mcpServers": {"acme": {"url": "x", "headers": {"A": "b"}}}}`, `{"mcpServers": {"acme": {"url": "https://a.example", "headers": {"A": "b"}}}}`},
		{"another header", "cursor", token, `{"mcpServers": {"acme": {"url": "https://a.example", "headers": {"A": "b", "Authorization": "x"}}}}`,
			`{"mcpServers": {"acme": {"url": "https://a.example", "headers": {"A": "b", "Authorization": "Bearer ${env:TOKEN}"}}}}`},
		{"a value of the user", "zed", token, `{"context_servers": {"acme": {"url": "x", "headers": {"Authorization": "Bearer secret"}}}}`,
			`{"context_servers": {"acme": {"url": "https://a.example", "headers": {"Authorization": "Bearer secret"}}}}`},
		{"a program", "cursor", acme, `{"mcpServers": {"acme": {"url": "x", "headers": {"A": "b"}}}}`, `{"mcpServers": {"acme": {"command": "/bin/m", "args": ["serve", "/a b"]}}}`},
		{"toml", "codex", token, "[mcp_servers.acme]\nurl = \"x\"\nhttp_headers = { \"A\" = \"b\" }\n",
			"[mcp_servers.acme]\nurl = \"https://a.example\"\nhttp_headers = { \"A\" = \"b\" }\nbearer_token_env_var = \"TOKEN\"\n"},
		{"toml, a program", "codex", acme, "[mcp_servers.acme]\nurl = \"x\"\nbearer_token_env_var = \"T\"\n",
			"[mcp_servers.acme]\ncommand = \"/bin/m\"\nargs = [\"serve\", \"/a b\"]\n"},
		{"inputs", "vscode", token, "{\n  \"inputs\": [\n    // c\n    {\"id\": \"other\"}\n  ],\n  \"servers\": {}\n}\n",
			"{\n  \"inputs\": [\n    // c\n    {\"id\": \"other\"},\n    {\"type\": \"promptString\", \"id\": \"TOKEN\", \"description\": \"Authorization for acme\", \"password\": true}\n  ],\n" +
				"  \"servers\": {\n    \"acme\": {\n      \"type\": \"http\",\n      \"url\": \"https://a.example\",\n      \"headers\": {\"Authorization\": \"Bearer ${input:TOKEN}\"}\n    }\n  }\n}\n"},
		{"an input that exists", "vscode", token, `{"inputs": [{"id": "TOKEN"}], "servers": {}}`,
			`{"inputs": [{"id": "TOKEN"}], "servers": {"acme": {"type": "http", "url": "https://a.example", "headers": {"Authorization": "Bearer ${input:TOKEN}"}}}}`},
		{"no inputs", "vscode", token, "{\n\t\"servers\": {}\n}\n",
			"{\n\t\"servers\": {\n\t\t\"acme\": {\n\t\t\t\"type\": \"http\",\n\t\t\t\"url\": \"https://a.example\",\n\t\t\t\"headers\": {\"Authorization\": \"Bearer ${input:TOKEN}\"}\n\t\t}\n\t},\n" +
				"\t\"inputs\": [\n\t\t{\"type\": \"promptString\", \"id\": \"TOKEN\", \"description\": \"Authorization for acme\", \"password\": true}\n\t]\n}\n"},
		{"a new file of Goose", "goose", plain, "", setupOf(t, "goose", plain).Snippet},
	} {
		setup := setupOf(t, test.id, test.s)
		got, err := setup.Put([]byte(test.old))
		if diff := cmp.Diff(test.want, string(got)); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got):\n%s", test.name, err, diff)
			continue
		}
		if test.id == "goose" {
			continue
		}
		if again, err := setup.Put(got); err != nil || string(again) != string(got) {
			t.Errorf("%s: the second time, %v:\n%s", test.name, err, again)
		}
	}
}
