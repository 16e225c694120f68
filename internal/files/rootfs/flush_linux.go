package rootfs

import "golang.org/x/sys/unix"

// Flush waits until everything that was written to the file system of the folder is on the disk.
func (f *FS) Flush() error {
	dir, err := f.opened.Load().Open(".")
	if err != nil {
		return err
	}
	defer dir.Close()
	return unix.Syncfs(int(dir.Fd()))
}
