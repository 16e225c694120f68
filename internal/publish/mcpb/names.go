package mcpb

import (
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/bundle"
)

// checkNames returns an error for every file that Windows or macOS could not unpack under its name.
// A bundle is for all systems, and nobody would notice that such a system has lost or overwritten a
// file.
func checkNames(files []bundle.File) error {
	var errs []error
	for _, f := range files {
		if !utf8.ValidString(f.Name) {
			errs = append(errs, fmt.Errorf("%q cannot be unpacked on every system: has a name that is not UTF-8; rename it", f.Name))
		}
	}
	for _, n := range bundle.Unportable(files) {
		errs = append(errs, fmt.Errorf("%q cannot be unpacked on every system: %s; rename it", n.Path, n.Reason))
	}
	return errors.Join(errs...)
}
