package capturing

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/crawl"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/folder"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/webclient"
	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/command"
	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/terminal"
	"github.com/mcp-docs-server/mcp-docs-server/internal/project"
)

// crawling holds the options of capture --crawl.
type crawling struct {
	crawl   bool
	options crawl.Options
}

// add adds the options.
func (o *crawling) add(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&o.crawl, "crawl", false, "also capture the pages below each URL")
	o.options.Limit, o.options.Delay = crawl.DefaultLimit, webclient.DefaultEvery
	command.CrawlFlags.Add(cmd, func(flags *pflag.FlagSet) {
		flags.Var(command.Whole(&o.options.Limit, 1, 100_000), "limit", "capture at most `N` pages of a site")
		flags.Var(command.Whole(&o.options.Depth, 0, 10_000), "depth", "capture only pages that are at most `N` links away from the URL; 0: any number")
		flags.Func("include", "capture only pages whose path matches a `GLOB` such as docs/**; repeatable", command.Globs(&o.options.Include))
		flags.Func("exclude", "leave out pages whose path matches a `GLOB`; repeatable", command.Globs(&o.options.Exclude))
		flags.Var(command.Interval(&o.options.Delay, 0), "delay", "the `TIME` between an answer of a host and the next request to it, unless the host asks for more; 0 has an effect only for hosts of --allow")
		flags.BoolVar(&o.options.EntireDomain, "entire-domain", false, "also capture pages of the host that are not below the URL")
		flags.BoolVar(&o.options.Subdomains, "subdomains", false, "also capture pages of all hosts of the domain")
		flags.BoolVar(&o.options.External, "external", false, "capture pages of any host to which links lead")
	})
}

// check returns an error for invalid options.
func (o *crawling) check(cmd *cobra.Command) error {
	if !cmd.Flags().Changed("delay") {
		o.options.Delay = 0 // the delay of the client, which is 0 for hosts of --allow
	}
	return command.CheckNeeds(cmd.Flags())
}

// captureSites captures sites, one after the other.
func (a *app) captureSites(ctx context.Context, o capturing, targets []folder.Target) error {
	into, files, err := a.begin(ctx, &o, targets)
	if files != nil {
		defer files.Close()
	}
	if err != nil {
		return err
	}
	var sites []folder.SiteFolder
	for _, t := range targets {
		sites = append(sites, folder.SiteFolder{Start: t.URL})
	}
	if files != nil && len(sites) == 0 {
		if sites, err = folder.Sites(ctx, files); err != nil {
			return project.PathError(into, err)
		}
	}
	if len(sites) == 0 {
		return project.PathError(command.Printable(into), errNoCaptures)
	}
	report := a.newReport(into, o.json)
	report.brief = true
	for i, site := range sites {
		name := "capturing"
		if len(sites) > 1 {
			name = fmt.Sprintf("capturing site %d of %d", i+1, len(sites))
		}
		options := folder.SiteOptions{Crawl: o.options, Update: o.update, Done: report.add}
		options.Crawl.Start = site.Start
		capturer := folder.Capturer{Client: o.client(site.Start), Folder: files, Options: o.capture}
		report.into = filepath.Join(into, filepath.FromSlash(site.Folder))
		if site.Folder != "" {
			if capturer.Folder, err = files.OpenFolder(site.Folder, false); err != nil {
				return errors.Join(report.end(), project.PathError(report.into, err))
			}
			defer capturer.Folder.Close()
		}
		s, err := folder.NewSite(capturer, options)
		if err == nil {
			err = a.Line.During(terminal.Work{Name: name, Unit: "pages", Share: func() (done, total int64) {
				s := s.Stats()
				return int64(s.Pages), int64(min(s.Limit, s.Pages+s.Waiting))
			}}, func() error { return s.Run(ctx) })
			a.reportSite(site.Start.Redacted(), s.Stats(), err == nil)
		}
		if err != nil {
			return errors.Join(report.end(), err)
		}
	}
	return report.end()
}

// reportSite prints which pages were left out, and how to continue.
func (a *app) reportSite(site string, s crawl.Stats, ended bool) {
	for _, l := range s.LeftOut {
		a.Say("left out %s: %s", command.Count(l.URLs, "URL"), l.Why)
		for _, example := range l.Examples {
			a.Say("  %s", terminal.OneLine(example))
		}
	}
	for _, text := range s.Sitemaps {
		a.Say("%s", terminal.OneLine(text))
	}
	switch {
	case s.Left != "" && ended:
		hint := ""
		if s.Pages >= s.Limit {
			hint = "; continue with a higher --limit"
		}
		a.Say("left out %s: %s%s", command.Count(s.Waiting, "known URL"), s.Left, hint)
	case ended && s.Pages == 0:
		a.Say("%s: no page was captured: --include, --exclude, robots.txt and noindex leave none", terminal.OneLine(site))
	case !ended && s.Pages > 0:
		a.Say("captured %s, with %s left: run the same command to continue", command.Count(s.Pages, "page"), command.Count(s.Waiting, "known URL"))
	}
}
