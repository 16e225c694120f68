package cli

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/command"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/config"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/rootfs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/project"
	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/licences"
)

// printVersions prints the version of the program. If --project names a package, its version comes
// first.
func printVersions(a *command.App) error {
	p, err := versionOfPackage(a)
	if err != nil {
		return err
	}
	if p != nil {
		if _, err := fmt.Fprintf(a.Streams.Out, "%s %s\n", cmp.Or(p.Package, p.Name), p.Version); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintf(a.Streams.Out, "mcp-docs-server %s\n", command.Version())
	return err
}

// versionOfPackage returns the package of --project, or nil without that option.
func versionOfPackage(a *command.App) (*config.Config, error) {
	if a.Project == "" {
		return nil, nil
	}
	files, err := rootfs.Open(a.Project)
	if err != nil {
		return nil, project.PathError(a.Project, err)
	}
	defer files.Close()
	p := project.Project{Dir: a.Project, Files: files}
	text, err := p.ReadFile(config.File)
	if err != nil || text == nil {
		return nil, err
	}
	c, problems := config.Decode(p.Show(config.File), filepath.Base(a.Project), text)
	if err := problems.Err(); err != nil {
		return nil, err
	}
	return &c, nil
}

func newVersion(a *command.App) *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version, or the licences",
		Args:  command.Positional(0, 0, "no arguments"),
		RunE: func(*cobra.Command, []string) error {
			if all {
				_, err := io.WriteString(a.Streams.Out, licences.Text())
				return err
			}
			return printVersions(a)
		},
	}
	cmd.Flags().BoolVar(&all, "licenses", false, "print the licence of the program and the licences of its dependencies")
	return cmd
}
