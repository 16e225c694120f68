package command

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/mcp-docs-server/mcp-docs-server/internal/author/clients"
	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/terminal"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/prompts"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/skills"
	"github.com/mcp-docs-server/mcp-docs-server/internal/project"
	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/bundle"
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

// summarize prints what is served.
func (a *App) summarize(p *project.Project, s project.Scanned) {
	served := Enumerate(Tally{s.Resources, "resource"}, Tally{s.Documents, "document"}, Tally{s.Prompts, "prompt"})
	_, classes, mixed := strings.Cut(s.Served, " (")
	classes, _, _ = strings.Cut(classes, ")")
	mixed = mixed && strings.Contains(classes, " main, ")
	if documents := Count(s.Documents, "document"); mixed && s.Sites == "" {
		served = strings.Replace(served, documents, documents+" ("+classes+")", 1)
	}
	if served != "" {
		a.Say("%s: serving %s from %s (read in %v)", Printable(p.Config.Name), served, Printable(p.Place()), s.Took.Round(time.Millisecond))
	} else {
		if !s.Dependencies {
			a.Nothing(p, s.Contents)
		}
		return
	}
	if _, details, found := strings.Cut(s.Sites, ", "); found {
		if mixed {
			details += "; in all languages and versions: " + classes
		}
		a.Say("%s", Printable(details)) // the language and the version
	}
	a.LeftOut(s.Served)
	a.misplaced(p, s.Contents)
}

// LeftOut prints which Markdown is not served, and how many other files there are, by the line that says how much is served.
func (a *App) LeftOut(served string) {
	_, rest, _ := strings.Cut(served, "; ")
	for part := range strings.SplitSeq(rest, "; ") {
		if _, left, some := strings.Cut(part, " not: "); some {
			part = "left out: " + left
		}
		if part != "" {
			a.Say("%s", Printable(part))
		}
	}
}

// Nothing prints that a project has no files to serve, and the folders for them.
func (a *App) Nothing(p *project.Project, s project.Contents) {
	markdown := "Markdown"
	if p.Docs != "" || p.Config.DocsGiven {
		markdown += " in " + Printable(s.Docs) + "/"
	}
	a.Say("%s has nothing to serve yet: no resources in %s, no %s, no prompts in %s and no skills in %s",
		Printable(p.Place()), loader.Resources+"/<scheme>/", markdown, prompts.Folder+"/", skills.Folder+"/")
	if s.Served != "" {
		a.Say("%s", Printable(s.Served))
	}
	if p.Docs == "" && (!p.Config.DocsGiven || s.Served != "") {
		a.Say("if your documents are in another folder, name it: --docs FOLDER, such as --docs .")
	}
	a.Say("to serve other files as resources, put them below %[1]s/SCHEME/HOST/: those in %[1]s/acme/subs/ are acme://subs/...", loader.Resources)
	a.misplaced(p, s)
}

// misplaced prints that the folder of the resources has files, but no resources.
func (a *App) misplaced(p *project.Project, s project.Contents) {
	if _, err := p.Files.Stat(loader.Resources); err == nil && s.Resources == 0 {
		a.Say("%s contains no files that are served: put them into folders such as %s", p.Show(loader.Resources), loader.Resources+"/config/")
	}
}

// A Tally says how many there are of something.
type Tally struct {
	N    int
	Noun string
}

// Enumerate lists numbers, except for 0: "1 error and 2 notes".
func Enumerate(numbers ...Tally) string {
	var items []string
	for _, n := range numbers {
		if n.N > 0 {
			items = append(items, Count(n.N, n.Noun))
		}
	}
	if last := len(items) - 1; last > 0 {
		return strings.Join(items[:last], ", ") + " and " + items[last]
	}
	return strings.Join(items, "")
}

// Count returns a number with its noun.
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// Printable returns a path for a terminal: quoted if it contains unprintable characters.
func Printable(path string) string {
	for _, r := range path {
		if r == utf8.RuneError || !strconv.IsPrint(r) {
			return strconv.Quote(path)
		}
	}
	return path
}

// Place returns a place in a file, FILE:LINE:COLUMN, without parts that are 0.
func Place(path string, line, column int) string {
	place := Printable(path)
	for _, n := range []int{line, column} {
		if n <= 0 {
			break
		}
		place += fmt.Sprintf(":%d", n)
	}
	return place
}

// ServerName returns a name in the form and length that clients require for a server.
func ServerName(s string) string {
	name := cmp.Or(bundle.Slug(s), "docs")
	return strings.Trim(name[:min(len(name), clients.MaxName)], "-")
}

// NewLogger returns a logger whose lines look like all others on standard error: "mcp-docs-server:
// ", the level if it is a warning or an error, the message, and the attributes as slog formats
// them. A record is one line. least is the lowest level; nil: info.
func NewLogger(w io.Writer, least slog.Leveler) *slog.Logger {
	out, options := &logOutput{w: w}, Without(slog.TimeKey, slog.LevelKey, slog.MessageKey)
	options.Level = least
	return slog.New(&logHandler{out: out, attrs: slog.NewTextHandler(&out.attrs, options)})
}

// A logHandler formats the attributes with slog's text handler.
type logHandler struct {
	out   *logOutput
	attrs slog.Handler
}

// A logOutput is shared by a handler and the handlers derived from it.
type logOutput struct {
	mu    sync.Mutex // guards all fields below
	attrs bytes.Buffer
	line  []byte // the last record; its memory is reused
	w     io.Writer
}

// Without returns options of a handler that drop fields of each record.
func Without(keys ...string) *slog.HandlerOptions {
	return &slog.HandlerOptions{ReplaceAttr: func(groups []string, a slog.Attr) slog.Attr {
		if len(groups) == 0 && slices.Contains(keys, a.Key) {
			return slog.Attr{}
		}
		return a
	}}
}

func (h *logHandler) Enabled(ctx context.Context, level slog.Level) bool {
	return h.attrs.Enabled(ctx, level)
}

func (h *logHandler) Handle(ctx context.Context, r slog.Record) error {
	h.out.mu.Lock()
	defer h.out.mu.Unlock()
	h.out.attrs.Reset()
	if err := h.attrs.Handle(ctx, r); err != nil {
		return err
	}
	line := append(h.out.line[:0], LinePrefix...)
	switch {
	case r.Level >= slog.LevelError:
		line = append(line, "error: "...)
	case r.Level >= slog.LevelWarn:
		line = append(line, "warning: "...)
	}
	line = append(line, strings.ReplaceAll(r.Message, "\n", " ")...)
	if attrs := bytes.TrimSpace(h.out.attrs.Bytes()); len(attrs) > 0 {
		line = append(append(append(line, " ("...), attrs...), ')')
	}
	h.out.line = append(line, '\n')
	_, err := h.out.w.Write(h.out.line)
	return err
}

func (h *logHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &logHandler{h.out, h.attrs.WithAttrs(attrs)}
}

func (h *logHandler) WithGroup(name string) slog.Handler {
	return &logHandler{h.out, h.attrs.WithGroup(name)}
}
