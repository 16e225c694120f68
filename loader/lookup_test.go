package loader

import (
	"context"
	"errors"
	"io/fs"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/given"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/uri"
)

func TestLookup(t *testing.T) {
	c := scan(t, given.Files("resources/x/h/a b", "resources/x/h/a%20b é", "resources/x/h/100%", "resources/x/h/q?r", "resources/x/h/s#t", "resources/x/h/é.md",
		"resources/x/h/中.md", "resources/x/h/dir/f", "resources/x/Host/g", "resources/x/README", "resources/x/h/a+b", "resources/x/h/c%2Fd", "resources/x/f/café/a.md"), Options{})
	for _, test := range []struct{ uri, want string }{
		{"x://h/a%20b", "a b"},
		{"x://h/a b", "a b"},
		{"X://h/a%20b", "a b"},
		{"x%3A//h/a%20b", "a b"},
		{"x://h/a%20b/", "a b"},
		{"x://h/%61%20%62", "a b"},
		{"x://h/a%2520b", "a b"}, // encoded twice
		{"x://h%2Fa%20b", "a b"},
		{"x://h/a%20b#top", "a b"},
		{"x://h/a%20b?v=1", "a b"},
		{"x://h/a%20b?v=1#top", "a b"},
		{"x://h/a%2520b%20%C3%A9", "a%20b é"},
		{"x://h/a%20b%20%C3%A9", "a%20b é"}, // "%25" turned back into "%"
		{"x://h/100%25", "100%"},
		{"x://h/100%", "100%"},
		{"x://h/q?r", "q?r"},
		{"x://h/q%3fr", "q?r"},
		{"x://h/s#t", "s#t"},
		{"x://h/%E9.md", "é.md"},
		{"x://h/%4E%2D.md", "中.md"},
		{"x://h/é.md", "é.md"},
		{"x://f/caf%E9/a.md", "a.md"},
		{"x://host/g", "g"},
		{"x://HOST/g", "g"},
		{"x://readme", "README"},
		{"x://h/a+b", "a+b"},
		{"x://h/c%252Fd", "c%2Fd"},
		{"x://h/c%2Fd", "c%2Fd"}, // no file d in a folder c

		{"x://h/dir", ""},
		{"x://h/dir/../a%20b", ""},
		{"x://h/./a%20b", ""},
		{"x://h//a%20b", ""},
		{"x://h/a%20b//", ""},
		{"x://h/%2e%2e/h/a%20b", ""},
		{"x://h/\x00", ""},
		{"x://H2/g", ""},
		{"y://h/a", ""},
		{"x:/h/a", ""},
		{"h/a", ""},
		{"", ""},
		{"://", ""},
		{"x://", ""},
		{"x://h/" + strings.Repeat("a", uri.MaxLength), ""},
		{"resources/x/h/a b", ""},
		{"file:///etc/passwd", ""},
	} {
		got := ""
		if r, ok := c.Lookup(test.uri); ok {
			got = r.Name()
		}
		must.Equal(t, test.want, got, "Lookup ", test.uri)
	}
}

// A canonical URI names its own file, even if it is also a rewriting of another file's URI.
func TestCanonicalWins(t *testing.T) {
	c := scan(t, given.Files("resources/x/h/a b", "resources/x/h/a%20b", "resources/x/h/a%2520b", "resources/x/h/a", "resources/x/h/a?b", "resources/x/h/a#b", "resources/x/h/a%3Fb", "resources/x/h/é", "resources/x/h/%C3%A9", "resources/x/h/%E9", "resources/x/H/a"), Options{})
	for r := range c.All() {
		got, ok := c.Lookup(r.URI())
		if !ok || got.URI() != r.URI() {
			t.Errorf("%s names %q", r.URI(), got.Name())
		}
	}
}

func TestLookupFolder(t *testing.T) {
	c := scan(t, given.Files("resources/x/h/a b/f", "resources/x/h/a b/g", "resources/x/h/a b/d/h", "resources/x/n"), Options{})
	for _, test := range []struct {
		uri  string
		want []string // nil: not found
	}{
		{"x://h/a%20b", []string{"f", "g"}},
		{"x://h/a b/", []string{"f", "g"}},
		{"x://h", []string{}},
		{"X://", []string{"n"}},
		{"x://h/a%20b/f", nil},
		{"x://h/a%20b/..", nil},
		{"y://", nil},
	} {
		f, ok := c.LookupFolder(test.uri)
		if ok != (test.want != nil) {
			t.Errorf("LookupFolder(%q): %v", test.uri, ok)
			continue
		}
		if !ok {
			continue
		}
		got := []string{}
		for _, r := range f.Files() {
			got = append(got, r.Name())
		}
		if diff := cmp.Diff(test.want, got); diff != "" || f.Len() != len(got) {
			t.Errorf("LookupFolder(%q) (-want +got):\n%s", test.uri, diff)
		}
	}
}

func TestClose(t *testing.T) {
	c := scan(t, given.Files("resources/config/schemas/server.json", "resources/config/schemas/client.json", "resources/config/schemas/deep/x"), Options{})
	for _, test := range []struct {
		uri  string
		want []string
	}{
		{"config://schemas/servr.json", []string{"config://schemas/server.json"}},
		{"config://schema/server.json", []string{"config://schemas/"}},
		{"confg://schemas", []string{"config://"}},
		{"config://schemas/dep/x", []string{"config://schemas/deep/"}},
		{"config://schemas/quite-different", nil},
		{"nonsense", nil},
	} {
		must.Equal(t, test.want, c.Close(test.uri, 3), "Close ", test.uri)
	}
}

// The cost of looking up a URI that does not exist does not grow with the depth of the URI.
func TestDeepMiss(t *testing.T) {
	deep := strings.Repeat("d/", 60)
	c := scan(t, given.Files("resources/x/h/"+deep+"f", "resources/x/h/é/"+deep+"f"), Options{})
	for _, s := range []string{"x://h/" + deep + "nope", "x://h/%E9/" + deep + "nope"} {
		if r, ok := c.Lookup(s); ok {
			t.Errorf("%s names %s", s, r.URI())
		}
	}
	if _, ok := c.Lookup("x://h/%E9/" + deep + "f"); !ok {
		t.Error("a mangled name above deep folders is not found")
	}
}

// rewritings are the changes that clients are known to make to a URI before they send it.
var rewritings = map[string]func(string) string{
	"URL library": func(s string) string {
		u, err := url.Parse(s)
		if err != nil {
			return s
		}
		return u.String()
	},
	"raw special characters": strings.NewReplacer("%2F", "/", "%25", "%", "%2B", "+", "%3A", ":", "%26", "&", "%28", "(").Replace,
	"raw percent":            strings.NewReplacer("%25", "%").Replace,
	"raw space":              strings.NewReplacer("%20", " ").Replace,
	"upper-case scheme": func(s string) string {
		scheme, rest, _ := strings.Cut(s, "://")
		return strings.ToUpper(scheme) + "://" + rest
	},
	"lower-case triplets": func(s string) string {
		b := []byte(s)
		for i := range b {
			if b[i] == '%' {
				copy(b[i:min(i+3, len(b))], strings.ToLower(s[i:min(i+3, len(b))]))
			}
		}
		return string(b)
	},
	"all encoded": func(s string) string {
		scheme, rest, _ := strings.Cut(s, "://")
		return scheme + "://" + strings.ReplaceAll(url.QueryEscape(uri.Decode(rest)), "+", "%20")
	},
	"decoded":        uri.Decode,
	"trailing slash": func(s string) string { return s + "/" },
	"fragment":       func(s string) string { return s + "#top" },
	"query":          func(s string) string { return s + "?x=1" },
}

// Every rewriting of a canonical URI finds the same file, unless the rewriting is the canonical URI
// of another file.
func FuzzRewritings(f *testing.F) {
	for _, names := range [][2]string{{"a b", "a%20b"}, {"é", "e\u0301"}, {"100%", "%41"}, {"caf\xe9", "x?y#z"}, {"%", "%25"}, {" ", "+"}, {"a%b", "中"}, {"%2F", "a"}} {
		f.Add(names[0], names[1])
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		dir := &Dir{name: "h", uri: "x://h/", sources: []source{{path: "resources/x/h", loc: "x/h"}}, count: -1}
		for _, name := range []string{a, b} {
			if name == "" || name == "." || name == ".." || strings.ContainsAny(name, "/\x00") || len(dir.files) > 0 && name == a || len(name) > 255 {
				continue
			}
			dir.files = append(dir.files, file{name: name, template: -1})
		}
		if len(dir.files) == 2 && dir.files[0].name > dir.files[1].name {
			dir.files[0], dir.files[1] = dir.files[1], dir.files[0]
		}
		root := &Dir{count: -1, dirs: []*Dir{{name: "x", uri: "x://", dirs: []*Dir{dir}, count: -1}}}
		finish(root)
		c := &Catalog{root: root}
		taken := map[string]bool{}
		for r := range c.All() {
			taken[uri.Decode(r.URI())] = true
		}
		for r := range c.All() {
			for what, rewrite := range rewritings {
				spelled := rewrite(r.URI())
				// A file whose canonical URI is this spelling takes precedence.
				mine := uri.Decode(r.URI())
				ambiguous := false
				for reading := range uri.Readings(spelled) {
					if reading = strings.TrimSuffix(reading, "/"); reading != mine && taken[reading] {
						ambiguous = true
					}
				}
				if ambiguous {
					continue
				}
				got, ok := c.Lookup(spelled)
				if !ok {
					t.Errorf("%s: %q, rewritten as %q, is not found", what, r.URI(), spelled)
				} else if got.URI() != r.URI() && !uri.Mangled(got.Name(), uri.Decode(strings.TrimPrefix(spelled, "x://h/"))) {
					t.Errorf("%s: %q, rewritten as %q, names %q", what, r.URI(), spelled, got.URI())
				}
			}
		}
	})
}

// A witness is a tree that records which folders were listed.
type witness struct {
	fstest.MapFS
	mu   sync.Mutex
	dirs []string
}

func (w *witness) ReadDir(name string) ([]fs.DirEntry, error) {
	w.mu.Lock()
	w.dirs = append(w.dirs, name)
	w.mu.Unlock()
	return w.MapFS.ReadDir(name)
}

// Find returns the resource that the catalog has for a URI, and finds every canonical URI.
func TestFind(t *testing.T) {
	fsys := given.Files("resources/x/h/a.md=1", "resources/x/h/50%.md=2", "resources/x/h/deep/er/b=3", "resources/x/file=4", "resources/x/h/.env=secret", "resources/x/h/no/c.txt=5",
		"resources/x/h/link->a.md", "resources/x/h/folder->deep", "resources/x/out->../../..", "resources/X/h/a.md=other", "resources/X/h/only.md=6", "resources/x/H/a.md=7",
		"resources/x/h/a.md.meta.json={\"title\": \"A\"}", "resources/docs/n/i.md=8", "docs/i.md=9", "docs/j.md=10", "resources/x/caf\xe9/é=11", "resources/top=12")
	for name, opts := range map[string]Options{
		"plain":     {},
		"mounts":    {Mounts: []Mount{{Dir: "docs", Scheme: "docs", Host: "n"}}},
		"unmatched": {HideUnmatched: true, Templates: index(t, `[{"uriTemplate": "x://h/{n}.md", "name": "n"}]`)},
		"described": {Describe: true},
		"excluded":  {Exclude: []string{"x/h/no/**"}},
	} {
		c := scan(t, fsys, opts)
		for r := range c.All() {
			got, ok, err := Find(t.Context(), fsys, opts, r.URI())
			if err != nil || !ok || got.Path() != r.Path() || got.URI() != r.URI() || got.Size() != r.Size() || c.MIME(r) != got.Catalog().MIME(got) {
				t.Errorf("%s: %s is %q, %v, %v, want %q", name, r.URI(), pathOf(got, ok), ok, err, r.Path())
			}
		}
		for _, s := range []string{"x://h/.env", "x://h/none", "x://h", "x://h/", "x://", "x", "", "x://h/deep", "x://h/../h/a.md", "x://out/etc/passwd", "x://h/no/c.txt", "X://h/a.md", "x://h/%61.md",
			"x://h/a.md#x", "x://h/50%.md", "x://h/a.md.meta.json", "docs://n/j.md", "x://caf%E9/%C3%A9", "x://caf%C3%A9/%C3%A9", "x://h//a.md", "resources://x/h/a.md"} {
			got, ok, err := Find(t.Context(), fsys, opts, s)
			want, has := c.Lookup(s)
			if err != nil || ok && (!has || got.Path() != want.Path()) {
				t.Errorf("%s: %q is %q, %v, the catalog has %q, %v", name, s, pathOf(got, ok), err, pathOf(want, has), has)
			}
		}
	}
	counted := &witness{MapFS: fsys}
	if _, ok, err := Find(t.Context(), counted, Options{}, "x://h/deep/er/b"); !ok || err != nil {
		t.Error("x://h/deep/er/b is not found", err)
	}
	slices.Sort(counted.dirs)
	if want := []string{"resources", "resources/X", "resources/X/h", "resources/x", "resources/x/h", "resources/x/h/deep", "resources/x/h/deep/er"}; !slices.Equal(counted.dirs, want) {
		t.Errorf("the folders read are %q, want %q", counted.dirs, want)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := Find(ctx, fsys, Options{}, "x://h/a.md"); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func pathOf(r Resource, ok bool) string {
	if !ok {
		return ""
	}
	return r.Path()
}

// A name with composed characters finds a file whose name has them decomposed, as macOS writes them, and the other way round.
func TestComposedNames(t *testing.T) {
	const composed, decomposed = "caf\u00e9", "cafe\u0301"
	c := must.Get(Scan(t.Context(), fstest.MapFS{
		"resources/x/" + decomposed + "/" + decomposed + ".md": {Data: []byte("d")},
		"resources/x/h/" + composed + ".md":                    {Data: []byte("c")},
		"resources/x/h/" + decomposed + ".md":                  {Data: []byte("d")},
		"resources/x/h/" + composed + "2.md":                   {Data: []byte("2")},
	}, Options{}))(t)
	for uri, want := range map[string]string{
		"x://" + composed + "/" + composed + ".md": "resources/x/" + decomposed + "/" + decomposed + ".md", "x://caf%C3%A9/cafe%CC%81.md": "resources/x/" + decomposed + "/" + decomposed + ".md",
		"x://h/" + composed + ".md": "resources/x/h/" + composed + ".md", "x://h/" + decomposed + ".md": "resources/x/h/" + decomposed + ".md", "x://h/" + decomposed + "2.md": "resources/x/h/" + composed + "2.md",
	} {
		if r, ok := c.Lookup(uri); !ok || r.Path() != want {
			t.Errorf("%s is found: %v", uri, ok)
		}
	}
}
