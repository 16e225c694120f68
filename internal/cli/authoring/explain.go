package authoring

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcp-docs-server/mcp-docs-server/internal/author/explain"
	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/command"
	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/terminal"
	"github.com/mcp-docs-server/mcp-docs-server/internal/project"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/uri"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// NewExplain returns the command explain.
func NewExplain(shared *command.App) *cobra.Command {
	a := &app{App: shared}
	var asJSON bool
	cmd := &cobra.Command{
		Use: "explain URI|PATH [DIR]",
		ValidArgsFunction: func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
			found, directive := a.completeURI(cmd, args, typed)
			if len(args) == 0 {
				// the user may also type a path
				directive = cobra.ShellCompDirectiveDefault
			}
			return found, directive
		},
		Short: "Explain why a file is served as it is, or is not served",
		Long: "Print what the server knows about a URI or a file: its canonical URI, its templates, the\n" +
			"sources of title, description and MIME type, and why clients get text or a blob; or the rule\n" +
			"that hides it. The exit code is 1 if it is not served.",
		Example: "  mcp-docs-server explain docs://guide/setup.md\n" +
			"  mcp-docs-server explain resources/docs/guide/.draft.md --json",
		Args: command.Positional(1, 2, "a URI or a path, and at most one folder"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.explain(cmd.Context(), args[0], command.Arg(args, 1), asJSON)
		},
	}
	command.AddJSON(cmd, &asJSON, "print the answer as JSON")
	return cmd
}

// explain prints what the server knows about a URI or a path.
func (a *app) explain(ctx context.Context, asked, dir string, asJSON bool) error {
	p, err := a.Open(ctx, dir)
	if err != nil {
		return err
	}
	defer p.Close()
	answer, err := terminal.Progress(a.Line, command.Reading(p), func() (*explain.Answer, error) {
		library, err := p.Documents(ctx)
		if err != nil {
			return nil, err
		}
		return explain.Ask(ctx, explain.Project{
			Files: p.Files, Docs: p.Config.Docs, Options: p.Loader, MaxBytes: int64(p.Config.Limits.MaxReadBytes), Library: library,
		}, question(p, asked))
	})
	if err != nil {
		return err
	}
	if answer.File == "" && !answer.Served {
		if answer.Made, err = a.readOther(ctx, p, asked, io.Discard); err != nil {
			return err
		}
		answer.Served = answer.Made
	}
	if asJSON {
		err = a.PrintValue(displayed(*answer))
	} else if answer.Made {
		err = a.Print(func(w io.Writer) {
			fmt.Fprintf(w, "%s is served. The server makes it without a file.\n", command.Printable(asked))
		})
	} else if answer.File == "" {
		return errors.New("there is no file or resource " + command.Printable(asked) + meant(answer.Similar))
	} else {
		err = a.Print(func(w io.Writer) { explanation{terminal.Of(a.Streams.Out), w, p}.write(answer) })
	}
	if err == nil && !answer.Served {
		err = command.ErrFound
	}
	return err
}

// question returns an argument as a URI or as a path relative to the project folder. The argument is a
// path relative to the project folder if that exists, and otherwise relative to the current folder.
func question(p *project.Project, arg string) string {
	if strings.Contains(arg, "://") {
		return arg
	}
	name := filepath.ToSlash(filepath.Clean(arg))
	if !filepath.IsAbs(arg) {
		if _, err := os.Lstat(filepath.Join(p.Dir, arg)); err == nil && filepath.IsLocal(arg) {
			return name
		}
	}
	dir, failed := filepath.Abs(p.Dir)
	file, err := filepath.Abs(arg)
	if failed != nil || err != nil {
		return name
	}
	// Only links in the path of the project folder are followed: links in it are part of the question.
	for _, in := range [][2]string{{dir, file}, {command.Existing(dir), filepath.Join(command.Existing(filepath.Dir(file)), filepath.Base(file))}} {
		if rel, err := filepath.Rel(in[0], in[1]); err == nil && filepath.IsLocal(rel) {
			return filepath.ToSlash(rel)
		}
	}
	return name
}

// displayed returns an answer with names in UTF-8, which JSON requires.
func displayed(a explain.Answer) explain.Answer {
	a.Question, a.File = uri.Display(a.Question), uri.Display(a.File)
	hidden := make([]explain.Hidden, len(a.Hidden))
	for i, h := range a.Hidden {
		h.Path, h.Detail = uri.Display(h.Path), uri.Display(h.Detail)
		hidden[i] = h
	}
	a.Hidden = hidden
	if a.Document != nil {
		d := *a.Document
		d.Path = uri.Display(d.Path)
		a.Document = &d
	}
	return a
}

// An explanation prints an answer as text.
type explanation struct {
	terminal.Output
	w       io.Writer
	project *project.Project
}

func (e explanation) write(a *explain.Answer) {
	file := command.Printable(e.project.Show(a.File))
	switch {
	case a.Resource == nil && a.Document == nil && a.Prompt == nil && !a.Served:
		fmt.Fprintln(e.w, e.Bold(file+" is not served."))
	case a.Folder:
		fmt.Fprintln(e.w, e.Bold(file+" is a folder, and the files in it are served."))
	default:
		fmt.Fprintln(e.w, e.Bold(file+" is served."))
	}
	for _, h := range a.Hidden {
		reason := h.Reason
		if h.Detail != "" {
			reason += ": " + command.Printable(h.Detail)
		}
		e.line("rule", fmt.Sprintf("%s: %s", h.Rule, reason))
		if h.Path != a.File {
			e.line("of", command.Printable(e.project.Show(h.Path)))
		}
		if h.Fix != "" {
			e.line("to do", h.Fix)
		}
	}
	if a.Resource != nil {
		e.resource(a.Resource)
	}
	if d := a.Document; d != nil {
		how := "listed, read and searched"
		if name := strings.TrimSpace(d.Language + " " + d.Version); name != "" {
			how = "read by its path; lists and search show another language or version, unless they are asked for " + command.Printable(name)
		} else if !d.Listed {
			how = "read by its full name; only Markdown is listed and searched"
		}
		e.section("document", fmt.Sprintf("%s, %s", command.Printable(d.Path), how))
		for _, r := range d.Removed {
			e.line("removed", fmt.Sprintf("line %d %s; clients get a note in its place", r.Line, r.What))
		}
	}
	if p := a.Prompt; p != nil {
		e.section("prompt", command.Printable(p.Name))
		e.line("title", command.Printable(p.Title))
		e.line("description", orNone(p.Description))
		e.line("arguments", cmp.Or(strings.Join(p.Arguments, ", "), "none"))
	}
}

func (e explanation) resource(r *explain.Resource) {
	e.section("resource", r.URI)
	e.line("size", fmt.Sprintf("%s, changed %s", command.Count(int(r.Size), "byte"), r.ModTime.Format(time.RFC3339)))
	if t := r.Template; t != nil {
		e.line("template", e.template(*t))
	} else {
		e.line("template", "none matches")
	}
	for _, v := range r.Variables {
		e.line("variable", fmt.Sprintf("%s = %s", v.Name, command.Printable(v.Value)))
	}
	for _, lost := range r.Lost {
		why := lost.Rule
		if lost.Through != nil {
			why += " than " + command.Printable(lost.Through.URITemplate)
		}
		e.line("lost", fmt.Sprintf("%s; the winner: %s", e.template(lost.Template), why))
	}
	if s := r.Skill; s != nil && s.Why == "" {
		e.line("skill", fmt.Sprintf("%s, with %s", command.Printable(s.Name), command.Count(s.Files, "file")))
	} else if s != nil {
		e.line("skill", "none to clients: "+command.Printable(s.Why))
	}
	e.line("title", orNone(r.Title))
	e.line("description", orNone(r.Description))
	e.line("MIME type", fmt.Sprintf("%s (%s)", command.Printable(r.MIME.Value), r.MIME.From))
	if r.Form == "" {
		e.line("contents", r.FormRule)
	} else {
		e.line("contents", fmt.Sprintf("%s: %s", r.Form, r.FormRule))
	}
}

// section begins the part of an answer about one use of a file.
func (e explanation) section(name, value string) {
	fmt.Fprintln(e.w)
	e.line(name, e.Bold(value))
}

func (e explanation) line(name, value string) {
	fmt.Fprintf(e.w, "%s  %s\n", e.Faint(fmt.Sprintf("%-12s", name)), value)
}

// template returns the text of a template and its line.
func (e explanation) template(t explain.Template) string {
	name := fmt.Sprintf("%s %s", command.Printable(t.URITemplate), command.Printable(fmt.Sprintf("(%s)", t.Name)))
	if t.Line > 0 {
		name += ", " + command.Place(e.project.Show(loader.TemplatesFile), t.Line, 0)
	}
	return name
}

func orNone(s string) string { return cmp.Or(command.Printable(s), "none") }
