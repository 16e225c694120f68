package command

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

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
				err = Misuse(fmt.Sprintf("--%s needs --%s", f.Name, needed))
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
	return Misuse("give one of " + strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1])
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
