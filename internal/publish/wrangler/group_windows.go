package wrangler

import (
	"errors"
	"os/exec"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// A group is a command and all that it starts, however deep: npx is a batch file there, whose
// processes nothing else holds together. They end with this program too, however it ends.
type group struct {
	cmd *exec.Cmd
	job windows.Handle
}

// startGroup starts a command as a group, which Ctrl-C does not reach.
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

// end ends all processes of the group. There is no way to ask them.
func (g *group) end() { _ = windows.TerminateJobObject(g.job, 1) }

// close ends what is left of the group.
func (g *group) close() { _ = windows.CloseHandle(g.job) }
