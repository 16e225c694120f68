package bundle

import (
	"strings"

	"golang.org/x/text/unicode/norm"
)

// Fold makes the same of names that most disks of Windows and macOS take for one: those that differ in case, or in how accents are
// composed, alone.
func Fold(name string) string {
	return norm.NFC.String(strings.ToLower(strings.ToUpper(norm.NFC.String(name))))
}
