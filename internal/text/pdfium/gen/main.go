// Command gen writes ../pdfium.wasm.gz: the functions of PDFium that package pdfium calls, with what they need. It takes
// the module of github.com/klippa-app/go-pdfium, whose digest it checks, and removes everything else with binaryen, which
// npm installs in test/. It runs in the folder of package pdfium:
//
//	npm ci --prefix ../../../test && go generate
//
// To update PDFium, change [Version] and the digests: see SECURITY.md.
package main

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/pdfium/origin"
)

// names are the functions of PDFium in a source file.
var names = regexp.MustCompile(`"(FPDF[A-Za-z]*_[A-Za-z0-9]+|malloc|free)"`)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

func run() error {
	original, err := origin.Module()
	if err != nil {
		return err
	}
	type node struct {
		Name   string `json:"name"`
		Export string `json:"export"`
		Root   bool   `json:"root"`
	}
	roots := []string{"memory", "_initialize"}
	sources, err := filepath.Glob("*.go")
	if err != nil {
		return err
	}
	for _, name := range sources {
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		for _, m := range names.FindAllSubmatch(text, -1) {
			roots = append(roots, string(m[1]))
		}
	}
	slices.Sort(roots)
	var graph []node
	for _, name := range slices.Compact(roots) {
		graph = append(graph, node{name, name, true})
	}
	dir, err := os.MkdirTemp("", "pdfium")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	data, err := json.Marshal(graph)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "graph.json"), data, 0o600); err != nil {
		return err
	}
	// With --all-features, the result would need features that wazero does not have.
	cmd := exec.Command("node", "../../../test/node_modules/.bin/wasm-metadce", original, "--graph-file="+filepath.Join(dir, "graph.json"),
		"--enable-exception-handling", "--enable-simd", "--enable-bulk-memory", "--enable-bulk-memory-opt", "--enable-sign-ext", "--enable-nontrapping-float-to-int",
		"--enable-mutable-globals", "--enable-reference-types", "--enable-multivalue", "--enable-call-indirect-overlong", "-o", filepath.Join(dir, "pdfium.wasm"))
	cmd.Stderr = os.Stderr // standard output names what is removed
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("wasm-metadce: %w", err)
	}
	code, err := os.ReadFile(filepath.Join(dir, "pdfium.wasm"))
	if err != nil {
		return err
	}
	fmt.Printf("%x  %d bytes\n", sha256.Sum256(code), len(code))
	var packed bytes.Buffer
	w, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		return err
	}
	if _, err := w.Write(code); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	return os.WriteFile("pdfium.wasm.gz", packed.Bytes(), 0o644)
}
