//go:build !unix

package web

import "math"

// openFiles is how many files the process may have open: the system has no limit.
func openFiles() int { return math.MaxInt }
