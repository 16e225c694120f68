package authoring

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcp-docs-server/mcp-docs-server/internal/author/clients"
	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/command"
	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/terminal"
	"github.com/mcp-docs-server/mcp-docs-server/internal/project"
)

// NewInit returns the command init.
func NewInit(shared *command.App) *cobra.Command {
	a := &app{App: shared}
	return &cobra.Command{
		Use:   "init [DIR]",
		Short: "Create a project, or the missing parts of one",
		Long: "Create a project in DIR, or in the current folder: settings, and an example of a document, a prompt\n" +
			"and a resource. In a folder with Markdown, write only settings, with which the same is served. For\n" +
			"an existing project, create only the parts that it lacks. No file is ever overwritten.",
		Args:              command.Positional(0, 1, "at most one folder"),
		ValidArgsFunction: command.CompleteFolders,
		RunE: func(cmd *cobra.Command, args []string) error {
			dir := cmp.Or(command.Arg(args, 0), a.Project, ".")
			if a.Config != "" || a.Docs != "" {
				return command.Misuse("init takes neither --config nor --docs: it writes mcp-docs-server.json, whose key \"docs\" names the folder of the documents")
			}
			return a.initialize(cmd.Context(), dir)
		},
	}
}

// initialize creates the missing parts of the project in a folder, and the folder if necessary.
func (a *app) initialize(ctx context.Context, dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		if info, statErr := os.Stat(dir); statErr == nil && !info.IsDir() {
			return fmt.Errorf("%s: is a file, must be a folder", dir)
		}
		return project.PathError(dir, err)
	}
	p, warnings, err := project.Open(ctx, project.Options{Dir: dir, Incomplete: true})
	a.Warn(warnings)
	if err != nil {
		return err
	}
	defer p.Close()
	documents := false
	if !p.Config.DocsGiven {
		library, _ := p.Documents(ctx) // planned says what cannot be read
		documents = library.Len() > 0
	}
	missing, there, err := planned(p.Files, p.Config, p.Configured, documents)
	if err != nil {
		return namedError(p, err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return project.PathError(dir, err)
	}
	defer root.Close()
	written, err := writeNew(root, missing)
	if err != nil {
		_ = a.showInitialized(p, written, nil) // the files that were written before the error
		return namedError(p, err)
	}
	return a.showInitialized(p, written, there)
}

// namedError replaces the path in an error by the path that the user knows.
func namedError(p *project.Project, err error) error {
	if failed, ok := errors.AsType[*fs.PathError](err); ok {
		return project.PathError(p.Show(failed.Path), failed.Err)
	}
	return err
}

func (a *app) showInitialized(p *project.Project, written []string, there []part) error {
	out := terminal.Of(a.Streams.Out)
	var b strings.Builder
	for _, name := range written {
		fmt.Fprintf(&b, "%s  %s\n", out.Good("written"), command.Printable(p.Show(name)))
	}
	for _, part := range there {
		fmt.Fprintf(&b, "%s  %s\n", out.Faint("kept   "), command.Printable(p.Show(string(part))))
	}
	dir := ""
	if p.Dir != "." {
		dir = " " + clients.POSIX(terminal.OneLine(p.Dir))
	}
	fmt.Fprintf(&b, "\nNext:\n  look at it        mcp-docs-server serve --http%s\n  find mistakes     mcp-docs-server check%[1]s\n"+
		"  connect a client  mcp-docs-server config claude-code%[1]s --write\n", dir)
	_, err := io.WriteString(out, b.String())
	return err
}
