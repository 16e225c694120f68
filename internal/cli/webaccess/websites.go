package webaccess

import (
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/crawltool"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/maptool"
)

// addSites adds the tools for whole sites to a project.
func (w *webAccess) addSites(web *Project) error {
	web.Tools = append(web.Tools, maptool.Tool(maptool.Options{
		Site: w.client, Check: w.client.Check, Store: web.store, Firecrawl: w.services.firecrawl, Vet: w.client.Vet,
	}))
	o := crawltool.Options{
		Client: w.client, Store: web.store, Converter: w.converter, Logger: w.logger, Now: web.now,
	}
	if w.services.firecrawl != nil {
		o.Firecrawl = w.services.strategy(w.client, w.access)
	}
	if kept := web.store.Settings(); kept.DB != nil {
		o.Jobs = crawltool.DatabaseJobs(kept.DB, kept.Project)
	}
	web.crawls = crawltool.New(o)
	web.Tools = append(web.Tools, web.crawls.Tool())
	web.runs = append(web.runs, web.crawls.Run)
	return nil
}
