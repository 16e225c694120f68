package walk

import (
	"testing"
	"time"
)

func TestRecent(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC)
	for _, test := range []struct {
		age  time.Duration
		want bool
	}{
		{0, true}, {2 * time.Second, true}, {Grain - 1, true}, {Grain, false}, {time.Hour, false},
		{-Skew + 1, true}, {-Skew, false}, {-time.Hour, false},
	} {
		if got := RecentAt(now.Add(-test.age), now); got != test.want {
			t.Errorf("a change %v ago is recent: %v, want %v", test.age, got, test.want)
		}
	}
	if RecentAt(time.Time{}, now) {
		t.Error("the zero time is recent")
	}
}
