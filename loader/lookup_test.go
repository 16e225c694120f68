package loader

import (
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/given"
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
		if got != test.want {
			t.Errorf("Lookup(%.60q) is %q, want %q", test.uri, got, test.want)
		}
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
		if diff := cmp.Diff(test.want, c.Close(test.uri, 3)); diff != "" {
			t.Errorf("Close(%q) (-want +got):\n%s", test.uri, diff)
		}
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
