package loader

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/given"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/walk"
	"github.com/mcp-docs-server/mcp-docs-server/matcher"
	"github.com/mcp-docs-server/mcp-docs-server/templates"
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
		must.Equal(t, test.want, got, test.entry, ", ", test.name, ", ", test.prefix, ", ", test.given)
	}
}

// shifting is a tree in which each file changes to its next version when it has been read to its
// end. The last version stays.
type shifting struct {
	fstest.MapFS
	versions []string
	version  int
	opened   int
	changed  func() time.Time // modification time of all versions; nil: the version number in seconds
}

func (s *shifting) Open(name string) (fs.File, error) {
	f, err := s.MapFS.Open(name)
	if info, statErr := s.Stat(name); err != nil || statErr != nil || info.IsDir() {
		return f, err
	}
	s.opened++
	return &shiftingFile{fs: s, name: name}, nil
}

type shiftingFile struct {
	fs   *shifting
	name string
	at   int64
}

func (f *shiftingFile) Stat() (fs.FileInfo, error) {
	return fstest.MapFS{f.name: &fstest.MapFile{Data: []byte(f.fs.versions[f.fs.version]), ModTime: f.fs.time(f.fs.version)}}.Stat(f.name)
}

func (s *shifting) time(version int) time.Time {
	if s.changed != nil {
		return s.changed()
	}
	return time.Unix(int64(version), 0)
}

func (f *shiftingFile) Read(p []byte) (int, error) {
	r := bytes.NewReader([]byte(f.fs.versions[f.fs.version]))
	_, _ = r.Seek(f.at, io.SeekStart)
	n, err := r.Read(p)
	f.at += int64(n)
	if r.Len() == 0 && f.fs.version < len(f.fs.versions)-1 {
		f.fs.version++
	}
	return n, err
}

func (f *shiftingFile) Seek(offset int64, _ int) (int64, error) {
	f.at = offset
	return offset, nil
}

func (f *shiftingFile) Close() error { return nil }

// A read never returns parts of two versions of a file.
func TestReadChanging(t *testing.T) {
	for _, test := range []struct {
		versions []string
		want     string
		err      error
	}{
		{[]string{"one"}, "one", nil},
		{[]string{"one", "two"}, "two", nil},
		{[]string{"one", "a longer one"}, "a longer one", nil},
		{[]string{"a long one", ""}, "", nil},
		{[]string{"one", "two", "three"}, "three", nil},
		{strings.Split(strings.Repeat("ab", 20), ""), "", ErrChanging},
		{[]string{"one", strings.Repeat("0", 2<<20)}, "", &TooLargeError{2 << 20, 1 << 20}},
	} {
		synctest.Test(t, func(t *testing.T) {
			fsys := &shifting{MapFS: given.Files("resources/x/h/a=one"), versions: test.versions}
			c := scan(t, fsys, Options{})
			r, _ := c.Lookup("x://h/a")
			data, err := readSettled(t, c, r)
			if tooLarge, ok := errors.AsType[*TooLargeError](test.err); ok {
				if got, ok := errors.AsType[*TooLargeError](err); !ok || *got != *tooLarge {
					t.Errorf("%v, want %v", err, test.err)
				}
			} else if string(data) != test.want || !errors.Is(err, test.err) {
				t.Errorf("%q reads as %q, %v", test.versions, data, err)
			}
		})
	}
}

// readSettled reads a file, and waits while the file may be changing.
func readSettled(t *testing.T, c *Catalog, r Resource) ([]byte, error) {
	t.Helper()
	var attempts Attempts
	for {
		data, _, err := c.Read(r, 1<<20, func(n int) []byte { return make([]byte, n) }, &attempts)
		if !errors.Is(err, ErrUnsettled) {
			return data, err
		}
		must.Do(t, attempts.Wait(t.Context()))
	}
}

// The only sign that a file is being rewritten in place is a modification time of now. Such a file
// is read twice, with a pause.
func TestReadWhileWritten(t *testing.T) {
	for _, test := range []struct {
		versions []string
		changed  time.Duration // time since the change
		want     string
		err      error
		looks    int
	}{
		{[]string{"one", "two"}, time.Hour, "one", nil, 1},
		{[]string{"one"}, 0, "one", nil, 2},
		{[]string{"one"}, time.Second, "one", nil, 2},
		{[]string{"one", "two"}, 0, "two", nil, 3},
		{[]string{"one", "two", "six"}, 0, "six", nil, 4},
		{strings.Split("abcdefghijklmnopqrstuvwxyz", ""), 0, "", ErrChanging, int(patience/settle) + 1},
	} {
		synctest.Test(t, func(t *testing.T) {
			began := time.Now()
			at := began.Add(-test.changed)
			fsys := &shifting{MapFS: given.Files("resources/x/h/a=one"), versions: test.versions, changed: func() time.Time { return at }}
			c := scan(t, fsys, Options{})
			r, _ := c.Lookup("x://h/a")
			data, err := readSettled(t, c, r)
			if string(data) != test.want || !errors.Is(err, test.err) {
				t.Errorf("%q reads as %q, %v", test.versions, data, err)
			}
			if took := time.Since(began); fsys.opened != test.looks || took != time.Duration(test.looks-1)*settle {
				t.Errorf("%q: %d looks in %v, want %d", test.versions, fsys.opened, took, test.looks)
			}
		})
	}
	fsys := &shifting{MapFS: given.Files("resources/x/h/a=one"), versions: []string{"one"}}
	c := scan(t, fsys, Options{})
	r, _ := c.Lookup("x://h/a")
	if _, _, err := c.Read(r, 20, func(int) []byte { return nil }, new(Attempts)); !errors.Is(err, ErrNoRoom) {
		t.Errorf("without room: %v", err)
	}
}

// awaited is a tree on a file system that can wait for a write, and whose times have a fraction of a second.
type awaited struct {
	*shifting
	awaits int
}

func (a *awaited) AwaitWrite(f fs.File) {
	a.awaits++
	f.(*shiftingFile).at = 0
}

func TestReadAfterWrite(t *testing.T) {
	for name, test := range map[string]struct {
		age, every time.Duration // every is 0 for a file that has stopped changing
		versions   []string
		want       string
		err        error
		took       time.Duration
		awaits     int
	}{
		"long ago":                        {age: time.Hour, versions: []string{"one", "two"}, want: "one"},
		"a second ago":                    {age: time.Second, versions: []string{"one", "two"}, want: "one", awaits: 1},
		"just now":                        {age: 10 * time.Millisecond, versions: []string{"one", "two"}, want: "one", took: settle, awaits: 1},
		"by a clock that is ahead":        {age: -time.Second, versions: []string{"one"}, want: "one", took: settle, awaits: 2},
		"overwritten again and again":     {every: 7 * time.Millisecond, versions: []string{"one"}, err: ErrChanging, took: patience},
		"the time has whole seconds only": {age: 0, versions: []string{"one", "two"}, want: "two", took: 2 * settle, awaits: 3},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				if test.age%time.Second != 0 || test.every > 0 || test.took != 2*settle {
					time.Sleep(time.Microsecond) // so that the time has a fraction of a second
				}
				began := time.Now()
				fsys := &awaited{shifting: &shifting{MapFS: given.Files("resources/x/h/a=one"), versions: test.versions, changed: func() time.Time {
					if test.every > 0 {
						return time.Now().Add(-time.Since(began)%test.every - 3*time.Microsecond)
					}
					return began.Add(-test.age)
				}}}
				c := scan(t, fsys, Options{})
				r, _ := c.Lookup("x://h/a")
				data, err := readSettled(t, c, r)
				if string(data) != test.want || !errors.Is(err, test.err) {
					t.Errorf("it reads as %q, %v", data, err)
				}
				if took := time.Since(began); test.took != 0 && took.Round(patience/10) != test.took.Round(patience/10) {
					t.Errorf("it takes %v, want %v", took, test.took)
				}
				if test.awaits != fsys.awaits && test.err == nil {
					t.Errorf("it waits for writes %d times, want %d", fsys.awaits, test.awaits)
				}
			})
		})
	}
}

func TestClassification(t *testing.T) {
	entries, _ := templates.Decode(TemplatesFile, []byte(`[{"uriTemplate": "x://typed/{name}", "name": "t", "mimeType": "text/x-own"}]`))
	index, _ := matcher.New(TemplatesFile, entries)
	png := "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"
	for _, test := range []struct {
		name, data string
		mime       string
		origin     Origin
		form       Form
		rule       FormRule
		known      string
	}{
		{"typed/a.ico", "letters", "text/x-own", FromTemplate, Blob, IsBinary, "image/vnd.microsoft.icon"},
		{"typed/a", "text", "text/x-own", FromTemplate, UTF8, IsUTF8, "text/plain"},
		{"h/a.md", "text", "text/markdown", FromExtension, UTF8, IsUTF8, "text/markdown"},
		{"h/a.md", "caf\xe9", "text/markdown", FromExtension, Blob, IsOther, "text/markdown"},
		{"h/a.md", "\xff\xfea\x00", "text/markdown", FromExtension, UTF16, IsUTF16, "text/markdown"},
		{"h/a.md", "", "text/markdown", FromExtension, UTF8, IsEmpty, "text/markdown"},
		{"h/Makefile", "all:", "text/x-makefile", FromName, UTF8, IsUTF8, "text/x-makefile"},
		{"h/picture", png, "image/png", FromContent, Blob, IsBinary, "image/png"},
		{"h/words", "some words", "text/plain", FromDefault, UTF8, IsUTF8, "text/plain"},
		{"h/bytes", "\x00\x01\x02", "application/octet-stream", FromDefault, Blob, IsOther, "application/octet-stream"},
		{"h/nothing", "", "text/plain", FromDefault, UTF8, IsEmpty, "text/plain"},
	} {
		c, err := Scan(t.Context(), fstest.MapFS{"resources/x/" + test.name: {Data: []byte(test.data)}}, Options{Templates: index})
		must.Do(t, err)
		r, ok := c.Lookup("x://" + test.name)
		if !ok {
			t.Fatalf("%s is not there", test.name)
		}
		want := Classification{test.mime, test.origin, test.form, test.rule, test.known}
		must.Equal(t, want, c.Classify(r, []byte(test.data)), test.name, ", ", test.data)
		if mime, origin := c.MIMEOrigin(r); mime != test.mime || origin != test.origin {
			t.Errorf("%s %q is listed as %s %s, want %s %s", test.name, test.data, mime, origin, test.mime, test.origin)
		}
		content, _, err := c.Content(r, 1000)
		if err != nil || content.MIME != want.MIME || content.IsText != want.Text() {
			t.Errorf("%s %q is read as %+v, %v", test.name, test.data, content, err)
		}
		if test.form == UTF16 {
			continue // ClassifyHead is never called for it
		}
		if got := c.ClassifyHead(r, []byte(test.data), test.form == UTF8); got != want {
			t.Errorf("%s %q by its head: %+v, want %+v", test.name, test.data, got, want)
		}
	}
}
