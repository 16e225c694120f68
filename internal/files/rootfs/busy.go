package rootfs

import "time"

const (
	// busyTime is how long a change is retried while other programs use the file. busyPause is the
	// longest pause between two attempts.
	busyTime  = 2 * time.Second
	busyPause = 100 * time.Millisecond
)

// settled makes a change, and retries while it fails because another program has a file open. On
// Windows, an open file cannot be renamed, replaced or removed, and virus scanners, indexers and
// other readers open each new file for a short time.
func settled(change func() error, busy func(error) bool) error {
	end := time.Now().Add(busyTime)
	for pause := time.Millisecond; ; pause = min(2*pause, busyPause) {
		err := change()
		if err == nil || !busy(err) || time.Now().After(end) {
			return err
		}
		time.Sleep(pause)
	}
}

// rename renames a file or folder below the root; see [settled].
func (o *opened) rename(from, to string) error {
	return settled(func() error { return o.Rename(from, to) }, busy)
}
