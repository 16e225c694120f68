package command

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcp-docs-server/mcp-docs-server/internal/project"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/nearest"
)

// A DependencyFlag is the option --deps.
type DependencyFlag struct{ value string }

// allDependencies is the value of --deps that includes indirect dependencies.
const allDependencies = "all"

// Add adds the option to a command.
func (f *DependencyFlag) Add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.value, "deps", "", "serve the documents of the packages that the project depends on, as they are installed: of `KIND`s "+
		strings.Join(project.Ecosystems, ", ")+", or of all without KIND; with KIND all, of indirect dependencies too")
	flags.Lookup("deps").NoOptDefVal = strings.Join(project.Ecosystems, ",")
	_ = cmd.RegisterFlagCompletionFunc("deps", cobra.FixedCompletions(append(slices.Clone(project.Ecosystems), allDependencies), cobra.ShellCompDirectiveNoFileComp))
}

// Options returns the options of a project. Without the option, configured decides whether the configuration counts. cache
// is the folder of --cache-dir, or "".
func (f *DependencyFlag) Options(cmd *cobra.Command, configured bool, cache string) (o project.DependencyOptions, err error) {
	if o.Cache = cache; cache == "" {
		if dir, err := os.UserCacheDir(); err == nil {
			o.Cache = filepath.Join(dir, "mcp-docs-server", "deps")
		}
	}
	if !cmd.Flags().Changed("deps") {
		o.Configured = configured
		return o, nil
	}
	for name := range strings.SplitSeq(f.value, ",") {
		switch name = strings.TrimSpace(name); {
		case name == allDependencies:
			o.All = true
		case !slices.Contains(project.Ecosystems, name):
			return o, Misuse("--deps=" + f.value + ": " + nearest.NotOneOf(name, append(slices.Clone(project.Ecosystems), allDependencies)))
		case !slices.Contains(o.Ecosystems, name):
			o.Ecosystems = append(o.Ecosystems, name)
		}
	}
	if len(o.Ecosystems) == 0 {
		o.Ecosystems = project.Ecosystems
	}
	return o, nil
}

// dependencySummary says in one line what is served of the dependencies. It names no package: the log of a server may be
// read by people who may not know the names.
func dependencySummary(e project.Dependencies) string {
	installed, missing, hint := 0, 0, ""
	for _, p := range e.Set.Packages() {
		switch {
		case p.Missing == "" && len(p.Documents) > 0:
			installed++
		case p.Direct && p.Hint != "":
			missing, hint = missing+1, p.Hint
		}
	}
	text := "dependencies: serving " + Count(e.Documents, "document") + " of " + Count(installed, "package")
	if missing > 0 {
		text += "; " + Count(missing, "package") + " not installed: run " + hint
	}
	if e.LeftOut > 0 {
		text += "; " + Count(e.LeftOut, "thing") + " left out, which check names"
	}
	return text
}
