package licences

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestCurrent compares the licences with the modules that are linked into the program on this system.
// Only go generate can check the whole text.
func TestCurrent(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}}{{end}}{{end}}", "../../../cmd/mcp-docs-server").Output()
	if err != nil {
		t.Fatal(err)
	}
	modules := make(map[string]string) // to their versions
	for line := range strings.Lines(string(out)) {
		if name, version, ok := strings.Cut(strings.TrimSpace(line), " "); ok {
			modules[name] = version
		}
	}
	if modules["github.com/spf13/cobra"] == "" {
		t.Fatalf("the program has the modules %q", modules)
	}
	for name, version := range modules {
		if !Covers(name, version) {
			t.Errorf("there is no licence of %s %s; run go generate ./internal/publish/licences", name, version)
		}
	}
	if Covers("github.com/spf13/cobra", "v0") || Covers("example.com", "v1.0.0") {
		t.Error("there are licences of what is not there")
	}
	licence, err := os.ReadFile("../../../LICENSE")
	if err != nil {
		t.Fatal(err)
	}
	if string(licence) != program || !strings.HasPrefix(Text(), string(bytes.TrimSpace(licence))) || !strings.Contains(Text(), "The Go Authors") {
		t.Error("the licence of the program is another one; run go generate ./internal/publish/licences")
	}
}
