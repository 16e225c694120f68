//go:build unix

package browser

import (
	"os"
	"os/exec"
	"syscall"
)

func isRoot() bool { return os.Geteuid() == 0 }

// attach passes the pipes as file descriptors 3 and 4.
func attach(cmd *exec.Cmd, commands, answers *os.File) {
	cmd.ExtraFiles = []*os.File{commands, answers}
	// The processes of the browser are a group, which is killed as a whole, and which Ctrl-C does not reach.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	endWithUs(cmd.SysProcAttr)
}

func kill(cmd *exec.Cmd) {
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	_ = cmd.Process.Kill()
}

// endProcess ends a process of the browser.
func endProcess(pid int) { _ = syscall.Kill(pid, syscall.SIGKILL) }

// bound does nothing: watchMemory bounds the memory.
func bound(int, int64) (release func(), err error) { return nil, nil }
