package webaccess

import (
	"fmt"
	"os"
	"slices"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/fetch"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/store"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/webtools"
	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/command"
)

// optimizeVariable is the variable that sets the order of strategies.
const optimizeVariable = "OPTIMIZE_FOR"

// openModel returns the language model that the environment configures, or nil.
func openModel() (*webtools.Model, error) {
	s := webtools.ModelSettings{Provider: os.Getenv(webtools.ProviderVar), Key: os.Getenv(webtools.KeyVar), Base: os.Getenv(webtools.BaseVar), Model: os.Getenv(webtools.ModelVar), Version: command.Version()}
	if s.Provider == "" {
		return nil, nil
	}
	c, err := webtools.NewModel(s)
	if err != nil {
		return nil, command.Misuse(err.Error())
	}
	return c, nil
}

// CaptureVariables holds the variables about captures whose values are not secrets.
var CaptureVariables = []string{
	optimizeVariable, webtools.ProviderVar, webtools.ModelVar,
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

// addTools adds the tools to a project.
func (w *webAccess) addTools(web *Project) error {
	strategies, err := inOrder(w.strategies)
	if err != nil {
		return err
	}
	o := &webtools.Options{
		Client: w.client, Chain: fetch.NewChain(strategies...), Providers: w.providers, Firecrawl: w.firecrawl, LLM: w.model, Store: web.store, Converter: w.converter, Logger: w.logger, Now: web.now,
		Acts: slices.ContainsFunc(strategies, func(s fetch.Strategy) bool { return s.Name() != fetch.NativeName }),
	}
	if kept := web.store.Settings(); kept.DB != nil {
		o.Jobs = webtools.DatabaseJobs(kept.DB, kept.Project)
	}
	scraper := webtools.NewScraper(*o)
	web.crawls = webtools.NewCrawler(*o)
	web.runs = append(web.runs, web.crawls.Run)
	web.Tools = append(web.Tools, scraper.Tool())
	if len(o.Providers) > 0 {
		web.Tools = append(web.Tools, scraper.SearchTool())
	}
	web.Tools = append(web.Tools, o.Map(), web.crawls.Tool())
	return nil
}
