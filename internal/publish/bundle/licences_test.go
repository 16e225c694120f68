package bundle

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/pdftest"
)

// TestCurrent compares the licences with the modules that are linked into the programs of a release, for each system. Only go
// generate can check the whole text.
func TestCurrent(t *testing.T) {
	modules := make(map[string]string) // to their versions
	for _, platform := range []string{"darwin/arm64", "linux/amd64", "windows/amd64"} {
		system, processor, _ := strings.Cut(platform, "/")
		list := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}}{{end}}{{end}}", "../../../cmd/mcp-docs-server")
		list.Env = append(os.Environ(), "GOOS="+system, "GOARCH="+processor, "CGO_ENABLED=0", "GOFLAGS=") // the race detector would need cgo
		out := must.Get(list.Output())(t)
		for line := range strings.Lines(string(out)) {
			if name, version, ok := strings.Cut(strings.TrimSpace(line), " "); ok {
				modules[name] = version
			}
		}
	}
	if modules["github.com/spf13/cobra"] == "" {
		t.Fatalf("the program has the modules %q", modules)
	}
	for name, version := range modules {
		if !strings.Contains(thirdParty, "\n"+LicenceHeading+name+" "+version+": ") {
			t.Errorf("the licence of %s %s is missing; run go generate ./internal/dev/generate", name, version)
		}
	}
	for _, part := range []string{"pdfium", "freetype", "zlib", "emscripten"} {
		if !strings.Contains(thirdParty, "from "+pdftest.GoModule+" "+pdftest.ModuleVersion+": LICENSE-"+part+"\n") {
			t.Errorf("the licence of %s in PDFium is missing", part)
		}
	}
	licence := must.Get(os.ReadFile("../../../LICENSE"))(t)
	if string(licence) != program || !strings.HasPrefix(Licences(), string(bytes.TrimSpace(licence))) || !strings.Contains(Licences(), "The Go Authors") {
		t.Error("the licence of the program is another one; run go generate ./internal/dev/generate")
	}
}
