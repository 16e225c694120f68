//go:build !unix

package httpserver

import "math"

// openFiles returns how many files the process may open. This system has no limit.
func openFiles() int { return math.MaxInt }
