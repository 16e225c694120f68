package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// copied are the lexers that chroma has as XML, by file name.
const copied = `
	apacheconf awk bash bash_session batchfile c c# c++ clojure cmake css csv dart diff docker elixir erlang fsharp go_template
	graphql groovy haskell hcl html ini java javascript json jsonnet julia kotlin lua makefile nginx_configuration_file nix
	objective-c ocaml perl php powershell promql properties protocol_buffer python r react ruby rust scala scss sql swift systemd
	terraform toml typescript vue xml yaml zig`

// copyLexers copies lexers of chroma, and chroma's licence, to package page. Chroma has the lexers of Go, HTTP and Markdown as Go code;
// their XML is written by hand, and a test compares them.
func copyLexers() error {
	module, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/alecthomas/chroma/v2").Output()
	if err != nil {
		return fmt.Errorf("go list: %w", err)
	}
	sources := []string{"COPYING"}
	for name := range strings.FieldsSeq(copied) {
		sources = append(sources, filepath.Join("lexers", "embedded", name+".xml"))
	}
	for _, source := range sources {
		text, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(module)), source))
		if err == nil {
			err = os.WriteFile(filepath.Join(root, "internal/page/lexers", filepath.Base(source)), text, 0o644)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
