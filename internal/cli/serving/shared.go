package serving

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/command"
	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/terminal"
	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/webaccess"
	"github.com/mcp-docs-server/mcp-docs-server/internal/httpserver"
	"github.com/mcp-docs-server/mcp-docs-server/internal/httpserver/auth"
	hosts "github.com/mcp-docs-server/mcp-docs-server/internal/httpserver/hosts"
	"github.com/mcp-docs-server/mcp-docs-server/internal/project"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/latest"
	"github.com/mcp-docs-server/mcp-docs-server/internal/webui"
)

// A shared has what all served projects use: the options, the log, the audit, and what reaches the web.
type shared struct {
	*serving
	logger   *slog.Logger
	audit    *slog.Logger // nil without --audit
	captures func(context.Context, *project.Project) (*webaccess.Project, error)
	work     sync.WaitGroup // what runs while projects are served
	opened   closers
}

// closers free what was opened.
type closers []func()

func (c *closers) add(closeOne func()) { *c = append(*c, closeOne) }

// close calls them, the last one first.
func (c closers) close() {
	for _, closeOne := range slices.Backward(c) {
		closeOne()
	}
}

// share opens what projects share. The caller must call close, also after an error.
func (a *app) share(o *serving, logger *slog.Logger, projects ...*project.Project) (s *shared, err error) {
	s = &shared{serving: o, logger: logger}
	if s.audit, err = a.newAudit(o.audit, logger, &s.opened, projects...); err != nil {
		return s, err
	}
	if len(o.from) == 0 {
		if err := command.OutsideServed("--cache-dir", o.cache, projects...); err != nil {
			return s, err
		}
	}
	o.web.Converter = webaccess.NewConverter(logger, o.cache)
	s.opened.add(func() { o.web.Converter.Close() })
	access, err := webaccess.Open(o.web, logger, projects...)
	if err != nil {
		return s, err
	}
	s.captures = access.Project
	s.opened.add(func() { access.Close() })
	return s, nil
}

// close waits for the work, which must have been told to end, and frees everything.
func (s *shared) close() {
	s.work.Wait()
	s.opened.close()
}

// live prepares a project to be served until ctx ends, with more options of its own.
func (s *shared) live(ctx context.Context, p *project.Project, o project.LiveOptions) (*project.Live, *webaccess.Project, error) {
	captured, err := s.captures(ctx, p)
	if err != nil {
		return nil, nil, err
	}
	s.opened.add(func() { captured.Close() })
	s.work.Go(func() { captured.Start(ctx)() })
	o.Poll, o.NoWatch, o.Index, o.Dependencies, o.Logger = s.poll, s.noWatch, s.index, s.deps, s.logger
	o.PDFs, o.Tools, o.Sources = webaccess.PDFs(s.web.Converter, s.cache), captured.Tools, captured.Sources
	live, err := p.Live(o)
	return live, captured, err
}

// A scanning is the first scan of the served projects.
type scanning struct {
	left atomic.Int32  // projects that have not been read
	all  chan struct{} // closed when all have been read and reported
}

// scanning shows the progress of the first scan of projects until ctx ends.
func (s *shared) scanning(ctx context.Context, a *app, projects ...*project.Project) *scanning {
	first := &scanning{all: make(chan struct{})}
	first.left.Store(int32(len(projects)))
	work := terminal.Work{Name: "reading " + command.Count(len(projects), "project")}
	if len(projects) == 1 {
		work.Name = command.Reading(projects[0]).Name
	}
	s.work.Go(func() {
		_ = a.Line.During(work, func() error {
			_ = latest.Wait(ctx, first.all)
			return nil
		})
	})
	return first
}

// following returns a report function for one project that also ends the scan.
func (s *scanning) following(report func(project.Event)) func(project.Event) {
	return func(e project.Event) {
		report(e)
		if _, ok := e.(project.Scanned); ok && s.left.Add(-1) == 0 {
			close(s.all)
		}
	}
}

// newPage prepares the web UI of a server with these options. It returns nil if the web UI is turned off.
func (a *app) newPage(o httpOptions, options *httpserver.Options) *webui.Options {
	if o.noPage {
		return nil
	}
	p := &webui.Options{Version: options.Version}
	options.Page = func(authenticator *auth.Authenticator, g *hosts.Policy) http.Handler {
		p.Auth, p.Hosts = authenticator, g
		return webui.New(*p)
	}
	listening := options.Listening
	options.Listening = func(urls []string) {
		listening(urls)
		a.Say("the web UI is at %s", strings.TrimSuffix(urls[0], "mcp"))
	}
	return p
}

// pageSite describes a project to the web UI.
func pageSite(p *project.Project, name string, live *project.Live) webui.Site {
	return webui.Site{
		Name: name, Title: p.Config.Name, Version: p.Config.Version, Server: live.Server(),
		Client: command.ServerName(cmp.Or(p.Config.Package, p.Config.Name)),
	}
}

// auditHere is the value of --audit for standard error.
const auditHere = "-"

// newAudit opens the file that --audit names, and returns a logger that writes audit lines to it: the time, and then the attributes
// of each call, as slog formats them. "" means no audit, and nil is returned. The projects must not serve the file.
func (a *app) newAudit(name string, logger *slog.Logger, opened *closers, served ...*project.Project) (*slog.Logger, error) {
	out := &auditOutput{w: a.Streams.Err, prefix: command.LinePrefix + "audit: ", logger: logger}
	switch name {
	case "":
		return nil, nil
	case auditHere:
	default:
		if err := command.OutsideServed("--audit", name, served...); err != nil {
			return nil, err
		}
		// It records who reads what, so other users must not read it.
		file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
		if err != nil {
			return nil, fmt.Errorf("--audit %w", project.PathError(name, err))
		}
		opened.add(func() { file.Close() })
		out.w, out.prefix = file, ""
	}
	return slog.New(slog.NewTextHandler(out, command.Without(slog.LevelKey, slog.MessageKey))), nil
}

// An auditOutput writes audit lines. slog calls Write once per line, and not concurrently.
type auditOutput struct {
	w      io.Writer
	prefix string
	logger *slog.Logger
	failed bool // lost lines have been reported
}

func (o *auditOutput) Write(line []byte) (int, error) {
	_, err := io.WriteString(o.w, o.prefix+strings.TrimSuffix(string(line), "\n")+"\n")
	if err != nil && !o.failed && !errors.Is(err, os.ErrClosed) {
		o.failed = true
		o.logger.Error("audit lines are lost", "error", err)
	}
	return len(line), err
}
