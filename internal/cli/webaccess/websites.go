package webaccess

import (
	"os"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/crawltool"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/maptool"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/store"
	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/command"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/rootfs"
)

// addSites adds the tools for whole sites to a project.
func (w *webAccess) addSites(web *Project) error {
	results, err := maptool.Results(os.Getenv)
	if err != nil {
		return command.Misuse(err.Error())
	}
	web.Tools = append(web.Tools, maptool.Tool(maptool.Options{
		Site: w.client, Check: w.client.Check, Store: web.store, Results: results, Firecrawl: w.services.firecrawl, Vet: w.client.Vet,
	}))
	o := crawltool.Options{
		Client: w.client, Store: web.store, LLM: w.model, Converter: w.converter, Logger: w.logger, Now: web.now,
	}
	if w.services.firecrawl != nil {
		o.Firecrawl = w.services.strategy(w.client, w.access)
	}
	switch kept := web.store.Settings(); kept.Kind {
	case store.Files:
		captures, err := rootfs.Open(kept.Folder)
		if err != nil {
			return err
		}
		defer captures.Close() // the folder of jobs in it is opened
		if o.Jobs, err = crawltool.FolderJobs(captures); err != nil {
			return err
		}
	case store.Postgres:
		o.Jobs = crawltool.DatabaseJobs(kept.DB, kept.Project)
	}
	web.crawls = crawltool.New(o)
	web.Tools = append(web.Tools, web.crawls.Tool())
	web.runs = append(web.runs, web.crawls.Run)
	return nil
}
