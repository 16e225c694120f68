package command

import "github.com/spf13/pflag"

// Titles of groups of flags in help, in display order. Flags without a group come first.
const (
	HTTPFlags    = "Flags of --http"
	AccessFlags  = "Flags for access over HTTP"
	WebFlags     = "Flags for web pages that agents capture"
	BrowserFlags = "Flags for the browser that renders these pages"
	LogFlags     = "Flags for the log"
)

// FlagGroups holds the titles of all groups.
var FlagGroups = []string{HTTPFlags, AccessFlags, WebFlags, BrowserFlags, LogFlags}

const groupAnnotation = "group"

// GroupFlags puts flags into a group.
func GroupFlags(flags *pflag.FlagSet, title string, names ...string) {
	for _, name := range names {
		_ = flags.SetAnnotation(name, groupAnnotation, []string{title}) // a test knows all names
	}
}

// FlagGroup returns the title of the group of a flag, or "".
func FlagGroup(f *pflag.Flag) string {
	if title := f.Annotations[groupAnnotation]; len(title) > 0 {
		return title[0]
	}
	return ""
}
