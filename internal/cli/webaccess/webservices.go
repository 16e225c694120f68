package webaccess

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/firecrawl"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/scrapetool"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/searchtool"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/webclient"
	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/command"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/tools"
)

// ServiceVariables are those of services that agents use through this server.
var ServiceVariables = []string{searchtool.SearXNGVar, searchtool.BraveKeyVar, searchtool.BraveBaseVar, firecrawl.KeyVar, firecrawl.BaseVar}

// services are what the environment configures, and nil or empty where it does not.
type services struct {
	firecrawl *firecrawl.Client
	providers []searchtool.Provider // of web_search, in the order in which they are asked
}

// openServices opens the services of the environment. Everything wrong with it is in the error. An
// empty variable counts as none: images and manifests often have them.
func openServices() (*services, error) {
	s := new(services)
	var problems []error
	add := func(p searchtool.Provider, err error) {
		if err != nil {
			problems = append(problems, err)
			return
		}
		s.providers = append(s.providers, p)
	}
	if base := os.Getenv(searchtool.SearXNGVar); base != "" {
		add(searchtool.NewSearXNG(base, command.Version()))
	}
	if key := os.Getenv(searchtool.BraveKeyVar); key != "" {
		add(searchtool.NewBrave(os.Getenv(searchtool.BraveBaseVar), key, command.Version()))
	}
	if base, key := os.Getenv(firecrawl.BaseVar), os.Getenv(firecrawl.KeyVar); base != "" || key != "" {
		var err error
		if s.firecrawl, err = firecrawl.New(base, key, command.Version()); err != nil {
			problems = append(problems, err)
		} else {
			s.providers = append(s.providers, searchtool.NewFirecrawl(s.firecrawl))
		}
	}
	if err := errors.Join(problems...); err != nil {
		return nil, command.Misuse(err.Error())
	}
	return s, nil
}

// Close closes what was opened.
func (s *services) Close() {
	for _, p := range s.providers {
		p.Close()
	}
}

// strategy returns the strategy of Firecrawl for pages that rules allow.
func (s *services) strategy(rules *webclient.Client, o webclient.Options) *firecrawl.Strategy {
	o.IgnoreRobots = true
	return &firecrawl.Strategy{Client: s.firecrawl, Rules: rules, Pictures: webclient.New(o)}
}

// DescribeServices says for --print-config what the environment configures.
func DescribeServices(b *strings.Builder) {
	for _, name := range ServiceVariables {
		state := "not set"
		if os.Getenv(name) != "" {
			state = "set" // a URL may have a secret in it
		}
		fmt.Fprintf(b, "%-21s %s\n", name, state)
	}
	s, err := openServices()
	if err != nil {
		fmt.Fprintf(b, "%-21s off: %v\n", searchtool.ToolName, err)
		return
	}
	fmt.Fprintf(b, "%-21s %s\n", searchtool.ToolName, searchtool.Status(s.providers))
	s.Close()
}

// found captures the pages that a search found, as the tool scrape does.
type found struct {
	scraper *scrapetool.Scraper
	rules   *webclient.Client
}

// Check reports what can be known to be wrong with a URL without asking anybody.
func (f found) Check(u *url.URL) error { return f.rules.Check(u) }

// Capture captures a page and returns links to it, and to what comes with it, such as a screenshot.
func (f found) Capture(ctx context.Context, c *tools.Call, page *url.URL, o searchtool.PageOptions) ([]tools.Block, error) {
	return f.scraper.Save(ctx, tools.Call{Caller: c.Caller, Shared: c.Shared, Arguments: argumentsOf(page.String(), o)})
}

// CheckOptions returns a mistake in options.
func (f found) CheckOptions(o searchtool.PageOptions) error {
	return f.scraper.Check(argumentsOf("https://example.com/", o))
}

// argumentsOf returns the arguments of the tool scrape for a page.
func argumentsOf(page string, o searchtool.PageOptions) json.RawMessage {
	arguments := map[string]any{"url": page, "onlyMainContent": o.OnlyMainContent, "blockAds": o.BlockAds, "waitFor": o.WaitFor.Milliseconds()}
	if o.Formats != nil {
		arguments["formats"] = o.Formats
	}
	encoded, _ := json.Marshal(arguments) // strings, numbers and booleans can always be encoded
	return encoded
}
