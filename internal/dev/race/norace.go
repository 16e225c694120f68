//go:build !race

// Package race says whether the race detector is on. The detector makes code ten times slower, so
// exhaustive tests in one goroutine then try less. .ci/run runs them without the detector, too.
package race

// Enabled reports whether the race detector is on.
const Enabled = false
