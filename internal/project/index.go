package project

import (
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/config"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/capability"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/docs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/tools"
	"github.com/mcp-docs-server/mcp-docs-server/internal/mcp/server"
)

// openIndex makes the source of the capability index, which is empty while the index is off.
func (l *Live) openIndex() {
	c := &l.project.Config
	l.index = capability.New(capability.Options{
		Name: c.Name, Version: c.Version, Files: l.catalog, Documents: l.documents, Prompts: l.prompts,
		Tools: func() []tools.Tool { return l.server.Tools() }, DocsTool: docs.ToolName(c.Name, c.Package), // the server keeps the name that it has at its start
		Skills: l.skills, Settings: l.indexSettings(c), Patience: time.Second,
	})
}

// indexSettings returns the settings of the capability index.
func (l *Live) indexSettings(c *config.Config) capability.Settings {
	on := c.Index.On
	if l.options.Index != nil {
		on = *l.options.Index
	}
	return capability.Settings{On: on, Expose: c.Index.Expose, TTL: c.Index.MaxAge()}
}

// features returns which features of a server are on, including the capability index and the dependencies.
func (l *Live) features(s *Settings) server.Features {
	f := s.features()
	f.Summary = l.indexSettings(&s.Config).Exposes("summary")
	ecosystems, _ := l.options.Dependencies.chosen(s)
	f.Dependencies = len(ecosystems) > 0
	return f
}
