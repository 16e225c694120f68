// Command gen writes ../xml: the lexers of chroma for the languages below, and chroma's licence. It
// runs in the folder of package lexers.
package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/lexers"
)

// copied are the lexers that chroma has as XML, by file name.
var copied = strings.Fields(`
	apacheconf awk bash bash_session batchfile c c# c++ clojure cmake css csv dart diff docker elixir erlang fsharp go_template
	graphql groovy haskell hcl html ini java javascript json jsonnet julia kotlin lua makefile nginx_configuration_file nix
	objective-c ocaml perl php powershell promql properties protocol_buffer python r react ruby rust scala scss sql swift systemd
	terraform toml typescript vue xml yaml zig`)

// written are the lexers that chroma has as Go code.
var written = []string{"go", "http", "markdown"}

func main() {
	if err := run("xml"); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

// run replaces the contents of a folder with the lexers.
func run(to string) error {
	if err := os.RemoveAll(to); err != nil {
		return err
	}
	if err := os.Mkdir(to, 0o755); err != nil {
		return err
	}
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/alecthomas/chroma/v2").Output()
	if err != nil {
		return fmt.Errorf("go list: %w", err)
	}
	module := string(bytes.TrimSpace(out))
	files := map[string]string{"COPYING": "COPYING"}
	for _, name := range copied {
		files[name+".xml"] = filepath.Join("lexers", "embedded", name+".xml")
	}
	for name, source := range files {
		text, err := os.ReadFile(filepath.Join(module, source))
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(to, name), text, 0o644); err != nil {
			return err
		}
	}
	for _, name := range written {
		text, err := marshal(name)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if err := os.WriteFile(filepath.Join(to, name+".xml"), text, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// marshal returns a lexer as XML.
func marshal(name string) ([]byte, error) {
	lexer, err := lexerOf(name)
	if err != nil {
		return nil, err
	}
	rules, err := lexer.Rules()
	if err != nil {
		return nil, err
	}
	rules = rules.Clone()
	switch name { // XML cannot express Go code in rules, so the types of groups are given here
	case "http":
		rules["headers"][0].Type = chroma.ByGroups(chroma.Name, chroma.Text, chroma.Operator, chroma.Text, chroma.Literal, chroma.Text)
		rules["headers"][1].Type = chroma.ByGroups(chroma.Text, chroma.Literal, chroma.Text)
		rules["content"][0].Type = chroma.Generic
	case "go":
		i := slices.IndexFunc(rules["root"], func(r chroma.Rule) bool { return strings.HasPrefix(r.Pattern, "(`)") })
		rules["root"][i] = chroma.Rule{Pattern: "`[^`]*`", Type: chroma.LiteralString} // it looks for templates in raw strings
	}
	if lexer, err = chroma.NewLexer(lexer.Config(), func() chroma.Rules { return rules }); err != nil {
		return nil, err
	}
	text, err := chroma.Marshal(lexer)
	if err != nil {
		return nil, err
	}
	// The states come out in the order of a map.
	const state, end = "    <state ", "  </rules>\n</lexer>"
	head, states, _ := strings.Cut(string(text), state)
	parts := strings.Split(strings.TrimSuffix(states, end), state)
	slices.Sort(parts)
	return []byte(head + state + strings.Join(parts, state) + end + "\n"), nil
}

// lexerOf returns a lexer of chroma. Some are wrapped in another lexer, which adds the body of a
// message or front matter.
func lexerOf(name string) (*chroma.RegexLexer, error) {
	found := lexers.Get(name)
	if l, ok := found.(*chroma.RegexLexer); ok {
		return l, nil
	}
	if v := reflect.Indirect(reflect.ValueOf(found)); v.Kind() == reflect.Struct && v.FieldByName("Lexer").IsValid() {
		if l, ok := v.FieldByName("Lexer").Interface().(*chroma.RegexLexer); ok {
			return l, nil
		}
	}
	return nil, fmt.Errorf("chroma has no lexer that can be written, but a %T", found)
}
