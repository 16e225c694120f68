//go:build !windows

package serving

import "syscall"

// errInUse is the error for an address on which another program listens.
const errInUse = syscall.EADDRINUSE
