// Package serving holds the command serve: it serves a project to one client over standard input and
// output, or projects, from folders or from the store, to many clients over HTTP. It reads the options
// and their environment variables, and connects the packages that answer; it answers nothing itself.
package serving

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"

	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/command"
	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/webaccess"
	"github.com/mcp-docs-server/mcp-docs-server/internal/httpserver"
	"github.com/mcp-docs-server/mcp-docs-server/internal/httpserver/auth"
	"github.com/mcp-docs-server/mcp-docs-server/internal/httpserver/metrics"
	"github.com/mcp-docs-server/mcp-docs-server/internal/mcp/stdio"
	"github.com/mcp-docs-server/mcp-docs-server/internal/project"
	"github.com/mcp-docs-server/mcp-docs-server/internal/project/watch"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/nearest"
)

// minPoll is the shortest interval of --poll.
const minPoll = 10 * time.Millisecond

// auditGrace is how long serve waits for audit lines at the end: longer than package stdio waits for
// answers that are being written.
const auditGrace = 500 * time.Millisecond

// lastWords is how long serve waits for the report of the first scan when the client is gone before it.
const lastWords = 300 * time.Millisecond

// serving holds the options of serve.
type serving struct {
	poll    time.Duration // if positive, the interval of polling, instead of events
	noWatch bool
	index   *bool  // nil: the configuration decides
	cache   string // the folder of the cache between starts, or ""
	audit   string // the file of audit lines, auditHere, or "" for none
	http    httpOptions
	store   command.StoreFlag
	from    []string // the projects that --from names
	web     webaccess.Options
	deps    project.DependencyOptions

	printConfig bool
}

// New returns the command serve.
func New(shared *command.App) *cobra.Command {
	a := &app{App: shared}
	var o serving
	var deps command.DependencyFlag
	var index bool
	cmd := &cobra.Command{
		Use:   "serve [DIR...]",
		Short: "Serve a project over standard input and output, or over HTTP (the default command)",
		Long: "Serve the project in DIR, or in the current folder, to one MCP client over standard\n" +
			"input and output. MCP clients start this command themselves.\n\n" +
			"With --http, serve it to a whole team at one URL, which is printed. Several folders are\n" +
			"served at /<package>/mcp each, and the first at /mcp as well. --from serves what publish put into\n" +
			"the store that replicas share.\n\n" +
			"Each option has a variable: MCP_DOCS_ and its name, as MCP_DOCS_TOKEN_FILE for --token-file.\n" +
			"An option on the command line takes precedence.",
		Args:              cobra.ArbitraryArgs,
		ValidArgsFunction: command.CompleteFolders,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := a.readVariables(cmd); err != nil {
				return err
			}
			if err := o.check(cmd, args); err != nil {
				return err
			}
			if o.printConfig {
				return a.printConfig(cmd)
			}
			var err error
			if o.deps, err = deps.Options(cmd, !cmd.Flags().Changed("http"), o.cache); err != nil {
				return err
			}
			if cmd.Flags().Changed("index") {
				o.index = &index
			}
			// A write to a reader that is gone is an error then, and does not end the process.
			signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
			if cmd.Flags().Changed("http") {
				return a.serveHTTP(cmd.Context(), cmd, args, o)
			}
			return a.serve(cmd.Context(), command.Arg(args, 0), o)
		},
	}
	flags := cmd.Flags()
	flags.Var(command.Interval(&o.poll, minPoll), "poll", "look for changes at this interval instead of waiting for the system to report them, for example on network drives")
	flags.Lookup("poll").NoOptDefVal = watch.DefaultPoll.String()
	flags.BoolVar(&o.noWatch, "no-watch", false, "read the project once and do not follow changes")
	flags.BoolVar(&o.printConfig, "print-config", false, "print the options in effect and the source of each, and exit")
	flags.BoolVar(&index, "index", false, "serve the capability index: resources that summarize in few tokens what the server offers")
	flags.StringVar(&o.cache, "cache-dir", "", "keep the index of the dependencies and the text of PDF files in this `DIR` between starts; with --from, copies of the files")
	deps.Add(cmd)
	o.http.add(cmd)
	command.HTTPFlags.Add(cmd, o.store.Add)
	command.HTTPFlags.Add(cmd, func(flags *pflag.FlagSet) {
		flags.StringSliceVar(&o.from, "from", nil, "serve the project that was published to the store under this `NAME`, instead of a folder; may be given more than once")
	})
	o.web.Add(cmd)
	command.LogFlags.Add(cmd, func(flags *pflag.FlagSet) {
		flags.StringVar(&o.audit, "audit", "", "append a line for each call to this `FILE`, or print it to standard error without FILE")
		flags.Lookup("audit").NoOptDefVal = auditHere
	})
	return cmd
}

// check returns an error for invalid options.
func (o *serving) check(cmd *cobra.Command, args []string) error {
	if o.audit == "" && cmd.Flags().Changed("audit") {
		return command.Misuse("--audit= names no file: write --audit=FILE, or --audit for standard error")
	}
	return cmp.Or(o.web.Check(cmd), o.checkStore(cmd), o.checkFrom(cmd, args), o.http.check(cmd, args))
}

// serve answers a client until the client closes the connection or ctx ends. It compiles the
// templates and reads the tree in the background: the first answers do not wait for them.
func (a *app) serve(ctx context.Context, dir string, o serving) error {
	p, err := a.Locate(ctx, dir, nil)
	if err != nil {
		return unlessEnded(ctx, err)
	}
	defer p.Close()
	a.introduce(p)

	shared, err := a.share(&o, command.NewLogger(a.Streams.Err, nil), p)
	defer shared.close()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	scan := shared.scanning(ctx, a, p)
	live, _, err := shared.live(ctx, p, project.LiveOptions{Audit: shared.audit, Report: scan.following(a.Reporter(p))})
	if err != nil {
		return err
	}
	ended, failed := make(chan error, 1), make(chan error, 1)
	go func() {
		t := &stdio.Transport{In: a.Streams.In, Out: a.Streams.Out, Handler: live.Server()}
		ended <- t.Run(ctx)
	}()
	go func() {
		if err := live.Run(ctx); err != nil {
			failed <- err
		}
	}()
	select {
	case err := <-failed:
		return err
	case err := <-ended:
		if err != nil && ctx.Err() == nil {
			return err
		}
		return lastReport(ctx, live, scan, failed)
	case <-ctx.Done(): // SIGTERM must not wait for a client
		if shared.audit != nil {
			// Each answer that a client has read must have its audit line.
			select {
			case <-ended:
			case <-time.After(auditGrace):
			}
		}
		return nil
	}
}

// unlessEnded returns an error of the start, unless the user has ended it.
func unlessEnded(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// lastReport waits until mistakes in the templates, and what is served, are reported, even if the client closes the connection at once.
func lastReport(ctx context.Context, live *project.Live, scan *scanning, failed <-chan error) error {
	select {
	case <-live.Compiled():
	case err := <-failed:
		return err
	case <-ctx.Done():
		return nil
	}
	select {
	case <-scan.all:
	case <-ctx.Done():
	case <-time.After(lastWords):
	}
	return nil
}

// introduce says on a terminal what the program waits for.
func (a *app) introduce(p *project.Project) {
	if in, ok := a.Streams.In.(*os.File); ok && term.IsTerminal(int(in.Fd())) {
		fmt.Fprintf(a.Streams.Err, "\nThis is the MCP server of %q, speaking JSON-RPC over standard input and output. A client starts it by itself:\n"+
			"\"mcp-docs-server config\" adds it to a client. Press Ctrl-C to stop the server.\n\n", p.Config.Name)
	}
}

// app is the shared state of commands with the methods of serve.
type app struct {
	*command.App
	fromVariable []string // options of serve with a value from a variable
	fromPort     bool     // the port of --http comes from PORT
}

// variablePrefix begins the names of variables that set options of serve.
const variablePrefix = "MCP_DOCS_"

// secrets holds the variables without an option, because other users can see a command line. Their
// values are never printed.
var secrets = []string{auth.TokenVariable, metrics.KeyVariable, sessionVariable}

// withoutVariable holds the options without a variable.
var withoutVariable = []string{"help", "version", "print-config", "licenses"}

// variableOf returns the variable of an option.
func variableOf(name string) string {
	return variablePrefix + strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
}

// optionNames returns the names of the options of a command that have a variable, sorted.
func optionNames(cmd *cobra.Command) []string {
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { // in order
		if !f.Hidden && !slices.Contains(withoutVariable, f.Name) {
			names = append(names, f.Name)
		}
	})
	return names
}

// readVariables sets options that are not on the command line to the values of their variables.
func (a *app) readVariables(cmd *cobra.Command) error {
	flags := cmd.Flags()
	for _, name := range optionNames(cmd) {
		value, ok := os.LookupEnv(variableOf(name))
		if !ok || flags.Changed(name) {
			continue
		}
		a.fromVariable = append(a.fromVariable, name)
		// command.StoreFlag reads this variable, whose value may have a password.
		if variableOf(name) == command.StoreVariable {
			continue
		}
		if value == "" {
			return command.Misuse("%s is empty: give it a value, or unset it", variableOf(name))
		}
		if name == "http" && (value == "1" || value == "true") {
			value = defaultAddr
		}
		if err := flags.Set(name, value); err != nil {
			return command.Misuse("%s: %s", variableOf(name), command.FlagReason(err))
		}
	}
	a.nameUnknown(cmd)
	if !flags.Changed("http") {
		return nil
	}
	if flags.Lookup("http").Value.String() == defaultAddr {
		addr := httpserver.DefaultAddr
		if port, ok := os.LookupEnv("PORT"); ok {
			if _, err := strconv.ParseUint(port, 10, 16); err != nil {
				return command.Misuse("PORT is %q: it must be a number from 0 to 65535", port)
			}
			addr, a.fromPort = "127.0.0.1:"+port, true
		}
		if err := flags.Set("http", addr); err != nil {
			return err
		}
	}
	return nil
}

// nameUnknown names the environment variables that begin like the variables of options but belong to no option. They do
// not stop the server: another version may read them.
func (a *app) nameUnknown(cmd *cobra.Command) {
	known := slices.Clone(secrets)
	for _, name := range optionNames(cmd) {
		known = append(known, variableOf(name))
	}
	for _, variable := range os.Environ() {
		name, _, _ := strings.Cut(variable, "=")
		if strings.HasPrefix(name, variablePrefix) && !slices.Contains(known, name) {
			a.Say("the variable %s has no effect%s", command.Printable(name), nearest.Meant(name, known))
		}
	}
}

// printConfig prints the options in effect and the origin of each value.
func (a *app) printConfig(cmd *cobra.Command) error {
	var b strings.Builder
	for _, name := range optionNames(cmd) {
		f := cmd.Flags().Lookup(name)
		from, value := "default", f.Value.String()
		switch {
		case name == "http" && a.fromPort:
			from = "PORT"
		case slices.Contains(a.fromVariable, name):
			from = variableOf(name)
		case f.Changed:
			from = "command line"
		}
		if variableOf(name) == command.StoreVariable && from != "default" {
			value = "set" // the URL is not printed
		}
		fmt.Fprintf(&b, "%-21s %s (%s)\n", name, cmp.Or(value, "-"), from)
	}
	webaccess.Describe(&b, secrets)
	_, err := fmt.Fprint(a.Streams.Out, b.String())
	return err
}
