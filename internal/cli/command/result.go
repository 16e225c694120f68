package command

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
)

// ErrFound ends a command with the exit code for problems. The command has printed them.
var ErrFound = errors.New("problems were found")

// PrintValue writes a result as JSON for programs.
func (a *App) PrintValue(v any) error {
	e := json.NewEncoder(a.Streams.Out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// Print writes a result in large pieces.
func (a *App) Print(write func(w io.Writer)) error {
	out := bufio.NewWriter(a.Streams.Out)
	write(out)
	return out.Flush()
}
