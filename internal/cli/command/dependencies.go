package command

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcp-docs-server/mcp-docs-server/internal/library/dependencies"
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
	flags.StringVar(&f.value, "deps", "", "add the documents of installed packages that the project depends on, of the `KIND`s "+
		strings.Join(project.Ecosystems, ", ")+" or, without KIND, of both; all also adds the documents of indirect dependencies")
	flags.Lookup("deps").NoOptDefVal = strings.Join(project.Ecosystems, ",")
	_ = cmd.RegisterFlagCompletionFunc("deps", cobra.FixedCompletions(append(slices.Clone(project.Ecosystems), allDependencies), cobra.ShellCompDirectiveNoFileComp))
}

// Args returns the option as serve takes it, or nothing if it was not given.
func (f *DependencyFlag) Args() []string {
	switch f.value {
	case "":
		return nil
	case strings.Join(project.Ecosystems, ","):
		return []string{"--deps"}
	}
	return []string{"--deps=" + f.value}
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
	for _, arg := range cmd.Flags().Args() {
		if _, err := os.Stat(arg); err != nil && (arg == allDependencies || slices.Contains(project.Ecosystems, arg)) {
			return o, Misuse(fmt.Sprintf("%q is not a folder; write --deps=%s", arg, arg))
		}
	}
	for name := range strings.SplitSeq(f.value, ",") {
		switch name = strings.TrimSpace(name); {
		case name == allDependencies:
			o.All = true
		case !slices.Contains(project.Ecosystems, name):
			return o, Misuse("--deps " + nearest.NotOneOf(name, append(slices.Clone(project.Ecosystems), allDependencies)))
		case !slices.Contains(o.Ecosystems, name):
			o.Ecosystems = append(o.Ecosystems, name)
		}
	}
	if len(o.Ecosystems) == 0 {
		o.Ecosystems = project.Ecosystems
	}
	return o, nil
}

// DependencySummary says what is served of the dependencies, or "" if a project has none. It names no package: people may
// read the log of a server who must not know the names. leftOut is the number of links and other things that are left out.
func DependencySummary(set *dependencies.Set, leftOut int) string {
	documents, installed, missing, hint := 0, 0, 0, ""
	for _, p := range set.Packages() {
		switch {
		case p.Missing == "" && len(p.Documents) > 0:
			installed, documents = installed+1, documents+len(p.Documents)
		case p.Direct && p.Hint != "":
			missing, hint = missing+1, p.Hint
		}
	}
	if len(set.Packages())+leftOut == 0 {
		return ""
	}
	documents -= set.LeftOut()
	text := Count(documents, "document") + " of " + Count(installed, "package")
	if n := set.Undescribed(); n > 0 {
		text += "; the types of " + Count(n, "package") + " follow"
	}
	if missing > 0 {
		text += "; " + Count(missing, "package") + " not installed: run " + hint
	}
	if n := set.LeftOut(); n > 0 {
		text += fmt.Sprintf("; %s beyond %d MiB left out", Count(n, "document"), dependencies.MaxBytes>>20)
	}
	if leftOut > 0 {
		text += "; " + Count(leftOut, "file") + " or folders left out, which \"check --deps\" names"
	}
	return text
}
