package browser

import (
	"bytes"
	"os"
	"strconv"
	"strings"
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
	// after the name: state, parent, group
	if fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:])); len(fields) > 2 {
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
