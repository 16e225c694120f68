package jsonwire

import "time"

// Times appends times as RFC 3339 with nanoseconds, in UTC, as [time.Time.AppendFormat] does with
// [time.RFC3339Nano]. It caches the date of the last time, because the times in a list often fall
// on few days. The zero value is ready for use. It must not be used concurrently.
type Times struct {
	day  int64  // since 1970
	date []byte // date of the day, followed by T; nil: nothing is cached
}

const secondsOfDay = 24 * 60 * 60

// Append appends a time in nanoseconds since 1970.
func (t *Times) Append(b []byte, nano int64) []byte {
	second, fraction := nano/1e9, nano%1e9
	if fraction < 0 {
		second, fraction = second-1, fraction+1e9
	}
	day, rest := second/secondsOfDay, second%secondsOfDay
	if rest < 0 {
		day, rest = day-1, rest+secondsOfDay
	}
	if t.date == nil || day != t.day {
		t.day, t.date = day, time.Unix(second, 0).UTC().AppendFormat(t.date[:0], "2006-01-02T")
	}
	b = append(b, t.date...)
	clock, digits := uint32(rest), uint32(fraction)
	text := [18]byte{2: ':', 5: ':', 8: '.'}
	putTwo(text[0:2], clock/3600)
	putTwo(text[3:5], clock/60%60)
	putTwo(text[6:8], clock%60)
	if digits == 0 {
		return append(append(b, text[:8]...), 'Z')
	}
	text[9] = '0' + byte(digits/100_000_000)
	putTwo(text[10:12], digits/1_000_000%100)
	putTwo(text[12:14], digits/10_000%100)
	putTwo(text[14:16], digits/100%100)
	putTwo(text[16:18], digits%100)
	end := len(text)
	for text[end-1] == '0' {
		end--
	}
	return append(append(b, text[:end]...), 'Z')
}

// putTwo writes a number below 100.
func putTwo(b []byte, n uint32) { b[0], b[1] = '0'+byte(n/10), '0'+byte(n%10) }
