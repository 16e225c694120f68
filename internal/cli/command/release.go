package command

import "runtime/debug"

// release is the version of a released binary, set by the linker.
var release string

// Version returns the release, or the version that the Go tool recorded in the build.
func Version() string {
	if release != "" {
		return release
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}
