package serving

import "golang.org/x/sys/windows"

// errInUse is the error of an address at which another program listens. No call on Windows returns
// [syscall.EADDRINUSE].
const errInUse = windows.WSAEADDRINUSE
