package clients

import (
	"encoding/json"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/pelletier/go-toml/v2"
	"go.yaml.in/yaml/v4"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

func TestChecks(t *testing.T) {
	for _, test := range []struct {
		s    Server
		want string // the error; "" for none
	}{
		{Package("acme-docs", "docs"), ""},
		{Package("1_a", "@Acme/docs.js"), ""},
		{Remote("a", "http://[::1]:8080/mcp"), ""},
		{Package("", "docs"), `the name "" does not suit all clients`},
		{Package("a b", "docs"), `the name "a b" does not`},
		{Package(strings.Repeat("a", 65), "docs"), "at most 64"},
		{Package("a", "docs & calc"), `"docs & calc" is not the name of an npm package`},
		{Through("a", "@acme/cli", "serve", "/it's a & b"), ""},
		{Through("a", "b", "serve", ""), `an argument of "npx" is empty`},
		{Package("a", "-g"), `"-g" is not the name`},
		{Server{Name: "a", Title: "\xff", Command: "a"}, `the title "\xff" is not UTF-8`},
		{Local("a", "/bin/\xff"), `"/bin/\xff" is not UTF-8`},
		{Local("a", "/bin/a", "\x00"), `"\x00" contains a NUL`},
		{Local("a", "-x"), `the program "-x" looks like an option`},
		{Remote("a", "file:///etc/passwd"), `"file:///etc/passwd" is not the URL of a server`},
		{Remote("a", "https://example.com/a b"), "is not the URL of a server"},
		{Remote("a", "https://example.com/`"), "is not the URL of a server"},
		{Remote("a", "https://u:p@example.com/"), "the URL of example.com has a user name or password"},
		{Remote("a", "https://example.com/#x"), "has a fragment"},
	} {
		for _, c := range All() {
			_, err := c.Setup(test.s, Linux)
			if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
				t.Errorf("%+v: %v, want %q", test.s, err, test.want)
			}
		}
	}
}

// On Windows, cmd starts npx. Some characters are special to it everywhere, also in quotes.
func TestWindowsScripts(t *testing.T) {
	codex, _ := Find("codex")
	for arg, good := range map[string]bool{`C:\my docs (1)`: true, `C:\a&calc`: false, `C:\%PATH%`: false, `C:\a^b`: false, "C:\\a\nb": false} {
		s := Through("a", "@acme/cli", "serve", arg)
		if _, err := codex.Setup(s, Windows); (err == nil) != good {
			t.Errorf("%q: %v", arg, err)
		}
		if _, err := codex.Setup(s, Linux); err != nil {
			t.Error(err)
		}
	}
	if _, err := Readme(Through("a", "@acme/cli", "serve", "/docs")); err == nil {
		t.Error("a README has a path of this machine")
	}
}

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

func TestLocate(t *testing.T) {
	none := map[string]string{}
	for _, test := range []struct {
		id, goos string
		env      map[string]string
		want     string // "": the client has no file on this system
	}{
		{"claude-code", Linux, none, ".mcp.json"},
		{"cursor", Linux, none, "/home/me/.cursor/mcp.json"},
		{"zed", Linux, none, "/home/me/.config/zed/settings.json"},
		{"zed", Linux, map[string]string{"XDG_CONFIG_HOME": "/x"}, "/x/zed/settings.json"},
		{"zed", Linux, map[string]string{"XDG_CONFIG_HOME": "x"}, "/home/me/.config/zed/settings.json"},
		{"zed", MacOS, map[string]string{"XDG_CONFIG_HOME": "/x"}, "/home/me/.config/zed/settings.json"},
		{"zed", Windows, map[string]string{"APPDATA": `C:\A`}, `C:\A\Zed\settings.json`},
		{"zed", Windows, none, ""},
		{"codex", Linux, map[string]string{"CODEX_HOME": "/c"}, "/c/config.toml"},
		{"codex", Windows, none, `/home/me\.codex\config.toml`},
	} {
		c, _ := Find(test.id)
		setup, err := c.Setup(acme, test.goos)
		must.Do(t, err)
		got, err := setup.Locate("/home/me", func(key string) string { return test.env[key] })
		if (err != nil) != (test.want == "") || filepath.ToSlash(got) != filepath.ToSlash(test.want) {
			t.Errorf("%s on %s with %v: %q, %v, want %q", test.id, test.goos, test.env, got, err, test.want)
		}
	}
	c, _ := Find("cursor")
	setup := must.Get(c.Setup(acme, Linux))(t)
	if got, err := setup.Locate("", func(string) string { return "" }); err == nil {
		t.Errorf("without a home folder: %q", got)
	}
}

// FuzzQuote: JSON, TOML and YAML all read back the text that was quoted.
func FuzzQuote(f *testing.F) {
	for _, word := range append(hostile, "", "\x00") {
		f.Add(word)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if !utf8.ValidString(text) {
			t.Skip("refused before")
		}
		quoted := quote(text)
		var fromJSON string
		if err := json.Unmarshal([]byte(quoted), &fromJSON); err != nil || fromJSON != text {
			t.Errorf("JSON: %q becomes %s, read as %q: %v", text, quoted, fromJSON, err)
		}
		var fromTOML struct{ V string }
		if err := toml.Unmarshal([]byte("V = "+quoted+"\n"), &fromTOML); err != nil || fromTOML.V != text {
			t.Errorf("TOML: %q becomes %s, read as %q: %v", text, quoted, fromTOML.V, err)
		}
		var fromYAML struct{ V string }
		if err := yaml.Unmarshal([]byte("v: "+quoted+"\n"), &fromYAML); err != nil || fromYAML.V != text {
			t.Errorf("YAML: %q becomes %s, read as %q: %v", text, quoted, fromYAML.V, err)
		}
	})
}

// shells are the POSIX shells of this machine.
func shells() []string {
	var found []string
	for _, name := range []string{"sh", "bash", "zsh", "ksh"} {
		if file, err := exec.LookPath(name); err == nil {
			found = append(found, file)
		}
	}
	return found
}

// shellWords returns the words into which a shell splits a command.
func shellWords(t *testing.T, shell, words string) []string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), shell, "-c", `printf '%s\0' `+words).Output()
	if err != nil {
		t.Fatalf("%s: %v: %s", shell, err, words)
	}
	return strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
}

func TestShells(t *testing.T) {
	found := shells()
	if len(found) == 0 {
		t.Skip("needs a POSIX shell")
	}
	claude, _ := Find("claude-code")
	vscode, _ := Find("vscode")
	for _, shell := range found {
		words := append([]string{"\xff", ""}, hostile...)
		quoted := make([]string, len(words))
		for i, word := range words {
			quoted[i] = POSIX(word)
		}
		must.Equal(t, words, shellWords(t, shell, strings.Join(quoted, " ")), shell)
		s := Local("acme-docs", "/bin/it's $HOME", append([]string{"serve"}, hostile...)...)
		setup, err := claude.Setup(s, Linux)
		must.Do(t, err)
		want := append([]string{"claude", "mcp", "add", "acme-docs", "--", s.Command}, s.Args...)
		must.Equal(t, want, shellWords(t, shell, setup.Command), shell)
		if setup, err = vscode.Setup(s, Linux); err != nil {
			t.Fatal(err)
		}
		got := shellWords(t, shell, setup.Command)
		if len(got) != 3 || got[0] != "code" || got[1] != "--add-mcp" {
			t.Fatalf("%s: %q", shell, got)
		}
		name := ""
		if diff := cmp.Diff(entry{Command: s.Command, Args: s.Args}, decodeJSON(t, got[2], &name)); diff != "" || name != s.Name {
			t.Errorf("%s: name %q (-want +got):\n%s", shell, name, diff)
		}
	}
}

// In double quotes, a word without $, %, ` and quotes, and without a backslash at its end, is the same word for the Command
// Prompt, for PowerShell and for the C runtime, with which programs split their command lines.
func TestWindows(t *testing.T) {
	quoted := 0
	for _, word := range append(hostile, "npx", "-y", "--transport", "/c", `C:\x\y.exe`, "https://example.com/mcp", "2x") {
		got, ok := windows(word)
		if !ok {
			if !strings.ContainsAny(word, "\"%&|<>^$`“”„\n\t\x1b\x7f\u0085") && !strings.HasSuffix(word, `\`) {
				t.Errorf("%q is refused", word)
			}
			continue
		}
		quoted++
		if got != word && got != `"`+word+`"` || strings.ContainsAny(word, "\"%$`“”„") || strings.HasSuffix(word, `\`) {
			t.Errorf("%s is not %q", got, word)
		}
		if !strings.HasPrefix(got, `"`) && (strings.ContainsAny(got, "@,;()#'{}~") || got == "--" || got[0] >= '0' && got[0] <= '9') {
			t.Errorf("%s is not quoted", got)
		}
	}
	if quoted < 20 {
		t.Errorf("only %d words can be written", quoted)
	}
}
