package mcpb

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/bundle"
)

// checkNames returns an error for every file that Windows or macOS could not unpack under its name:
// one bundle is for all systems, and only a reader would notice a file that was lost or overwritten
// there.
func checkNames(files []bundle.File) error {
	var errs []error
	spelled := make(map[string]string) // by the folded name
	flawed := make(map[string]bool)
	for _, f := range files {
		for _, name := range append(bundle.Folders(f.Name), f.Name) {
			if flawed[name] {
				break // no errors for the files below it
			}
			folded := bundle.Fold(name)
			other, seen := spelled[folded]
			if seen && other == name {
				continue
			}
			if !seen {
				spelled[folded] = name
			}
			flaw := partFlaw(path.Base(name))
			if seen {
				flaw = fmt.Sprintf("differs from %q in case or accents only", other)
			}
			if flaw != "" {
				flawed[name] = true
				errs = append(errs, fmt.Errorf("%q cannot be unpacked on every system: its name %s; rename it", name, flaw))
				break
			}
		}
	}
	return errors.Join(errs...)
}

// devices are names that Windows reserves for devices, in every folder and with any extension.
var devices = []string{
	"con", "prn", "aux", "nul", "conin$", "conout$",
	"com1", "com2", "com3", "com4", "com5", "com6", "com7", "com8", "com9", "com¹", "com²", "com³",
	"lpt1", "lpt2", "lpt3", "lpt4", "lpt5", "lpt6", "lpt7", "lpt8", "lpt9", "lpt¹", "lpt²", "lpt³",
}

// partFlaw returns why Windows cannot have a file or folder of a name, as the end of a sentence, or
// "". See "Naming Files, Paths, and Namespaces" in Microsoft's documentation.
func partFlaw(part string) string {
	if !utf8.ValidString(part) {
		return "is not UTF-8"
	}
	if i := strings.IndexFunc(part, func(r rune) bool { return r < ' ' || strings.ContainsRune(`<>:"\|?*`, r) }); i >= 0 {
		return fmt.Sprintf("has the character %q", part[i])
	}
	if last := part[len(part)-1]; last == '.' || last == ' ' {
		return fmt.Sprintf("ends in %q", last)
	}
	stem, _, _ := strings.Cut(part, ".")
	if slices.Contains(devices, strings.ToLower(strings.TrimRight(stem, " "))) {
		return "is that of a device"
	}
	return ""
}
