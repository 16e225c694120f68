package rootfs

import (
	"os"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// localSystems are file systems on disks of this computer.
var localSystems = []string{"ext2", "ext3", "ext4", "xfs", "btrfs", "zfs", "f2fs", "tmpfs", "overlay"}

// mountsOf returns the mount points below a folder, relative to it, and whether everything in the folder is on disks of this computer,
// which answer. See proc_pid_mountinfo(5).
func mountsOf(dir string) (below []string, local bool) {
	data, _ := os.ReadFile("/proc/self/mountinfo") // never blocks
	// of the mount that the folder is on; whether it and the mounts below are local
	length, here, others := -1, false, true
	for line := range strings.Lines(string(data)) {
		mount, system, _ := strings.Cut(line, " - ")
		fields, types := strings.Fields(mount), strings.Fields(system)
		if len(fields) < 5 || len(types) == 0 {
			continue
		}
		// a space is \040
		point, _ := strconv.Unquote(`"` + strings.ReplaceAll(fields[4], `"`, `\"`) + `"`)
		isLocal := slices.Contains(localSystems, types[0])
		if name, ok := strings.CutPrefix(point, strings.TrimSuffix(dir, "/")+"/"); ok && name != "" {
			below, others = append(below, name), others && isLocal
		} else if len(point) >= length && (dir == point || strings.HasPrefix(dir, strings.TrimSuffix(point, "/")+"/")) {
			length, here = len(point), isLocal
		}
	}
	return below, here && others
}

// Flush waits until everything that was written to the file system of the folder is on the disk.
func (f *FS) Flush() error {
	dir, err := f.opened.Load().Open(".")
	if err != nil {
		return err
	}
	defer dir.Close()
	return unix.Syncfs(int(dir.Fd()))
}
