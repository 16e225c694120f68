package cli

import (
	"archive/zip"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/given"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/registry"
)

var bundled = append(slices.Clone(publishable[:len(publishable)-1]),
	`package.json={"description": "All about Acme", "author": "Acme", "license": "MIT", "mcpName": "io.github.acme/docs"}`,
	"prompts/explain.md=---\ndescription: Explains\nargs:\n  what: {description: it}\n---\nExplain {{what}}.\n\n[it](x://h/{{what}})\n")

func TestPublishDesktop(t *testing.T) {
	dir, to := given.Folder(t, bundled...), t.TempDir()
	dry := try(t, "publish", "--target", "mcpb", "-n", dir).ends(0).complainsOnly("").prints("  project/docs/index.md\n", "  project/bin/server.cjs\n", "left out: resources/x/h/.hidden (hidden)\n").out
	file := filepath.Join(to, "a/one.mcpb")
	_, summary, _ := strings.Cut(dry, "\n\n")
	try(t, "publish", "--target", "mcpb", "-o", file, dir).ends(0).complainsOnly("mcp-docs-server: left out: resources/x/h/.hidden (hidden)\n").printsOnly("file:      " + file + "\n" + summary)
	z := must.Get(zip.OpenReader(file))(t)
	defer z.Close()
	f := must.Get(z.Open("manifest.json"))(t)
	var manifest struct {
		Tools   []struct{ Name, Description string }
		Prompts any
	}
	must.Do(t, json.NewDecoder(f).Decode(&manifest))
	prompts := []any{
		map[string]any{"name": "explain", "description": "Explains", "arguments": []any{"what"}, "text": "Explain ${arguments.what}.\n\n[it](x://h/${arguments.what})"},
		map[string]any{"name": "review", "description": "Review.", "text": "Review."},
	}
	if diff := cmp.Diff(any(prompts), manifest.Prompts); diff != "" {
		t.Errorf("prompts: -want +got:\n%s", diff)
	}

	// The manifest declares the tools that a server of the project lists.
	var tools []struct{ Name, Description string }
	must.Do(t, json.Unmarshal([]byte(try(t, "list", "tools", "--json", dir).out), &tools))
	if diff := cmp.Diff(tools, manifest.Tools); diff != "" {
		t.Errorf("tools: -listed +declared:\n%s", diff)
	}
}

func TestPublishServerJSON(t *testing.T) {
	dir, to := given.Folder(t, bundled...), t.TempDir()
	desktop := filepath.Join(to, "acme-docs.mcpb")
	must.Write(t, desktop, "abc")
	const asset = "https://github.com/acme/docs/releases/download/v1.2.3/acme-docs.mcpb"
	args := []string{"publish", "--target", "server-json", dir, "--image", "ghcr.io/acme/docs:1.2.3", "--mcpb-url", asset, "--mcpb", desktop, "--remote", "https://docs.acme.example/mcp"}
	code, out, errs := run(t, nil, args...)
	if err := registry.Validate([]byte(out)); code != 0 || errs != "" || err != nil {
		t.Fatalf("code %d, errors %q, %v", code, errs, err)
	}
	for _, want := range []string{`"io.github.acme/docs"`, `"npx"`, `"ghcr.io/acme/docs:1.2.3"`, asset, `"https://docs.acme.example/mcp"`,
		"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"} { // FIPS 180-2, appendix B.1
		if !strings.Contains(out, want) {
			t.Errorf("%s is not in %s", want, out)
		}
	}
	file := filepath.Join(to, "server.json")
	if code, said, errs := run(t, nil, append(args, "--output", file)...); code != 0 || said+errs != "" || textOf(t, file) != out {
		t.Errorf("code %d, output %q, errors %q", code, said, errs)
	}
}
