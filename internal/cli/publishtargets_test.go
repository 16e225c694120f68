package cli

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/executable"
	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/npm"
	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/registry"
)

// programHead returns the smallest file that counts as a program for a platform.
func programHead(platform string) string {
	system, processor, _ := strings.Cut(platform, "-")
	b := make([]byte, 64)
	arm := processor == "arm64"
	put := func(offset int, x64, arm64 uint32, size int) {
		value := binary.LittleEndian.AppendUint32(nil, map[bool]uint32{false: x64, true: arm64}[arm])
		copy(b[offset:], value[:size])
	}
	switch system {
	case "linux":
		copy(b, "\x7fELF\x02\x01\x01")
		put(18, 62, 183, 2)
	case "darwin":
		copy(b, "\xcf\xfa\xed\xfe")
		put(4, 0x01000007, 0x0100000c, 4)
	case "win32":
		b = append(b, make([]byte, 24)...)
		copy(b, "MZ")
		b[60] = 64
		copy(b[64:], "PE\x00\x00")
		put(68, 0x8664, 0xaa64, 2)
	}
	return string(b)
}

// makeBinaries makes a folder of programs for all platforms, with licences.
func makeBinaries(t *testing.T) string {
	t.Helper()
	lines := []string{"LICENSE=mine\n", "THIRD-PARTY-LICENSES=theirs\n"}
	for _, p := range npm.Platforms {
		lines = append(lines, executable.File(p.String())+"="+programHead(p.String()))
	}
	return makeProject(t, lines...)
}

var bundled = append(slices.Clone(publishable[:len(publishable)-1]),
	`package.json={"description": "All about Acme", "author": "Acme", "license": "MIT", "mcpName": "io.github.acme/docs"}`,
	"prompts/explain.md=---\ndescription: Explains\nargs:\n  what: {description: it}\n---\nExplain {{what}}.\n\n[it](x://h/{{what}})\n")

func TestPublishDesktop(t *testing.T) {
	dir, binaries, to := makeProject(t, bundled...), makeBinaries(t), t.TempDir()
	code, dry, errs := run(t, nil, "publish", "--target", "mcpb", "-n", "--binaries", binaries, dir)
	if code != 0 || errs != "" || !strings.Contains(dry, "  project/docs/index.md\n") || !strings.Contains(dry, "  server/mcp-docs-server-darwin\n") || !strings.Contains(dry, "left out: resources/x/h/.hidden (hidden)\n") {
		t.Errorf("code %d, errors %q, output %s", code, errs, dry)
	}
	var bundles [2][]byte
	for i, name := range []string{"a/one.mcpb", "two.mcpb"} {
		file := filepath.Join(to, name)
		code, out, errs := run(t, nil, "publish", "--target", "mcpb", "-o", file, "--binaries", binaries, dir)
		if _, summary, _ := strings.Cut(dry, "\n\n"); code != 0 || errs != "mcp-docs-server: left out: resources/x/h/.hidden (hidden)\n" || out != "file:      "+file+"\n"+summary {
			t.Errorf("code %d, output %q, errors %q", code, out, errs)
		}
		var err error
		if bundles[i], err = os.ReadFile(file); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(bundles[0], bundles[1]) {
		t.Error("two runs differ")
	}
	z, err := zip.NewReader(bytes.NewReader(bundles[0]), int64(len(bundles[0])))
	if err != nil {
		t.Fatal(err)
	}
	f, err := z.Open("manifest.json")
	if err != nil {
		t.Fatal(err)
	}
	var manifest struct {
		Tools   []struct{ Name, Description string }
		Prompts any
	}
	if err := json.NewDecoder(f).Decode(&manifest); err != nil {
		t.Fatal(err)
	}
	prompts := []any{
		map[string]any{"name": "explain", "description": "Explains", "arguments": []any{"what"}, "text": "Explain ${arguments.what}.\n\n[it](x://h/${arguments.what})"},
		map[string]any{"name": "review", "description": "Review.", "text": "Review."},
	}
	if diff := cmp.Diff(any(prompts), manifest.Prompts); diff != "" {
		t.Errorf("prompts: -want +got:\n%s", diff)
	}

	// The manifest declares the tools that a server of the project lists after it has read the
	// documents. A list does not wait for the documents.
	var answer struct {
		Result struct {
			Tools []struct{ Name, Description string }
		}
	}
	for range 100 {
		_, out, _ := run(t, strings.NewReader(handshakeLines+`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"searchAcme","arguments":{"paths":["."]}}}
{"jsonrpc":"2.0","id":3,"method":"tools/list"}`), "serve", dir)
		for line := range strings.Lines(out) {
			if strings.Contains(line, `"id":3`) {
				if err := json.Unmarshal([]byte(line), &answer); err != nil {
					t.Fatal(err)
				}
			}
		}
		if cmp.Equal(answer.Result.Tools, manifest.Tools) {
			break
		}
	}
	if diff := cmp.Diff(answer.Result.Tools, manifest.Tools); diff != "" {
		t.Errorf("tools: -listed +declared:\n%s", diff)
	}
}

func TestPublishImage(t *testing.T) {
	dir, binaries, to := makeProject(t, bundled...), makeBinaries(t), t.TempDir()
	t.Chdir(to)
	code, out, errs := run(t, nil, "publish", "--target", "oci", "--binaries", binaries, dir)
	if code != 0 || !strings.HasPrefix(out, "file:      acme-docs-1.2.3.oci.tar\npackage:   @acme/docs 1.2.3\nfiles:     10\n") || strings.Contains(errs, "warning") {
		t.Errorf("code %d, output %q, errors %q", code, out, errs)
	}
	code, dry, errs := run(t, nil, "publish", "--target", "oci", "-n", "--binaries", binaries, dir)
	if code != 0 || errs != "" || !strings.HasPrefix(dry, "          64  mcp-docs-server-linux-arm64\n          64  mcp-docs-server-linux-x64\n           5  licenses/LICENSE\n           7  licenses/THIRD-PARTY-LICENSES\n           8  project/docs/index.md\n") ||
		!strings.HasSuffix(dry, out[strings.Index(out, "package:"):]) {
		t.Errorf("code %d, output %q, errors %q", code, dry, errs)
	}
	entries, err := os.ReadDir(to)
	if err != nil || len(entries) != 1 {
		t.Errorf("%v, %v", entries, err)
	}
}

// TestPublishStops adds a problem that must stop each target. Then nothing may be written.
func TestPublishStops(t *testing.T) {
	binaries, to := makeBinaries(t), t.TempDir()
	swapped := makeBinaries(t)
	if err := os.Rename(filepath.Join(swapped, "mcp-docs-server-linux-arm64"), filepath.Join(swapped, "mcp-docs-server-linux-x64")); err != nil {
		t.Fatal(err)
	}
	clean, secret := makeProject(t, bundled...), makeProject(t, append(slices.Clone(bundled), "resources/x/h/setup.txt="+token)...)
	clashing := makeProject(t, append(slices.Clone(bundled), "resources/x/h/a:b=1")...)
	whiteout := makeProject(t, append(slices.Clone(bundled), "resources/x/h/.wh.a=1", `mcp-docs-server.json={"name": "Acme", "package": "@acme/docs", "version": "1.2.3", "include": ["**/.wh.*"]}`)...)
	for _, test := range []struct {
		dir, target string
		args        []string
		want        string
	}{
		{secret, "mcpb", nil, "resources/x/h/setup.txt:1: holds an npm token"},
		{secret, "oci", nil, "resources/x/h/setup.txt:1: holds an npm token"},
		{secret, "server-json", nil, "resources/x/h/setup.txt:1: holds an npm token"},
		{clashing, "mcpb", []string{"--binaries", binaries}, "has ':' in its name, which Windows does not allow; rename it"},
		{whiteout, "oci", []string{"--binaries", binaries}, `names that begin with ".wh." mean that a file is deleted`},
		{clean, "mcpb", []string{"--binaries", swapped}, "mcp-docs-server-linux-x64 is a program for linux-arm64, must be one for linux-x64"},
		{clean, "oci", []string{"--binaries", swapped}, "there is no program for linux-arm64"},
		{clean, "oci", nil, "give the version to use, as in --cli-version 1.0.0; or name the folder of the programs with --binaries DIR\n"},
	} {
		file := filepath.Join(to, "out")
		code, out, errs := run(t, nil, append([]string{"publish", "--target", test.target, "-o", file, test.dir}, test.args...)...)
		if code != 1 || out != "" || !strings.Contains(errs, test.want) || strings.Contains(errs, token) {
			t.Errorf("%s: code %d, output %q, errors %q lack %q", test.target, code, out, errs, test.want)
		}
	}
	if entries, err := os.ReadDir(to); err != nil || len(entries) > 0 {
		t.Errorf("%v, %v", entries, err)
	}
}

func TestPublishServerJSON(t *testing.T) {
	dir, to := makeProject(t, bundled...), t.TempDir()
	desktop := filepath.Join(to, "acme-docs.mcpb")
	if err := os.WriteFile(desktop, []byte("abc"), 0o600); err != nil {
		t.Fatal(err)
	}
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
