package command

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/terminal"
	"github.com/mcp-docs-server/mcp-docs-server/internal/project"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/jsondoc"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// Reporter returns a function that prints the events of a project.
func (a *App) Reporter(p *project.Project) func(project.Event) {
	return func(e project.Event) {
		switch e := e.(type) {
		case project.Warnings:
			a.Warn(e.Problems)
		case project.Notices:
			a.Warnings(p, e.Notices)
		case project.Scanned:
			a.summarize(p, e)
		case project.Dependencies:
			if text := DependencySummary(e.Set, e.LeftOut); text != "" {
				a.Say("dependencies: serving %s", text)
			}
			for _, n := range e.Set.Unsupported() {
				a.Say("dependencies: %s: %s", n.Path, n.Reason)
			}
		case project.Said:
			a.Say("%s", terminal.OneLine(e.Line))
		}
	}
}

// maxCauses is the number of lines that the warnings of a scan take, with one for the others.
const maxCauses = 7

// Notices prints the warnings of a scan, sorted by path, those with one cause in one line.
func (a *App) Warnings(p *project.Project, warnings []loader.Warning) {
	same := make(map[string]int) // by reason
	for _, n := range warnings {
		same[n.Reason]++
	}
	warnings = slices.SortedStableFunc(slices.Values(warnings), func(n, m loader.Warning) int { return cmp.Compare(n.Path, m.Path) })
	lines, others := 0, 0
	for _, n := range warnings {
		more := same[n.Reason] - 1
		switch same[n.Reason] = 0; {
		case more < 0: // it has been said
			continue
		case lines == maxCauses:
			others += more + 1
			continue
		}
		lines++
		place := Place(p.Show(n.Path), n.Line, 0)
		if n.Path == "." {
			place = Printable(p.Place())
		}
		if more > 0 {
			place += fmt.Sprintf(" and %d more", more)
		}
		a.SayWarning(fmt.Sprintf("warning: %s: %s", place, n.Reason))
	}
	if others > 0 {
		a.Say("warning: and %d more: check lists them", others)
	}
}

// Warn prints problems of the files of a project. A file with an error, such as a prompt, is not served.
func (a *App) Warn(warnings jsondoc.Problems) {
	for _, w := range warnings[:min(len(warnings), MaxLines)] {
		if !w.Warning {
			w.Reason = "error: " + w.Reason + "; this file is not served"
		}
		a.SayWarning(w.String())
	}
	if more := len(warnings) - MaxLines; more > 0 {
		a.Say("and %d more warnings", more)
	}
}

// SayWarning prints a warning, unless there are too many. It escapes line ends in names of files, so
// that the warning stays one line.
func (a *App) SayWarning(line string) {
	if !a.Silent {
		a.warnings.Do(func() { a.Say("%s", terminal.OneLine(line)) })
	}
}

// LinePrefix is the start of each line on standard error.
const LinePrefix = "mcp-docs-server: "

// Say prints a line to standard error, or logs it if the app has a logger.
func (a *App) Say(format string, args ...any) {
	line := fmt.Sprintf(format, args...)
	if a.Logger == nil {
		fmt.Fprintf(a.Streams.Err, "%s%s\n", LinePrefix, terminal.Text(line))
		return
	}
	level := slog.LevelInfo
	for prefix, l := range map[string]slog.Level{"warning: ": slog.LevelWarn, "error: ": slog.LevelError} {
		if rest, ok := strings.CutPrefix(line, prefix); ok {
			level, line = l, rest
		}
	}
	a.Logger.Log(context.Background(), level, line)
}
