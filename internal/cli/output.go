package cli

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/walk"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/prompts"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/skills"
	"github.com/mcp-docs-server/mcp-docs-server/internal/project"
	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/npm"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// outside returns an error for an output among the files of the project: it would be served, packed
// the next time, or overwrite a file that configures the package.
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
		return fmt.Errorf("--output %s: %s; name a path outside of the published files", output, reason)
	}
	if !strings.Contains(at, "/") && (at == r.project.ConfigFile || at == npm.ManifestFile || npm.IsExtra(at)) {
		return refuse("is one of the files that describe the project")
	}
	folders := map[string]bool{r.project.Config.Docs: true, prompts.Folder: true, skills.Folder: true, loader.Resources: true}
	for _, f := range r.contents.Files {
		if dir := path.Dir(f.Name); dir != "." {
			folders[dir] = true // a link may have led here
		}
	}
	for folder := range folders {
		real, err := walk.Resolve(r.project.Files, folder)
		if err != nil {
			real = folder // it does not exist yet
		}
		if walk.Holds(real, at) {
			return refuse("is in a folder of the project that is published, so it would be part of the next package")
		}
	}
	return nil
}

// below returns a path of the user relative to a folder, links resolved, with slashes; "" if it is
// outside. The path need not exist.
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

// existing resolves the links of the existing part of an absolute path.
func existing(name string) string {
	if real, err := filepath.EvalSymlinks(name); err == nil {
		return real
	}
	above := filepath.Dir(name)
	if _, err := os.Lstat(name); err == nil || above == name {
		return name // a link without a target
	}
	return filepath.Join(existing(above), filepath.Base(name))
}
