package rootfs

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

func TestAChangeWaitsForOtherPrograms(t *testing.T) {
	inUse, other := errors.New("in use"), errors.New("other")
	busy := func(err error) bool { return err == inUse }
	for _, test := range []struct {
		name  string
		free  time.Duration // when the other program closes the file
		after error
		want  error
		least time.Duration
		most  time.Duration
	}{
		{"a file that nobody has open", 0, nil, nil, 0, 0},
		{"an error that no time mends", 0, other, other, 0, 0},
		{"a virus scanner", 300 * time.Millisecond, nil, nil, 300 * time.Millisecond, 300*time.Millisecond + busyPause},
		{"a virus scanner, and then an error", 300 * time.Millisecond, other, other, 300 * time.Millisecond, 300*time.Millisecond + busyPause},
		{"an editor", time.Hour, nil, inUse, busyTime, busyTime + busyPause},
	} {
		synctest.Test(t, func(t *testing.T) {
			began := time.Now()
			err := settled(func() error {
				if time.Since(began) < test.free {
					return inUse
				}
				return test.after
			}, busy)
			if passed := time.Since(began); err != test.want || passed < test.least || passed > test.most {
				t.Errorf("%s: %v after %v", test.name, err, passed)
			}
		})
	}
}
