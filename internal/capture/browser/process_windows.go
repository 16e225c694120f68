package browser

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"
)

func isRoot() bool { return false }

// attach passes the pipes. Windows has no numbered descriptors for them, so a flag contains their handles.
func attach(cmd *exec.Cmd, commands, answers *os.File) {
	in, out := syscall.Handle(commands.Fd()), syscall.Handle(answers.Fd())
	for _, h := range []syscall.Handle{in, out} {
		_ = syscall.SetHandleInformation(h, syscall.HANDLE_FLAG_INHERIT, syscall.HANDLE_FLAG_INHERIT)
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{AdditionalInheritedHandles: []syscall.Handle{in, out}}
	last := len(cmd.Args) - 1
	cmd.Args = append(cmd.Args[:last:last], fmt.Sprintf("--remote-debugging-io-pipes=%d,%d", in, out), cmd.Args[last])
}

// kill kills the browser. Its other processes end with it.
func kill(cmd *exec.Cmd) { _ = cmd.Process.Kill() }
