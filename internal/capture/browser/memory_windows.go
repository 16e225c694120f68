package browser

import (
	"unsafe"

	"golang.org/x/sys/windows"
)

// A census finds no processes: the job of the browser bounds its memory.
type census struct{}

func (*census) members(int) []usage { return nil }

func endProcess(int) {}

// bound moves a process to a new job. The job bounds the memory of this process and of all processes that it will
// start, and ends them when this program ends.
func bound(pid int, limit int64) (release func(), err error) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return nil, err
	}
	release = func() { _ = windows.CloseHandle(job) }
	limits := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{JobMemoryLimit: uintptr(limit)}
	limits.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_JOB_MEMORY | windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	if _, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation, uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits))); err == nil {
		var process windows.Handle
		if process, err = windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE, false, uint32(pid)); err == nil {
			err = windows.AssignProcessToJobObject(job, process)
			_ = windows.CloseHandle(process)
		}
	}
	if err != nil {
		release()
		return nil, err
	}
	return release, nil
}
