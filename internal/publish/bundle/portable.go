package bundle

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/lazyregexp"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// reserved are the names of devices, which no file on Windows can have, with any extension
// (Microsoft, "Naming Files, Paths, and Namespaces").
var reserved = lazyregexp.New(`(?i)^(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[0-9¹²³]) *(\.|$)`)

// Unportable returns a notice for each file that some computers cannot store under its name:
// because Windows does not allow the name, or because the disk treats names as equal that differ
// only in case or in the composition of accents, as most disks of Windows and macOS do.
func Unportable(files []File) []loader.Warning {
	var warnings []loader.Warning
	checked := make(map[string]bool)
	clashes := make(map[string]bool)
	spelled := make(map[string]string) // folded path → path
	for _, f := range files {
		for end := range len(f.Name) + 1 {
			name := f.Name[:end]
			if end < len(f.Name) && f.Name[end] != '/' {
				continue // neither a folder nor the file
			}
			if clashes[name] {
				break // all names in this folder conflict too
			}
			if checked[name] {
				continue
			}
			checked[name] = true
			if reason := unportable(path.Base(name)); reason != "" {
				warnings = append(warnings, loader.Warning{Path: name, Reason: reason})
			}
			folded := Fold(name)
			if other, ok := spelled[folded]; ok {
				clashes[name] = true
				warnings = append(warnings, loader.Warning{Path: name, Reason: fmt.Sprintf("is the same name as %q to most disks of Windows and macOS", other)})
				break
			}
			spelled[folded] = name
		}
	}
	slices.SortStableFunc(warnings, func(a, b loader.Warning) int { return strings.Compare(a.Path, b.Path) })
	return warnings
}

// unportable returns why Windows cannot store a file of this name, or "".
func unportable(name string) string {
	switch {
	case reserved().MatchString(name):
		return "has a name that Windows reserves for a device"
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

// Fold returns the same text for names that most disks of Windows and macOS treat as equal: those
// that differ only in case or in the composition of accents.
func Fold(name string) string {
	return norm.NFC.String(strings.ToLower(strings.ToUpper(norm.NFC.String(name))))
}
