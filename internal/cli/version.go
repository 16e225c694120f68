package cli

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/command"
	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/bundle"
)

// writeVersion prints the version of the program.
func writeVersion(a *command.App) error {
	_, err := fmt.Fprintf(a.Streams.Out, "mcp-docs-server %s\n", command.Version())
	return err
}

func newVersion(a *command.App) *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version, or the licences",
		Args:  command.Positional(0, 0, "no arguments"),
		RunE: func(*cobra.Command, []string) error {
			if all {
				_, err := io.WriteString(a.Streams.Out, bundle.Licences())
				return err
			}
			return writeVersion(a)
		},
	}
	cmd.Flags().BoolVar(&all, "licenses", false, "print the licence of the program and the licences of its dependencies")
	return cmd
}
