package jsonwire

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

func TestTimesMatchStandardLibrary(t *testing.T) {
	var times Times
	check := func(nano int64) {
		t.Helper()
		want := time.Unix(0, nano).UTC().Format(time.RFC3339Nano)
		if got := string(times.Append(nil, nano)); got != want {
			t.Errorf("%d: %s, want %s", nano, got, want)
		}
	}
	const day = secondsOfDay * 1e9
	for _, nano := range []int64{0, 1, -1, 1e9, -1e9, day, day - 1, -day, -day - 1, math.MaxInt64, math.MinInt64, 1_700_000_000_100_000_000} {
		check(nano)
		check(nano)
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		nano := rnd.Int64() - rnd.Int64()
		check(nano)
		check(nano - nano%1e6)
		check(nano/day*day + rnd.Int64N(day))
	}
}

func BenchmarkTimes(b *testing.B) {
	const nano = 1_700_000_000_123_456_789
	buf := make([]byte, 0, 64)
	b.Run("own", func(b *testing.B) {
		var times Times
		for b.Loop() {
			times.Append(buf, nano)
		}
	})
	b.Run("baseline", func(b *testing.B) {
		for b.Loop() {
			time.Unix(0, nano).UTC().AppendFormat(buf, time.RFC3339Nano)
		}
	})
}
