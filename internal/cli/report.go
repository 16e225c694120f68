package cli

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/terminal"
	"github.com/mcp-docs-server/mcp-docs-server/internal/project"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/jsondoc"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// reporter returns a function that prints the events of a project.
func (a *app) reporter(p *project.Project) func(project.Event) {
	return func(e project.Event) {
		switch e := e.(type) {
		case project.Warnings:
			a.warn(e.Problems)
		case project.Notices:
			a.notices(p, e.Notices)
		case project.Scanned:
			a.summarize(p, e)
		case project.Refused:
			first, more, _ := strings.Cut(e.Err.Error(), "\n")
			if more != "" {
				first += " (and more)"
			}
			a.say("%s; the last good settings stay in force", first)
		case project.Renamed:
			a.say("%s: another name or version is shown to clients from the next start on", p.Show(p.ConfigFile))
		case project.Unreadable:
			a.say("%s", terminal.Line(fmt.Sprintf("warning: %s: %v", p.Show(e.Folder), e.Err)))
		}
	}
}

// notices prints the notices of a scan.
func (a *app) notices(p *project.Project, notices []loader.Notice) {
	for _, n := range notices[:min(len(notices), maxLines)] {
		a.sayWarning(fmt.Sprintf("warning: %s: %s", printable(p.Show(n.Path)), n.Reason))
	}
	if more := len(notices) - maxLines; more > 0 {
		a.say("warning: and %d more", more)
	}
}

// warn prints warnings about the files of a project.
func (a *app) warn(warnings jsondoc.Problems) {
	for _, w := range warnings[:min(len(warnings), maxLines)] {
		a.sayWarning(w.String())
	}
	if more := len(warnings) - maxLines; more > 0 {
		a.say("and %d more warnings", more)
	}
}

// sayWarning prints a warning, unless there are too many. It stays one line, whatever the names of
// files in it have.
func (a *app) sayWarning(line string) {
	line = terminal.Line(line)
	ok, dropped := a.warnings.allow(line, time.Now())
	switch {
	case !ok && dropped > 0:
		a.say("warning: there are too many warnings: for now one is printed every %v", warningsEvery)
	case dropped > 0:
		a.say("warning: %s were left out, as there were too many", count(dropped, "warning"))
	}
	if ok {
		a.say("%s", line)
	}
}

// linePrefix is the start of each line on standard error.
const linePrefix = "mcp-docs-server: "

// say prints a line to standard error, or logs it where lines have a time and a level.
func (a *app) say(format string, args ...any) {
	line := fmt.Sprintf(format, args...)
	if a.logger == nil {
		fmt.Fprintf(a.streams.Err, "%s%s\n", linePrefix, terminal.Text(line))
		return
	}
	level := slog.LevelInfo
	for prefix, of := range map[string]slog.Level{"warning: ": slog.LevelWarn, "error: ": slog.LevelError} {
		if rest, ok := strings.CutPrefix(line, prefix); ok {
			level, line = of, rest
		}
	}
	a.logger.Log(context.Background(), level, line)
}
