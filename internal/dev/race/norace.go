//go:build !race

// Package race says whether the race detector is on. What it looks at takes ten times as long, so
// tests that try everything, in one goroutine, then try less of it. The check of the project runs
// them without the detector too.
package race

// Enabled reports whether the race detector is on.
const Enabled = false
