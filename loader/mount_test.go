package loader

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/given"
)

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
	if diff := cmp.Diff(want, uris(c)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
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
	if diff := cmp.Diff(wantNotices, got); diff != "" {
		t.Errorf("warnings (-want +got):\n%s", diff)
	}
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
		if got := strings.Join(uris(c), " "); got != test.want {
			t.Errorf("%+v: %q", test, got)
		}
		if diff := cmp.Diff(test.warnings, warnings(c)); diff != "" {
			t.Errorf("%+v: warnings (-want +got):\n%s", test, diff)
		}
	}
}
