package command

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-docs-server/mcp-docs-server/internal/project"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
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

// Files are read in parallel; warnings about them are in the order of their paths, in few lines: one for each cause.
func TestNotices(t *testing.T) {
	var out strings.Builder
	a := &App{Streams: Streams{Err: &out}}
	notices := []loader.Notice{{Path: "b", Reason: "x"}, {Path: "c", Reason: "x"}, {Path: "a", Line: 2, Reason: "x"}, {Path: "d", Reason: "y"}}
	a.Notices(&project.Project{}, notices)
	if want := "mcp-docs-server: warning: a:2 and 2 more: x\nmcp-docs-server: warning: d: y\n"; out.String() != want {
		t.Errorf("%s", out.String())
	}
	out.Reset()
	for i := range 20 {
		notices = append(notices, loader.Notice{Path: fmt.Sprint("e", i), Reason: fmt.Sprint(i)})
	}
	a.Notices(&project.Project{}, notices)
	if lines := strings.Split(strings.TrimSpace(out.String()), "\n"); len(lines) != 8 || lines[7] != "mcp-docs-server: warning: and 15 more: check lists them" {
		t.Errorf("%d lines:\n%s", len(lines), out.String())
	}
}

// A warning that is repeated all the time does not fill the log.
func TestThrottle(t *testing.T) {
	var th throttle
	now := time.Unix(1e9, 0)
	printed, announced := 0, 0
	for range 5000 { // 8 seconds of a link between two states
		ok, first := th.allow(now)
		if ok {
			printed++
		}
		if first {
			announced++
		}
		now = now.Add(8 * time.Second / 5000)
	}
	if printed != warningsAtOnce || announced != 1 {
		t.Errorf("of 5000 warnings %d are printed, and it is announced %d times that others are left out", printed, announced)
	}
	if ok, _ := th.allow(now.Add(time.Minute)); !ok {
		t.Error("a warning is not printed later")
	}
}
