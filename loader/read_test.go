package loader

import (
	"context"
	"errors"
	"io/fs"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/given"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/walk"
)

func TestContent(t *testing.T) {
	fsys := given.Files("resources/x/h/a.json={}", "resources/x/h/empty", "resources/x/h/latin.txt=caf\xe9", "resources/x/h/link->../../../docs/a.md", "docs/a.md=# doc", "resources/x/h/pic.png=\x89PNG\r\n\x1a\n\x00")
	c := scan(t, fsys, Options{Templates: index(t, `[{"uriTemplate": "x://h/{n}.json", "name": "n", "mimeType": "application/schema+json"}]`)})
	for _, test := range []struct {
		uri, mime, text string
		isText          bool
	}{
		{"x://h/a.json", "application/schema+json", "{}", true},
		{"x://h/empty", "text/plain", "", true},
		{"x://h/latin.txt", "text/plain", "", false},
		{"x://h/link", "text/plain", "# doc", true},
		{"x://h/pic.png", "image/png", "", false},
	} {
		r, ok := c.Lookup(test.uri)
		if !ok {
			t.Fatal(test.uri)
		}
		content, data, err := c.Content(r, 100)
		if err != nil || content.MIME != test.mime || content.Text != test.text || content.IsText != test.isText {
			t.Errorf("%s is %+v, %v", test.uri, content, err)
		}
		if want, _ := fs.ReadFile(fsys, "resources/x/h/"+r.Name()); string(data) != string(want) {
			t.Errorf("%s has bytes %q, want %q", test.uri, data, want)
		}
		if got := c.MIME(r); got != test.mime {
			t.Errorf("%s is listed as %q, read as %q", test.uri, got, test.mime)
		}
	}
}

func TestContentErrors(t *testing.T) {
	fsys := given.Files("resources/x/h/big=0123456789", "resources/x/h/gone", "resources/x/h/link->../../../docs/a", "docs/a", ".env=secret")
	c := scan(t, fsys, Options{})
	read := func(uri string) error {
		r, ok := c.Lookup(uri)
		if !ok {
			t.Fatal(uri)
		}
		_, _, err := c.Content(r, 5)
		return err
	}
	if tooLarge, ok := errors.AsType[*TooLargeError](read("x://h/big")); !ok || tooLarge.Size != 10 || tooLarge.Limit != 5 {
		t.Error(read("x://h/big"))
	}
	delete(fsys, "resources/x/h/gone")
	if err := read("x://h/gone"); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	fsys["resources/x/h/link"].Data = []byte("../../../.env")
	if err := read("x://h/link"); !errors.Is(err, walk.ErrHiddenLink) {
		t.Errorf("a link that was turned to a hidden file: %v", err)
	}
	fsys["resources/x/h/gone"] = &fstest.MapFile{Mode: fs.ModeDir}
	if err := read("x://h/gone"); err == nil {
		t.Error("a folder in a file's place is read")
	}
}

func TestComplete(t *testing.T) {
	c := scan(t, given.Files("resources/api/v1/users/list.json", "resources/api/v1/users/Get.json", "resources/api/v2/teams/list.json", "resources/api/v2/x.txt",
		"resources/docs/v1/guides/100%.md", "resources/docs/v1/caf\xe9", "resources/docs/v1/a?b#c é"), Options{Templates: index(t, `[
		{"uriTemplate": "api://{version}/{category}/{name}.json", "name": "api"},
		{"uriTemplate": "docs://v1/{+path}", "name": "docs"},
		{"uriTemplate": "docs://{v}/{a}{b}", "name": "ambiguous"},
		{"uriTemplate": "none://h/{a}", "name": "none"}]`)})
	for _, test := range []struct {
		entry        int
		name, prefix string
		given        map[string]string
		want         []string
	}{
		{0, "version", "", nil, []string{"v1", "v2"}},
		{0, "category", "", map[string]string{"version": "v2"}, []string{"teams"}},
		{0, "name", "", map[string]string{"version": "v1", "other": "x"}, []string{"Get", "list"}},
		{0, "name", "g", nil, []string{"Get"}},
		{0, "name", "", map[string]string{"version": "v3"}, []string{}},
		{0, "nothing", "", nil, []string{}},
		{1, "path", "", nil, []string{"a%3Fb%23c é", "caf%E9", "guides/100%25.md"}},
		{1, "path", "guides/", nil, []string{"guides/100%25.md"}},
		{2, "a", "", nil, nil},
		{3, "a", "", nil, []string{}},
	} {
		got := c.Complete(context.Background(), test.entry, test.name, test.prefix, test.given)
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%d %s %q %v (-want +got):\n%s", test.entry, test.name, test.prefix, test.given, diff)
		}
	}
}
