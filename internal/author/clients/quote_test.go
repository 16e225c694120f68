package clients

import (
	"encoding/json"
	"os/exec"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/pelletier/go-toml/v2"
	"go.yaml.in/yaml/v4"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

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
		if diff := cmp.Diff(words, shellWords(t, shell, strings.Join(quoted, " "))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", shell, diff)
		}
		s := Local("acme-docs", "/bin/it's $HOME", append([]string{"serve"}, hostile...)...)
		setup, err := claude.Setup(s, Linux)
		must.Do(t, err)
		want := append([]string{"claude", "mcp", "add", "acme-docs", "--", s.Command}, s.Args...)
		if diff := cmp.Diff(want, shellWords(t, shell, setup.Command)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", shell, diff)
		}
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

// argv splits a command line by the rules of the C runtime of Windows, where each program splits its
// own command line.
func argv(line string) []string {
	var words []string
	for i := 0; i < len(line); {
		if line[i] == ' ' || line[i] == '\t' {
			i++
			continue
		}
		var word strings.Builder
		inside := false
		for ; i < len(line) && (inside || line[i] != ' ' && line[i] != '\t'); i++ {
			slashes := 0
			for i < len(line) && line[i] == '\\' {
				slashes++
				i++
			}
			if i == len(line) || line[i] != '"' {
				word.WriteString(strings.Repeat(`\`, slashes))
				i--
				if slashes == 0 {
					i++
					word.WriteByte(line[i])
				}
				continue
			}
			word.WriteString(strings.Repeat(`\`, slashes/2))
			switch {
			case slashes%2 == 1:
				word.WriteByte('"')
			case inside && i+1 < len(line) && line[i+1] == '"':
				word.WriteByte('"')
				i++
			default:
				inside = !inside
			}
		}
		words = append(words, word.String())
	}
	return words
}

// powershell parses a word like PowerShell: bare, or in double quotes without anything to expand. It
// returns the word as Windows PowerShell passes it to a program, in quotes only if it has a space.
func powershell(t *testing.T, word string) string {
	t.Helper()
	if strings.HasPrefix(word, `"`) {
		inner, ok := strings.CutSuffix(word[1:], `"`)
		if !ok || strings.ContainsAny(inner, "$`“”„") || strings.Count(inner, `"`)%2 != 0 || strings.Contains(strings.ReplaceAll(inner, `""`, ""), `"`) {
			t.Fatalf("PowerShell cannot read %s", word)
		}
		word = strings.ReplaceAll(inner, `""`, `"`)
	}
	if strings.ContainsAny(word, " \t") {
		return `"` + word + `"`
	}
	return word
}

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
		if words := argv(got); len(words) != 1 || words[0] != word {
			t.Errorf("Command Prompt: %s is %q, want %q", got, words, word)
		}
		if words := argv(powershell(t, got)); len(words) != 1 || words[0] != word {
			t.Errorf("PowerShell: %s is %q, want %q", got, words, word)
		}
		if !strings.HasPrefix(got, `"`) && (strings.ContainsAny(got, "@,;()#'{}~") || got == "--" || got[0] >= '0' && got[0] <= '9') {
			t.Errorf("%s is not quoted", got)
		}
	}
	if quoted < 20 {
		t.Errorf("only %d words can be written", quoted)
	}
}
