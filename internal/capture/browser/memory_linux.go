package browser

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// A census remembers which processes belong to a group, so that the group of each process is read once.
type census struct{ known map[int]bool }

// members returns the processes of a group with their memory.
func (c *census) members(group int) (list []usage) {
	proc, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer proc.Close()
	names, _ := proc.Readdirnames(-1)
	now := make(map[int]bool, len(names))
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		member, known := c.known[pid]
		if !known {
			member = groupOf(name) == group
		}
		now[pid] = member
		if member {
			list = append(list, usage{pid, memoryOf(name)})
		}
	}
	c.known = now
	return list
}

// groupOf returns the group of a process, or 0.
func groupOf(pid string) int {
	stat, _ := os.ReadFile("/proc/" + pid + "/stat")
	if fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:])); len(fields) > 2 { // state, parent, group
		group, _ := strconv.Atoi(fields[2])
		return group
	}
	return 0
}

// memoryOf returns the memory of a process in bytes, without files that the system could read again.
func memoryOf(pid string) (sum int64) {
	status, _ := os.ReadFile("/proc/" + pid + "/status")
	for line := range strings.Lines(string(status)) {
		if name, value, _ := strings.Cut(line, ":"); name == "RssAnon" || name == "RssShmem" || name == "VmSwap" {
			kib, _ := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(value), " kB"), 10, 64)
			sum += kib << 10
		}
	}
	return sum
}

func endProcess(pid int) { _ = syscall.Kill(pid, syscall.SIGKILL) }

// groupRoot is the mount point of control groups, version 2, on a system without version 1.
const groupRoot = "/sys/fs/cgroup"

var errNoGroup = errors.New("no control group with a bound of memory is delegated to this user")

// bound moves a process, and those that it will start, to a new control group with a memory bound. The group is made
// in one that was delegated to this user: the group of this process or its parent.
func bound(pid int, limit int64) (release func(), err error) {
	data, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(data)) {
		if name, ok := strings.CutPrefix(strings.TrimSpace(line), "0::"); ok {
			ours := filepath.Join(groupRoot, name)
			for _, parent := range []string{ours, filepath.Dir(ours)} {
				if parent != filepath.Dir(groupRoot) && isDelegated(parent) {
					if release, err = boundIn(parent, pid, limit); err == nil {
						return release, nil
					}
				}
			}
		}
	}
	return nil, errNoGroup
}

// isDelegated reports whether this user may divide a control group. Root may divide only those that systemd has
// delegated.
func isDelegated(dir string) bool {
	info, err := os.Stat(dir)
	if err != nil || !isOurs(info) {
		return false
	}
	for _, name := range []string{"user.delegate", "trusted.delegate"} {
		if value := make([]byte, 1); !isRoot() {
			return true
		} else if n, err := unix.Getxattr(dir, name, value); err == nil && n == 1 && value[0] == '1' {
			return true
		}
	}
	return false
}

// boundIn makes a control group in another one, and removes empty groups of earlier processes.
func boundIn(parent string, pid int, limit int64) (release func(), err error) {
	old, _ := filepath.Glob(filepath.Join(parent, folderPrefix+"*"))
	for _, dir := range old {
		_ = syscall.Rmdir(dir) // fails for a group with processes
	}
	if err := os.WriteFile(filepath.Join(parent, "cgroup.subtree_control"), []byte("+memory"), 0); err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp(parent, folderPrefix)
	if err != nil {
		return nil, err
	}
	release = func() {
		for deadline := time.Now().Add(removeTime); syscall.Rmdir(dir) != nil && time.Now().Before(deadline); {
			time.Sleep(20 * time.Millisecond)
		}
	}
	for _, file := range []struct{ name, value string }{
		{"memory.max", strconv.FormatInt(limit, 10)}, {"memory.swap.max", "0"}, {"cgroup.procs", strconv.Itoa(pid)},
	} {
		err := os.WriteFile(filepath.Join(dir, file.name), []byte(file.value), 0)
		if err != nil && !(file.name == "memory.swap.max" && errors.Is(err, os.ErrNotExist)) { // a system without swap
			release()
			return nil, err
		}
	}
	return release, nil
}
