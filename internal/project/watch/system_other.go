//go:build !linux

package watch

import "runtime"

// maxFiles bounds the open files that watches may use. With kqueue, each file of a watched folder
// needs one, and a process has few.
var maxFiles = map[string]int{"darwin": 2000, "freebsd": 2000, "netbsd": 2000, "openbsd": 2000, "dragonfly": 2000}[runtime.GOOS]

// silent returns false: this system does not report it.
func silent(string) bool { return false }

// An identity is empty: it is not needed on this system.
type identity struct{}

func identify(string) (identity, error) { return identity{}, nil }
