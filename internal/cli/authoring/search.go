package authoring

import (
	"cmp"
	"context"
	"math"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/command"
	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/progress"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/docs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/mcp/loopback"
	"github.com/mcp-docs-server/mcp-docs-server/internal/project"
)

// shownHits is how many pages search --json prints without --limit.
const shownHits = 10

// NewSearch returns the command search.
func NewSearch(shared *command.App) *cobra.Command {
	a := &app{App: shared}
	var asJSON, exitCode bool
	var or []string
	var limit int
	cmd := &cobra.Command{
		Use:   "search WORDS…",
		Short: "Search the documents like the model of a client",
		Long: "Search the documents of the project as the tool does that clients use. Other wordings of the same\n" +
			"question find pages that the first one misses. --project names the project; the default is the\n" +
			"current folder.",
		Example:           "  mcp-docs-server search retry limit --or \"backoff attempts\"",
		Args:              command.Positional(1, 1<<20, "words"),
		ValidArgsFunction: cobra.NoFileCompletions,
		SuggestFor:        []string{"find", "grep", "query"},
		RunE: func(cmd *cobra.Command, args []string) error {
			query := docs.Query{Words: strings.TrimSpace(strings.Join(args, " ")), Alternatives: or}
			if query.Words == "" {
				return command.Misuse("search takes words, not an empty text")
			}
			p, err := a.Open(cmd.Context(), "")
			if err != nil {
				return err
			}
			defer p.Close()
			return a.serving(cmd.Context(), p, func(ctx context.Context, live *project.Live, c *loopback.Client) error {
				if err := a.Line.During(progress.Work{Name: "indexing the documents"}, func() error { return live.Indexed(ctx) }); err != nil {
					return err
				}
				library, err := live.Library(ctx)
				if err != nil {
					return err
				}
				found, err := library.Find(ctx, query, cmp.Or(limit, shownHits))
				if err != nil {
					return err
				}
				if asJSON {
					err = a.PrintValue(found)
				} else {
					o := p.ServerOptions()
					err = a.callTool(ctx, c, docs.ToolName(o.Name, o.Package), map[string]any{"query": query.Words, "alternatives": or, "limit": limit}, false)
				}
				if err == nil && library.Len() == 0 {
					err = a.other(ctx, p, false)
				}
				if err == nil && exitCode && len(found.Hits) == 0 {
					err = command.ErrFound
				}
				return err
			})
		},
	}
	cmd.Flags().StringArrayVar(&or, "or", nil, "another `WORDING` of the same question; may be given up to five times, the best first")
	cmd.Flags().Var(command.Whole(&limit, 1, math.MaxInt32), "limit", "print at most `N` pages")
	cmd.Flags().BoolVar(&exitCode, "exit-code", false, "end with the exit code 1 if nothing is found")
	command.AddJSON(cmd, &asJSON, "print the pages as JSON")
	a.addDependencies(cmd)
	return cmd
}
