package project

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/given"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/prompts"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// A file with the URI of a resource that the server makes itself is served, and reported.
func TestReplacedIsReported(t *testing.T) {
	dir := given.Folder(t, indexed, "resources/capability-index/summary=mine")
	reported := make(chan loader.Warning, 10)
	follow(t, dir, LiveOptions{Report: func(e Event) {
		if n, ok := e.(Notices); ok {
			for _, notice := range n.Notices {
				reported <- notice
			}
		}
	}})
	want := loader.Warning{Path: "resources/capability-index/summary", Reason: "is served as capability-index://summary and hides the resource of the capability index with this URI: rename the file to have both"}
	for got := range reported {
		if got == want {
			return
		}
		t.Log(got)
	}
}

// Skills follow their files. With asPrompts, their prompts do too. Mistakes are reported.
func TestSkillsAreFollowed(t *testing.T) {
	dir := given.Folder(t, `mcp-docs-server.json={"skills": {"asPrompts": true}}`, "prompts/ask.md=Ask", "skills/git/SKILL.md=---\nname: git\ndescription: Uses Git\n---\n# Git {{verbatim}}\n",
		"skills/git/refs/a.md=A", "skills/group/ask/SKILL.md=---\nname: ask\ndescription: Asks\n---\nAsk well.\n")
	f := given.In(t, dir)
	warnings := make(chan string, 100)
	l := follow(t, dir, LiveOptions{Report: func(e Event) {
		if w, ok := e.(Warnings); ok {
			for _, p := range w.Problems {
				warnings <- p.String()
			}
		}
	}})
	until := func(want ...string) (set *prompts.Set) {
		t.Helper()
		must.Until(t, strings.Join(want, ", "), func() bool {
			set = l.prompts.Peek()
			var names []string
			for _, p := range set.Prompts() {
				names = append(names, p.Name+"="+p.Description)
			}
			return slices.Equal(names, want)
		})
		return set
	}
	set := until("ask=Ask", "git=Uses Git", "group/ask=Asks")
	git, _ := set.Get("git")
	blocks, err := git.Render(nil, nil)
	if err != nil || len(blocks) != 1 {
		t.Fatal(blocks, err)
	}
	for _, want := range []string{"# Git {{verbatim}}\n", "This is the skill skill://git/SKILL.md. Relative paths in it are below skill://git/.", "\n- skill://git/refs/a.md"} {
		if !strings.Contains(blocks[0].Text, want) {
			t.Errorf("the prompt has no %q: %s", want, blocks[0].Text)
		}
	}
	f.Write("skills/none/README.md", "no skill")
	f.Write("skills/new/SKILL.md", "---\nname: other\ndescription: d\n---\n")
	f.Write("skills/git/SKILL.md", "---\nname: git\ndescription: Uses Git well\n---\n")
	until("ask=Ask", "git=Uses Git well", "group/ask=Asks")
	for want := `skills/new/SKILL.md:2: warning: the name is "other", must be the name of the folder, "new"; it is not a skill for clients`; ; {
		// A file that is read while it is written is reported too.
		if got := <-warnings; got == want {
			break
		}
	}
	f.Write("skills/new/SKILL.md", "---\nname: new\ndescription: d\n---\n")
	until("ask=Ask", "git=Uses Git well", "group/ask=Asks", "new=d")
	f.Write("prompts/later.md", "Later")
	until("ask=Ask", "git=Uses Git well", "group/ask=Asks", "later=Later", "new=d")

	if got, want := l.project.instructions(l.settings.Load(), false), "The project offers skills: \"git/\", \"group/\", \"new/\", \"none/\" below skill://. When one fits the task, read its SKILL.md first.\n"; !strings.Contains(got, want) {
		t.Errorf("instructions: %s", got)
	}
	if got, err := l.skills.Summaries(context.Background(), l.catalog.Peek()); err != nil || len(got) != 3 || got[0].Manifest.URI() != "skill://git/SKILL.md" || got[0].Name != "git" || got[0].Manifest.Size() == 0 {
		t.Errorf("%+v, %v", got, err)
	}
	offline, err := open(t, dir).Prompts(context.Background())
	if err != nil || len(offline.Prompts()) != 5 {
		t.Errorf("%v, %v", offline.Prompts(), err)
	}
	f.Write("mcp-docs-server.json", "{}")
	until("ask=Ask", "later=Later")
}
