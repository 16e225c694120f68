package cli

import "runtime/debug"

// release is the version of a released binary, set by the linker.
var release string

// version returns the release, or the version that the Go tool recorded in the build.
func version() string {
	if release != "" {
		return release
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}
