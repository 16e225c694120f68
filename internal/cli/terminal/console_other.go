//go:build !windows

package terminal

import "os"

func understands(*os.File) bool { return true }
