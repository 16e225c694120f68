// Package capturing holds the command capture, which saves web pages and whole sites as files of a project.
// It reads the options and prints the results; package folder of internal/capture fetches and writes.
package capturing

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/crawl"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/folder"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/webclient"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/webpage"
	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/command"
	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/terminal"
	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/webaccess"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/fserr"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/rootfs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/walk"
	"github.com/mcp-docs-server/mcp-docs-server/internal/project"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/jsonwire"
)

// app is the shared state of commands with the methods of capture.
type app struct{ *command.App }

// capturing holds the options of capture.
type capturing struct {
	into    string
	update  bool
	allow   []string
	typed   []string // rules of hosts that the user typed, also before
	json    bool
	network webclient.Options
	// by the host that only they may connect to, or ""
	clients map[string]*webclient.Client
	capture folder.Options
	crawling
}

// New returns the command capture.
func New(shared *command.App) *cobra.Command {
	a := &app{shared}
	o := capturing{clients: make(map[string]*webclient.Client)}
	cmd := &cobra.Command{
		Use:   "capture URL…",
		Short: "Capture web pages as documents",
		Long: "Capture web pages as Markdown files, by default in the folder web of the documents. Run the same\n" +
			"command again to write the pages that have changed since; text that you have edited is not\n" +
			"overwritten. The exit code is 1 if a page cannot be captured, or if an edited page has changed.",
		Example: "  mcp-docs-server capture https://go.dev/doc/effective_go\n" +
			"  mcp-docs-server capture --update --images\n" +
			"  mcp-docs-server capture https://docs.example.com/v2/ --crawl --limit 500 --into docs/web/v2",
		Args: func(cmd *cobra.Command, args []string) error {
			if err := o.crawling.check(cmd); err != nil {
				return err
			}
			if len(args) == 0 && !o.update {
				return command.Misuse("capture takes the URLs of pages; --update captures the pages again that are in the folder")
			}
			return nil
		},
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, args []string) error {
			targets, err := captureTargets(args)
			if err != nil {
				return err
			}
			for _, s := range o.allow {
				rule, err := webclient.ParseRule(s)
				if err != nil {
					return command.Misuse("--allow: %v", err)
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
	flags.BoolVar(&o.update, "update", false, "capture the pages again that are in the folder")
	flags.BoolVar(&o.capture.Images, "images", false, "also save the images of the pages")
	flags.BoolVar(&o.capture.Whole, "whole", false, "save the whole pages, with menus and footers")
	flags.BoolVar(&o.capture.Force, "force", false, "overwrite text that was edited")
	flags.BoolVarP(&o.capture.DryRun, "dry-run", "n", false, "print what would be written, and write nothing")
	o.network.Timeout = webclient.DefaultTimeout
	flags.Var(command.Interval(&o.network.Timeout, time.Millisecond), "timeout", "the `TIME` for fetching and converting a page, without waiting for its turn")
	flags.BoolVar(&o.network.AllowPrivate, "allow-private", false, "also capture from private networks and from this computer")
	flags.StringArrayVar(&o.allow, "allow", nil, "capture from a `HOST`, an address or a network such as 10.0.0.0/8, with a port or :*, even if it is private, and without a pause; repeatable")
	flags.BoolVar(&o.network.IgnoreRobots, "ignore-robots", false, "capture pages that robots.txt does not allow")
	o.crawling.add(cmd)
	command.AddJSON(cmd, &o.json, "print what became of each page as JSON")
	return cmd
}

// captureTargets returns the pages of URLs, each once.
func captureTargets(args []string) ([]folder.Target, error) {
	var list []folder.Target
	seen := make(map[string]bool)
	for _, arg := range args {
		u, err := url.Parse(strings.TrimSpace(arg))
		if err != nil {
			return nil, command.Misuse("%q is not a URL", arg)
		}
		if u.Scheme == "" || u.Host == "" && u.Opaque != "" {
			return nil, command.Misuse("%q has no scheme: write https:// before it", arg)
		}
		if u, err = crawl.Normalize(u); err != nil {
			return nil, command.Misuse("%v", err)
		}
		if !seen[u.String()] {
			seen[u.String()] = true
			list = append(list, folder.Target{URL: u})
		}
	}
	return list, nil
}

// client returns the client for a page. Pages of a host on this computer or in a private network that the user typed have a client
// that may connect to this host. The client of the other pages may not: a public page must not lead to such a host.
func (o *capturing) client(u *url.URL) *webclient.Client {
	host, allow := o.permitted(u)
	if o.clients[host] == nil {
		o.clients[host] = webclient.New(allow)
	}
	return o.clients[host]
}

// permitted returns the options of the client for a page, and the host that only they permit, or "".
func (o *capturing) permitted(u *url.URL) (host string, allow webclient.Options) {
	allow = o.network
	if rule, ok := webclient.TypedRule(u); ok && slices.Contains(o.typed, rule.String()) {
		host, allow.Allow = rule.String(), append(slices.Clip(allow.Allow), rule)
	}
	return host, allow
}

// capture captures pages, and prints the result for each page.
func (a *app) capture(ctx context.Context, o capturing, targets []folder.Target) error {
	into, files, err := a.begin(ctx, &o, targets)
	if files != nil {
		defer files.Close()
	}
	if err != nil {
		return err
	}
	defer o.capture.Converter.Close()
	if o.update {
		if targets, err = addCaptured(ctx, files, targets); err != nil {
			return project.PathError(into, err)
		}
		if len(targets) == 0 {
			return project.PathError(command.Printable(into), errNoCaptures)
		}
	}
	if files != nil {
		if o.capture.Link, err = folder.Links(ctx, files); err != nil {
			return project.PathError(into, err)
		}
	}
	report := a.newReport(into, o.json)
	work := terminal.Work{Name: "capturing", Total: int64(len(targets)), Unit: "pages"}
	err = a.Line.During(work, func() error {
		for i, t := range targets {
			targets[i].Client = o.client(t.URL)
		}
		c := &folder.Capturer{Folder: files, Options: o.capture}
		return c.Run(ctx, targets, func(r folder.Result) {
			a.Line.Add(1)
			report.add(r)
		})
	})
	return errors.Join(report.end(), err)
}

var errNoCaptures = errors.New("has no captured pages: capture some by their URLs")

// begin opens the folder for captures, and completes the options.
func (a *app) begin(ctx context.Context, o *capturing, targets []folder.Target) (into string, files *rootfs.FS, err error) {
	into, files, err = a.openCaptures(ctx, *o)
	if err != nil {
		return into, files, err
	}
	if files != nil && !o.capture.DryRun {
		// files that are an hour old are left over, because no file takes an hour to write
		_ = files.Sweep(ctx, time.Hour, true)
	}
	for _, t := range targets {
		if rule, ok := webclient.TypedRule(t.URL); ok {
			o.typed = append(o.typed, rule.String())
		}
	}
	a.permissions(into, o)
	o.network.Version = command.Version()
	o.capture.Now, o.capture.Converter, o.capture.Timeout = time.Now, webaccess.NewConverter(command.NewLogger(a.Streams.Err, nil), ""), o.network.Timeout
	return into, files, nil
}

// openCaptures opens the folder for captures: the folder of --into, or web in the folder of the
// documents. It creates the folder if pages will be written into it. In a dry run, files is nil if the
// folder does not exist.
func (a *app) openCaptures(ctx context.Context, o capturing) (into string, files *rootfs.FS, err error) {
	create := !o.capture.DryRun && !o.update
	if into = o.into; into != "" {
		files, err = openInto(into, create)
	} else {
		var p *project.Project
		if p, err = a.Locate(ctx, "", nil); err != nil {
			return "", nil, err
		}
		defer p.Close()
		name := path.Join(p.Config.Docs, "web")
		into = filepath.Join(p.Dir, filepath.FromSlash(name))
		// The author of the project may have put a link there, to a folder that the user did not
		// name.
		files, err = p.Folder.OpenFolder(name, create)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return into, nil, fmt.Errorf("%w: name another folder with --into", project.PathError(into, err))
		}
	}
	if o.capture.DryRun && errors.Is(err, fs.ErrNotExist) {
		return into, nil, nil
	}
	if err != nil {
		if o.update && errors.Is(err, fs.ErrNotExist) {
			err = errNoCaptures
		}
		return into, nil, project.PathError(into, err)
	}
	return into, files, nil
}

// openInto opens the folder that the user named. It may be a link.
func openInto(into string, create bool) (*rootfs.FS, error) {
	if create {
		if err := os.MkdirAll(into, 0o777); err != nil {
			return nil, err
		}
	}
	return rootfs.Open(into)
}

// addCaptured returns pages, followed by the pages that are in a folder. A page that is in the folder
// under another name than its default is captured to that name.
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

// A captureReport prints results at once, or at the end if a line shows the progress.
type captureReport struct {
	*app
	into    string
	out     terminal.Output
	json    bool
	results []folder.Result
	counts  map[folder.State]int
	brief   bool // on a terminal, new and unchanged pages are only counted
}

func (a *app) newReport(into string, json bool) *captureReport {
	return &captureReport{app: a, into: into, out: terminal.Of(a.Streams.Out), json: json, results: []folder.Result{}, counts: make(map[folder.State]int)}
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

// states holds the states of a result in the order of the summary.
var states = []folder.State{folder.New, folder.Updated, folder.Unchanged, folder.Edited, folder.Gone, folder.Failed}

// print prints a result: the name of its file to standard output, or the reason why the page has no file
// to standard error.
func (r *captureReport) print(w io.Writer, result folder.Result) {
	for _, warning := range result.Warnings {
		r.Say("warning: %s: %s", terminal.OneLine(result.URL), terminal.OneLine(warning))
	}
	name := command.Printable(result.File)
	switch result.State {
	case folder.Failed:
		r.Say("%s", terminal.OneLine(result.Error))
		return
	case folder.Edited:
		r.Say("%s: the page has changed, and the file was edited by hand: --force overwrites it", name)
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

// sayUnmade names the pages whose text scripts make, last, because their files lack it.
func (r *captureReport) sayUnmade() {
	const most = 10
	var unmade []string
	for _, result := range r.results {
		if slices.Contains(result.Warnings, webpage.NeedsBrowser) {
			unmade = append(unmade, terminal.OneLine(result.URL))
		}
	}
	if n := len(unmade); n > 0 {
		if n > most {
			unmade = append(unmade[:most], "…")
		}
		r.Say("warning: %s incomplete, because scripts make the text, and capture has no browser: %s", command.Count(n, "page")+" may be", strings.Join(unmade, ", "))
	}
}

// end prints the remaining results. Its error is [command.ErrFound] if a page failed or was edited.
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
	r.sayUnmade()
	if r.counts[folder.Failed]+r.counts[folder.Edited] > 0 {
		return command.ErrFound
	}
	return nil
}

// A permission is what the user has permitted for the captures in a folder. It is kept with the user's settings and not in the
// folder: the author of a repository must not be able to permit a host of this computer.
type permission struct {
	Allow []string `json:"allow,omitempty"` // of --allow
	Typed []string `json:"typed,omitempty"` // rules of URLs, see [webclient.TypedRule]
}

// permissions remembers what the command line permits for the captures in a folder. With --update, it also permits what was
// permitted before for this folder and those in it.
func (a *app) permissions(into string, o *capturing) {
	all := make(map[string]permission) // by the folder, links resolved
	given := permission{o.allow, o.typed}
	settings, err := os.UserConfigDir()
	abs, failure := filepath.Abs(into)
	if err != nil || failure != nil {
		return // without a folder for settings, nothing is remembered
	}
	name, dir := filepath.Join(settings, command.Name, "captures.json"), filepath.ToSlash(command.Existing(abs))
	if data, err := os.ReadFile(name); err == nil {
		_ = json.Unmarshal(data, &all) // what cannot be read must be permitted again
	}
	for below, p := range all {
		if o.update && walk.Holds(dir, below) {
			o.typed = append(o.typed, p.Typed...)
			for _, text := range p.Allow {
				if rule, err := webclient.ParseRule(text); err == nil {
					o.network.Allow = append(o.network.Allow, rule)
				}
			}
		}
		if _, err := os.Stat(below); err != nil {
			delete(all, below)
		}
	}
	if o.capture.DryRun || given.Allow == nil && given.Typed == nil {
		return
	}
	merge := func(old, more []string) []string {
		more = slices.Concat(old, more)
		slices.Sort(more)
		return slices.Compact(more)
	}
	all[dir] = permission{merge(all[dir].Allow, given.Allow), merge(all[dir].Typed, given.Typed)}
	text, err := jsonwire.EncodeFile(all)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(name), 0o700)
	}
	if err == nil {
		err = os.WriteFile(name, text, 0o600)
	}
	if err != nil {
		a.Say("warning: --update will need --allow again: %s", strings.TrimSpace(fserr.Words(err)))
	}
}
