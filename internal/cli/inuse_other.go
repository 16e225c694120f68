//go:build !windows

package cli

import "syscall"

// errInUse is the error of an address at which another program listens.
const errInUse = syscall.EADDRINUSE
