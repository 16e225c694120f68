package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/pdftest"
)

const tool = "github.com/CycloneDX/cyclonedx-gomod/cmd/cyclonedx-gomod@v1.10.0"

// writeSBOM writes a list of the components of a program. The Go modules are in the program; PDFium, which the program embeds, is added.
func writeSBOM(args []string) error {
	if len(args) != 3 {
		return fmt.Errorf("usage: release sbom VERSION FILE PROGRAM")
	}
	cmd := exec.Command("go", "run", tool, "bin", "-json", "-std", "-noserial", "-version", args[0], args[2])
	cmd.Stderr = os.Stderr
	list, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("cyclonedx-gomod: %w", err)
	}
	list, err = withPDFium(list)
	if err != nil {
		return err
	}
	return os.WriteFile(args[1], list, 0o644)
}

// withPDFium adds PDFium to a list in the format of CycloneDX.
func withPDFium(list []byte) ([]byte, error) {
	var all map[string]any
	if err := json.Unmarshal(list, &all); err != nil {
		return nil, err
	}
	components, _ := all["components"].([]any)
	all["components"] = append(components, map[string]any{
		"bom-ref": "pdfium", "type": "library", "name": "pdfium", "version": "as in " + pdftest.GoModule + " " + pdftest.ModuleVersion,
		"description": "reads PDF files; a part of the WebAssembly module with this digest",
		"purl":        "pkg:golang/" + pdftest.GoModule + "@" + pdftest.ModuleVersion,
		"hashes":      []any{map[string]any{"alg": "SHA-256", "content": pdftest.ModuleDigest}},
		"licenses":    []any{map[string]any{"license": map[string]any{"id": "Apache-2.0"}}, map[string]any{"license": map[string]any{"id": "BSD-3-Clause"}}},
	})
	return json.MarshalIndent(all, "", "  ")
}
