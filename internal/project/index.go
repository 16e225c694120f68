package project

import (
	"context"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/config"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/capability"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/docs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/mcp/server"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// openIndex makes the source of the capability index, which is empty while the index is off.
func (l *Live) openIndex() {
	c := &l.project.Config
	l.index = capability.New(capability.Options{
		Name: c.Name, Version: c.Version, Files: l.catalog, Documents: l.documents, Prompts: l.prompts,
		Offer: l.offer, Skills: l.offerSkills, Settings: l.indexSettings(c), Patience: time.Second,
	})
}

// indexSettings returns the settings of the capability index.
func (l *Live) indexSettings(c *config.Config) capability.Settings {
	on := c.Index.On
	if l.indexed != nil {
		on = *l.indexed
	}
	return capability.Settings{On: on, Expose: c.Index.Expose, TTL: c.Index.MaxAge()}
}

// offerSkills returns the skills among files.
func (l *Live) offerSkills(files *loader.Catalog) []capability.Skill {
	all, err := l.skills.Summaries(context.Background(), files)
	if err != nil {
		return nil
	}
	var out []capability.Skill
	for _, s := range all {
		out = append(out, capability.Skill{URI: s.Manifest.URI(), Name: s.Name, Description: s.Description, Size: s.Manifest.Size()})
	}
	return out
}

// offer returns the part of the capability index that does not come from files.
func (l *Live) offer() capability.Offer {
	var o capability.Offer
	for _, t := range l.server.Tools() {
		o.Tools = append(o.Tools, capability.Tool{Name: t.Name, Title: t.Title, Description: t.Description})
	}
	// The server keeps the name that it had at its start.
	if name := docs.ToolName(l.project.Config.Name, l.project.Config.Package); len(o.Tools) > 0 && o.Tools[0].Name == name {
		o.DocsTool = name
	}
	return o
}

// features returns which features of a server are on, including the capability index.
func (l *Live) features(s *Settings) server.Features {
	f := s.features()
	f.Summary = l.indexSettings(&s.Config).Exposes("summary")
	return f
}
