package capturing

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/crawl"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/folder"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/webclient"
	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/command"
	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/progress"
	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/terminal"
	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/webaccess"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/rootfs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/project"
)

// capturing is what the options of capture say.
type capturing struct {
	into    string
	update  bool
	allow   []string
	json    bool
	network webclient.Options
	capture folder.Options
	crawling
}

// New returns the command capture.
func New(shared *command.App) *cobra.Command {
	a := &app{shared}
	var o capturing
	cmd := &cobra.Command{
		Use:   "capture URL…",
		Short: "Capture pages of the web as documents",
		Long: "Capture pages of the web as Markdown files, by default below web/ in the folder of the documents. The same\n" +
			"command again asks which pages have changed, and writes only those; text that was edited is left alone.\n" +
			"The exit code is 1 if a page cannot be captured, or has changed where its text was edited.",
		Example: "  mcp-docs-server capture https://go.dev/doc/effective_go\n" +
			"  mcp-docs-server capture --update --images\n" +
			"  mcp-docs-server capture https://docs.example.com/v2/ --crawl --limit 500 --into docs/web/v2",
		Args: func(cmd *cobra.Command, args []string) error {
			if err := o.crawling.check(cmd); err != nil {
				return err
			}
			if len(args) == 0 && !o.update {
				return command.Misuse("capture takes the URLs of pages; --update takes those that were captured before")
			}
			return nil
		},
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, args []string) error {
			targets, err := captureTargets(args)
			if err != nil {
				return err
			}
			if o.network.Timeout <= 0 {
				return command.Misuse(fmt.Sprintf("--timeout is %v, must be longer than nothing", o.network.Timeout))
			}
			for _, s := range o.allow {
				rule, err := webclient.ParseRule(s)
				if err != nil {
					return command.Misuse(fmt.Sprintf("--allow: %v", err))
				}
				o.network.Allow = append(o.network.Allow, rule)
			}
			if o.crawl {
				return a.captureSites(cmd.Context(), o, targets)
			}
			return a.capture(cmd.Context(), o, targets)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&o.into, "into", "", "the `DIR` for the files; default: web in the folder of the documents")
	flags.BoolVar(&o.update, "update", false, "capture again what is in the folder")
	flags.BoolVar(&o.capture.Images, "images", false, "keep the images of the pages too")
	flags.BoolVar(&o.capture.Whole, "whole", false, "keep all of the pages, also menus, footers and the like")
	flags.BoolVar(&o.capture.Force, "force", false, "write over text that was edited")
	flags.BoolVarP(&o.capture.DryRun, "dry-run", "n", false, "say what would be written, and write nothing")
	flags.DurationVar(&o.network.Timeout, "timeout", webclient.DefaultTimeout, "how long fetching and converting a page may take, without the time that it waits for its turn")
	flags.BoolVar(&o.network.AllowPrivate, "allow-private", false, "ask addresses of private networks and of this computer too")
	flags.StringArrayVar(&o.allow, "allow", nil, "ask a `HOST`, an address or a network such as 10.0.0.0/8, with a port or :*, whatever it is, and without a pause; repeatable")
	flags.BoolVar(&o.network.IgnoreRobots, "ignore-robots", false, "capture what robots.txt does not allow")
	o.crawling.add(cmd)
	command.AddJSON(cmd, &o.json, "print what became of each page as JSON")
	_ = cmd.MarkFlagDirname("into")
	return cmd
}

// captureTargets returns the pages of URLs, each once.
func captureTargets(args []string) ([]folder.Target, error) {
	var list []folder.Target
	seen := make(map[string]bool)
	for _, arg := range args {
		u, err := url.Parse(strings.TrimSpace(arg))
		if err != nil {
			return nil, command.Misuse(fmt.Sprintf("%q is not a URL", arg))
		}
		if u.Scheme == "" || u.Host == "" && u.Opaque != "" {
			return nil, command.Misuse(fmt.Sprintf("%q has no scheme: write https:// before it", arg))
		}
		if u, err = crawl.Normalize(u); err != nil {
			return nil, command.Misuse(err.Error())
		}
		if !seen[u.String()] {
			seen[u.String()] = true
			list = append(list, folder.Target{URL: u})
		}
	}
	return list, nil
}

// capture captures pages, and prints what became of each.
func (a *app) capture(ctx context.Context, o capturing, targets []folder.Target) error {
	into, files, err := a.openCaptures(ctx, o)
	if err != nil {
		return err
	}
	if files != nil {
		defer files.Close()
	}
	if files != nil && !o.capture.DryRun {
		if err := files.Sweep(ctx, time.Hour); err != nil { // no file takes an hour to write
			return err
		}
	}
	if o.update {
		if targets, err = addCaptured(ctx, files, targets); err != nil {
			return project.PathError(into, err)
		}
		if len(targets) == 0 {
			return fmt.Errorf("%s: has no captured pages: capture some by their URLs", command.Printable(into))
		}
	}
	o.network.Version = command.Version()
	o.capture.Now, o.capture.Converter, o.capture.Timeout = time.Now, webaccess.NewConverter(), o.network.Timeout
	if files != nil {
		if o.capture.Link, err = folder.Links(ctx, files); err != nil {
			return project.PathError(into, err)
		}
	}
	c := &folder.Capturer{Client: webclient.New(o.network), Folder: files, Options: o.capture}
	report := captureReport{app: a, into: into, out: terminal.Of(a.Streams.Out), json: o.json, results: []folder.Result{}, counts: make(map[folder.State]int)}
	work := progress.Work{Name: "capturing", Total: int64(len(targets)), Unit: "pages"}
	err = a.Line.During(work, func() error {
		return c.Run(ctx, targets, func(r folder.Result) {
			a.Line.Add(1)
			report.add(r)
		})
	})
	return errors.Join(report.end(), err)
}

// openCaptures opens the folder for captures, and makes it if pages are written into it: that of
// --into, or web in that of the documents. In a dry run it is nil if it is not there.
func (a *app) openCaptures(ctx context.Context, o capturing) (into string, files *rootfs.FS, err error) {
	create := !o.capture.DryRun && !o.update
	if into = o.into; into != "" {
		files, err = openInto(into, create)
	} else {
		var p *project.Project
		if p, err = a.Locate(ctx, ""); err != nil {
			return "", nil, err
		}
		defer p.Close()
		name := path.Join(p.Config.Docs, "web")
		into = filepath.Join(p.Dir, filepath.FromSlash(name))
		// Whoever made the project may have put a link there, to a folder that the user did not
		// name.
		files, err = p.Files.OpenFolder(name, create)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return into, nil, fmt.Errorf("%w: --into takes another folder", project.PathError(into, err))
		}
	}
	if o.capture.DryRun && errors.Is(err, fs.ErrNotExist) {
		return into, nil, nil
	}
	if err != nil {
		return into, nil, project.PathError(into, err)
	}
	return into, files, nil
}

// openInto opens the folder that the user named, which may be a link.
func openInto(into string, create bool) (*rootfs.FS, error) {
	if create {
		if err := os.MkdirAll(into, 0o777); err != nil {
			return nil, err
		}
	}
	return rootfs.Open(into)
}

// addCaptured returns pages, with those behind them that are in a folder. One that is in the folder
// under another name than its own is captured there.
func addCaptured(ctx context.Context, files *rootfs.FS, targets []folder.Target) ([]folder.Target, error) {
	if files == nil {
		return targets, nil
	}
	there, err := folder.Captured(ctx, files)
	if err != nil {
		return nil, err
	}
	wanted := make(map[string]bool)
	for _, t := range targets {
		wanted[folder.PageName(t.URL)] = true
	}
	for _, t := range there {
		if !wanted[t.File] {
			targets = append(targets, t)
		}
	}
	return targets, nil
}

// A captureReport prints results as they come, or all at the end where a line shows the progress.
type captureReport struct {
	*app
	into    string
	out     terminal.Output
	json    bool
	results []folder.Result
	counts  map[folder.State]int
	brief   bool // on a terminal, pages that are as they should be are counted only
}

func (r *captureReport) add(result folder.Result) {
	result.File = filepath.Join(r.into, filepath.FromSlash(result.File))
	for i, name := range result.Images {
		result.Images[i] = filepath.Join(r.into, filepath.FromSlash(name))
	}
	r.counts[result.State]++
	r.results = append(r.results, result)
	if !r.json && !r.Line.Terminal() {
		r.print(r.out, result)
	}
}

// states are those of a result in the order of the summary.
var states = []folder.State{folder.New, folder.Updated, folder.Unchanged, folder.Edited, folder.Gone, folder.Failed}

// print prints a result: on standard output if there is a file, and why not on standard error.
func (r *captureReport) print(w io.Writer, result folder.Result) {
	for _, warning := range result.Warnings {
		r.Say("warning: %s: %s", terminal.Line(result.URL), terminal.Line(warning))
	}
	name := command.Printable(result.File)
	switch result.State {
	case folder.Failed:
		r.Say("%s", terminal.Line(result.Error))
		return
	case folder.Edited:
		r.Say("%s: the page has changed, and so was the file by hand: --force writes over it", name)
	}
	state := fmt.Sprintf("%-9s", result.State)
	switch result.State {
	case folder.New, folder.Updated:
		state = r.out.Good(state)
	case folder.Unchanged:
		state = r.out.Faint(state)
	case folder.Edited, folder.Gone:
		state = r.out.Warning(state)
	}
	fmt.Fprintf(w, "%s  %s\n", state, name)
	for _, image := range result.Images {
		fmt.Fprintf(w, "%s  %s\n", r.out.Good(fmt.Sprintf("%-9s", "image")), command.Printable(image))
	}
}

// end prints what is left to print. Its error is [errFound] if a page failed or was edited.
func (r *captureReport) end() error {
	if r.json {
		if err := r.PrintValue(r.results); err != nil {
			return err
		}
	} else if err := r.app.Print(func(w io.Writer) {
		if r.Line.Terminal() {
			for _, result := range r.results {
				if !r.brief || result.State == folder.Edited || result.State == folder.Gone || result.State == folder.Failed || len(result.Warnings) > 0 {
					r.print(w, result)
				}
			}
		}
		var parts []string
		for _, state := range states {
			if n := r.counts[state]; n > 0 {
				parts = append(parts, fmt.Sprintf("%d %s", n, state))
			}
		}
		if len(parts) > 0 {
			fmt.Fprintf(w, "%s: %s\n", command.Count(len(r.results), "page"), strings.Join(parts, ", "))
		}
	}); err != nil {
		return err
	}
	if r.counts[folder.Failed]+r.counts[folder.Edited] > 0 {
		return command.ErrFound
	}
	return nil
}
