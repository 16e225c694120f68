package webaccess

import (
	"os"
	"slices"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/fetch"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/llm"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/scrapetool"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/searchtool"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/store"
	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/command"
)

// openModel returns the language model that the environment configures, or nil.
func openModel() (*llm.Client, error) {
	settings, on := llm.FromEnvironment(os.Getenv)
	if !on {
		return nil, nil
	}
	settings.Version = command.Version()
	c, err := llm.New(settings)
	if err != nil {
		return nil, command.Misuse(err.Error())
	}
	return c, nil
}

// CaptureVariables holds the variables about captures whose values are not secrets.
var CaptureVariables = []string{
	llm.ProviderVar, llm.ModelVar,
	store.StorageVariable, store.RootVariable, store.TTLVariable, store.MaxSizeVariable, store.MaxItemsVariable, store.CleanupVariable,
}

// addScrape adds the tools scrape and web_search to a project.
func (w *webAccess) addScrape(web *Project) {
	scraper := scrapetool.New(scrapetool.Options{
		Chain: fetch.NewChain(w.strategies...), Store: web.store, LLM: w.model, Converter: w.converter, Logger: w.logger, Now: web.now,
		Acts: slices.ContainsFunc(w.strategies, func(s fetch.Strategy) bool { return s.Name() != fetch.NativeName }),
	})
	web.Tools = append(web.Tools, scraper.Tool())
	if providers := w.services.providers; len(providers) > 0 {
		web.Tools = append(web.Tools, searchtool.Tool(searchtool.Options{Providers: providers, Store: web.store, Capturer: found{scraper}}))
	}
}
