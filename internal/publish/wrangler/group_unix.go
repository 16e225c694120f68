//go:build unix

package wrangler

import (
	"os/exec"
	"syscall"
)

// group lets a command begin a group of processes, which Ctrl-C does not reach.
func group(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// endGroup ends all processes of the group, at once or as they want to.
func endGroup(cmd *exec.Cmd, now bool) {
	signal := syscall.SIGTERM
	if now {
		signal = syscall.SIGKILL
	}
	_ = syscall.Kill(-cmd.Process.Pid, signal)
}
