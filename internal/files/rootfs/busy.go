package rootfs

import "time"

const (
	// busyTime is how long a change waits for other programs, and busyPause the longest time between
	// two attempts.
	busyTime  = 2 * time.Second
	busyPause = 100 * time.Millisecond
)

// settled makes a change, and makes it again as long as it fails because somebody else has a file
// open, for a short time at most. On Windows nothing is renamed, replaced or removed at such a moment,
// and a virus scanner, an indexer or another process that reads opens each new file.
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

// rename renames a file or folder below the root, see [settled].
func (o *opened) rename(from, to string) error {
	return settled(func() error { return o.Rename(from, to) }, busy)
}
