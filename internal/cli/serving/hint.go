package serving

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"unicode"

	"golang.org/x/term"

	"github.com/mcp-docs-server/mcp-docs-server/internal/author/clients"
	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/command"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/config"
	"github.com/mcp-docs-server/mcp-docs-server/internal/project"
)

// introduce reports a missing configuration and, on a terminal, prints how to use the server.
func (a *app) introduce(p *project.Project) {
	if !p.Configured {
		a.Say("%s does not exist: serving the folder as %q, version %s", p.Show(p.ConfigFile), p.Config.Name, p.Config.Version)
	}
	in, ok := a.Streams.In.(*os.File)
	if !ok || !term.IsTerminal(int(in.Fd())) {
		return
	}
	dir, err := filepath.Abs(p.Dir)
	if err != nil {
		return
	}
	serve, err := a.ServeArgs(p)
	if err != nil {
		return
	}
	name := command.ServerName(cmp.Or(p.Config.Package, p.Config.Name))
	name = strings.Trim(name[:min(len(name), clients.MaxName)], "-")
	fmt.Fprint(a.Streams.Err, hint(p.Config, command.OriginOf(name, command.OnPath(command.Self(), exec.LookPath), dir, serve), runtime.GOOS))
}

// hint says to a user at a terminal how clients start the program.
func hint(c config.Config, from command.Origin, goos string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\nThis is the MCP server of %q %s, speaking JSON-RPC over standard input and output.\n", c.Name, c.Version)
	if from.Install != "" {
		fmt.Fprintf(&b, "The running program is deleted when it ends. To install it, run\n\n    %s\n\n", from.Install)
	}
	b.WriteString("A client starts the server by itself")
	client, _ := clients.Find("claude-code")
	setup, err := client.Setup(from.Server, goos)
	if err == nil && setup.Command != "" && strings.IndexFunc(setup.Command, unicode.IsControl) < 0 {
		fmt.Fprintf(&b, "; add it to Claude Code, for example, with\n\n    %s\n\n", setup.Command)
	} else {
		b.WriteString(". ")
	}
	if other, ok := from.Lister(goos); ok {
		fmt.Fprintf(&b, "To see how to add it to other clients, run \"%s\".\n", other)
	}
	b.WriteString("Press Ctrl-C to stop the server.\n\n")
	return b.String()
}
