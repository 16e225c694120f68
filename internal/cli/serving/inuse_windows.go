package serving

import "golang.org/x/sys/windows"

// errInUse is the error for an address on which another program listens. No call on Windows returns
// [syscall.EADDRINUSE].
const errInUse = windows.WSAEADDRINUSE
