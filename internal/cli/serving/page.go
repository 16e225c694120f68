package serving

import (
	"cmp"
	"net/http"
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
		a.Say("the web UI is at %s", strings.TrimSuffix(urls[0], "mcp"))
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
