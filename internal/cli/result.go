package cli

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
)

// errFound ends a command with the code for problems. What they are, it has printed.
var errFound = errors.New("problems were found")

// printValue writes a result as JSON for programs.
func (a *app) printValue(v any) error {
	e := json.NewEncoder(a.streams.Out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// print writes a result in large pieces.
func (a *app) print(write func(w io.Writer)) error {
	out := bufio.NewWriter(a.streams.Out)
	write(out)
	return out.Flush()
}
