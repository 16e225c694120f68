package serving

import (
	"strings"
	"testing"

	"github.com/mcp-docs-server/mcp-docs-server/internal/author/clients"
	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/command"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/config"
)

// The hint on a terminal shows commands that work on every system, and names no file that will be
// deleted.
func TestHint(t *testing.T) {
	const (
		goRun   = "/tmp/go-build1/b001/exe/mcp-docs-server"
		npx     = "/home/me/.npm/_npx/0a1b/node_modules/"
		cached  = npx + "@mcp-docs-server/cli-linux-x64/bin/mcp-docs-server"
		windows = `C:\Users\me\AppData\Local\npm-cache\_npx\0a\node_modules\@mcp-docs-server\cli-win32-x64\bin\mcp-docs-server.exe`
	)
	for _, test := range []struct {
		self, dir, goos string
		want            []string
	}{
		{"mcp-docs-server", "/a b", clients.Linux, []string{
			"\nThis is the MCP server of \"My docs\" 1.0.0, speaking JSON-RPC",
			"; add it to Claude Code, for example, with\n\n    claude mcp add my-docs -- mcp-docs-server serve '/a b'\n\nTo see how to add it to other clients, run \"mcp-docs-server config\".\n",
		}},
		{"/x y/mcp-docs-server", "/a", clients.Linux, []string{"claude mcp add my-docs -- '/x y/mcp-docs-server' serve /a\n", `run "'/x y/mcp-docs-server' config".`}},
		{goRun, "/a", clients.Linux, []string{
			"The running program is deleted when it ends. To install it, run\n\n    go install ./cmd/mcp-docs-server\n\n",
			"claude mcp add my-docs -- mcp-docs-server serve /a\n", `run "mcp-docs-server config".`,
		}},
		{cached, "/a b", clients.Linux, []string{"claude mcp add my-docs -- npx -y @mcp-docs-server/cli serve '/a b'\n", `run "npx -y @mcp-docs-server/cli config".`}},
		{cached, npx + "@acme/docs", clients.Linux, []string{"claude mcp add my-docs -- npx -y @acme/docs\n\nPress Ctrl-C"}},
		{windows, `C:\my docs`, clients.Windows, []string{`claude mcp add my-docs "--" cmd /c npx -y "@mcp-docs-server/cli" serve "C:\my docs"`, `run "npx -y "@mcp-docs-server/cli" config".`}},
		{`C:\bin\mcp-docs-server.exe`, `C:\100%`, clients.Windows, []string{"by itself. To see how to add it to other clients, run \"C:\\bin\\mcp-docs-server.exe config\"."}},
		{"/bin/mcp-docs-server", "/a\nb", clients.Linux, []string{"by itself. To see"}},
	} {
		from := command.OriginOf("my-docs", test.self, test.dir, []string{"serve", test.dir})
		got := hint(config.Config{Name: "My docs", Version: "1.0.0"}, from, test.goos)
		for _, want := range test.want {
			if !strings.Contains(got, want) {
				t.Errorf("%+v: %q is not in %s", test, want, got)
			}
		}
		for _, gone := range []string{"go-build", "_npx", "%!"} {
			if strings.Contains(got, gone) {
				t.Errorf("%+v: %q is in %s", test, gone, got)
			}
		}
	}
}
