package serving

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/command"
	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/terminal"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/database"
	"github.com/mcp-docs-server/mcp-docs-server/internal/httpserver"
	"github.com/mcp-docs-server/mcp-docs-server/internal/httpserver/auth"
	"github.com/mcp-docs-server/mcp-docs-server/internal/httpserver/metrics"
	"github.com/mcp-docs-server/mcp-docs-server/internal/httpserver/streamable"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/contents"
	"github.com/mcp-docs-server/mcp-docs-server/internal/mcp/server"
	"github.com/mcp-docs-server/mcp-docs-server/internal/project"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/nearest"
	"github.com/mcp-docs-server/mcp-docs-server/internal/webui"
)

// httpOptions holds the options of serve for HTTP. The command knows which of them were given.
type httpOptions struct {
	httpserver.Options
	sessionTime         time.Duration // lifetime
	logFormat, logLevel string
	noPage              bool
	tokenFile, issuer   string
}

// The formats of lines of the log, and its levels.
var (
	logFormats = []string{"text", "json"}
	logLevels  = []string{"debug", "info", "warn", "error"}
)

// defaultAddr stands for the default address, which PORT changes. PORT does not change an explicit
// address, even if it is the same.
const defaultAddr = "default"

func (o *httpOptions) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.Addr, "http", "", "serve over HTTP, on this `ADDR` or port of this computer ("+httpserver.DefaultAddr+" without one)")
	cmd.Flags().Lookup("http").NoOptDefVal = defaultAddr
	o.sessionTime = streamable.DefaultLifetime
	command.HTTPFlags.Add(cmd, func(flags *pflag.FlagSet) {
		flags.StringVar(&o.Hosts.PublicURL, "public-url", "", "the `URL` at which clients reach the server, for example behind a proxy")
		flags.StringSliceVar(&o.Hosts.AllowHosts, "allow-host", nil, "a `HOST` that requests may name, in addition to this computer, the address and the public URL")
		flags.StringSliceVar(&o.Hosts.AllowOrigins, "allow-origin", nil, "an `ORIGIN` whose pages may send requests, such as https://app.example.com")
		flags.StringSliceVar(&o.Hosts.TrustedProxies, "trusted-proxy", nil, "an `ADDR` or network of proxies whose X-Forwarded-For is trusted")
		flags.StringVar(&o.CertFile, "tls-cert", "", "a `FILE` with the certificate; with --tls-key, HTTPS is served")
		flags.StringVar(&o.KeyFile, "tls-key", "", "a `FILE` with the key of the certificate")
		flags.Var(command.Number(&o.Rate, 0.001, 1_000_000), "rate", "the number of requests a second that a caller may send (`N`)")
		flags.Var(command.Whole(&o.MaxConnections, 1, math.MaxInt32), "max-connections",
			fmt.Sprintf("the maximum number of simultaneous connections (`N`), instead of %d, or fewer if the system allows fewer", httpserver.ManyConnections))
		flags.String("session-key-file", "", "a `FILE` with the key that the replicas of a server share, so that each answers for all sessions")
		flags.Var(command.Interval(&o.sessionTime, time.Minute), "session-lifetime", "the `DURATION` after which such a session ends")
		flags.BoolVar(&o.noPage, "no-page", false, "serve only MCP clients, without the web UI at /")
	})
	command.AccessFlags.Add(cmd, func(flags *pflag.FlagSet) {
		flags.BoolVar(&o.NoAuth, "no-auth", false, "let everybody who reaches the address read the project")
		flags.StringVar(&o.tokenFile, "token-file", "", "a `FILE` with a name and a token on each line")
		flags.StringVar(&o.issuer, "oauth-issuer", "", "the `URL` of the OAuth server whose tokens are accepted")
		flags.StringSliceVar(&o.Auth.Audience, "oauth-audience", nil, "an `AUDIENCE` of these tokens")
		flags.StringSliceVar(&o.Auth.Scopes, "oauth-scope", nil, "a `SCOPE` that these tokens must have")
	})
	command.HTTPLogFlags.Add(cmd, func(flags *pflag.FlagSet) {
		flags.StringVar(&o.logFormat, "log-format", logFormats[0], "the format of lines on standard error: "+strings.Join(logFormats, ", "))
		flags.StringVar(&o.logLevel, "log-level", "info", "the lowest level of these lines: "+strings.Join(logLevels, ", "))
	})
	command.Choices(cmd, "log-format", logFormats...)
	command.Choices(cmd, "log-level", logLevels...)
}

// check returns an error for options that are invalid or conflict.
func (o *httpOptions) check(cmd *cobra.Command, args []string) error {
	flags := cmd.Flags()
	if !flags.Changed("http") {
		if err := command.CheckNeeds(flags); err != nil {
			return err
		}
		if len(args) > 1 {
			return command.Misuse("serve takes at most one folder, not %d arguments; --http serves several", len(args))
		}
		return nil
	}
	if flags.Changed("token-file") {
		o.Auth.TokenFile = &o.tokenFile
	}
	if flags.Changed("oauth-issuer") {
		o.Auth.Issuer = &o.issuer
	}
	if o.Addr != "" && strings.Trim(o.Addr, "0123456789") == "" { // a port
		o.Addr = net.JoinHostPort("127.0.0.1", o.Addr)
	}
	if _, port, err := net.SplitHostPort(o.Addr); err != nil {
		return command.Misuse("--http=%s is neither a folder nor an address and a port, such as localhost:3060", o.Addr)
	} else if _, err := strconv.ParseUint(port, 10, 16); err != nil {
		return command.Misuse("--http=%s: the port must be a number from 0 to 65535, not %q", o.Addr, port)
	}
	return nil
}

// JoinValues returns arguments in which an option of serve with an optional value has the next word as its value, unless that
// is an option, a file or a folder. The parser of options would take the word for a folder.
func JoinValues(serve *cobra.Command, args []string) ([]string, error) {
	var joined []string
	for i := 0; i < len(args); i++ {
		if args[i] == "--" {
			return append(joined, args[i:]...), nil
		}
		name, isOption := strings.CutPrefix(args[i], "--")
		f := serve.Flags().Lookup(name)
		joined = append(joined, args[i])
		if !isOption || f == nil || f.NoOptDefVal == "" || f.Value.Type() == "bool" || i+1 == len(args) || strings.HasPrefix(args[i+1], "-") {
			continue
		}
		if _, err := os.Lstat(args[i+1]); err == nil {
			continue
		}
		i++
		if port, ok := strings.CutPrefix(args[i], ":"); ok && name == "http" {
			return nil, command.Misuse("--http %s does not say who may connect: write --http=127.0.0.1:%s for this computer, or --http=0.0.0.0:%[2]s for all networks", args[i], port)
		}
		joined[len(joined)-1] += "=" + args[i]
	}
	return joined, nil
}

// announceWait is how long the addresses wait for the first scan, which the answers do not wait for.
const announceWait = 2 * time.Second

// serveHTTP serves the projects in some folders until ctx ends. A mistake in one of them stops the
// start of all, so that the operator sees the error and a new deployment does not replace the old
// one. Later mistakes are reported, and the projects keep their last valid state.
func (a *app) serveHTTP(ctx context.Context, cmd *cobra.Command, dirs []string, o serving) error {
	if len(dirs) == 0 {
		dirs = []string{""}
	}
	logger, err := a.serverLogger(o.http.logFormat, o.http.logLevel)
	if err != nil {
		return err
	}
	options := o.http.Options
	options.Limits, options.Version, options.Logger = streamable.DefaultLimits, command.Version(), logger
	options.Auth.Token = variable(auth.TokenVariable)
	db, closeSessions, err := a.openSessions(ctx, cmd, &o, &options)
	if err != nil {
		return unlessEnded(ctx, err)
	}
	defer closeSessions()
	replicated := db != nil || !options.SessionKeys.Local
	if err := o.http.measure(&options, db, replicated); err != nil {
		return err
	}
	shown := a.newPage(o.http, &options)
	sources, opened, err := a.open(ctx, dirs, &o, db, logger)
	defer opened.close()
	if err != nil {
		return unlessEnded(ctx, err)
	}
	var projects []*project.Project
	for _, s := range sources {
		projects = append(projects, s.Project)
	}
	shared, err := a.share(&o, logger, projects...)
	defer shared.close()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	options.Metrics.Counter("conversions_failed_total", "Pages and PDF files whose process was ended, or ended, before they were read.", o.web.Converter.Failed)
	run := httpRun{app: a, shared: shared, options: &options, shown: shown, scan: shared.scanning(ctx, a, projects...), memory: contents.NewMemory(),
		replicated: replicated, ended: make(chan error, len(projects)+1)}
	options.Metrics.Cache("files", func() metrics.CacheCounts { return metrics.CacheCounts(run.memory.CacheCounts()) })
	for _, s := range sources {
		if err := run.add(ctx, s, len(sources) > 1); err != nil {
			return err
		}
	}
	work := &shared.work
	if db != nil { // after all calls of Watch
		work.Go(func() { db.Run(ctx) })
	}
	options.Listening = func(urls []string) { work.Go(func() { run.announce(ctx, urls) }) }
	work.Go(func() {
		err := httpserver.Serve(ctx, options)
		if errors.Is(err, errInUse) {
			err = fmt.Errorf("%w; stop the program that listens there, or give another port, such as --http=127.0.0.1:0 for a free one", err)
		}
		run.ended <- err
	})
	return <-run.ended
}

// measure makes the metrics of a server. db is nil without a store.
func (o *httpOptions) measure(options *httpserver.Options, db *database.DB, replicated bool) (err error) {
	instance := ""
	if replicated {
		instance = o.instance()
	}
	options.Metrics, err = metrics.New(metrics.Options{
		Version: command.Version(), Instance: instance, Gauges: storeGauges(db), Methods: server.Methods(), Streams: []string{protocol.MethodListen},
		Key: variable(metrics.KeyVariable), Open: options.Private(), Logger: options.Logger,
	})
	return err
}

// An httpRun serves projects over HTTP.
type httpRun struct {
	*app
	*shared
	options    *httpserver.Options
	shown      *webui.Options // nil: there is no web UI
	scan       *scanning
	memory     *contents.Memory
	replicated bool
	// gets the end of the server, and errors before a project has been read; later it does not fail
	ended chan error
}

// add adds a project to the options of the server, and runs it. several: the server has other projects.
func (r *httpRun) add(ctx context.Context, s source, several bool) error {
	p := s.Project
	if p.Config.Deps && len(r.deps.Ecosystems) == 0 && s.replica == nil {
		r.Say("%s: deps has no effect over HTTP: give --deps to serve the documents of dependencies to everybody who may read the project", p.Show(p.ConfigFile))
	}
	name := httpserver.SiteName(cmp.Or(p.Config.Package, p.Config.Name))
	calls := r.shared.audit
	if calls != nil && several {
		calls = calls.With("project", name)
	}
	var counted *metrics.Project
	report := r.scan.following(r.Reporter(p))
	live, captured, err := r.live(ctx, p, project.LiveOptions{Follow: s.follow(), Audit: calls, Memory: r.memory, Replicated: r.replicated, Report: func(e project.Event) {
		if scanned, ok := e.(project.Scanned); ok {
			counted.Scanned(scanned.Took, scanned.Resources+scanned.Documents+scanned.Prompts)
		}
		report(e)
	}})
	if err != nil {
		return err
	}
	counted = r.options.Metrics.Project(name, slices.Concat(live.Gauges(), s.gauges(), captured.Gauges()))
	r.options.Sites = append(r.options.Sites, httpserver.Site{
		Name:     name,
		Scope:    s.scope(r.options.SessionKeys.Local),
		Server:   live.Server(),
		Ready:    live.Ready,
		Notified: counted.Notified,
	})
	if r.shown != nil {
		r.shown.Sites = append(r.shown.Sites, pageSite(p, name, live))
	}
	r.work.Go(func() {
		if err := live.Run(ctx); err != nil {
			r.ended <- err
		}
	})
	return nil
}

// announce prints the addresses of the server. They come last, unless the projects are so large that their users would wait.
func (r *httpRun) announce(ctx context.Context, urls []string) {
	select {
	case <-r.scan.all:
	case <-time.After(announceWait):
	case <-ctx.Done():
		return
	}
	if host, _, _ := net.SplitHostPort(r.options.Addr); r.options.Hosts.PublicURL == "" && len(r.options.Hosts.AllowHosts) == 0 && (host == "" || net.ParseIP(host).IsUnspecified()) {
		r.Say("clients that use a name or address other than localhost are refused: to let them in, add --allow-host NAME")
	}
	for _, url := range urls {
		r.Say("serving over HTTP at %s", url)
	}
}

// serverLogger returns the logger of a server. In text format, its lines look like other messages on
// standard error; in JSON format, other messages also become JSON lines. Lines of text have their time where nobody else
// adds it: not in a terminal, where a person reads them as they come, and not for journald, which JOURNAL_STREAM names.
func (a *app) serverLogger(format, level string) (*slog.Logger, error) {
	if !slices.Contains(logFormats, format) {
		return nil, command.Misuse("--log-format %s", nearest.NotOneOf(format, logFormats))
	}
	if !slices.Contains(logLevels, level) {
		return nil, command.Misuse("--log-level %s", nearest.NotOneOf(level, logLevels))
	}
	var least slog.Level
	_ = least.UnmarshalText([]byte(level)) // slog has the same names
	if format == "text" && terminal.Of(a.Streams.Err).Width == 0 && os.Getenv("JOURNAL_STREAM") == "" {
		a.Streams.Err = dated{a.Streams.Err}
	}
	if format == "json" {
		a.Logger = slog.New(slog.NewJSONHandler(a.Streams.Err, &slog.HandlerOptions{Level: least}))
		return a.Logger, nil
	}
	return command.NewLogger(a.Streams.Err, least), nil
}

// dated writes lines with their time. Each call of Write has whole lines.
type dated struct{ io.Writer }

func (d dated) Write(line []byte) (int, error) {
	if _, err := d.Writer.Write(append(time.Now().UTC().AppendFormat(nil, "2006-01-02T15:04:05.000Z "), line...)); err != nil {
		return 0, err
	}
	return len(line), nil
}

// variable returns the value of a variable, or nil if it is not set.
func variable(name string) *string {
	value, ok := os.LookupEnv(name)
	if !ok {
		return nil
	}
	return &value
}
