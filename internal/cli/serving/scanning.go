package serving

import (
	"sync"
	"sync/atomic"

	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/command"
	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/terminal"
	"github.com/mcp-docs-server/mcp-docs-server/internal/project"
)

// A scanning shows the progress of the first scan of the served projects.
type scanning struct {
	left  atomic.Int32  // projects that have not been read
	all   chan struct{} // closed when all have been read and reported
	read  chan struct{}
	end   func() // removes the line, also before the last scan, and waits until it is removed
	close func()
}

// scanning begins to show the first scan of projects. The caller must call end.
func (a *app) scanning(projects ...*project.Project) *scanning {
	s := &scanning{read: make(chan struct{}), all: make(chan struct{})}
	s.left.Store(int32(len(projects)))
	s.close = sync.OnceFunc(func() { close(s.read) })
	work := terminal.Work{Name: "reading " + command.Count(len(projects), "project")}
	if len(projects) == 1 {
		work.Name = command.Reading(projects[0]).Name
	}
	var shown sync.WaitGroup
	shown.Go(func() {
		_ = a.Line.During(work, func() error {
			<-s.read
			return nil
		})
	})
	s.end = func() {
		s.close()
		shown.Wait()
	}
	return s
}

// following returns a report function for one project that also removes the line after the last scan.
func (s *scanning) following(report func(project.Event)) func(project.Event) {
	return func(e project.Event) {
		report(e)
		if _, ok := e.(project.Scanned); ok && s.left.Add(-1) == 0 {
			s.close()
			close(s.all)
		}
	}
}
