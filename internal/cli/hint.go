package cli

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"golang.org/x/term"

	"github.com/mcp-docs-server/mcp-docs-server/internal/clients"
	"github.com/mcp-docs-server/mcp-docs-server/internal/config"
)

// introduce says what is served and, to somebody who started the command by hand, how to use it.
func (a *app) introduce(p *project) {
	if !p.configured {
		a.say("%s is not there: serving the folder as %q, version %s", p.show(p.configFile), p.config.Name, p.config.Version)
	}
	in, ok := a.streams.In.(*os.File)
	if !ok || !term.IsTerminal(int(in.Fd())) {
		return
	}
	abs, err := filepath.Abs(p.dir)
	if err != nil {
		abs = p.dir
	}
	fmt.Fprint(a.streams.Err, hint(p.config, program(), abs))
}

// hint tells a person on a terminal how clients start the program in a folder. start is "" for one that will not be there
// later.
func hint(c config.Config, start, dir string) string {
	how := "add it to Claude Code, for example, with"
	if start == "" {
		start, how = command, "install it first, with \"go install ./cmd/mcp-docs-server\".\nThen "+how
	}
	return fmt.Sprintf(`
This is the MCP server of %q %s, speaking JSON-RPC over standard input and output.
A client starts it by itself; %s

    claude mcp add %s -- %s serve %s

and see "%s config" for other clients.
Press Ctrl-C to end it.

`, c.Name, c.Version, how, slug(cmp.Or(c.Package, c.Name)), clients.POSIX(start), clients.POSIX(dir), clients.POSIX(start))
}

// program is the command that starts this program: its name where the PATH leads to it, else its path, or "" for one that "go
// run" made and takes away again.
func program() string {
	self, err := os.Executable()
	if err != nil {
		return command
	}
	return commandOf(self, exec.LookPath)
}

func commandOf(self string, lookPath func(string) (string, error)) string {
	if found, err := lookPath(command); err == nil && sameFile(found, self) {
		return command
	}
	if passing.MatchString(filepath.ToSlash(self)) {
		return ""
	}
	return self
}

func sameFile(a, b string) bool {
	of, err := os.Stat(a)
	if err != nil {
		return false
	}
	other, err := os.Stat(b)
	return err == nil && os.SameFile(of, other)
}
