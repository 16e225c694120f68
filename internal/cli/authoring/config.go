package authoring

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/mcp-docs-server/mcp-docs-server/internal/author/clients"
	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/command"
	"github.com/mcp-docs-server/mcp-docs-server/internal/project"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/nearest"
)

// A connection holds the options of config: how clients reach the project.
type connection struct {
	pkg               bool
	url, binary, name string
	headers           []string // for url
	tokenEnv          string
	scope             string
	all               bool // for a README
	command           bool // print it instead of the snippet
	write, remove     bool // edit the file of the client
	json              bool
	deps              command.DependencyFlag
}

// NewConfig returns the command config.
func NewConfig(shared *command.App) *cobra.Command {
	a := &app{App: shared}
	var c connection
	cmd := &cobra.Command{
		Use:   "config [CLIENT] [DIR]",
		Short: "Print what to write into a client's configuration",
		Long: "Print what to write into the configuration of an MCP client to connect it to the project\n" +
			"in DIR, or in the current folder; the name of the file goes to standard error. Without CLIENT,\n" +
			"print the list of clients. With --write, edit the client's file instead.",
		Args: command.Positional(0, 2, "a client and at most one folder"),
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) == 0 {
				return clients.IDs(), cobra.ShellCompDirectiveNoFileComp
			}
			return nil, cobra.ShellCompDirectiveFilterDirs
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := c.check(cmd.Flags()); err != nil {
				return err
			}
			return a.connect(cmd.Context(), args, c)
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&c.pkg, "package", false, "start the published npm package with npx, not this checkout")
	flags.StringVar(&c.url, "url", "", "the `URL` of a running server, over streamable HTTP")
	command.FlagGroup{Needs: "url"}.Add(cmd, func(flags *pflag.FlagSet) {
		flags.StringVar(&c.tokenEnv, "token-env", "", "with --url: the client sends the token in the environment variable `VAR`")
		flags.StringArrayVar(&c.headers, "header", nil, "with --url: the client sends this `HEADER`, such as 'X-Api-Key: ${VAR}'; repeatable")
	})
	flags.StringVar(&c.binary, "binary", "", "the `PROGRAM` that clients start, instead of this one")
	flags.StringVar(&c.name, "name", "", "the `NAME` of the server in the client, instead of one made from the package")
	flags.BoolVar(&c.command, "command", false, "print the command that adds the server instead, for clients that have one")
	flags.BoolVar(&c.all, "all", false, "print a section about all clients for a README, for the npm package or --url")
	flags.StringVar(&c.scope, "scope", "", "the `SCOPE` of the client's file: project for the current folder, the default if the client has such a file, or user")
	command.Choices(cmd, "scope", string(clients.User), string(clients.Project))
	flags.BoolVar(&c.write, "write", false, "put the server into the client's file, and keep a copy of the old file next to it")
	flags.BoolVar(&c.remove, "remove", false, "remove the server from the client's file, and keep a copy of the old file next to it")
	c.deps.Add(cmd)
	cmd.PreRunE = func(cmd *cobra.Command, _ []string) error {
		_, err := c.deps.Options(cmd, false, "")
		return err
	}
	command.AddJSON(cmd, &c.json, "print the list of clients, the setup of a client, or the change of its file as JSON")
	return cmd
}

// connect prints the requested setup.
func (a *app) connect(ctx context.Context, args []string, c connection) error {
	switch {
	case c.all:
		return a.connectAll(ctx, args, c)
	case len(args) == 0 && (c.write || c.remove):
		return command.Misuse("--write and --remove take a client, such as \"config cursor --write\"")
	case len(args) == 0:
		return a.listClients(c.json)
	}
	client, ok := clients.Find(args[0])
	if !ok {
		reason := fmt.Sprintf("unknown client %q.", args[0])
		if near, ok := nearest.One(args[0], clients.IDs()); ok {
			reason = fmt.Sprintf("unknown client %q; did you mean %q?", args[0], near)
		}
		return command.Misuse("%s Clients are %s.", reason, strings.Join(clients.IDs(), ", "))
	}
	if _, two := clients.Find(command.Arg(args, 1)); two {
		return command.Misuse("config takes one client at a time; for a folder with the name of a client, write ./%s", args[1])
	}
	if !c.command { // the command of a client is for the user
		var err error
		if client, err = client.In(clients.Scope(c.scope), c.tokenEnv != "" || len(c.headers) > 0); err != nil {
			return err
		}
	}
	s, err := a.reach(ctx, args[1:], c)
	if err != nil {
		return err
	}
	setup, err := client.Setup(s, runtime.GOOS)
	if err != nil {
		return err
	}
	switch {
	case c.write:
		return a.writeSetup(setup, c)
	case c.remove:
		return a.removeSetup(setup, c)
	}
	return a.show(setup, c)
}

// connectAll prints a section of a README about all clients.
func (a *app) connectAll(ctx context.Context, args []string, c connection) error {
	if len(args) > 1 {
		return command.Misuse("config --all takes at most one folder and no client")
	}
	s, err := a.reach(ctx, args, c)
	if err != nil {
		return err
	}
	text, err := clients.Readme(s)
	if err == nil {
		_, err = io.WriteString(a.Streams.Out, text)
	}
	return err
}

func (a *app) listClients(asJSON bool) error {
	if asJSON {
		return a.PrintValue(clients.All())
	}
	return a.Print(func(w io.Writer) {
		for _, client := range clients.All() {
			fmt.Fprintf(w, "%-16s%s\n", client.ID, client.Title)
		}
	})
}

// exclusive holds options of which only one may be given.
var exclusive = [][]string{
	{"package", "url", "binary"}, {"all", "binary"}, {"all", "command", "write", "remove"}, {"all", "command", "json"}, {"all", "command", "scope"},
	{"deps", "url"}, {"deps", "package"}, {"deps", "all"},
}

// check returns an error for options that exclude each other.
func (c *connection) check(flags *pflag.FlagSet) error {
	for _, names := range exclusive {
		if err := command.OneOf(flags, slices.Clone(names)...); err != nil {
			return err
		}
	}
	if c.scope != "" && c.scope != string(clients.User) && c.scope != string(clients.Project) {
		return command.Misuse("--scope is %q, must be user or project", c.scope)
	}
	return command.CheckNeeds(flags)
}

// reach returns how clients reach the project in args[0], or in the current folder.
func (a *app) reach(ctx context.Context, args []string, c connection) (clients.Server, error) {
	p, err := a.Open(ctx, command.Arg(args, 0))
	if err != nil {
		return clients.Server{}, err
	}
	defer p.Close()
	if c.write && c.url == "" {
		if s, err := a.contents(ctx, p); err != nil {
			return clients.Server{}, err
		} else if s.Resources+s.Documents+s.Prompts == 0 {
			a.Nothing(p, s)
		}
	}
	name := cmp.Or(c.name, command.ServerName(cmp.Or(p.Config.Package, p.Config.Name)))
	var s clients.Server
	switch {
	case c.url != "":
		if u, err := url.Parse(c.url); err == nil && c.name == "" && p.Config.Package == "" && !p.Config.NameGiven {
			// two servers of a host have different names
			name = command.ServerName(u.Host + u.Path)
		}
		s = clients.Remote(name, c.url)
		if c.tokenEnv != "" {
			s.Headers = append(s.Headers, clients.Bearer(c.tokenEnv))
		}
		for _, text := range c.headers {
			h, err := clients.ParseHeader(text)
			if err != nil {
				return s, command.Misuse("--header: %v", err)
			}
			s.Headers = append(s.Headers, h)
		}
	case c.pkg || c.all:
		if p.Config.Package == "" {
			return s, fmt.Errorf(`%s: names no npm package: write "package": "@me/docs" into it, or give --url`, p.Show(p.ConfigFile))
		}
		s = clients.Package(name, p.Config.Package+"@latest")
	default:
		if s, err = a.start(p, name, c); err == nil {
			s, err = committed(s, p.Dir)
		}
		if err != nil {
			return s, err
		}
	}
	s.Title = p.Config.Name
	return s, nil
}

// start returns how clients start the program of --binary, or this one, with the project.
func (a *app) start(p *project.Project, name string, c connection) (clients.Server, error) {
	binary := c.binary
	serve, err := a.ServeArgs(p)
	if err != nil {
		return clients.Server{}, err
	}
	serve = append(serve, c.deps.Args()...)
	if binary != "" {
		// the client looks up a program without a folder in PATH
		if filepath.Base(binary) != binary {
			binary, err = filepath.Abs(binary)
		}
		return clients.Local(name, binary, serve...), err
	}
	dir, err := filepath.Abs(p.Dir)
	if err != nil {
		return clients.Server{}, project.PathError(p.Dir, err)
	}
	if command.Built(command.Self()) && !c.remove {
		a.Say("warning: \"go run\" deletes this program when it ends, so the configuration names %q: install it in the PATH", command.Name)
	}
	return command.ServerOf(name, command.Self(), dir, serve), nil
}

// committed adds what files that others use too need: the path of the project below the current folder, and the name of this
// program if the PATH has it.
func committed(s clients.Server, dir string) (clients.Server, error) {
	here, err := filepath.Abs(".")
	if err == nil {
		s.Dir, err = filepath.Abs(dir)
	}
	if err != nil {
		return s, project.PathError(dir, err)
	}
	if below, err := filepath.Rel(command.Existing(here), command.Existing(s.Dir)); err == nil && filepath.IsLocal(below) {
		s.Below = filepath.ToSlash(below)
	}
	if found, err := exec.LookPath(command.Name); err == nil {
		ours, _ := os.Stat(s.Command)
		if theirs, err := os.Stat(found); err == nil && os.SameFile(ours, theirs) {
			s.Program = command.Name
		}
	}
	return s, nil
}

// show prints a setup: the requested part to standard output, everything else to standard error.
func (a *app) show(setup clients.Setup, c connection) error {
	if c.json {
		setup.Notes = append([]string{}, setup.Notes...) // not null
		return a.PrintValue(setup)
	}
	for _, note := range setup.Notes {
		a.Say("warning: %s", note)
	}
	text := setup.Snippet
	switch {
	case c.command && setup.Command == "":
		return fmt.Errorf("no command adds this server to %s: leave out --command", setup.Title)
	case c.command:
		text = setup.Command + "\n"
	default:
		fmt.Fprint(a.Streams.Err, explainSetup(setup))
	}
	_, err := fmt.Fprint(a.Streams.Out, text)
	return err
}

// scopes says where a file of a scope counts.
var scopes = map[clients.Scope]string{clients.Project: "for this project (the folder you work in)", clients.User: "for this user, in all folders"}

// explainSetup returns the place of the snippet and the alternatives.
func explainSetup(setup clients.Setup) string {
	var b strings.Builder
	switch {
	case setup.Dialog != "" && setup.Key != "":
		fmt.Fprintf(&b, "%s: paste this JSON in %s.\n", setup.Title, setup.Dialog)
	case setup.Dialog != "":
		fmt.Fprintf(&b, "%s: give this URL in %s.\n", setup.Title, setup.Dialog)
	default:
		fmt.Fprintf(&b, "%s: this goes into %s, %s.\n", setup.Title, setup.File, scopes[setup.Scope])
		if setup.Key != "" {
			fmt.Fprintf(&b, "If that has %s already, add only the entry %s to it.\n", strconv.Quote(setup.Key), strconv.Quote(setup.Entry))
		}
	}
	if printable := strings.IndexFunc(setup.Command, unicode.IsControl) < 0; setup.Command != "" && printable {
		fmt.Fprintf(&b, "Or run: %s\n", setup.Command)
	}
	if setup.Link != "" {
		fmt.Fprintf(&b, "Or open: %s\n", setup.Link)
	}
	if setup.After != "" {
		b.WriteString(setup.After + "\n")
	}
	return b.String()
}

// An edited is the JSON that reports how config --write or --remove changed the file of a client.
type edited struct {
	Client string        `json:"client"`
	File   string        `json:"file"`
	Scope  clients.Scope `json:"scope"`
	Entry  string        `json:"entry"`
	// added, removed, or none if the file already has the server
	Change string `json:"change"`
	Backup string `json:"backup,omitempty"` // the copy of the old file
	// what the client does before it uses the file
	After string `json:"after,omitempty"`
}
