//go:build unix && !linux

package browser

import "syscall"

// endWithUs does nothing: the browser ends when its pipe is closed.
func endWithUs(*syscall.SysProcAttr) {}
