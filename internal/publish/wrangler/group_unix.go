//go:build unix

package wrangler

import (
	"os/exec"
	"syscall"
)

// A group is a command and all processes that it starts.
type group struct{ cmd *exec.Cmd }

// startGroup starts a command as a group that does not receive Ctrl-C.
func startGroup(cmd *exec.Cmd) (*group, error) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return &group{cmd}, cmd.Start()
}

// end asks all processes of the group to end.
func (g *group) end() { _ = syscall.Kill(-g.cmd.Process.Pid, syscall.SIGTERM) }

// close kills the remaining processes of the group.
func (g *group) close() { _ = syscall.Kill(-g.cmd.Process.Pid, syscall.SIGKILL) }
