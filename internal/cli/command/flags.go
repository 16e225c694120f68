package command

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/database"
	"github.com/mcp-docs-server/mcp-docs-server/internal/httpserver/auth"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/dependencies"
	"github.com/mcp-docs-server/mcp-docs-server/internal/project"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/glob"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/nearest"
)

// A bounded is the value of a flag that has bounds.
type bounded[T cmp.Ordered] struct {
	value       *T
	parse       func(string) (T, error)
	least, most T
	want        string // what the value must be
}

// Whole returns the value of a flag: a whole number with bounds.
func Whole(value *int, least, most int) pflag.Value {
	return &bounded[int]{value, strconv.Atoi, least, most, fmt.Sprintf("a whole number from %d to %d", least, most)}
}

// Number returns the value of a flag: a number with bounds.
func Number(value *float64, least, most float64) pflag.Value {
	parse := func(text string) (float64, error) { return strconv.ParseFloat(text, 64) }
	return &bounded[float64]{value, parse, least, most, fmt.Sprintf("a number from %g to %.0f", least, most)}
}

// Interval returns the value of a flag: a duration that is not too short.
func Interval(value *time.Duration, least time.Duration) pflag.Value {
	return &bounded[time.Duration]{value, time.ParseDuration, least, math.MaxInt64, fmt.Sprintf("a time such as 90s or 5m, at least %v", least)}
}

func (b *bounded[T]) Set(text string) error {
	v, err := b.parse(text)
	if err != nil || !(v >= b.least && v <= b.most) { // also refuses NaN
		return errors.New("must be " + b.want)
	}
	*b.value = v
	return nil
}

func (b *bounded[T]) String() string {
	if *b.value == *new(T) {
		return "0"
	}
	return fmt.Sprint(*b.value)
}

func (b *bounded[T]) Type() string {
	return strings.ToLower(strings.TrimPrefix(fmt.Sprintf("%T", *b.value), "time."))
}

// Globs returns the function of a flag that may be given several times, each time with a pattern.
func Globs(value *[]*glob.Glob) func(string) error {
	return func(text string) error {
		parsed, err := glob.Parse(text)
		if err != nil {
			return fmt.Errorf("which is %w", err)
		}
		*value = append(*value, parsed)
		return nil
	}
}

// A FlagGroup is a group of flags in help. Flags without a group come first.
type FlagGroup struct {
	Title string
	Needs string // the flag that all flags of the group need, or ""
}

// The groups. Two groups may have the same title.
var (
	HTTPFlags    = FlagGroup{"Flags of --http", "http"}
	AccessFlags  = FlagGroup{"Flags for access over HTTP", "http"}
	WebFlags     = FlagGroup{"Flags for web pages that agents capture", ""}
	BrowserFlags = FlagGroup{"Flags for the browser that renders these pages", ""}
	CrawlFlags   = FlagGroup{"Flags of --crawl", "crawl"}
	LogFlags     = FlagGroup{"Flags for the log", ""}
	HTTPLogFlags = FlagGroup{LogFlags.Title, "http"}
)

// FlagTitles holds the titles of the groups in display order.
var FlagTitles = []string{HTTPFlags.Title, AccessFlags.Title, WebFlags.Title, BrowserFlags.Title, CrawlFlags.Title, LogFlags.Title}

// Keys of annotations of flags.
const (
	titleKey = "group"
	needsKey = "needs"
)

// Add gives a command the flags that a function declares.
func (g FlagGroup) Add(cmd *cobra.Command, declare func(*pflag.FlagSet)) {
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	declare(flags)
	flags.VisitAll(func(f *pflag.Flag) {
		f.Annotations = make(map[string][]string)
		if g.Title != "" {
			f.Annotations[titleKey] = []string{g.Title}
		}
		if g.Needs != "" {
			f.Annotations[needsKey] = []string{g.Needs}
		}
	})
	cmd.Flags().AddFlagSet(flags)
}

// FlagTitle returns the title of the group of a flag, or "".
func FlagTitle(f *pflag.Flag) string {
	if title := f.Annotations[titleKey]; len(title) > 0 {
		return title[0]
	}
	return ""
}

// CheckNeeds returns an error if a flag is given without the flag that it needs.
func CheckNeeds(flags *pflag.FlagSet) (err error) {
	flags.Visit(func(f *pflag.Flag) {
		for _, needed := range f.Annotations[needsKey] {
			if !flags.Changed(needed) && err == nil {
				err = Misuse("--%s needs --%s", f.Name, needed)
			}
		}
	})
	return err
}

// OneOf returns an error if several of some flags are given.
func OneOf(flags *pflag.FlagSet, names ...string) error {
	given := 0
	for i, name := range names {
		if flags.Changed(name) {
			given++
		}
		names[i] = "--" + name
	}
	if given < 2 {
		return nil
	}
	return Misuse("give one of %s and %s", strings.Join(names[:len(names)-1], ", "), names[len(names)-1])
}

// CompleteFiles lets the shell complete files and folders for the flags of a command and its subcommands: the usage of such
// a flag calls its value FILE or DIR.
func CompleteFiles(cmd *cobra.Command) {
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
		key := map[string]string{"FILE": cobra.BashCompFilenameExt, "DIR": cobra.BashCompSubdirsInDir}
		if name, _ := pflag.UnquoteUsage(f); key[name] != "" {
			if f.Annotations == nil {
				f.Annotations = make(map[string][]string)
			}
			f.Annotations[key[name]] = []string{}
		}
	})
	for _, sub := range cmd.Commands() {
		CompleteFiles(sub)
	}
}

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
	Choices(cmd, "deps", append(slices.Clone(project.Ecosystems), allDependencies)...)
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
			return o, Misuse("%q is not a folder; write --deps=%s", arg, arg)
		}
	}
	for name := range strings.SplitSeq(f.value, ",") {
		switch name = strings.TrimSpace(name); {
		case name == allDependencies:
			o.All = true
		case !slices.Contains(project.Ecosystems, name):
			return o, Misuse("--deps %s", nearest.NotOneOf(name, append(slices.Clone(project.Ecosystems), allDependencies)))
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

// StoreVariable holds the URL of the store. It may contain a password, so it is never printed.
const StoreVariable = "MCP_DOCS_STORE"

// A StoreFlag is the options --store and --store-file, which name the store that replicas share.
type StoreFlag struct{ url string }

// Add declares the options.
func (f *StoreFlag) Add(flags *pflag.FlagSet) {
	flags.StringVar(&f.url, "store", "", "the `URL` of a PostgreSQL database that the replicas of a server share, without a password")
	flags.String("store-file", "", "a `FILE` with this URL, which may then have a password")
}

// Check returns an error for an invalid URL on the command line. It reads no file.
func (f *StoreFlag) Check(cmd *cobra.Command) error {
	if err := OneOf(cmd.Flags(), "store", "store-file"); err != nil || !cmd.Flags().Changed("store") {
		return err
	}
	password, err := database.CheckURL(f.url)
	if err != nil {
		return Misuse("--store %v", err)
	}
	if password {
		return Misuse("--store has a password, which other users of this computer can see on the command line: " +
			"give the URL in " + StoreVariable + " or in a file with --store-file, or the password in a file that PGPASSFILE names")
	}
	return nil
}

// Secret returns a value that other users of this computer must not see, from a variable or from the file that an option names, and its source.
// what says what the value is.
func Secret(cmd *cobra.Command, variable, option, what string, logger *slog.Logger) (value, from string, given bool, err error) {
	value, given = os.LookupEnv(variable)
	if !cmd.Flags().Changed(option) {
		return value, variable, given, nil
	}
	if given {
		return "", "", false, Misuse("%s and --%s both give %s: leave one of them out", variable, option, what)
	}
	file, _ := cmd.Flags().GetString(option) // it is a string
	data, err := auth.ReadFile(file, logger)
	return string(data), file, err == nil, err
}

// URL returns the URL of the store, or "" if neither an option nor the variable gives one.
func (f *StoreFlag) URL(cmd *cobra.Command, logger *slog.Logger) (string, error) {
	if err := f.Check(cmd); err != nil {
		return "", err
	}
	if cmd.Flags().Changed("store") {
		return f.url, nil
	}
	url, from, given, err := Secret(cmd, StoreVariable, "store-file", "the URL of the store", logger)
	if err != nil || !given {
		return "", err
	}
	if url = strings.TrimSpace(url); url == "" {
		return "", Misuse("%s is empty: give it the URL of the store, or leave it out", from)
	}
	if _, err := database.CheckURL(url); err != nil {
		return "", Misuse("%s %v", from, err)
	}
	return url, nil
}
