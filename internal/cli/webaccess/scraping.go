package webaccess

import (
	"fmt"
	"os"
	"slices"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/crawltool"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/fetch"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/llm"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/maptool"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/scrapetool"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/searchtool"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/store"
	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/command"
)

// optimizeVariable is the variable that sets the order of strategies.
const optimizeVariable = "OPTIMIZE_FOR"

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
	optimizeVariable, llm.ProviderVar, llm.ModelVar,
	store.StorageVariable, store.RootVariable, store.TTLVariable, store.MaxSizeVariable, store.MaxItemsVariable, store.CleanupVariable,
}

// inOrder returns strategies in the order in which they are tried: with the goal cost, the cheapest
// first; with speed, only the service.
func inOrder(strategies []fetch.Strategy) ([]fetch.Strategy, error) {
	switch goal := os.Getenv(optimizeVariable); goal {
	case "", "cost":
		return strategies, nil
	case "speed":
		i := slices.IndexFunc(strategies, func(s fetch.Strategy) bool { return s.Name() == fetch.FirecrawlName })
		if i < 0 {
			return nil, command.Misuse(optimizeVariable + " is speed, which needs Firecrawl: also set FIRECRAWL_API_KEY")
		}
		return strategies[i : i+1], nil
	default:
		return nil, command.Misuse(fmt.Sprintf("%s is %q, must be cost or speed", optimizeVariable, goal))
	}
}

// addScrape adds the tools scrape and web_search to a project.
func (w *webAccess) addScrape(web *Project) error {
	strategies, err := inOrder(w.strategies)
	if err != nil {
		return err
	}
	scraper := scrapetool.New(scrapetool.Options{
		Chain: fetch.NewChain(strategies...), Store: web.store, LLM: w.model, Converter: w.converter, Logger: w.logger, Now: web.now,
		Acts: slices.ContainsFunc(strategies, func(s fetch.Strategy) bool { return s.Name() != fetch.NativeName }),
	})
	web.Tools = append(web.Tools, scraper.Tool())
	if providers := w.services.providers; len(providers) > 0 {
		web.Tools = append(web.Tools, searchtool.Tool(searchtool.Options{Providers: providers, Store: web.store, Capturer: scraper, Check: w.client.Check}))
	}
	return nil
}

// addSites adds the tools for whole sites to a project.
func (w *webAccess) addSites(web *Project) {
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
}
