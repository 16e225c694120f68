package loader

import (
	"context"
	"io"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/given"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/matcher"
	"github.com/mcp-docs-server/mcp-docs-server/templates"
)

func scan(tb testing.TB, fsys fs.FS, opts Options) *Catalog {
	tb.Helper()
	return must.Get(Scan(context.Background(), fsys, opts))(tb)
}

func uris(c *Catalog) []string {
	var out []string
	for r := range c.All() {
		out = append(out, r.URI())
	}
	return out
}

func warnings(c *Catalog) []string {
	var out []string
	for _, n := range c.Warnings() {
		out = append(out, n.Path+": "+n.Reason)
	}
	return out
}

func index(tb testing.TB, json string) *matcher.Index {
	tb.Helper()
	entries, problems := templates.Decode(TemplatesFile, []byte(json))
	must.Do(tb, problems.Err())
	ix, _ := matcher.New(TemplatesFile, entries)
	return ix
}

func TestScan(t *testing.T) {
	for _, test := range []struct {
		name     string
		tree     fstest.MapFS
		opts     Options
		uris     []string
		warnings []string // the start of each warning
	}{
		{
			name: "order", tree: given.Files("resources/b/h/z", "resources/b/h/a/x", "resources/b/h/a.md", "resources/a/h/x", "resources/a/n", "resources/templates.json=[]", "other/x"),
			uris: []string{"a://n", "a://h/x", "b://h/a.md", "b://h/z", "b://h/a/x"},
		},
		{name: "nothing", tree: given.Files("docs/x")},
		{name: "resources is a file", tree: given.Files("resources=x"), warnings: []string{"resources: "}},
		{
			name: "schemes", tree: given.Files("resources/my_scheme/h/x", "resources/1a/h/x", "resources/git+ssh/h/x", "resources/API/h/x"),
			uris:     []string{"api://h/x", "git+ssh://h/x"},
			warnings: []string{"resources/my_scheme: is not served: a folder here is a URI scheme", "resources/1a: is not served"},
		},
		{
			name: "one scheme, two folders", tree: given.Files("resources/API/h/x=upper", "resources/API/h/y", "resources/api/h/x=lower", "resources/Api/g/z", "resources/API/h/d/e"),
			uris:     []string{"api://g/z", "api://h/x", "api://h/y", "api://h/d/e"},
			warnings: []string{"resources/API/h/x: is not served: resources/api/h/x has the same URI"},
		},
		{
			name: "hosts", tree: given.Files("resources/x/my host/a", "resources/x/a:b@c/d", "resources/x/e f"),
			uris:     []string{"x://e%20f", "x://a%3Ab%40c/d", "x://my%20host/a"},
			warnings: []string{"resources/x/a:b@c: has a name that is not a plain URI host", "resources/x/e f: has a name", "resources/x/my host: has a name"},
		},
		{
			name: "hidden", tree: given.Files("resources/x/.env", "resources/x/h/.git/config", "resources/x/h/a~", "resources/x/h/.#a", "resources/x/h/.a.swp", "resources/x/h/a.swp", "resources/x/h/node_modules/p/x", "resources/.x/h/a", "resources/x/h/ok"),
			uris: []string{"x://h/ok"},
		},
		{
			name: "include spells hidden names", tree: given.Files("resources/x/h/.well-known/a", "resources/x/h/.well-known/.git/c", "resources/x/h/.git/b", "resources/x/h/.env", "resources/x/h/c"),
			opts: Options{Include: []string{"**/.well-known/**"}},
			uris: []string{"x://h/c", "x://h/.well-known/a"},
		},
		{
			name: "include spells hidden names in braces", tree: given.Files("resources/x/h/.a/1", "resources/x/h/.b/2", "resources/x/h/.c/3", "resources/x/h/4"),
			opts: Options{Include: []string{"**/{.a,.b}/**"}},
			uris: []string{"x://h/4", "x://h/.a/1", "x://h/.b/2"},
		},
		{
			name: "include limits", tree: given.Files("resources/x/h/a.md", "resources/x/h/b.txt", "resources/x/h/.c.md", "resources/x/h/d/e.md"),
			opts: Options{Include: []string{"**/*.md"}},
			uris: []string{"x://h/a.md", "x://h/d/e.md"},
		},
		{
			name: "exclude wins", tree: given.Files("resources/x/h/a.md", "resources/x/h/drafts/b.md", "resources/x/h/old/c.md", "resources/x/h/.d/e"),
			opts: Options{Include: []string{"**/*.md", "**/.d/**"}, Exclude: []string{"**/drafts/**", "/x/h/old/", "./x/h/.d/e"}},
			uris: []string{"x://h/a.md"},
		},
		{
			name: "unmatched are hidden", tree: given.Files("resources/x/h/a.md", "resources/x/h/b.txt"),
			opts: Options{HideUnmatched: true, Templates: index(t, `[{"uriTemplate": "x://h/{n}.md", "name": "n"}]`)},
			uris: []string{"x://h/a.md"},
		},
		{
			name: "links", tree: given.Files("docs/a.md=doc", "docs/sub/b", "resources/x/h/file->../../../docs/a.md", "resources/x/h/dir->../../../docs", "resources/x/h/out->../../../../etc", "resources/x/h/abs->/etc/passwd", "resources/x/h/gone->nothing", "resources/x/h/loop->loop", "resources/x/h/up->../h", "resources/x/h/secret->../../../.env", ".env=s"),
			uris: []string{"x://h/file", "x://h/dir/a.md", "x://h/dir/sub/b"},
			warnings: []string{
				"resources/x/h/abs: is not served: is a link that leads out", "resources/x/h/gone: is not served: is a link to something that is not there",
				"resources/x/h/loop: is not served: is a link that leads back to itself", "resources/x/h/out: is not served: is a link that leads out",
				"resources/x/h/secret: is not served: is a link to something hidden", "resources/x/h/up: is not served: is a link to a folder that it lies in",
			},
		},
		{
			name: "links to each other", tree: given.Files("resources/x/a/f", "resources/x/a/b->../b", "resources/x/b/g", "resources/x/b/a->../a"),
			uris:     []string{"x://a/f", "x://a/b/g", "x://b/g", "x://b/a/f"},
			warnings: []string{"resources/x/b/a: is not served: is a link to a folder that it lies in", "resources/x/a/b: is not served: is a link to a folder that it lies in"},
		},
		{name: "resources is the project", tree: given.Files("x/h/a", "resources->."), warnings: []string{"resources: is a link to the project folder itself"}},
		{name: "resources is a link", tree: given.Files("content/x/h/a", "resources->content"), uris: []string{"x://h/a"}},
		{name: "resources is a broken link", tree: given.Files("resources->content"), warnings: []string{"resources: is a link to something that is not there"}},
		{name: "resources leads out", tree: given.Files("resources->../content"), warnings: []string{"resources: is a link that leads out of the project folder"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := scan(t, test.tree, test.opts)
			must.Equal(t, test.uris, uris(c), "URIs")
			must.Equal(t, len(test.uris), c.Len(), "Len is")
			got := warnings(c)
			if !slices.EqualFunc(test.warnings, got, func(want, got string) bool { return strings.HasPrefix(got, want) }) {
				t.Errorf("warnings are %q, want %q", got, test.warnings)
			}
		})
	}
}

// On a file system that shows links but cannot read them, no link is followed.
func TestLinksThatCannotBeRead(t *testing.T) {
	fsys := struct{ fs.FS }{given.Files("resources/x/h/a", "resources/x/h/link->a")}
	c := scan(t, fsys, Options{})
	must.Equal(t, "x://h/a", strings.Join(uris(c), " "), "served")
}

func TestScanErrors(t *testing.T) {
	for _, opts := range []Options{{Include: []string{"a[b"}}, {Exclude: []string{"{a"}}} {
		if _, err := Scan(context.Background(), given.Files(), opts); err == nil || !strings.Contains(err.Error(), "is not a valid pattern") {
			t.Errorf("%v: %v", opts, err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Scan(ctx, given.Files("resources/x/h/a"), Options{}); err == nil {
		t.Error("a cancelled scan ends without an error")
	}
}

// After yields exactly the resources that follow a URI, whether or not the URI exists.
func TestAfter(t *testing.T) {
	c := scan(t, given.Files("resources/a/n", "resources/a/h/x", "resources/a/h/z", "resources/a/h/d/e/f", "resources/a/h/d/x", "resources/b/h/%41", "resources/b/h/a b", "resources/b/i/é"), Options{})
	all := uris(c)
	for i, u := range all {
		must.Equal(t, all[i+1:], append([]string{}, urisAfter(c, u)...), "after ", u)
	}
	for gone, next := range map[string]string{
		"":           "a://n",
		"a://a":      "a://n",
		"a://o":      "a://h/x",
		"a://g/z":    "a://h/x",
		"a://h/y":    "a://h/z",
		"a://h/zz":   "a://h/d/x",
		"a://h/d/y":  "a://h/d/e/f",
		"a://h/d/z/": "a://h/d/e/f",
		"a://i/a":    "b://h/%2541",
		"c://h/a":    "",
		"nonsense":   "a://n",
	} {
		got := ""
		if rest := urisAfter(c, gone); len(rest) > 0 {
			got = rest[0]
		}
		if got != next {
			t.Errorf("after %q comes %q, want %q", gone, got, next)
		}
	}
}

func urisAfter(c *Catalog, s string) []string {
	var out []string
	for r := range c.After(s) {
		out = append(out, r.URI())
	}
	return out
}

func TestMounts(t *testing.T) {
	fsys := given.Files(
		"docs/a.md", "docs/b.md", "docs/.hidden", "docs/deep/c.md", "docs/drafts/d.md", "docs/out->../../x", "docs/up->../../p/docs",
		"resources/docs/acme/b.md=own", "resources/DOCS/acme/B.md", "resources/docs/other/x", "guides/g.md", "link->guides", "secret->.git", ".git/x", "self->.",
	)
	mount := func(dir, scheme, host string) Mount { return Mount{Dir: dir, Scheme: scheme, Host: host} }
	c := scan(t, fsys, Options{
		Exclude: []string{"docs/acme/drafts"},
		Mounts: []Mount{
			mount("docs", "docs", "acme"), mount("link", "g", "a b"), mount("gone", "g", "h"), mount("docs/a.md", "g", "i"), mount("secret", "g", "j"), mount("self", "g", "k"),
		},
	})
	want := []string{"docs://acme/B.md", "docs://acme/a.md", "docs://acme/b.md", "docs://acme/deep/c.md", "docs://other/x", "g://a%20b/g.md"}
	must.Equal(t, want, uris(c))
	if r, ok := c.Lookup("docs://acme/b.md"); !ok || r.Path() != "resources/docs/acme/b.md" || r.Mounted() {
		t.Error("a mounted file has taken the place of a resource")
	}
	if r, ok := c.Lookup("docs://acme/deep/c.md"); !ok || !r.Mounted() {
		t.Error("a file deep in a mount is not known as such")
	}
	wantNotices := []string{
		"docs/b.md: is not served: resources/docs/acme/b.md has the same URI",
		"docs/out: is not served: is a link that leads out of the project folder",
		"docs/up: is not served: is a link that leads out of the project folder",
		"link: is served as g://a%20b, whose host is not a plain URI host: some clients refuse its URIs",
		"secret: is not served: is a link to something hidden",
		"self: is not served: is a link to the project folder itself",
	}
	got := warnings(c)
	slices.Sort(got)
	must.Equal(t, wantNotices, got, "warnings")
	if only := scan(t, given.Files("docs/a.md"), Options{Mounts: []Mount{mount("docs", "docs", "acme")}}); only.Len() != 1 {
		t.Errorf("a project without resources has %v", uris(only))
	}
}

// Files and folders that the configuration excludes are left out of mounts too, even if the mount
// itself is excluded.
func TestMountsAreFiltered(t *testing.T) {
	for _, test := range []struct {
		host             string
		include, exclude []string
		want             string
		warnings         []string
	}{
		{"acme", nil, nil, "docs://acme/a.md", nil},
		{"acme", nil, []string{"docs/acme"}, "", nil},
		{"acme", nil, []string{"docs"}, "", nil},
		{"acme", nil, []string{"docs/acme/*"}, "", nil},
		{"acme", nil, []string{"docs/other"}, "docs://acme/a.md", nil},
		{".acme", nil, nil, "", []string{`docs: is not served: docs://.acme has a hidden name; to serve it, add an include pattern such as "docs/.acme/**"`}},
		{".acme", []string{"docs/.acme/**"}, nil, "docs://.acme/a.md", nil},
		{".acme", nil, []string{"docs/.acme"}, "", nil},
	} {
		c := scan(t, given.Files("docs/a.md"), Options{Include: test.include, Exclude: test.exclude, Mounts: []Mount{{Dir: "docs", Scheme: "docs", Host: test.host}}})
		must.Equal(t, test.want, strings.Join(uris(c), " "), test)
		if diff := cmp.Diff(test.warnings, warnings(c)); diff != "" {
			t.Errorf("%+v: warnings (-want +got):\n%s", test, diff)
		}
	}
}

func TestFiles(t *testing.T) {
	text := func(s string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(s)} }
	c := scan(t, fstest.MapFS{
		"resources/x/a":                     text("1"),
		"resources/x/h/logo.png":            text("2"),
		"resources/x/h/logo.png.meta.json":  text("{}"),
		"resources/x/h/alone.meta.json":     text("{}"),
		"resources/x/h/.hidden":             text("3"),
		"resources/X/h/logo.png":            text("the lower-case folder wins"),
		"resources/X/h/upper":               text("4"),
		"resources/docs/Acme/guides/a.md":   text("wins over the document"),
		"documents/all/guides/a.md":         text("5"),
		"documents/all/guides/b.md":         text("6"),
		"documents/all/c.md":                text("7"),
		"documents/elsewhere/not/served.md": text("8"),
	}, Options{Describe: true, Mounts: []Mount{{Dir: "documents/all", Scheme: "docs", Host: "Acme"}}})
	var got []string
	for f := range c.Files() {
		r, err := f.Open()
		must.Do(t, err)
		data, err := io.ReadAll(r)
		r.Close()
		if err != nil || int64(len(data)) != f.Size() {
			t.Errorf("%s: %d bytes, %v, want %d", f.LogicalPath(), len(data), err, f.Size())
		}
		got = append(got, f.LogicalPath()+" "+string(data))
	}
	slices.Sort(got)
	want := []string{
		"documents/all/c.md 7",
		"documents/all/guides/b.md 6",
		"resources/X/h/upper 4",
		"resources/docs/Acme/guides/a.md wins over the document",
		"resources/x/a 1",
		"resources/x/h/alone.meta.json {}",
		"resources/x/h/logo.png 2",
		"resources/x/h/logo.png.meta.json {}",
	}
	must.Equal(t, want, got)
}
