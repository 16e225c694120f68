//go:build !windows

package serving

import "syscall"

// errInUse is the error of an address at which another program listens.
const errInUse = syscall.EADDRINUSE
