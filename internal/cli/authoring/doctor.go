package authoring

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcp-docs-server/mcp-docs-server/internal/author/doctor"
	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/command"
	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/progress"
	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/terminal"
	"github.com/mcp-docs-server/mcp-docs-server/internal/mcp/loopback"
	"github.com/mcp-docs-server/mcp-docs-server/internal/project"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/jsonwire"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/nearest"
)

// NewDoctor returns the command doctor.
func NewDoctor(shared *command.App) *cobra.Command {
	a := &app{App: shared}
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "doctor [CLIENT]",
		Short: "Report how clients work with the project, and test it in their configuration",
		Long: "Call the server as real clients do, and print for each client what works and what you can change. Then\n" +
			"look for the server in the configuration files of the clients on this computer, and test whether it\n" +
			"starts and answers. --project names the project; the default is the current folder.",
		Args: command.Positional(0, 1, "at most one client"),
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return doctor.IDs(), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			ids := doctor.IDs()
			if len(args) > 0 {
				if !slices.Contains(ids, args[0]) {
					reason := fmt.Sprintf("unknown client %q.", args[0])
					if near, ok := nearest.One(args[0], ids); ok {
						reason = fmt.Sprintf("unknown client %q; did you mean %q?", args[0], near)
					}
					return command.Misuse(reason + " Clients are " + strings.Join(ids, ", ") + ".")
				}
				ids = args
			}
			return a.within(cmd.Context(), "", func(ctx context.Context, p *project.Project, c *loopback.Client) error {
				return a.examine(ctx, p, c, ids, asJSON)
			})
		},
	}
	command.AddJSON(cmd, &asJSON, "print the findings as JSON")
	a.addDependencies(cmd)
	return cmd
}

// errFindings ends a command that has printed failures.
var errFindings = errors.New("something does not work: see \"fails\" above")

// examine prints the findings about clients.
func (a *app) examine(ctx context.Context, p *project.Project, c *loopback.Client, ids []string, asJSON bool) error {
	var facts *doctor.Facts
	var installed []installation
	library, err := p.Documents(ctx)
	if err != nil {
		return err
	}
	err = a.Line.During(progress.Work{Name: "doing what clients do"}, func() (err error) {
		if facts, err = doctor.Observe(ctx, c); err == nil {
			installed, err = a.installations(ctx, p, ids)
		}
		return err
	})
	if err != nil {
		return err
	}
	set, notices, closing, err := p.Dependencies(ctx, a.dependencies)
	if err != nil {
		return err
	}
	defer closing()
	dependencies := command.DependencySummary(set, len(notices))
	every, _ := facts.Diagnose("")
	result := struct {
		Sites         string             `json:"sites,omitempty"`
		Dependencies  string             `json:"dependencies,omitempty"`
		Clients       []doctor.Diagnosis `json:"clients"`
		Installations []installation     `json:"configurations"`
	}{library.Sites().String(), dependencies, []doctor.Diagnosis{every}, installed}
	for _, id := range ids {
		d, _ := facts.Diagnose(id)
		result.Clients = append(result.Clients, d)
	}
	if asJSON {
		data, err := jsonwire.EncodeFile(result)
		if err != nil {
			return err
		}
		if _, err := a.Streams.Out.Write(data); err != nil {
			return err
		}
	} else if _, err := io.WriteString(a.Streams.Out, showExamination(terminal.Of(a.Streams.Out), result.Sites, result.Dependencies, result.Clients, installed)); err != nil {
		return err
	}
	failing := slices.ContainsFunc(installed, func(i installation) bool { return i.Kind == doctor.Fails })
	for _, d := range result.Clients {
		failing = failing || slices.ContainsFunc(d.Findings, func(f doctor.Finding) bool { return f.Kind == doctor.Fails })
	}
	if failing {
		return errFindings
	}
	return nil
}

// kindWidth is the width of the column of kinds.
const kindWidth = len(doctor.Limited)

func showExamination(out terminal.Output, sites, dependencies string, diagnoses []doctor.Diagnosis, installed []installation) string {
	var b strings.Builder
	if sites != "" {
		b.WriteString("Found " + terminal.Line(sites) + "\n")
	}
	if dependencies != "" {
		b.WriteString("Dependencies: " + dependencies + "\n")
	}
	indent := strings.Repeat(" ", kindWidth+4)
	show := func(f doctor.Finding) {
		style := map[doctor.Kind]func(string) string{doctor.Works: out.Good, doctor.Limited: out.Warning, doctor.Fails: out.Bad}[f.Kind]
		b.WriteString(out.Indented("  "+style(fmt.Sprintf("%-*s", kindWidth, f.Kind))+"  ", indent, terminal.Line(f.Text)))
		if f.Advice != "" {
			b.WriteString(out.Indented(indent+"→ ", indent+"  ", terminal.Line(f.Advice)))
		}
	}
	for _, d := range diagnoses {
		b.WriteString(out.Bold(d.Title))
		if d.Source != "" {
			b.WriteString(out.Faint(" (" + d.Source + ")"))
		}
		b.WriteString("\n")
		for _, f := range d.Findings {
			show(f)
		}
	}
	b.WriteString(out.Bold("On this computer") + "\n")
	for _, i := range installed {
		show(doctor.Finding{Kind: i.Kind, Text: fmt.Sprintf("%s: %q in %s: %s.", i.Title, i.Name, i.File, i.Text), Advice: i.Advice})
	}
	if len(installed) == 0 {
		b.WriteString(out.Indented("  ", "  ", "No client has this project in its configuration. \"mcp-docs-server config\" lists the clients, and adds it to one of them."))
	}
	return b.String()
}
