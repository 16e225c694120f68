package browser

import (
	"encoding/binary"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// A census finds the processes of a group.
type census struct{}

// members returns the processes of a group with their memory.
func (*census) members(group int) (list []usage) {
	all, _ := unix.SysctlKinfoProcSlice("kern.proc.pgrp", group)
	for _, p := range all {
		pid := int(p.Proc.P_pid)
		list = append(list, usage{pid, footprint(pid)})
	}
	return list
}

// footprint returns the memory of a process in bytes as the Activity Monitor shows it, like
// proc_pid_rusage of libproc.
func footprint(pid int) int64 {
	const (
		pidRusage = 9 // PROC_INFO_CALL_PIDRUSAGE
		flavor    = 0 // RUSAGE_INFO_V0
	)
	var info [96]byte // struct rusage_info_v0
	if _, _, errno := syscall.Syscall6(syscall.SYS_PROC_INFO, pidRusage, uintptr(pid), flavor, 0, uintptr(unsafe.Pointer(&info)), 0); errno != 0 {
		return 0
	}
	return int64(binary.NativeEndian.Uint64(info[72:])) // ri_phys_footprint
}
