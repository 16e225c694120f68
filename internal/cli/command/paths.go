package command

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/walk"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/prompts"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/skills"
	"github.com/mcp-docs-server/mcp-docs-server/internal/project"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// OutsideServed returns an error if an option names a file in a folder that one of some projects serves: clients would see the
// file, and each write would be a change of the project.
func OutsideServed(option, name string, served ...*project.Project) error {
	for _, p := range served {
		if err := Outside(p, option, name, p.Config.Docs); err != nil {
			return err
		}
	}
	return nil
}

// Outside returns an error if an option names a file in one of some folders of a project, or in one of those that have fixed names.
func Outside(p *project.Project, option, name string, folders ...string) error {
	relative, err := Below(p.Dir, name)
	if err != nil || relative == "" || name == "" {
		return err
	}
	for _, folder := range append(folders, prompts.Folder, skills.Folder, loader.Resources) {
		real, err := walk.Resolve(p.Files, folder)
		if err != nil {
			real = folder // it does not exist yet
		}
		if walk.Holds(real, relative) {
			return fmt.Errorf("%s %s: is in the folder %s, which is served; name a place outside of it", option, name, p.Show(folder))
		}
	}
	return nil
}

// Below returns a path of the user relative to a folder, links resolved, with slashes; "" if it is
// outside. The path need not exist.
func Below(folder, name string) (string, error) {
	dir, err := filepath.Abs(folder)
	if err != nil {
		return "", project.PathError(folder, err)
	}
	file, err := filepath.Abs(name)
	if err != nil {
		return "", project.PathError(name, err)
	}
	rel, err := filepath.Rel(Existing(dir), Existing(file))
	if err != nil || rel == "." || !filepath.IsLocal(rel) {
		return "", nil
	}
	return filepath.ToSlash(rel), nil
}

// Existing resolves the links of the existing part of an absolute path.
func Existing(name string) string {
	if real, err := filepath.EvalSymlinks(name); err == nil {
		return real
	}
	parent := filepath.Dir(name)
	if _, err := os.Lstat(name); err == nil || parent == name {
		return name // a link without a target
	}
	return filepath.Join(Existing(parent), filepath.Base(name))
}
