package loader

import (
	"errors"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/walk"
	"github.com/mcp-docs-server/mcp-docs-server/matcher"
	"github.com/mcp-docs-server/mcp-docs-server/templates"
)

// awkward is a project with a file for each cause. want holds the expected omission of each path.
func awkward(t *testing.T) (fsys fstest.MapFS, opts Options, want map[string]Skipped) {
	t.Helper()
	entries, _ := templates.Decode(TemplatesFile, []byte(`[
		{"uriTemplate": "docs://{+path}", "name": "t", "describe": true},
		{"uriTemplate": "kept://{+path}", "name": "t"}
	]`))
	index, _ := matcher.New(TemplatesFile, entries)
	opts = Options{
		Templates: index, HideUnmatched: true,
		Include: []string{"docs/**", "kept/**", "KEPT/**", "other/**", "far/**", "/**/.well-known/**"},
		Exclude: []string{"docs/private/", "**/*.secret"},
		Mounts: []Mount{{Dir: "manual", Scheme: "kept", Host: "Manual", Omit: func(name, _ string, _ bool) (Cause, string) {
			if strings.HasSuffix(name, ".made") {
				return Ignored, ""
			}
			return Served, ""
		}}, {Dir: "skills", Scheme: "skill", Skills: true}},
	}
	fsys = fstest.MapFS{}
	file := func(name string) { fsys[name] = &fstest.MapFile{Data: []byte("{}")} }
	for _, name := range []string{
		"resources/docs/a.md", "resources/docs/h/b.md", "resources/docs/h/.well-known/c", "resources/kept/h/d",
		"manual/guide/e.md", "elsewhere/f.md", "skills/group/one/SKILL.md",
	} {
		file(name)
	}
	deep := "resources/docs" + strings.Repeat("/d", maxDepth-1)
	file(deep + "/below/g")
	for hop := range maxHops + 1 {
		fsys["hop/"+string(rune('a'+hop))+"/next"] = &fstest.MapFile{Mode: fs.ModeSymlink, Data: []byte("../" + string(rune('b'+hop)))}
	}
	fsys["hop/e/end"] = &fstest.MapFile{}
	fsys["resources/far/h"] = &fstest.MapFile{Mode: fs.ModeSymlink, Data: []byte("../../hop/a")}
	want = map[string]Skipped{}
	for _, o := range []Skipped{
		{"resources/docs/h/.draft.md", HiddenName, ".draft.md"},
		{"resources/docs/.git/sub/file", HiddenName, ".git"}, // the scan reads .git because an include pattern contains .well-known
		{"resources/docs/h/.other/.well-known/c", HiddenName, ".other"},
		{"resources/docs/h/a.md~", HiddenName, "a.md~"},
		{"resources/docs/h/a.swp", HiddenName, "a.swp"},
		{"resources/docs/node_modules/sub/file", HiddenName, "node_modules"},
		{"manual/guide/.draft", HiddenName, ".draft"},
		{"resources/docs/private", Excluded, "docs/private/"},
		{"resources/docs/h/x.secret", Excluded, "**/*.secret"},
		{"manual/guide/x.secret", Excluded, "**/*.secret"},
		{"manual/guide/x.made", Ignored, ""},
		{"resources/more/h/a", NotIncluded, ""},
		{"resources/other/h/a", NoTemplate, ""},
		{"resources/docs/h/b.md.meta.json", Describes, "resources/docs/h/b.md"},
		{"resources/templates.json", NotIncluded, ""},
		{"resources/no_scheme", NotScheme, "no_scheme"},
		{"resources/KEPT/h/d", SameURI, "resources/kept/h/d"},
		{"skills/group/README.md", OutsideSkills, ""},
		{deep + "/below", TooDeep, ""},
		{"resources/docs/h/pipe", Irregular, ""},
		{"resources/docs/h/out", LinkRefused, "is a link that leads out of the project folder"},
		{"resources/docs/h/loop", LinkRefused, "is a link to a folder that it lies in"},
		{"resources/docs/h/gone", LinkRefused, "is a link to something that is not there"},
		{"resources/far/h/next/next/next", TooManyLinks, "more than 3 links to folders lead to it"},
	} {
		want[o.Path] = o
		switch name := o.Path; {
		case o.Cause == TooDeep || o.Cause == TooManyLinks:
		case o.Cause == Irregular:
			fsys[name] = &fstest.MapFile{Mode: fs.ModeNamedPipe}
		case o.Cause == LinkRefused:
			target := map[string]string{"out": "../../../../x", "loop": "../h", "gone": "nothing"}[name[strings.LastIndexByte(name, '/')+1:]]
			fsys[name] = &fstest.MapFile{Mode: fs.ModeSymlink, Data: []byte(target)}
		case slices.Contains([]string{"private", "no_scheme"}, name[strings.LastIndexByte(name, '/')+1:]):
			file(name + "/sub/file")
		default:
			file(name)
		}
	}
	return fsys, opts, want
}

// A scan reports each cause, and explaining a single path gives the same result as scanning the
// project.
func TestOmissions(t *testing.T) {
	fsys, opts, want := awkward(t)
	fsys["resources/docs/h/b.md.meta.json"].Data = []byte(`{"title": "B"}`)
	omitted := map[string]Skipped{}
	var mu sync.Mutex
	opts.Omitted = func(o Skipped) {
		mu.Lock()
		defer mu.Unlock()
		if known, ok := omitted[o.Path]; ok {
			t.Errorf("reported twice: %s and %s", known, o)
		}
		omitted[o.Path] = o
	}
	catalog := must.Get(Scan(t.Context(), fsys, opts))(t)
	must.Equal(t, want, omitted)
	served := map[string]string{}
	for f := range catalog.Files() {
		served[f.LogicalPath()] = f.file.name
	}
	for r := range catalog.All() {
		e, err := Explain(t.Context(), fsys, opts, r.LogicalPath())
		if err != nil || e.Cause != Served || e.Resource.catalog == nil || e.Resource.URI() != r.URI() || e.Folder {
			t.Errorf("%s is served but explained as %+v, %v", r.URI(), e.Skipped, err)
		}
	}
	for path, o := range want {
		for _, below := range []string{"", "/some/name"} { // also for a path below it, which need not exist
			e, err := Explain(t.Context(), fsys, opts, path+below)
			if err != nil || e.Skipped != o || e.Folder {
				t.Errorf("%s is explained as %+v, %v, want %s", path+below, e, err, o)
			}
		}
	}
	if e, err := Explain(t.Context(), fsys, opts, "resources/docs/.git/sub"); err != nil || !e.Folder || e.Cause != HiddenName || e.Detail != ".git" {
		t.Errorf("a hidden folder that is looked into is explained as %+v, %v", e, err)
	}
	// Every file below resources/ is either served or omitted, by itself or with a folder.
	for path := range maps.Keys(fsys) {
		if !walk.Holds(Resources, path) && !walk.Holds("manual", path) || fsys[path].Mode&fs.ModeSymlink != 0 {
			continue
		}
		e, err := Explain(t.Context(), fsys, opts, path)
		_, isServed := served[path]
		if err != nil || isServed != (e.Cause == Served || e.Cause == Describes) {
			t.Errorf("%s, served: %v, is explained as %s, %v", path, isServed, e.Skipped, err)
		}
	}
}

func TestExplainOthers(t *testing.T) {
	fsys := fstest.MapFS{
		TemplatesFile: {}, "resources/x/h/a": {}, "resources/x/h/.b": {}, "docs/a.md": {},
		"resources/x/l": {Mode: fs.ModeSymlink, Data: []byte("h")},
	}
	for _, test := range []struct {
		path   string
		cause  Cause
		uri    string
		folder bool
	}{
		{TemplatesFile, OutsideSchemes, "", false},
		{"resources/x/h/a", Served, "x://h/a", false},
		{"resources/x/l/a", Served, "x://l/a", false},
		{"resources/x/l/.b", HiddenName, "", false},
		{"resources/x/h", Served, "", true},
		{"resources/x", Served, "", true},
	} {
		e, err := Explain(t.Context(), fsys, Options{}, test.path)
		if err != nil || e.Cause != test.cause || e.Folder != test.folder || (e.Resource.catalog != nil) != (test.uri != "") {
			t.Errorf("%s: %+v, %v", test.path, e.Skipped, err)
			continue
		}
		if test.uri != "" && e.Resource.URI() != test.uri {
			t.Errorf("%s has the URI %s", test.path, e.Resource.URI())
		}
	}
	for _, path := range []string{"", ".", "resources", "resources/", "resources/x/h/b", "resources/X/h/a", "resources/X/h", "resources/y", "resources/x/h/a/b", "docs/a.md", "../x", "/resources/x/h/a", "resources//x", "resources/x/../x/h/a"} {
		if e, err := Explain(t.Context(), fsys, Options{}, path); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%q: %+v, %v", path, e, err)
		}
	}
	// The resources folder is a link that leads out of the project.
	out := fstest.MapFS{"resources": {Mode: fs.ModeSymlink, Data: []byte("..")}}
	if e, err := Explain(t.Context(), out, Options{}, "resources/x/h/a"); err != nil || e.Skipped != (Skipped{Resources, Unreadable, walk.ErrEscapes.Error()}) {
		t.Errorf("%+v, %v", e, err)
	}
}

// A noEntry is a file system with a folder that may not be listed.
type noEntry struct {
	fstest.MapFS
	folder string
}

func (n noEntry) ReadDir(name string) ([]fs.DirEntry, error) {
	if name == n.folder {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrPermission}
	}
	return n.MapFS.ReadDir(name)
}

func TestOmittedUnreadable(t *testing.T) {
	fsys := noEntry{fstest.MapFS{"resources/x/h/a": {}, "resources/x/i/a": {}}, "resources/x/h"}
	e, err := Explain(t.Context(), fsys, Options{}, "resources/x/h/a")
	if want := (Skipped{"resources/x/h", Unreadable, "may not be read (permission denied)"}); err != nil || e.Skipped != want {
		t.Errorf("%+v, %v, want %s", e.Skipped, err, want)
	}
}
