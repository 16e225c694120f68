package command

import (
	"bufio"
	"errors"
	"io"

	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/terminal"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/jsonwire"
)

// ErrFound ends a command with the exit code for problems. The command has printed them.
var ErrFound = errors.New("problems were found")

// PrintValue writes a result as JSON for programs, which is safe to show on a terminal.
func (a *App) PrintValue(v any) error {
	text, err := jsonwire.EncodeFile(v)
	if err != nil {
		return err
	}
	_, err = a.Streams.Out.Write(terminal.JSON(text))
	return err
}

// Print writes a result in large pieces.
func (a *App) Print(write func(w io.Writer)) error {
	out := bufio.NewWriter(a.Streams.Out)
	write(out)
	return out.Flush()
}
