package watch

import (
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// mountTable is the file in which Linux lists the mounts that the process sees. A process that has
// it open can wait for changes (proc_pid_mountinfo(5)).
const mountTable = "/proc/self/mountinfo"

// mounts are the file systems that are mounted below the project folder.
type mounts struct {
	table *os.File       // nil if there is none
	known map[mount]bool // at the last read
	dir   string         // absolute path of the project folder
}

// A mount is one mounted file system. Two file systems that are mounted at the same path one after
// the other differ.
type mount struct {
	point string // below the project folder
	id    string
}

// openMounts begins to follow the mounts below a folder: wait reports changes from now on. If the
// table cannot be opened, mounts are not followed.
func openMounts(dir string) *mounts {
	m := &mounts{dir: dir}
	// os.Open would register the file with the runtime's poller, which would then receive the
	// reports of changes.
	fd, err := unix.Open(mountTable, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return m
	}
	m.table = os.NewFile(uintptr(fd), mountTable)
	m.known, _ = m.read()
	return m
}

func (m *mounts) close() {
	if m.table != nil {
		m.table.Close()
	}
}

// follow calls changed with the mount points that were added, removed or replaced, until ctx ends.
func (m *mounts) follow(ctx context.Context, changed func(points []string)) {
	if m.table == nil {
		return
	}
	stopped, stop, err := os.Pipe()
	if err != nil {
		return // the process is out of file descriptors, so mounts are not followed
	}
	defer stopped.Close()
	defer context.AfterFunc(ctx, func() { stop.Close() })()
	for m.wait(stopped) && ctx.Err() == nil {
		now, err := m.read()
		if err != nil {
			return
		}
		if points := differing(m.known, now); len(points) > 0 {
			changed(points)
		}
		m.known = now
	}
	stop.Close()
}

// wait waits for a change of the table, and returns false once the other end of stopped is closed.
func (m *mounts) wait(stopped *os.File) bool {
	for {
		fds := []unix.PollFd{
			{Fd: int32(m.table.Fd()), Events: unix.POLLPRI},
			{Fd: int32(stopped.Fd()), Events: unix.POLLIN},
		}
		switch _, err := unix.Poll(fds, -1); {
		case err == unix.EINTR:
			continue
		case err != nil || fds[1].Revents != 0:
			return false
		}
		return fds[0].Revents&(unix.POLLPRI|unix.POLLERR) != 0
	}
}

// read returns the current mounts below the project folder.
func (m *mounts) read() (map[mount]bool, error) {
	text, err := io.ReadAll(io.NewSectionReader(m.table, 0, 1<<30))
	if err != nil {
		return nil, err
	}
	dir, err := filepath.EvalSymlinks(m.dir)
	if err != nil {
		return nil, nil // the project folder is gone; when it is back, all of it is read
	}
	found := make(map[mount]bool)
	for line := range strings.Lines(string(text)) {
		point, id, ok := parseMount(line)
		if !ok {
			continue
		}
		if below, ok := strings.CutPrefix(point, strings.TrimSuffix(dir, "/")+"/"); ok && below != "" {
			found[mount{below, id + uniqueMount(point)}] = true
		}
	}
	return found, nil
}

// parseMount parses a line of the table: the first four fields are the mount's id, its parent's id,
// the device and the mounted folder of the device; the fifth is the mount point.
func parseMount(line string) (point, id string, ok bool) {
	fields := strings.Fields(line)
	if len(fields) < 5 {
		return "", "", false
	}
	return unescape(fields[4]), strings.Join(fields[:4], " "), true
}

// unescape decodes the spaces, tabs, line feeds and backslashes that the table encodes as octal
// numbers.
func unescape(s string) string {
	return strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`, `\043`, "#").Replace(s)
}

// uniqueMount returns a number that is never reused, unlike the id of a mount. It requires Linux
// 6.8 or later.
func uniqueMount(point string) string {
	var st unix.Statx_t
	const plainly = unix.AT_STATX_DONT_SYNC | unix.AT_NO_AUTOMOUNT | unix.AT_SYMLINK_NOFOLLOW // do not wait for a server, do not mount anything
	if err := unix.Statx(unix.AT_FDCWD, point, plainly, unix.STATX_MNT_ID_UNIQUE, &st); err != nil || st.Mask&unix.STATX_MNT_ID_UNIQUE == 0 {
		return ""
	}
	return fmt.Sprint(" ", st.Mnt_id)
}

// differing returns the mount points at which the two sets have different mounts.
func differing(a, b map[mount]bool) []string {
	points := make(map[string]bool)
	for _, pair := range [][2]map[mount]bool{{a, b}, {b, a}} {
		for m := range pair[0] {
			if !pair[1][m] {
				points[path.Clean(m.point)] = true
			}
		}
	}
	return slices.Collect(maps.Keys(points))
}
