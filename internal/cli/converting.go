package cli

import (
	"context"
	"fmt"
	"os/exec"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/conversion"
	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/terminal"
)

// convertChild is the only argument of the program where it is its own child, which converts a page.
const convertChild = "__convert"

// newConverter returns a converter whose children are this program.
func newConverter() *conversion.Converter {
	return conversion.New(func(ctx context.Context) *exec.Cmd {
		cmd := exec.CommandContext(ctx, self())
		cmd.Args = []string{command, convertChild}
		return cmd
	})
}

// runConvertChild is the program as the child of a converter.
func runConvertChild(streams Streams) int {
	if err := conversion.Main(streams.In, streams.Out); err != nil {
		fmt.Fprintln(streams.Err, terminal.Line(err.Error()))
		return 1
	}
	return 0
}
