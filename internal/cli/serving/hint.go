package serving

import (
	"fmt"
	"os"

	"golang.org/x/term"

	"github.com/mcp-docs-server/mcp-docs-server/internal/project"
)

// introduce says on a terminal what the program waits for.
func (a *app) introduce(p *project.Project) {
	if in, ok := a.Streams.In.(*os.File); ok && term.IsTerminal(int(in.Fd())) {
		fmt.Fprintf(a.Streams.Err, "\nThis is the MCP server of %q, speaking JSON-RPC over standard input and output. A client starts it by itself:\n"+
			"\"mcp-docs-server config\" adds it to a client. Press Ctrl-C to stop the server.\n\n", p.Config.Name)
	}
}
