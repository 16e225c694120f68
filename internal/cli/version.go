package cli

import (
	"fmt"
	"io"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/command"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/config"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/rootfs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/project"
	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/licences"
)

// printVersions prints the version of the program. If --project names a package, its version comes
// first.
func printVersions(a *command.App, asJSON bool) error {
	v := versions{Version: command.Version(), Go: runtime.Version(), System: runtime.GOOS + "/" + runtime.GOARCH}
	var err error
	if v.Package, err = versionOfPackage(a); err != nil {
		return err
	}
	if asJSON {
		return a.PrintValue(v)
	}
	if v.Package != nil {
		if _, err := fmt.Fprintf(a.Streams.Out, "%s %s\n", v.Package.Name, v.Package.Version); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintf(a.Streams.Out, "mcp-docs-server %s\n", v.Version)
	return err
}

// versions is the JSON that version prints.
type versions struct {
	Version string          `json:"version"` // of the program
	Go      string          `json:"go"`
	System  string          `json:"system"`            // such as linux/amd64
	Package *packageVersion `json:"package,omitempty"` // of --project
}

type packageVersion struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// versionOfPackage returns the package of --project, or nil without that option.
func versionOfPackage(a *command.App) (*packageVersion, error) {
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
	c, problems := config.Decode(p.Show(config.File), text)
	if err := problems.Err(); err != nil {
		return nil, err
	}
	return &packageVersion{c.Package, c.Version}, nil
}

func newVersion(a *command.App) *cobra.Command {
	var all, asJSON bool
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version, or the licences",
		Args:  command.Positional(0, 0, "no arguments"),
		RunE: func(*cobra.Command, []string) error {
			switch {
			case all && asJSON:
				return command.Misuse("the licences are texts: give either --licenses or --json")
			case all:
				_, err := io.WriteString(a.Streams.Out, licences.Text())
				return err
			}
			return printVersions(a, asJSON)
		},
	}
	command.AddJSON(cmd, &asJSON, "print the versions as JSON")
	cmd.Flags().BoolVar(&all, "licenses", false, "print the licence of the program and the licences of its dependencies")
	return cmd
}
