package serving

import (
	"cmp"
	"net/http"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/command"
	"github.com/mcp-docs-server/mcp-docs-server/internal/httpserver/auth"

	hosts "github.com/mcp-docs-server/mcp-docs-server/internal/httpserver/hosts"
	"github.com/mcp-docs-server/mcp-docs-server/internal/httpserver/web"
	"github.com/mcp-docs-server/mcp-docs-server/internal/page"
	"github.com/mcp-docs-server/mcp-docs-server/internal/project"
)

// newPage prepares the web UI of a server with these options. It returns nil if the web UI is turned off.
func (a *app) newPage(o httpOptions, options *web.Options) *page.Options {
	if o.noPage {
		return nil
	}
	p := &page.Options{Version: options.Version}
	options.Page = func(authenticator *auth.Authenticator, g *hosts.Policy) http.Handler {
		p.Auth, p.Hosts = authenticator, g
		return page.New(*p)
	}
	listening := options.Listening
	options.Listening = func(urls []string) {
		listening(urls)
		a.Say("the web UI is at %s", strings.TrimSuffix(urls[0], "mcp"))
	}
	return p
}

// pageSite describes a project to the web UI.
func pageSite(p *project.Project, name string, live *project.Live) page.Site {
	return page.Site{
		Name: name, Title: p.Config.Name, Version: p.Config.Version, Server: live.Server(),
		Client: command.ServerName(cmp.Or(p.Config.Package, p.Config.Name)),
	}
}
