package command

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// Every line on standard error has one format.
func TestLog(t *testing.T) {
	var out strings.Builder
	l := NewLogger(&out)
	l.Debug("not said")
	l.Info("folders are polled", "round", 3*time.Second)
	l.Warn("a file cannot be read", "path", "a b\n", "error", errors.New("x"))
	l.With("method", "ping").WithGroup("g").Error("a request\nfailed", "stack", "1\n2", "time", "noon")
	l.Warn("plain")
	want := `mcp-docs-server: folders are polled (round=3s)
mcp-docs-server: warning: a file cannot be read (path="a b\n" error=x)
mcp-docs-server: error: a request failed (method=ping g.stack="1\n2" g.time=noon)
mcp-docs-server: warning: plain
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A warning that is repeated all the time does not fill the log.
func TestThrottle(t *testing.T) {
	var th throttle
	now := time.Unix(1e9, 0)
	printed, dropped, announced := 0, 0, 0
	try := func(warning string) {
		ok, n := th.allow(warning, now)
		if !ok {
			announced += n
			return
		}
		printed++
		dropped += n
	}
	for range 5000 { // 8 seconds of a link between two states
		try("a: is a link that leads out of the project folder")
		try("a: is a link to something that is not there")
		now = now.Add(8 * time.Second / 5000)
	}
	if printed != 2*repeats || dropped != 0 {
		t.Errorf("of two warnings again and again, %d are printed and %d dropped", printed, dropped)
	}
	now = now.Add(time.Minute)
	try("a: is a link to something that is not there")
	if printed != 2*repeats+1 {
		t.Error("a warning is not printed again later")
	}
	now = now.Add(time.Hour)
	printed = 0
	for i := range 5000 {
		try(fmt.Sprint(i))
		now = now.Add(8 * time.Second / 5000)
	}
	if printed < warningsAtOnce || printed > warningsAtOnce+2 {
		t.Errorf("of 5000 different warnings %d are printed", printed)
	}
	now = now.Add(time.Minute)
	try("another")
	if printed+dropped != 5001 || announced != 1 {
		t.Errorf("%d are printed and %d reported as left out, together not 5001; that is announced %d times", printed, dropped, announced)
	}
}
