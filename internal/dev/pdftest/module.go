package pdftest

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

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
	cmd.Dir = os.TempDir() // outside of the module of the program, which does not require it
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
