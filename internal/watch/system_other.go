//go:build !linux

package watch

import "runtime"

// maxFiles bounds the open files that watches may cost. With kqueue each file of a watched folder costs one, and a process
// has few.
var maxFiles = map[string]int{"darwin": 2000, "freebsd": 2000, "netbsd": 2000, "openbsd": 2000, "dragonfly": 2000}[runtime.GOOS]

const watchAdvice = "serve fewer files, or poll by choice with --poll"

// silent is not known here.
func silent(string) bool { return false }

// An identity would be what the system knows a folder by; it is not needed here.
type identity struct{}

func identify(string) (identity, error) { return identity{}, nil }
