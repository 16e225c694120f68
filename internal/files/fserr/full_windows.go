package fserr

import "golang.org/x/sys/windows"

// full are the errors of [Full]. Those of package syscall with names such as ENOSPC exist on Windows,
// but no call returns them.
var full = [...]error{windows.ERROR_DISK_FULL, windows.ERROR_HANDLE_DISK_FULL, windows.ERROR_DISK_QUOTA_EXCEEDED, windows.ERROR_WRITE_PROTECT}
