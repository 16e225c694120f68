package command

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/internal/project"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// Every line on standard error has one format.
func TestLog(t *testing.T) {
	var out strings.Builder
	l := NewLogger(&out, nil)
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
	must.Equal(t, want, out.String())
}

// Files are read in parallel; warnings about them are in the order of their paths, in few lines: one for each cause.
func TestNotices(t *testing.T) {
	var out strings.Builder
	a := New(Streams{Err: &out})
	warnings := []loader.Warning{{Path: "b", Reason: "x"}, {Path: "c", Reason: "x"}, {Path: "a", Line: 2, Reason: "x"}, {Path: "d", Reason: "y"}}
	a.Warnings(&project.Project{}, warnings)
	if want := "mcp-docs-server: warning: a:2 and 2 more: x\nmcp-docs-server: warning: d: y\n"; out.String() != want {
		t.Errorf("%s", out.String())
	}
	out.Reset()
	for i := range 20 {
		warnings = append(warnings, loader.Warning{Path: fmt.Sprint("e", i), Reason: fmt.Sprint(i)})
	}
	a.Warnings(&project.Project{}, warnings)
	if lines := strings.Split(strings.TrimSpace(out.String()), "\n"); len(lines) != 8 || lines[7] != "mcp-docs-server: warning: and 15 more: check lists them" {
		t.Errorf("%d lines:\n%s", len(lines), out.String())
	}
}

// A warning that is repeated all the time does not fill the log.
func TestManyWarnings(t *testing.T) {
	var out strings.Builder
	a := New(Streams{Err: &out})
	for range 5000 {
		a.SayWarning("warning: a link is replaced")
	}
	if n := strings.Count(out.String(), "\n"); n != 2*MaxLines {
		t.Errorf("of 5000 warnings %d are printed", n)
	}
}

func TestBuilt(t *testing.T) {
	for file, want := range map[string]bool{
		"/tmp/go-build123/b001/exe/mcp-docs-server": true, "/home/me/.cache/go-build/0a/0a1b-d/mcp-docs-server": true,
		"/srv/cache/d2/d2" + strings.Repeat("0a", 31) + "-d/mcp-docs-server": true, "/srv/d2/mcp-docs-server": false,
		"/home/me/go/bin/mcp-docs-server": false, "/home/me/go-builds/mcp-docs-server": false,
	} {
		must.Equal(t, want, Built(file), file)
	}
}

func TestPackageOf(t *testing.T) {
	for file, want := range map[string]string{
		"/home/me/.npm/_npx/0a1b/node_modules/@acme/docs":                                                         "@acme/docs",
		"/home/me/.npm/_npx/0a1b/node_modules/acme-docs/bin/x":                                                    "acme-docs",
		"/home/me/.cache/pnpm/dlx/0a/1b/node_modules/.pnpm/@acme+docs@1.0.0/node_modules/@acme/docs/bin/stdio.js": "@acme/docs",
		"/tmp/bunx-1000-@acme/docs@latest/node_modules/@acme/docs":                                                "@acme/docs",
		"/tmp/xfs-0a/dlx-99/node_modules/acme/bin":                                                                "acme",
		`C:\Users\me\AppData\Local\npm-cache\_npx\0a\node_modules\@acme\docs`:                                     "@acme/docs",
		"/usr/lib/node_modules/@acme/docs/bin/x":                                                                  "", "/home/me/work/node_modules/acme": "", "/home/me/_npx": "",
	} {
		if got, _ := packageOf(file); got != want {
			t.Errorf("%s: %q, want %q", file, got, want)
		}
	}
}
