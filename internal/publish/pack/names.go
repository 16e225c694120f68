package pack

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/bundle"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/lazyregexp"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// reserved are the names of devices, which no file on Windows can have, with any extension
// (Microsoft, "Naming Files, Paths, and Namespaces").
var reserved = lazyregexp.New(`(?i)^(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[0-9¹²³]) *(\.|$)`)

// Unportable returns a notice for each file that some computers cannot store under its name:
// because Windows does not allow the name, or because the disk treats names as equal that differ
// only in case or in the composition of accents, as most disks of Windows and macOS do.
func Unportable(files []bundle.File) []loader.Notice {
	var notices []loader.Notice
	checked := make(map[string]bool)
	clashes := make(map[string]bool)
	spelled := make(map[string]string) // folded path → path
	for _, f := range files {
		for _, at := range prefixes(f.Name) {
			if clashes[at] {
				break // all names below it conflict too
			}
			if checked[at] {
				continue
			}
			checked[at] = true
			if reason := unportable(path.Base(at)); reason != "" {
				notices = append(notices, loader.Notice{Path: at, Reason: reason})
			}
			folded := bundle.Fold(at)
			if other, ok := spelled[folded]; ok {
				clashes[at] = true
				notices = append(notices, loader.Notice{Path: at, Reason: fmt.Sprintf("is the same name as %q to most disks of Windows and macOS", other)})
				break
			}
			spelled[folded] = at
		}
	}
	slices.SortStableFunc(notices, func(a, b loader.Notice) int { return strings.Compare(a.Path, b.Path) })
	return notices
}

// prefixes returns the folders of a path and the path itself.
func prefixes(name string) []string {
	var out []string
	for i := range len(name) {
		if name[i] == '/' {
			out = append(out, name[:i])
		}
	}
	return append(out, name)
}

// unportable returns why Windows cannot store a file of this name, or "".
func unportable(name string) string {
	switch {
	case reserved().MatchString(name):
		return "has a name that Windows keeps for a device"
	case strings.HasSuffix(name, ".") || strings.HasSuffix(name, " "):
		return "has a name that ends in a dot or a space, which Windows drops"
	}
	for _, r := range name {
		if r < ' ' || strings.ContainsRune(`<>:"|?*\`, r) {
			return fmt.Sprintf("has %q in its name, which Windows does not allow", r)
		}
	}
	return ""
}
