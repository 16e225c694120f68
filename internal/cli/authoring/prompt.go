package authoring

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"path"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/command"
	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/terminal"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/prompts"
	"github.com/mcp-docs-server/mcp-docs-server/internal/project"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/jsondoc"
)

// NewPrompt returns the command prompt.
func NewPrompt(shared *command.App) *cobra.Command {
	a := &app{App: shared}
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "prompt NAME [KEY=VALUE…]",
		Short: "Fill in a prompt like a client",
		Long: "Fill in a prompt of the project with arguments and print its messages, with the resources in them.\n" +
			"--project names the project; the default is the current folder.",
		Args: command.Positional(1, math.MaxInt, "the name of a prompt, and its arguments as KEY=VALUE"),
		ValidArgsFunction: func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			return a.completeNames(cmd.Context(), nil, "prompts", args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			arguments, err := keyValues(args[1:])
			if err != nil {
				return err
			}
			return a.within(cmd.Context(), "", nil, func(ctx context.Context, s session) error {
				return a.fillIn(ctx, s, args[0], arguments, asJSON)
			})
		},
	}
	command.AddJSON(cmd, &asJSON, "print the result as JSON, as a client gets it")
	return cmd
}

// keyValues parses the arguments of a prompt. A value may contain any characters.
func keyValues(args []string) (map[string]string, error) {
	values := make(map[string]string, len(args))
	for _, arg := range args {
		key, value, ok := strings.Cut(arg, "=")
		if !ok || key == "" {
			return nil, command.Misuse(fmt.Sprintf("%q is not an argument of a prompt: write KEY=VALUE", arg))
		}
		if _, twice := values[key]; twice {
			return nil, command.Misuse(fmt.Sprintf("the argument %q is given twice", key))
		}
		values[key] = value
	}
	return values, nil
}

// fillIn prints the messages of a prompt.
func (a *app) fillIn(ctx context.Context, s session, name string, arguments map[string]string, asJSON bool) error {
	result, err := a.answered(ctx, s, "prompts/get", map[string]any{"name": name, "arguments": arguments})
	if err != nil {
		return a.explainPrompt(ctx, s.Project, name, err)
	}
	if asJSON {
		return a.printJSON(result)
	}
	var prompt struct {
		Messages []struct {
			Role    string `json:"role"`
			Content block  `json:"content"`
		} `json:"messages"`
	}
	if err := json.Unmarshal(result, &prompt); err != nil {
		return err
	}
	out := terminal.Of(a.Streams.Out)
	var texts []string
	for _, m := range prompt.Messages {
		texts = append(texts, out.Faint(m.Role+":")+"\n"+m.Content.show(out))
	}
	_, err = io.WriteString(out, strings.Join(texts, "\n"))
	return err
}

// explainPrompt adds the names of the prompts to the error for an unknown prompt, and prints the mistakes in its file if there are any.
func (a *app) explainPrompt(ctx context.Context, p *project.Project, name string, wrong error) error {
	set, err := p.Prompts(ctx)
	if err != nil {
		return wrong
	}
	if _, known := set.Get(name); known {
		return wrong
	}
	a.warn(p, slices.DeleteFunc(slices.Clone(set.Problems()), func(problem jsondoc.Problem) bool {
		return problem.Warning || strings.TrimSuffix(problem.File, path.Ext(problem.File)) != prompts.Folder+"/"+name
	}))
	var names []string
	for _, prompt := range set.Prompts() {
		names = append(names, prompt.Name)
	}
	return withNames(wrong, "prompts", names)
}

// withNames adds the names that exist to the error for an unknown name, unless it suggests one.
func withNames(err error, kind string, names []string) error {
	if len(names) == 0 || strings.Contains(err.Error(), "did you mean") {
		return err
	}
	text := strings.Join(names[:min(len(names), maxNames)], ", ")
	if len(names) > maxNames {
		text += fmt.Sprintf(" and %d more", len(names)-maxNames)
	}
	return fmt.Errorf("%w; %s: %s", err, kind, text)
}

// maxNames is how many names an error lists.
const maxNames = 10
