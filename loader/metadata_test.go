package loader

import (
	"context"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/given"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/templates"
)

func TestReadAbout(t *testing.T) {
	const md, js = "text/markdown", "application/json"
	for _, test := range []struct {
		mime, text         string
		title, description string
	}{
		{md, "", "", ""},
		{md, "text only", "", ""},
		{md, "intro\n\n## First *one*\n# Second\n", "First one", ""},
		{md, "\ufeff---\ntitle: 'It''s  a\n  title'\ndescription: >\n  Two\n  lines.\n---\n# Heading\n", "It's a title", "Two lines."},
		{md, "---\r\ndescription: only this\r\n---\r\n# Heading\r\n", "Heading", "only this"},
		{"text/mdx", "---\ntitle: 2024\ndescription: null\n---\n", "2024", ""},
		{md, "---\ntitle: [a, b]\ndescription: {a: b}\n---\n# H", "H", ""},
		{md, "---\ntitle: a: b\n---\n# H", "H", ""},                         // not YAML
		{md, "---\ntitle: &a x\ndescription: *a\n---\n# H", "x", "x"},       // as in prompts
		{md, "---\n" + strings.Repeat("[", 10_000) + "\n---\n# H", "H", ""}, // too deep
		{md, "---\ntitle: \x1b[31mb\n---\n# \u202eH\x07\n", "H", ""},        // control characters are not YAML
		{md, "---\ntitle: " + strings.Repeat("x", 1000) + "\n---\n", strings.Repeat("x", 297) + "…", ""},
		{md, "# " + strings.Repeat("x", 1000), strings.Repeat("x", 300), ""},
		{js, `{"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "T", "description": "D"}`, "T", "D"},
		{js, "\ufeff" + ` {"type": "object", "title": "T"}`, "T", ""},
		{js, `{"properties": {"title": {"title": "inner"}}, "description": "D"}`, "", "D"},
		{js, `{"title": "Mr", "description": "a person"}`, "", ""}, // not a JSON Schema
		{js, `{"$schema": "./person.schema.json", "title": "Mr"}`, "", ""},
		{"application/schema+json", `{"title": "T"}`, "T", ""},
		{js, `{"type": "object", "title": 1, "description": ["D"]}`, "", ""},
		{js, `{"type": "object", "title": "T"`, "", ""},
		{js, `["title"]`, "", ""},
		{"text/plain", "# H", "", ""},
	} {
		got := ReadMetadata(test.mime, test.text)
		if want := (Metadata{Title: test.title, Description: test.description}); !cmp.Equal(want, got) {
			t.Errorf("%s %.100q: %+v, want %+v", test.mime, test.text, got, want)
		}
	}
}

func TestSidecar(t *testing.T) {
	for _, test := range []struct {
		json     string
		want     Metadata
		problems []string
	}{
		{`{}`, Metadata{}, nil},
		{`{"title": " A  title ", "description": "D", "audience": ["user"], "priority": 0.5, "icons": [{"src": "https://x.dev/i.png"}]}`,
			Metadata{Title: "A title", Description: "D", Audience: []string{"user"}, Priority: new(0.5), Icons: []templates.Icon{{Src: "https://x.dev/i.png"}}}, nil},
		{`{"title": "T", "desc": "D"}`, Metadata{Title: "T"}, []string{`f:1:16: warning: unknown field "desc"; did you mean "description"?`}},
		{`{"title": "T", "priority": 2}`, Metadata{}, []string{"f:1:28: priority is 2, must be a number from 0 to 1"}},
		{`{"audience": ["bot"]}`, Metadata{}, []string{`f:1:15: audience is "bot", must be "user" or "assistant"`}},
		{`[]`, Metadata{}, []string{"f:1:1: the document is an array, must be an object"}},
		{`{`, Metadata{}, []string{"f:1:2: "}},
	} {
		sidecar, problems := templates.DecodeSidecar("f", []byte(test.json))
		got := Metadata(sidecar).bounded()
		must.Equal(t, test.want, got, test.json)
		if len(problems) != len(test.problems) {
			t.Errorf("%s: %v", test.json, problems)
			continue
		}
		for i, p := range problems {
			if !strings.HasPrefix(p.String(), test.problems[i]) {
				t.Errorf("%s: %q, want %q", test.json, p, test.problems[i])
			}
		}
	}
}

func FuzzReadAbout(f *testing.F) {
	f.Add("text/markdown", "---\ntitle: x\n---\n# y")
	f.Add("application/json", `{"type": "object", "title": "x"}`)
	f.Fuzz(func(t *testing.T, mime, text string) {
		a := ReadMetadata(mime, text)
		if len(a.Title) > maxTitle || len(a.Description) > maxDescription || strings.ContainsAny(a.Title, "\n\r\x00") {
			t.Errorf("%q says %+v", text, a)
		}
	})
}

func TestAbout(t *testing.T) {
	fsys := given.Files(
		"resources/x/h/a.md=# A", "resources/x/h/a.md.meta.json={\"description\": \"of a\", \"priority\": 0}",
		"resources/x/h/b.md=---\ntitle: B\ndescription: of b\n---\n# Not",
		"resources/x/h/bad.md=# Bad", "resources/x/h/bad.md.meta.json={\"title\": 1}",
		"resources/x/h/wide.md=\xff\xfe#\x00 \x00W\x00",
		"resources/x/h/pic.png=\x89PNG", "resources/x/h/pic.png.meta.json={\"title\": \"Pic\"}", "resources/x/h/pic.png.meta.json.meta.json={}",
		"resources/x/h/lone.meta.json={\"title\": \"no schema\"}",
		"resources/x/h/s.json={\"type\": \"object\", \"title\": \"S\", \"description\": \"of s\"}",
		"resources/x/h/long.md="+strings.Repeat("é", 10_000)+"\n# Late",
		"resources/x/h/linked.md=# Linked", "resources/x/h/linked.md.meta.json->../../../.secret.json", ".secret.json={\"title\": \"secret\"}",
		"resources/x/h/hidden.md=# Hidden", "resources/x/h/.hidden.md.meta.json={\"title\": \"hidden\"}",
		"resources/x/quiet/q.md=# Q", "resources/x/quiet/q.md.meta.json={\"title\": \"Q\"}",
		"resources/x/drafts/d.md=# D", "resources/x/drafts/d.md.meta.json={\"title\": \"excluded\"}",
	)
	c := scan(t, fsys, Options{
		Describe: true,
		Exclude:  []string{"x/drafts/*.meta.json"},
		Templates: index(t, `[
			{"uriTemplate": "x://h/{n}", "name": "h", "description": "of the template", "annotations": {"audience": ["user"], "priority": 1}},
			{"uriTemplate": "x://quiet/{n}", "name": "q", "describe": false}]`),
	})
	problems := c.Learn(context.Background(), nil)
	if len(problems) != 1 || problems[0].String() != "resources/x/h/bad.md.meta.json:1:11: title is a number, must be a string" {
		t.Errorf("problems are %v", problems)
	}
	if again := c.Learn(context.Background(), c); len(again) != 0 {
		t.Errorf("the same catalog has %v", again)
	}
	got := make(map[string]Metadata)
	for r := range c.All() {
		got[strings.TrimPrefix(r.URI(), "x://")] = c.Metadata(r)
	}
	of := func(title, description string, priority float64) Metadata {
		return Metadata{Title: title, Description: description, Audience: []string{"user"}, Priority: &priority}
	}
	const usual = "of the template"
	want := map[string]Metadata{
		"h/a.md": of("A", "of a", 0), "h/b.md": of("B", "of b", 1), "h/bad.md": of("Bad", usual, 1), "h/wide.md": of("W", usual, 1),
		"h/pic.png": of("Pic", usual, 1), "h/pic.png.meta.json.meta.json": of("", usual, 1), "h/lone.meta.json": of("", usual, 1),
		"h/s.json": of("S", "of s", 1), "h/long.md": of("", usual, 1), "h/linked.md": of("Linked", usual, 1), "h/hidden.md": of("Hidden", usual, 1),
		"quiet/q.md": {}, "quiet/q.md.meta.json": {}, "drafts/d.md": {Title: "D"},
	}
	must.Equal(t, want, got)
}

// reads counts how often each file was opened.
type reads struct {
	fstest.MapFS
	count map[string]int
}

func (f reads) Open(name string) (fs.File, error) {
	f.count[name]++
	return f.MapFS.Open(name)
}

// The description in a file is read once while the file stays the same, whatever happens to other
// files in the folder.
func TestAboutIsRemembered(t *testing.T) {
	ctx := context.Background()
	old := time.Now().Add(-time.Hour)
	write := func(text string, at time.Time) *fstest.MapFile {
		return &fstest.MapFile{Data: []byte(text), ModTime: at}
	}
	fsys := reads{fstest.MapFS{
		"resources/x/h/a.md":           write("# A", old),
		"resources/x/h/b.md":           write("# B", old),
		"resources/x/h/b.md.meta.json": write(`{"description": "B"}`, old),
		"resources/x/h/new.md":         write("# N", time.Now()),
		"resources/x/h/bare":           write("%PDF-1", old),
	}, make(map[string]int)}
	c := scan(t, fsys, Options{Describe: true})
	state := func(c *Catalog) map[string]int {
		clear(fsys.count)
		listed(c)
		opened := make(map[string]int)
		for name, n := range fsys.count {
			if strings.HasPrefix(name, "resources/x/h/") {
				opened[strings.TrimPrefix(name, "resources/x/h/")] = n
			}
		}
		return opened
	}
	next := func(dirs, trees []string) {
		t.Helper()
		var err error
		if c, err = Rescan(ctx, c, Changes{Dirs: dirs, Trees: trees}); err != nil {
			t.Fatal(err)
		}
	}
	expect := func(when string, want map[string]int) {
		t.Helper()
		if diff := cmp.Diff(want, state(c)); diff != "" {
			t.Errorf("%s, files are opened (-want +got):\n%s", when, diff)
		}
	}
	expect("at first", map[string]int{"a.md": 1, "b.md": 1, "b.md.meta.json": 1, "new.md": 1, "bare": 1})
	expect("again", map[string]int{})
	fsys.MapFS["resources/x/h/0.md"] = write("# Z", old)
	next([]string{"resources/x/h"}, nil)
	expect("next to a new file", map[string]int{"0.md": 1, "new.md": 1}) // new.md may have changed in the same tick
	fsys.MapFS["resources/x/h/b.md.meta.json"] = write(`{"description": "C"}`, old.Add(1))
	next(nil, []string{"."})
	expect("with a new sidecar", map[string]int{"b.md": 1, "b.md.meta.json": 1, "new.md": 1})
	fsys.MapFS["resources/x/i/a.md"] = write("# I", old)
	next([]string{"resources/x"}, []string{"resources/x/i"})
	expect("with another folder next to it", map[string]int{})
}

// Known returns the same as Metadata and MIME without opening a file: false before Metadata and MIME have
// read what they need, and true from then on.
func TestKnown(t *testing.T) {
	for _, describe := range []bool{false, true} {
		fsys := reads{given.Files(
			"resources/x/h/a.md=# A", "resources/x/h/a.md.meta.json={\"description\": \"of a\"}", "resources/x/h/pic.png=\x89PNG",
			"resources/x/h/bare=%PDF-1", "resources/x/h/README=text", "resources/x/quiet/q.md=# Q", "resources/x/quiet/bare=%PDF-1",
			"resources/x/typed/bare=%PDF-1",
		), make(map[string]int)}
		c := scan(t, fsys, Options{Describe: describe, Templates: index(t, `[
			{"uriTemplate": "x://quiet/{n}", "name": "q", "description": "D", "describe": false},
			{"uriTemplate": "x://typed/{n}", "name": "t", "mimeType": "text/x-own", "describe": false}]`)})
		reading := map[string]bool{"x://h/bare": true, "x://quiet/bare": true}
		if describe {
			for r := range c.All() {
				reading[r.URI()] = strings.HasPrefix(r.URI(), "x://h/") || r.URI() == "x://quiet/bare"
			}
		}
		for r := range c.All() {
			for _, before := range []bool{true, false} {
				clear(fsys.count)
				about, mime, ok := c.Known(r)
				if len(fsys.count) > 0 {
					t.Errorf("%s: %v were opened", r.URI(), fsys.count)
				}
				if ok == (before && reading[r.URI()]) {
					t.Errorf("%s: describe %t: known before it was read: %t", r.URI(), describe, ok)
				}
				if wantAbout, wantMIME := c.Metadata(r), c.MIME(r); ok && (mime != wantMIME || !cmp.Equal(about, wantAbout)) {
					t.Errorf("%s: %+v of %s, not %+v of %s", r.URI(), about, mime, wantAbout, wantMIME)
				}
			}
		}
	}
}

// A change of more files than are worth reading counts as a change of the list.
func TestManyAboutsChange(t *testing.T) {
	tree := func(at time.Time) fstest.MapFS {
		fsys := fstest.MapFS{}
		for i := range maxLearned + 1 {
			fsys["resources/x/h/"+strings.Repeat("a", i%200)+string(rune('a'+i/200))+".md"] = &fstest.MapFile{Data: []byte("# A"), ModTime: at}
		}
		return fsys
	}
	before := scan(t, tree(time.Unix(1, 0)), Options{Describe: true})
	listed(before)
	if scan(t, tree(time.Unix(1, 0)), Options{Describe: true}).ListChanged(before) {
		t.Error("nothing has changed")
	}
	if !scan(t, tree(time.Unix(2, 0)), Options{Describe: true}).ListChanged(before) {
		t.Error("all files have changed")
	}
	if !scan(t, tree(time.Unix(1, 0)), Options{}).ListChanged(before) {
		t.Error("titles are gone")
	}
}

// A file that is reported as changed is read again although its size and time are the same. So is a
// file whose sidecar is reported.
func TestReportedFilesAreReadAnew(t *testing.T) {
	old := time.Now().Add(-time.Hour)
	write := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text), ModTime: old} }
	fsys := given.Files("resources/x/h/link.md->../../../there/l.md", "resources/y/l->../../there")
	fsys["there/l.md"] = write("# L1")
	fsys["resources/x/h/a.md"] = write("# A1")
	fsys["resources/x/h/b.md"] = write("# B1")
	fsys["resources/x/h/b.md.meta.json"] = write(`{"description": "1"}`)
	c := scan(t, fsys, Options{Describe: true})
	listed(c)
	for file, text := range map[string]string{
		"resources/x/h/a.md": "# A2", "resources/x/h/b.md": "# B2", "resources/x/h/b.md.meta.json": `{"description": "2"}`, "there/l.md": "# L2",
	} {
		fsys[file] = write(text)
		next := must.Get(Rescan(context.Background(), c, Changes{Dirs: above(file)[:1], Files: []string{file}}))(t)
		if !next.ListChanged(c) {
			t.Errorf("a change of %s does not change the list", file)
		}
		if diff := cmp.Diff(listed(scan(t, fsys, Options{Describe: true})), listed(next)); diff != "" {
			t.Errorf("after a change of %s (-scan +rescan):\n%s", file, diff)
		}
		if again, err := Rescan(context.Background(), next, Changes{Dirs: above(file)[:1], Files: []string{file}}); err != nil || again.ListChanged(next) {
			t.Errorf("a report of %s, which is as it was, is a change of the list (%v)", file, err)
		}
		c = next
	}
}

// Reading the same settings again does not change a list; different settings do.
func TestSameSettingsChangeNoList(t *testing.T) {
	fsys := given.Files("resources/x/h/a.md=# A")
	with := func(describe bool, templates string) *Catalog {
		c := scan(t, fsys, Options{Describe: describe, Templates: index(t, templates)})
		listed(c)
		return c
	}
	const named, quiet = `[{"uriTemplate": "x://{h}/{n}", "name": "n", "describe": true}]`, `[{"uriTemplate": "x://{h}/{n}", "name": "n", "describe": false}]`
	if with(true, named).ListChanged(with(true, named)) {
		t.Error("the same settings change the list")
	}
	if !with(true, quiet).ListChanged(with(true, named)) || !with(false, "[]").ListChanged(with(true, "[]")) {
		t.Error("other settings do not change the list")
	}
}

// A modification time in the future does not cause a file to be read each time its folder is.
func TestFutureTimes(t *testing.T) {
	fsys := reads{fstest.MapFS{"resources/x/h/a.md": {Data: []byte("# A"), ModTime: time.Now().Add(24 * time.Hour)}}, make(map[string]int)}
	c := scan(t, fsys, Options{Describe: true})
	listed(c)
	next := must.Get(Rescan(context.Background(), c, Changes{Trees: []string{"."}}))(t)
	listed(next)
	if n := fsys.count["resources/x/h/a.md"]; n != 1 {
		t.Errorf("the file is read %d times", n)
	}
}

// A sidecar that is removed during a read does not count as a problem.
func TestSidecarRemovedDuringRead(t *testing.T) {
	fsys := given.Files("resources/x/h/a.md=# A", "resources/x/h/a.md.meta.json={")
	c := scan(t, fsys, Options{Describe: true})
	delete(fsys, "resources/x/h/a.md.meta.json")
	if problems := c.Learn(context.Background(), nil); len(problems) != 0 {
		t.Errorf("%v", problems)
	}
}

// A mistake in a sidecar is reported once while it lasts, and again when it comes back.
func TestSidecarProblemsAreReportedOnce(t *testing.T) {
	at := time.Unix(0, 0)
	fsys := given.Files("resources/x/h/a.md=# A")
	write := func(name, text string) {
		at = at.Add(time.Second)
		fsys["resources/x/h/"+name] = &fstest.MapFile{Data: []byte(text), ModTime: at}
	}
	var last *Catalog
	for i, step := range []struct {
		name, text string
		want       int
	}{
		{"a.md.meta.json", `{"title": 1}`, 1},
		{"b.md", "# B", 0},
		{"a.md", "# C", 0},
		{"a.md.meta.json", `{"title": "A"}`, 0},
		{"a.md.meta.json", `{"title": 1}`, 1},
	} {
		write(step.name, step.text)
		c := last
		if last == nil {
			c = scan(t, fsys, Options{Describe: true})
		} else if next, err := Rescan(context.Background(), last, Changes{Dirs: []string{"resources/x/h"}}); err == nil {
			c = next
		}
		if problems := c.Learn(context.Background(), last); len(problems) != step.want {
			t.Errorf("step %d: %v", i, problems)
		}
		last = c
	}
}
