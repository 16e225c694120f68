package cli

import (
	"fmt"
	"io"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/mcp-docs-server/mcp-docs-server/internal/config"
	"github.com/mcp-docs-server/mcp-docs-server/internal/project"
	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/licences"
	"github.com/mcp-docs-server/mcp-docs-server/internal/rootfs"
)

// release is the version of a released binary, set by the linker.
var release string

// version returns the release, or the version that the Go tool recorded in the build.
func version() string {
	if release != "" {
		return release
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}

// printVersion prints the version of the program, below that of the package of --project, which
// starts the program.
func (a *app) printVersion() error {
	if a.project != "" {
		files, err := rootfs.Open(a.project)
		if err != nil {
			return project.PathError(a.project, err)
		}
		defer files.Close()
		p := project.Project{Dir: a.project, Files: files}
		text, err := p.ReadFile(config.File)
		if err != nil {
			return err
		}
		if text != nil {
			c, problems := config.Decode(p.Show(config.File), text)
			if err := problems.Err(); err != nil {
				return err
			}
			if _, err := fmt.Fprintf(a.streams.Out, "%s %s\n", c.Package, c.Version); err != nil {
				return err
			}
		}
	}
	_, err := fmt.Fprintf(a.streams.Out, "mcp-docs-server %s\n", version())
	return err
}

func newVersion(a *app) *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version, or the licences",
		Args:  positional(0, 0, "no arguments"),
		RunE: func(*cobra.Command, []string) error {
			if all {
				_, err := io.WriteString(a.streams.Out, licences.Text())
				return err
			}
			return a.printVersion()
		},
	}
	cmd.Flags().BoolVar(&all, "licenses", false, "print the licence of the program and those of its dependencies")
	return cmd
}
