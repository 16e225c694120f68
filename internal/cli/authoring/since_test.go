package authoring

import (
	"testing"
	"time"
)

func TestSince(t *testing.T) {
	now := time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)
	for s, want := range map[string]string{
		"90m": "2026-03-10T10:30:00Z", "7d": "2026-03-03T12:00:00Z", "2026-01-31": "2026-01-31T00:00:00Z", "2026-01-31T12:00:00+01:00": "2026-01-31T11:00:00Z",
		"-1h": "", "yesterday": "", "": "", "1e9d": "",
	} {
		got, err := sinceOf(s, now)
		if (err != nil) != (want == "") || err == nil && got.UTC().Format(time.RFC3339) != want {
			t.Errorf("%q: %v, %v", s, got, err)
		}
	}
}
