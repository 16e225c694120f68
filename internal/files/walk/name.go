package walk

import "strings"

// A Hiding is the rule by which a name is hidden.
type Hiding uint8

const (
	NotHidden    Hiding = iota
	DotName             // it starts with a dot
	BackupName          // it ends in "~", like the backup copies of editors
	SwapName            // it ends in ".swp", like the temporary files of editors
	PackagesName        // node_modules
)

// HidingOf returns the rule by which a file or folder of this name is hidden.
func HidingOf(name string) Hiding {
	switch {
	case strings.HasPrefix(name, "."):
		return DotName
	case strings.HasSuffix(name, "~"):
		return BackupName
	case strings.HasSuffix(name, ".swp"):
		return SwapName
	case name == "node_modules":
		return PackagesName
	}
	return NotHidden
}

// Hidden reports whether a file or folder of this name is hidden.
func Hidden(name string) bool { return HidingOf(name) != NotHidden }
