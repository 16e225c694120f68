package clients

import (
	"strings"
	"testing"
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
