// Package pdftest has what tests and generators need of PDF files: small files, the compiled code of PDFium, which all
// tests share, and the module that PDFium comes from.
package pdftest

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

// New returns a PDF without compression, so that a test can change the bytes. It has one page for each content stream. Its only font is F1, in which a byte is a
// character of Windows-1252.
func New(pages ...string) []byte {
	// a font with equal widths has code
	widths := strings.Repeat("500 ", 'Z') + "700 " + strings.Repeat("500 ", 255-'Z')
	return Pages("/Font << /F1 3 0 R >>", []string{
		"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding /FirstChar 0 /LastChar 255 /Widths [" + widths + "] >>",
	}, pages...)
}

// Pages returns a PDF with one page for each content stream, resources, and objects from number 3 that the resources may
// mention.
func Pages(resources string, objects []string, pages ...string) []byte {
	all := append([]string{"<< /Type /Catalog /Pages 2 0 R >>", ""}, objects...)
	var kids []string
	for _, content := range pages {
		n := len(all) + 1
		kids = append(kids, fmt.Sprintf("%d 0 R", n))
		all = append(all, fmt.Sprintf("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Resources << %s >> /Contents %d 0 R >>", resources, n+1), Stream("", content))
	}
	all[1] = fmt.Sprintf("<< /Type /Pages /Kids [%s] /Count %d >>", strings.Join(kids, " "), len(pages))
	return File(all...)
}

// Stream returns an object that is a stream.
func Stream(dictionary, content string) string {
	return fmt.Sprintf("<< %s /Length %d >>\nstream\n%s\nendstream", dictionary, len(content), content)
}

// File returns a PDF that consists of objects, from number 1. The first is the catalog.
func File(objects ...string) []byte {
	var b, table bytes.Buffer
	b.WriteString("%PDF-1.7\n")
	for i, object := range objects {
		fmt.Fprintf(&table, "%010d 00000 n \n", b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, object)
	}
	start, n := b.Len(), len(objects)+1
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n%strailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", n, &table, n, start)
	return b.Bytes()
}

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
		// a process of a test may run elsewhere
		data, _ := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
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

// The module comes from a Go module that the program does not link. It does not name its revision of PDFium; go-pdfium tests
// this version with chromium/8111.
const (
	GoModule      = "github.com/klippa-app/go-pdfium"
	ModuleVersion = "v1.21.4"
	// ModuleDigest is the SHA-256 digest of the file.
	ModuleDigest = "e6f77e01dce34de05ad62515114152da580b64c23871e3e3e2afef3f7bb88ade"
)

// Module downloads the Go module, unless it is in the module cache, and returns the path of the WebAssembly module in it.
// It checks the digest.
func Module() (string, error) {
	cmd := exec.Command("go", "mod", "download", "-json", GoModule+"@"+ModuleVersion)
	// outside of the module of the program, which does not require it
	cmd.Dir = os.TempDir()
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("go mod download: %w", err)
	}
	var module struct{ Dir string }
	if err := json.NewDecoder(bytes.NewReader(out)).Decode(&module); err != nil {
		return "", err
	}
	path := filepath.Join(module.Dir, "internal", "pdfium_wasm", "pdfium.wasm")
	code, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	if digest := fmt.Sprintf("%x", sha256.Sum256(code)); digest != ModuleDigest {
		return "", fmt.Errorf("%s: the digest is %s, not %s", path, digest, ModuleDigest)
	}
	return path, nil
}
