package loader

import (
	"context"
	"crypto/sha256"
	"io/fs"
	"slices"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/given"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

var skillMount = []Mount{{Dir: "skills", Scheme: "skill", Skills: true}}

func urisOf(c *Catalog) (all, skills []string) {
	for r := range c.All() {
		all = append(all, r.URI())
	}
	for r := range c.Skills("") {
		skills = append(skills, r.URI())
	}
	return all, skills
}

func TestSkills(t *testing.T) {
	var mu sync.Mutex
	var omitted []string
	c := scan(t, given.Files(
		"skills/README.md", "skills/SKILL.md=is not a folder below skills", "skills/shared/x.md",
		"skills/git/SKILL.md=---\ndescription: Uses Git\n---\n# The title", "skills/git/refs/a.md", "skills/git/.hidden", "skills/git/SKILL.md.meta.json={}",
		"skills/acme/billing/refunds/SKILL.md", "skills/acme/billing/refunds/nested/SKILL.md", "skills/acme/billing/notes.md",
		"resources/skill/git/SKILL.md=another", "resources/skill/git/more.md", "resources/skill/own/SKILL.md", "resources/other/a.md",
		"resources/other/b.md.meta.json", "resources/other/b.md",
	), Options{Mounts: skillMount, HideUnmatched: true, Include: []string{"other/**"}, Templates: index(t, `[{"uriTemplate": "other://{name}", "name": "n"}, {"uriTemplate": "skill://git/more.md", "name": "n"}]`), Describe: true,
		Omitted: func(o Skipped) {
			mu.Lock()
			defer mu.Unlock()
			omitted = append(omitted, o.String())
		}})
	all, skills := urisOf(c)
	must.Equal(t, []string{
		"other://a.md", "other://b.md",
		"skill://acme/billing/refunds/SKILL.md", "skill://acme/billing/refunds/nested/SKILL.md",
		"skill://git/SKILL.md", "skill://git/SKILL.md.meta.json", "skill://git/refs/a.md",
	}, all)
	must.Equal(t, []string{"skill://acme/billing/refunds/SKILL.md", "skill://acme/billing/refunds/nested/SKILL.md", "skill://git/SKILL.md"}, skills)
	var after []string
	for r := range c.Skills("skill://acme/billing/refunds/SKILL.md") {
		after = append(after, r.URI())
	}
	if !slices.Equal(after, skills[1:]) {
		t.Errorf("after the first: %q", after)
	}
	slices.Sort(omitted)
	must.Equal(t, []string{
		"resources/other/b.md.meta.json: describes another file: resources/other/b.md",
		"resources/skill/git/SKILL.md: no include pattern matches",
		"resources/skill/git/more.md: no include pattern matches",
		"resources/skill/own/SKILL.md: no include pattern matches",
		"skills/README.md: is in no folder with a SKILL.md",
		"skills/SKILL.md: is in no folder with a SKILL.md",
		"skills/acme/billing/notes.md: is in no folder with a SKILL.md",
		"skills/git/.hidden: has a hidden name: .hidden",
		"skills/shared/x.md: is in no folder with a SKILL.md",
	}, omitted)
	r, _ := c.Lookup("SKILL://GIT/SKILL%2Emd")
	if about := c.Metadata(r); r.DisplayName() != "git" || about.Title != "The title" || about.Description != "Uses Git" || r.LogicalPath() != "skills/git/SKILL.md" {
		t.Errorf("%s, %+v, %s", r.DisplayName(), about, r.LogicalPath())
	}
	if e, err := Explain(t.Context(), c.fsys, c.options, "skills/acme/billing/notes.md"); err != nil || e.Cause != OutsideSkills {
		t.Errorf("%+v, %v", e, err)
	}
	if e, err := Explain(t.Context(), c.fsys, c.options, "skills/git/refs/a.md"); err != nil || e.Cause != Served || e.Resource.URI() != "skill://git/refs/a.md" {
		t.Errorf("%+v, %v", e, err)
	}
	if found, ok, err := Find(t.Context(), c.fsys, c.options, "skill://git/refs/a.md"); err != nil || !ok || found.URI() != "skill://git/refs/a.md" {
		t.Errorf("%v, %v", ok, err)
	}
}

// A file of a skill takes precedence over a file below resources/ with the same URI. Other files
// below resources/ may share the scheme.
func TestSkillsWin(t *testing.T) {
	c := scan(t, given.Files("skills/git/SKILL.md=mine", "resources/skill/git/SKILL.md=another", "resources/skill/git/more.md=\xff\xfea\x00"), Options{Mounts: skillMount})
	r, _ := c.Lookup("skill://git/SKILL.md")
	if content, _, err := c.Content(r, 100); err != nil || content.Text != "mine" || !r.IsSkill() {
		t.Errorf("%+v, %v", content, err)
	}
	if want := []Warning{{Path: "resources/skill/git/SKILL.md", Reason: "is not served: skills/git/SKILL.md has the same URI"}}; !cmp.Equal(c.Warnings(), want) {
		t.Errorf("%+v", c.Warnings())
	}
	more, _ := c.Lookup("skill://git/more.md")
	if content, data, err := c.Content(more, 100); err != nil || content.IsText || content.Text != "" || len(data) != 4 {
		t.Errorf("UTF-16 among skills is %+v, %v", content, err)
	}
	if j := c.Classify(more, []byte("\xff\xfea\x00")); j.Form != Blob || j.Rule != IsOfSkill {
		t.Errorf("%+v", j)
	}
}

// counting counts how often files are opened and read.
type counting struct {
	fstest.MapFS
	reads *int
}

type countedFile struct {
	fs.File
	reads *int
}

func (c counting) Open(name string) (fs.File, error) {
	f, err := c.MapFS.Open(name)
	return countedFile{f, c.reads}, err
}

func (f countedFile) Read(b []byte) (int, error) {
	*f.reads++
	return f.File.Read(b)
}

func TestDigest(t *testing.T) {
	reads := 0
	tree := counting{given.Files("skills/a/SKILL.md=one"), &reads}
	c := scan(t, tree, Options{Mounts: skillMount})
	digest := func(want string, fromMemory bool) {
		t.Helper()
		reads = 0
		r, _ := c.Lookup("skill://a/SKILL.md")
		d, cached, err := c.Digest(t.Context(), r, 1000)
		if err != nil || d.SHA256 != sha256.Sum256([]byte(want)) || d.Size != int64(len(want)) {
			t.Errorf("%x of %d bytes, %v; want the digest of %q", d.SHA256, d.Size, err, want)
		}
		if cached != fromMemory || fromMemory != (reads == 0) {
			t.Errorf("%q: cached %v after %d reads", want, cached, reads)
		}
	}
	digest("one", false)
	digest("one", true)
	rescan := func(changes Changes) {
		t.Helper()
		var err error
		if c, err = Rescan(context.Background(), c, changes); err != nil {
			t.Fatal(err)
		}
	}
	rescan(Changes{Dirs: []string{"skills/a"}})
	digest("one", true)
	// The size and time are the same, but the file is reported as changed.
	tree.MapFS["skills/a/SKILL.md"].Data = []byte("two")
	rescan(Changes{Dirs: []string{"skills/a"}, Files: []string{"skills/a/SKILL.md"}})
	digest("two", false)
	// The file has a time that the catalog does not know yet and that is recent.
	tree.MapFS["skills/a/SKILL.md"] = &fstest.MapFile{Data: []byte("three"), ModTime: time.Now()}
	digest("three", false)
	digest("three", false)
	r, _ := c.Lookup("skill://a/SKILL.md")
	if _, _, err := c.Digest(t.Context(), r, 4); err == nil {
		t.Error("a file over the limit has a digest")
	}
}
