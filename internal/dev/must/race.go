//go:build race

package must

// RaceEnabled reports whether the race detector is on.
const RaceEnabled = true
