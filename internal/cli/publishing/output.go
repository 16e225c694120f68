package publishing

import (
	"fmt"
	"path"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/command"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/walk"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/prompts"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/skills"
	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/npm"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// outside returns an error for an output among the files of the project: it would be served, packed
// the next time, or overwrite a file that configures the package.
func (r *publication) outside(output string) error {
	name, err := command.Below(r.project.Dir, output)
	if err != nil || name == "" {
		return err
	}
	for _, part := range strings.Split(name, "/") {
		if walk.Hidden(part) {
			return nil
		}
	}
	refuse := func(reason string) error {
		return fmt.Errorf("--output %s: %s; name a path outside of the published files", output, reason)
	}
	if !strings.Contains(name, "/") && (name == r.project.ConfigFile || name == npm.ManifestFile || npm.IsExtra(name)) {
		return refuse("is one of the files that describe the project")
	}
	folders := map[string]bool{prompts.Folder: true, skills.Folder: true, loader.Resources: true}
	if dir := r.contents.Library.Dir(); dir != "." {
		folders[dir] = true
	}
	for _, f := range r.contents.Files {
		if dir := path.Dir(f.Name); dir != "." {
			folders[dir] = true // also the folder to which a link leads
		}
	}
	for folder := range folders {
		real, err := walk.Resolve(r.project.Files, folder)
		if err != nil {
			real = folder // it does not exist yet
		}
		if walk.Holds(real, name) {
			return refuse("is in a folder of the project that is published, so it would be part of the next package")
		}
	}
	return nil
}
