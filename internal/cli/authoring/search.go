package authoring

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/command"
	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/terminal"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/docs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/project"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
)

// How many pages search prints without --limit, and how long the line of a further passage of a page is.
const (
	jsonHits  = 10
	shownHits = 5
	furtherIn = 100
)

// NewSearch returns the command search.
func NewSearch(shared *command.App) *cobra.Command {
	a := &app{App: shared}
	var asJSON, exitCode bool
	var or []string
	var limit int
	cmd := &cobra.Command{
		Use:   "search WORDS…",
		Short: "Search the documents like the model of a client",
		Long: "Search the documents of the project as the tool does that clients use; call prints its answer as\n" +
			"they get it. Other wordings of the same question find pages that the first one misses. --project\n" +
			"names the project; the default is the current folder.",
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
			p.Default = !query.Filtered()
			return a.serving(cmd.Context(), p, nil, func(ctx context.Context, s session) error {
				return a.search(ctx, s, query, limit, asJSON, exitCode)
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

// search prints the pages that a query finds, or what the tool says if it finds none.
func (a *app) search(ctx context.Context, s session, query docs.Query, limit int, asJSON, exitCode bool) error {
	if err := a.Line.During(terminal.Work{Name: "indexing the documents"}, func() error { return s.live.Indexed(ctx) }); err != nil {
		return err
	}
	library, err := s.live.Library(ctx)
	if err != nil {
		return err
	}
	most := shownHits
	if asJSON {
		most = jsonHits
	}
	found, err := library.Find(ctx, query, cmp.Or(limit, most))
	if err != nil {
		return err
	}
	switch {
	case asJSON:
		err = a.PrintValue(found)
	case len(found.Hits) > 0:
		err = a.showFound(s.Project, library, found)
	default: // the tool says why
		err = a.askTool(ctx, s, map[string]any{"query": query.Words, "alternatives": query.Alternatives, "limit": limit})
	}
	if err == nil && library.Len() == 0 && library.Dependencies() == nil {
		err = a.other(ctx, s.Project, false)
	}
	if err == nil && exitCode && len(found.Hits) == 0 {
		err = command.ErrFound
	}
	return err
}

// showFound prints the pages that a search found: the place of each passage, as editors open it, and its text.
func (a *app) showFound(p *project.Project, library *docs.Library, found docs.Results) error {
	out := terminal.Of(a.Streams.Out)
	var b strings.Builder
	for _, h := range found.Hits {
		file := cmp.Or(h.Path, h.URI)
		if library.Has(h.Path) {
			file = p.Show(library.FileOf(h.Path))
		}
		for i, passage := range append([]docs.Passage{h.Passage}, h.More...) {
			h.Passage = passage
			place := fmt.Sprintf("%s:%d:", command.Printable(file), h.Line)
			if mark := docs.PageMark(h.Path, h.Heading); mark != "" {
				place = command.Printable(file) + mark + ":"
			}
			place = out.Bold(place)
			if i > 0 {
				fmt.Fprintf(&b, "  %s %s\n", place, marked(out, h, excerpt.Ellipsis(h.Plain(), furtherIn)))
				continue
			}
			title := h.Title
			if h.Heading != title && h.Heading != "" {
				title += " > " + h.Heading
			}
			fmt.Fprintf(&b, "%s %s\n%s", place, terminal.OneLine(title), marked(out, h, out.Indented("  ", "  ", h.Plain())))
		}
	}
	for _, m := range found.Missing {
		fmt.Fprintf(&b, "No document has %q.\n", m.Word)
	}
	if n := library.Unread(); n > 0 {
		fmt.Fprintf(&b, "PDF files without text, which are found by their names only: %d.\n", n)
	}
	_, err := io.WriteString(out, b.String())
	return err
}

// marked returns text for a terminal in which the words of the query stand out.
func marked(out terminal.Output, h docs.Hit, text string) string {
	var b strings.Builder
	offset := 0
	for _, m := range h.Marks(text) {
		b.WriteString(terminal.Text(text[offset:m[0]]) + out.Good(terminal.Text(text[m[0]:m[1]])))
		offset = m[1]
	}
	return b.String() + terminal.Text(text[offset:])
}
