package pdftest

import (
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

// CompiledVariable names a folder to the test that compiles.
const CompiledVariable = "MCP_TEST_PDFIUM_FOLDER"

// CompiledFolder returns the folder for the compiled code of PDFium, which the tests of all packages share. The race
// detector makes the compiler take 100 seconds, so a test program without it compiles.
func CompiledFolder() string { return filepath.Join(CacheHome(), "mcp-docs-server", "pdfium") }

// CacheHome returns a folder of caches, for XDG_CACHE_HOME, in which the program finds the compiled code. Tests of another
// version of PDFium or of wazero get another one.
var CacheHome = sync.OnceValue(func() string {
	root, _ := os.Getwd()
	inside := func() bool { _, err := os.Stat(filepath.Join(root, "go.mod")); return err == nil }
	for !inside() && filepath.Dir(root) != root {
		root = filepath.Dir(root)
	}
	h := sha256.New()
	for _, name := range []string{"go.sum", "internal/capture/pdfium/pdfium.wasm.gz"} {
		data, _ := os.ReadFile(filepath.Join(root, filepath.FromSlash(name))) // a process of a test may run elsewhere
		h.Write(data)
	}
	parent, err := os.UserCacheDir()
	if err != nil {
		parent = os.TempDir()
	}
	home := filepath.Join(parent, "mcp-docs-server-test", fmt.Sprintf("%x", h.Sum(nil)[:8]))
	folder := filepath.Join(home, "mcp-docs-server", "pdfium")
	if _, err := os.Stat(filepath.Join(folder, "digest")); err != nil && must.RaceEnabled && inside() {
		cmd := exec.Command("go", "test", "-count=1", "-vet=off", "-run=^TestFill$", "./internal/capture/pdfium")
		cmd.Dir = root
		cmd.Env = append(os.Environ(), "GOFLAGS=-trimpath", "CGO_ENABLED=0", CompiledVariable+"="+folder)
		if out, err := cmd.CombinedOutput(); err != nil {
			panic(fmt.Sprintf("%v: %s", err, out))
		}
	}
	return home
})
