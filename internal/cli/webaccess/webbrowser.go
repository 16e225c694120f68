package webaccess

import (
	"log/slog"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/browser"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/fetch"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/webclient"
	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/command"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/fserr"
)

// browserOptions are the options of serve for the browser in which pages are rendered.
type browserOptions struct {
	on        bool
	path      string
	noSandbox bool
	scripts   bool
	pages     int
}

func (o *browserOptions) add(cmd *cobra.Command) {
	o.pages = browser.DefaultMaxPages
	command.BrowserFlags.Add(cmd, func(flags *pflag.FlagSet) {
		flags.BoolVar(&o.on, "browser", false, "render pages in the Chromium, Chrome or Edge of this computer if necessary")
		flags.StringVar(&o.path, "browser-path", "", "render pages in the browser with this program `FILE`")
		flags.BoolVar(&o.noSandbox, "browser-no-sandbox", false, "start the browser without its sandbox, which is necessary for root")
		flags.BoolVar(&o.scripts, "browser-scripts", false, "let agents run scripts in rendered pages")
		flags.Var(command.Whole(&o.pages, 1, 100), "browser-pages", "render at most this `NUMBER` of pages at the same time")
	})
}

// strategy returns the strategy of the browser, or nil if no option enables it.
func (o *browserOptions) strategy(client *webclient.Client, logger *slog.Logger) (fetch.Strategy, error) {
	if !o.on && o.path == "" {
		return nil, nil
	}
	b := browser.New(browser.Options{
		Client: client, Path: o.path, NoSandbox: o.noSandbox, Scripts: o.scripts, MaxPages: o.pages, Logger: logger,
	})
	if err := b.Check(); err != nil {
		return nil, command.Misuse(fserr.Words(err))
	}
	return b, nil
}
