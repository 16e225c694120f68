//go:build !windows

package fserr

import "syscall"

// full are the errors of [Full].
var full = [...]error{syscall.ENOSPC, syscall.EDQUOT, syscall.EROFS}
