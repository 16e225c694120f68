package authoring

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/command"
	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/terminal"
	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/webaccess"
)

const (
	// maxURIs is the maximum number of URIs that a completion returns.
	maxURIs = 500
	// completionTime is the maximum time that a completion waits for the scan of the tree.
	completionTime = 2 * time.Second
)

// completePattern completes a kind of things, or a URI if the user has begun to type one, and otherwise a folder.
func (a *app) completePattern(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	if len(args) == 0 && strings.Contains(typed, ":") {
		return a.completeURI(cmd, args, typed)
	}
	if kinds := slices.DeleteFunc(kindNames(), func(name string) bool { return !strings.HasPrefix(name, typed) }); len(args) == 0 && len(kinds) > 0 {
		return kinds, cobra.ShellCompDirectiveNoFileComp
	}
	return command.CompleteFolders(cmd, args, typed)
}

// completeURI completes a URI or the path of a document, and then a folder.
func (a *app) completeURI(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return command.CompleteFolders(cmd, args, typed)
	}
	ctx, cancel := context.WithTimeout(cmd.Context(), completionTime)
	defer cancel()
	p, err := a.Quietly().Open(ctx, "")
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	defer p.Close()
	catalog, err := p.Scan(ctx)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var found []string
	for r := range catalog.All() {
		if uri := r.URI(); strings.HasPrefix(uri, typed) { // a URI has no control characters
			if found = append(found, uri); len(found) == maxURIs {
				break
			}
		}
	}
	if library, err := p.Documents(ctx); err == nil {
		for _, d := range library.All() {
			if strings.HasPrefix(d.Path, typed) && len(found) < maxURIs {
				found = append(found, command.Printable(d.Path))
			}
		}
	}
	return found, cobra.ShellCompDirectiveNoFileComp
}

// completeNames completes the name of a tool or a prompt, which the server lists.
func (a *app) completeNames(ctx context.Context, web *webaccess.Options, kind string, args []string) (found []string, directive cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	ctx, cancel := context.WithTimeout(ctx, completionTime)
	defer cancel()
	_ = (&app{App: a.Quietly()}).within(ctx, "", web, func(ctx context.Context, s session) error {
		var page map[string]json.RawMessage
		var list []struct{ Name, Title string }
		if s.get(ctx, kind+"/list", nil, &page) != nil || json.Unmarshal(page[kind], &list) != nil {
			return nil // the shell would show an error in the line that the user types
		}
		for _, item := range list {
			found = append(found, cobra.CompletionWithDesc(item.Name, terminal.OneLine(item.Title)))
		}
		return nil
	})
	return found, cobra.ShellCompDirectiveNoFileComp
}
