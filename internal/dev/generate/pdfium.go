package main

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/pdftest"
)

// names are the functions of PDFium in a source file.
var names = regexp.MustCompile(`"(FPDF[A-Za-z]*_[A-Za-z0-9]+|malloc|free)"`)

// trimPDFium writes the functions of PDFium that package pdfium calls, with what they need. It takes the module of
// github.com/klippa-app/go-pdfium, whose digest it checks, and removes everything else with binaryen, which npm installed in test/.
//
// To update PDFium, change [pdftest.ModuleVersion] and the digest: see SECURITY.md.
func trimPDFium() error {
	folder := filepath.Join(root, "internal/capture/pdfium")
	original, err := pdftest.Module()
	if err != nil {
		return err
	}
	roots := []string{"memory", "_initialize"}
	sources, err := filepath.Glob(filepath.Join(folder, "*.go"))
	for _, name := range sources {
		text, failed := os.ReadFile(name)
		err = errors.Join(err, failed)
		for _, m := range names.FindAllSubmatch(text, -1) {
			roots = append(roots, string(m[1]))
		}
	}
	slices.Sort(roots)
	var graph []string
	for _, name := range slices.Compact(roots) {
		graph = append(graph, fmt.Sprintf(`{"name": %q, "export": %[1]q, "root": true}`, name))
	}
	dir, failed := os.MkdirTemp("", "pdfium")
	defer os.RemoveAll(dir)
	written := os.WriteFile(filepath.Join(dir, "graph.json"), []byte("["+strings.Join(graph, ",")+"]"), 0o600)
	if err := errors.Join(err, failed, written); err != nil {
		return err
	}
	// With --all-features, the result would need features that wazero does not have.
	cmd := exec.Command("node", filepath.Join(root, "test/node_modules/.bin/wasm-metadce"), original, "--graph-file="+filepath.Join(dir, "graph.json"),
		"--enable-exception-handling", "--enable-simd", "--enable-bulk-memory", "--enable-bulk-memory-opt", "--enable-sign-ext", "--enable-nontrapping-float-to-int",
		"--enable-mutable-globals", "--enable-reference-types", "--enable-multivalue", "--enable-call-indirect-overlong", "-o", filepath.Join(dir, "pdfium.wasm"))
	cmd.Stderr = os.Stderr // standard output names what is removed
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("wasm-metadce: %w", err)
	}
	code, err := os.ReadFile(filepath.Join(dir, "pdfium.wasm"))
	var packed bytes.Buffer
	w, _ := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	_, failed = w.Write(code)
	if err := errors.Join(err, failed, w.Close()); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, "pdfium.wasm.gz"), packed.Bytes(), 0o644)
}
