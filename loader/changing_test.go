package loader

import (
	"bytes"
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
)

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
