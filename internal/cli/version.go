package cli

import (
	"fmt"
	"io"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/mcp-docs-server/mcp-docs-server/internal/licences"
)

// release is the version of a released binary, set by the linker.
var release string

// version returns the release, or what the Go tool recorded of the build.
func version() string {
	if release != "" {
		return release
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
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
			_, err := fmt.Fprintf(a.streams.Out, "mcp-docs-server %s\n", version())
			return err
		},
	}
	cmd.Flags().BoolVar(&all, "licenses", false, "print the licence of the program and those of all that it is made with")
	return cmd
}
