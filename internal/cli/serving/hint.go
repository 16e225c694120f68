package serving

import (
	"fmt"
	"os"

	"golang.org/x/term"

	"github.com/mcp-docs-server/mcp-docs-server/internal/project"
)

// introduce reports a missing configuration and, on a terminal, says what the program waits for.
func (a *app) introduce(p *project.Project) {
	if !p.Configured {
		a.Say("%s does not exist: serving the folder as %q, version %s", p.Show(p.ConfigFile), p.Config.Name, p.Config.Version)
	}
	if in, ok := a.Streams.In.(*os.File); ok && term.IsTerminal(int(in.Fd())) {
		fmt.Fprintf(a.Streams.Err, "\nThis is the MCP server of %q %s, speaking JSON-RPC over standard input and output. A client starts it by itself:\n"+
			"\"mcp-docs-server config\" adds it to a client. Press Ctrl-C to stop the server.\n\n", p.Config.Name, p.Config.Version)
	}
}
