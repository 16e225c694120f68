package cli

import (
	"fmt"
	"strings"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/prompts"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// served counts what a project has.
type served struct {
	resources, documents, prompts int
	docs                          string // the folder of the documents
}

// summarize says what is served.
func (a *app) summarize(p *project, s served, took time.Duration) {
	var kinds []string
	for _, kind := range []struct {
		n    int
		noun string
	}{{s.resources, "resource"}, {s.documents, "document"}, {s.prompts, "prompt"}} {
		if kind.n > 0 {
			kinds = append(kinds, count(kind.n, kind.noun))
		}
	}
	if len(kinds) > 0 {
		a.say("serving %s from %s (read in %v)", enumerate(kinds), printable(p.place()), took.Round(time.Millisecond))
	} else {
		a.nothing(p, s)
		return
	}
	a.misplaced(p, s)
}

// nothing says that a project has nothing, and where it would be.
func (a *app) nothing(p *project, s served) {
	a.say("%s has nothing to serve yet: no resources in %s, no Markdown in %s and no prompts in %s",
		printable(p.place()), loader.Resources+"/<scheme>/", s.docs+"/", prompts.Folder+"/")
	a.misplaced(p, s)
}

// misplaced says that the folder of the resources has none.
func (a *app) misplaced(p *project, s served) {
	if _, err := p.files.Stat(loader.Resources); err == nil && s.resources == 0 {
		a.say("%s holds no files that are served: they lie in folders such as %s", p.show(loader.Resources), loader.Resources+"/config/")
	}
}

// enumerate is "a", "a and b", "a, b and c".
func enumerate(items []string) string {
	last := len(items) - 1
	if last == 0 {
		return items[0]
	}
	return fmt.Sprintf("%s and %s", strings.Join(items[:last], ", "), items[last])
}
