package fserr

import "golang.org/x/sys/windows"

// full are the errors of [Full]. Package syscall also has names such as ENOSPC on Windows, but no
// call returns these errors.
var full = [...]error{windows.ERROR_DISK_FULL, windows.ERROR_HANDLE_DISK_FULL, windows.ERROR_DISK_QUOTA_EXCEEDED, windows.ERROR_WRITE_PROTECT}
