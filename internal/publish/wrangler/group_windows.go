package wrangler

import (
	"errors"
	"os/exec"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// A group is a command and all processes that it starts, directly or not: npx is a batch file on
// Windows, and ending it alone would leave its processes. They also end when this program ends, even
// if it is killed.
type group struct {
	cmd *exec.Cmd
	job windows.Handle
}

// startGroup starts a command as a group that does not receive Ctrl-C.
func startGroup(cmd *exec.Cmd) (*group, error) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return nil, err
	}
	var limits windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION
	limits.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	if _, err := windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation, uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits))); err != nil {
		_ = windows.CloseHandle(job)
		return nil, err
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
	if err := cmd.Start(); err != nil {
		_ = windows.CloseHandle(job)
		return nil, err
	}
	g := &group{cmd, job}
	var joined error
	err = cmd.Process.WithHandle(func(process uintptr) { joined = windows.AssignProcessToJobObject(job, windows.Handle(process)) })
	if err = errors.Join(err, joined); err != nil {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		g.close()
		return nil, err
	}
	return g, nil
}

// end ends all processes of the group. Windows has no way to ask them to end.
func (g *group) end() { _ = windows.TerminateJobObject(g.job, 1) }

// close kills the remaining processes of the group.
func (g *group) close() { _ = windows.CloseHandle(g.job) }
