package wrangler

import (
	"os/exec"
	"strconv"
	"syscall"
)

// group lets a command begin a group of processes, which Ctrl-C does not reach.
func group(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

// endGroup ends the process and all that it started.
func endGroup(cmd *exec.Cmd, _ bool) {
	_ = exec.Command("taskkill", "/T", "/F", "/PID", strconv.Itoa(cmd.Process.Pid)).Run()
}
