package bundle

import (
	"strings"

	"golang.org/x/text/unicode/norm"
)

// Fold returns the same text for names that most disks of Windows and macOS treat as equal: those
// that differ only in case or in the composition of accents.
func Fold(name string) string {
	return norm.NFC.String(strings.ToLower(strings.ToUpper(norm.NFC.String(name))))
}
