//go:build !race

package must

// RaceEnabled reports whether the race detector is on. The detector makes code ten times slower, so exhaustive tests in one goroutine
// then try less. .ci/run runs them without the detector, too.
const RaceEnabled = false
