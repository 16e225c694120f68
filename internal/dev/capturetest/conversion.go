package capturetest

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"testing"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/conversion"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/pdftest"
)

const child = "convert-child" // the only argument of a child

// Converter returns a converter whose children are this program, where TestMain calls [Run].
func Converter() *conversion.Converter {
	c := conversion.New(Child)
	c.Cache = pdftest.CompiledFolder()
	return c
}

// Child returns a child, for a converter of a test.
func Child(ctx context.Context) *exec.Cmd { return exec.CommandContext(ctx, os.Args[0], child) }

// Run runs tests, or is the child of a converter. TestMain calls it.
func Run(m *testing.M) {
	if len(os.Args) != 2 || os.Args[1] != child {
		os.Exit(m.Run())
	}
	if err := conversion.Main(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
