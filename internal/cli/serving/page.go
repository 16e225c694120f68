package serving

import (
	"cmp"
	"net/http"
	"net/url"
	"os/exec"
	"runtime"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/author/clients"
	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/command"
	"github.com/mcp-docs-server/mcp-docs-server/internal/httpserver/auth"

	httpgate "github.com/mcp-docs-server/mcp-docs-server/internal/httpserver/gate"
	"github.com/mcp-docs-server/mcp-docs-server/internal/httpserver/web"
	"github.com/mcp-docs-server/mcp-docs-server/internal/page"
	"github.com/mcp-docs-server/mcp-docs-server/internal/project"
)

// A shownPage is the web UI of a server, which may be turned off.
type shownPage struct {
	options *page.Options // nil: the web UI is turned off
}

// newPage prepares the web UI of a server with these options.
func (a *app) newPage(o httpOptions, options *web.Options) *shownPage {
	if o.noPage {
		return &shownPage{}
	}
	p := &page.Options{Version: options.Version}
	options.Page = func(authenticator *auth.Authenticator, g *httpgate.Gate) http.Handler {
		p.Auth, p.Gate = authenticator, g
		return page.New(*p)
	}
	listening := options.Listening
	options.Listening = func(urls []string) {
		listening(urls)
		home := strings.TrimSuffix(urls[0], "mcp")
		a.Say("the web UI is at %s", home)
		if o.open {
			a.browse(home)
		}
	}
	return &shownPage{options: p}
}

// add adds a project.
func (s *shownPage) add(p *project.Project, name string, live *project.Live) {
	if s.options == nil {
		return
	}
	client := command.ServerName(cmp.Or(p.Config.Package, p.Config.Name))
	s.options.Sites = append(s.options.Sites, page.Site{
		Name: name, Title: p.Config.Name, Version: p.Config.Version, Server: live.Server(),
		Client: strings.Trim(client[:min(len(client), clients.MaxName)], "-"),
	})
}

// browse opens a URL of this server in the user's browser.
func (a *app) browse(address string) {
	if u, err := url.Parse(address); err == nil && (u.Hostname() == "0.0.0.0" || u.Hostname() == "::") {
		u.Host = "localhost:" + u.Port() // a browser cannot open these addresses
		address = u.String()
	}
	var cmd *exec.Cmd
	switch runtime.GOOS {
	case "windows":
		cmd = exec.Command("rundll32", "url.dll,FileProtocolHandler", address)
	case "darwin":
		cmd = exec.Command("open", address)
	default:
		cmd = exec.Command("xdg-open", address)
	}
	if err := cmd.Start(); err != nil {
		a.Say("no browser can be opened: open %s yourself", address)
		return
	}
	go func() { _ = cmd.Wait() }() // the browser may run longer than the server
}
