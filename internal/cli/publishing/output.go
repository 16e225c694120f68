package publishing

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/command"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/walk"
	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/npm"
)

// outside returns an error for an output among the files of the project: it would be served, packed
// the next time, or overwrite a file that configures the package.
func (r *publication) outside(output string) error {
	name, err := command.Below(r.project.Dir, output)
	if err != nil || name == "" {
		return err
	}
	for part := range strings.SplitSeq(name, "/") {
		if walk.Hidden(part) {
			return nil
		}
	}
	if name == r.project.ConfigFile || name == npm.ManifestFile || npm.IsExtra(name) {
		return fmt.Errorf("--output %s: is one of the files that describe the project; name another path", output)
	}
	folders := []string{r.contents.Library.Dir()}
	for _, f := range r.contents.Files {
		folders = append(folders, path.Dir(f.Name)) // also the folder to which a link leads
	}
	folders = slices.DeleteFunc(folders, func(dir string) bool { return dir == "." })
	return command.Outside(r.project, "--output", output, folders...)
}
