package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// An output among the files of a project would be part of its next package.
func TestPublishOutputOutside(t *testing.T) {
	dir := makeProject(t, append(publishable, "out/x", "shared/a.txt=a")...)
	for link, target := range map[string]string{"resources/x/h/linked": "../../../shared", "away": t.TempDir()} {
		if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	inside := "which is served; name a place outside of it"
	described := "is one of the files that describe the project"
	for output, want := range map[string]string{
		"docs/a.tgz": inside, "docs": inside, "prompts/new/deep/a.tgz": inside, "resources/x/h/folder": inside, "shared/a.tgz": inside,
		"package.json": described, "mcp-docs-server.json": described, "README.tgz": described,
		"docs/.out/a.tgz": "", "away/a.tgz": "", "out/a.tgz": "", "a.tgz": "", "new-folder": "",
	} {
		code, _, errs := run(t, nil, "publish", dir, "--output", filepath.Join(dir, output))
		if (code == 0) != (want == "") || !strings.Contains(errs, want) {
			t.Errorf("%s: code %d, errors %q lack %q", output, code, errs, want)
		}
	}
	// The default name of a product is checked too.
	t.Chdir(filepath.Join(dir, "docs"))
	if code, _, errs := run(t, nil, "publish", dir, "--target", "mcpb"); code != 1 || !strings.Contains(errs, inside) {
		t.Errorf("code %d, errors %q", code, errs)
	}
	if entries, err := os.ReadDir("."); err != nil || len(entries) != 2 { // index.md and .out
		t.Errorf("%v, %v", entries, err)
	}
}

// If the output is a link to a folder, the package is written to that folder, and the link stays.
func TestPublishOutputLinkedFolder(t *testing.T) {
	dir, real := makeProject(t, publishable...), t.TempDir()
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(real, link); err != nil {
		t.Fatal(err)
	}
	if code, _, errs := run(t, nil, "publish", dir, "--output", link); code != 0 {
		t.Errorf("code %d, errors %q", code, errs)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is gone: %v, %v", info, err)
	}
	if _, err := os.Stat(filepath.Join(real, "mcp-docs-server.json")); err != nil {
		t.Error(err)
	}
	if err := os.RemoveAll(real); err != nil {
		t.Fatal(err)
	}
	if code, _, errs := run(t, nil, "publish", dir, "--output", link); code != 1 || !strings.Contains(errs, "is a link whose target does not exist") {
		t.Errorf("code %d, errors %q", code, errs)
	}
}

// An empty folder is not packed, so a server of the project does not list it either.
func TestEmptyFoldersAreAbsent(t *testing.T) {
	dir := makeProject(t, strings.TrimSuffix(goodConfig, "}")+`, "docs": "docs"}`, "docs/index.md=# Index\n", "docs/empty/deep/", "docs/hidden/.gitkeep=", "docs/pictures/a.png=p", "resources/none/")
	folder := filepath.Join(t.TempDir(), "package")
	if code, _, errs := run(t, nil, "publish", dir, "--output", folder); code != 0 {
		t.Fatalf("code %d, errors %q", code, errs)
	}
	ask := handshakeLines + `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"searchAcme","arguments":{"paths":[".","empty","hidden","nothing"]}}}`
	_, source, _ := run(t, strings.NewReader(ask), "serve", dir)
	_, packed, _ := run(t, strings.NewReader(ask), "serve", folder)
	if source != packed || strings.Contains(source, "empty/") || strings.Contains(source, "hidden/") || !strings.Contains(source, "pictures/") || strings.Contains(source, "none://") {
		t.Errorf("the project answers\n%s\nits package\n%s", source, packed)
	}
}
