package webaccess

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/browser"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/conversion"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/fetch"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/firecrawl"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/store"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/webclient"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/webtools"
	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/command"
	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/terminal"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/fserr"
	"github.com/mcp-docs-server/mcp-docs-server/internal/project"
)

// ServiceVariables holds the variables of services that agents use through this server.
var ServiceVariables = []string{webtools.SearXNGVar, webtools.BraveKeyVar, webtools.BraveBaseVar, firecrawl.KeyVar, firecrawl.BaseVar}

// CaptureVariables holds the variables about captures whose values are not secrets.
var CaptureVariables = []string{
	optimizeVariable, webtools.ProviderVar, webtools.ModelVar,
	store.StorageVariable, store.RootVariable, store.TTLVariable, store.MaxSizeVariable, store.MaxItemsVariable, store.CleanupVariable,
}

// services holds the services that the environment configures. Other fields are nil or empty.
type services struct {
	firecrawl *firecrawl.Client
	providers []webtools.Provider // of web_search, in order of use
}

// openServices opens the services that the environment configures. The error lists all mistakes. An
// empty variable counts as unset, because images and manifests often set empty variables.
func openServices() (*services, error) {
	s := new(services)
	var problems []error
	add := func(p webtools.Provider, err error) {
		if err != nil {
			problems = append(problems, err)
			return
		}
		s.providers = append(s.providers, p)
	}
	if base := os.Getenv(webtools.SearXNGVar); base != "" {
		add(webtools.NewSearXNG(base, command.Version()))
	}
	if key := os.Getenv(webtools.BraveKeyVar); key != "" {
		add(webtools.NewBrave(os.Getenv(webtools.BraveBaseVar), key, command.Version()))
	}
	if base, key := os.Getenv(firecrawl.BaseVar), os.Getenv(firecrawl.KeyVar); base != "" || key != "" {
		var err error
		if s.firecrawl, err = firecrawl.New(base, key, command.Version()); err != nil {
			problems = append(problems, err)
		} else {
			s.providers = append(s.providers, s.firecrawl)
		}
	}
	if err := errors.Join(problems...); err != nil {
		return nil, command.Misuse("%v", err)
	}
	return s, nil
}

// openModel returns the language model that the environment configures, or nil.
func openModel() (*webtools.Model, error) {
	s := webtools.ModelSettings{Provider: os.Getenv(webtools.ProviderVar), Key: os.Getenv(webtools.KeyVar), Base: os.Getenv(webtools.BaseVar), Model: os.Getenv(webtools.ModelVar), Version: command.Version()}
	if s.Provider == "" {
		return nil, nil
	}
	c, err := webtools.NewModel(s)
	if err != nil {
		return nil, command.Misuse("%v", err)
	}
	return c, nil
}

// optimizeVariable is the variable that sets the order of strategies.
const optimizeVariable = "OPTIMIZE_FOR"

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
		return nil, command.Misuse("%s is %q, must be cost or speed", optimizeVariable, goal)
	}
}

// Describe prints variables for --print-config: of secrets and of URLs, which may contain one, only whether they are set.
func Describe(b *strings.Builder, secrets []string) {
	for _, name := range slices.Concat(secrets, []string{webtools.KeyVar, webtools.BaseVar}, ServiceVariables) {
		state := "not set"
		if os.Getenv(name) != "" {
			state = "set"
		}
		fmt.Fprintf(b, "%-21s %s\n", name, state)
	}
	for _, name := range CaptureVariables {
		if value := os.Getenv(name); value != "" {
			fmt.Fprintf(b, "%-21s %s\n", name, terminal.OneLine(value))
		}
	}
	s, err := openServices()
	if err != nil {
		fmt.Fprintf(b, "%-21s off: %v\n", webtools.SearchName, err)
		return
	}
	fmt.Fprintf(b, "%-21s %s\n", webtools.SearchName, webtools.SearchStatus(s.providers))
}

// browserOptions are the options of serve for the browser in which pages are rendered.
type browserOptions struct {
	on bool
	browser.Options
}

func (o *browserOptions) add(cmd *cobra.Command) {
	o.MaxPages = browser.DefaultMaxPages
	command.BrowserFlags.Add(cmd, func(flags *pflag.FlagSet) {
		flags.BoolVar(&o.on, "browser", false, "render pages in the Chromium, Chrome or Edge of this computer if necessary")
		flags.StringVar(&o.Path, "browser-path", "", "render pages in the browser with this program `FILE`")
		flags.BoolVar(&o.NoSandbox, "browser-no-sandbox", false, "start the browser without its sandbox, which is necessary for root")
		flags.BoolVar(&o.Scripts, "browser-scripts", false, "let agents run scripts in rendered pages")
		flags.Var(command.Whole(&o.MaxPages, 1, 100), "browser-pages", "render at most this `NUMBER` of pages at the same time")
	})
}

// open returns the browser, or nil if no option enables it.
func (o *browserOptions) open(client *webclient.Client, logger *slog.Logger) (*browser.Browser, error) {
	if !o.on && o.Path == "" {
		return nil, nil
	}
	o.Client, o.Logger = client, logger
	b := browser.New(o.Options)
	if err := b.Check(); err != nil {
		return nil, command.Misuse("%s", fserr.Words(err))
	}
	return b, nil
}

// ConvertChild is the only argument of the program when it runs as its own child to convert a page.
const ConvertChild = "__convert"

// NewConverter returns a converter whose children are this program. cache is the folder of --cache-dir, or "".
func NewConverter(logger *slog.Logger, cache string) *conversion.Converter {
	c := conversion.New(func(ctx context.Context) *exec.Cmd {
		cmd := exec.CommandContext(ctx, command.Self())
		cmd.Args = []string{command.Name, ConvertChild}
		return cmd
	})
	c.Logger = logger
	if cache != "" {
		c.Cache = filepath.Join(cache, "pdfium")
	}
	return c
}

// PDFs returns how the texts of PDF files are made. cache is the folder of --cache-dir, or "".
func PDFs(c *conversion.Converter, cache string) project.PDFOptions {
	if dir, err := os.UserCacheDir(); cache == "" && err == nil {
		cache = filepath.Join(dir, "mcp-docs-server")
	}
	if cache != "" {
		cache = filepath.Join(cache, "pdf")
	}
	return project.PDFOptions{Converter: c, Cache: cache}
}

// RunConvertChild runs the program as the child of a converter.
func RunConvertChild(streams command.Streams) int {
	if err := conversion.Main(streams.In, streams.Out); err != nil {
		fmt.Fprintln(streams.Err, terminal.OneLine(err.Error()))
		return 1
	}
	return 0
}
