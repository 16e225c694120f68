package cli

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/project"
	"github.com/mcp-docs-server/mcp-docs-server/internal/prompts"
	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/npm"
	"github.com/mcp-docs-server/mcp-docs-server/internal/walk"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// outside returns an error for a place to write to that is among the files of the project: what is written there would be served,
// and packed the next time, or be written over a file that says what is packed.
func (r *publication) outside(output string) error {
	at, err := below(r.project.Dir, output)
	if err != nil || at == "" {
		return err
	}
	for _, part := range strings.Split(at, "/") {
		if walk.Hidden(part) {
			return nil
		}
	}
	refuse := func(reason string) error {
		return fmt.Errorf("--output %s: %s; name a place outside of what is published", output, reason)
	}
	if !strings.Contains(at, "/") && (at == r.project.ConfigFile || at == npm.ManifestFile || npm.IsExtra(at)) {
		return refuse("is one of the files that describe the project")
	}
	folders := map[string]bool{r.project.Config.Docs: true, prompts.Folder: true, loader.Resources: true}
	for _, f := range r.contents.Files {
		if dir := path.Dir(f.Name); dir != "." {
			folders[dir] = true // a link may have led to it
		}
	}
	for folder := range folders {
		real, err := walk.Resolve(r.project.Files, folder)
		if err != nil {
			real = folder // it is not there yet
		}
		if walk.Holds(real, at) {
			return refuse("is in a folder of the project that is published, so it would be part of the next package")
		}
	}
	return nil
}

// below returns where a path of the user is below a folder, links resolved, with slashes; "" if it is elsewhere. What it
// names need not be there.
func below(folder, name string) (string, error) {
	dir, err := filepath.Abs(folder)
	if err != nil {
		return "", project.PathError(folder, err)
	}
	file, err := filepath.Abs(name)
	if err != nil {
		return "", project.PathError(name, err)
	}
	rel, err := filepath.Rel(existing(dir), existing(file))
	if err != nil || rel == "." || !filepath.IsLocal(rel) {
		return "", nil
	}
	return filepath.ToSlash(rel), nil
}

// existing resolves the links of an absolute path as far as it is there.
func existing(name string) string {
	if real, err := filepath.EvalSymlinks(name); err == nil {
		return real
	}
	above := filepath.Dir(name)
	if _, err := os.Lstat(name); err == nil || above == name {
		return name // a link that leads nowhere
	}
	return filepath.Join(existing(above), filepath.Base(name))
}
