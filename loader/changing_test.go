package loader

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"testing"
	"testing/fstest"
	"time"
)

// shifting is a tree of which each file becomes the next of its versions whenever it was read to its end. The last one stays.
type shifting struct {
	fstest.MapFS
	versions []string
	opened   int
	changed  time.Time // of all versions, where that is not their number
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
	fs      *shifting
	name    string
	version int
	at      int64
}

func (f *shiftingFile) Stat() (fs.FileInfo, error) {
	return fstest.MapFS{f.name: &fstest.MapFile{Data: []byte(f.fs.versions[f.version]), ModTime: f.fs.time(f.version)}}.Stat(f.name)
}

func (s *shifting) time(version int) time.Time {
	if !s.changed.IsZero() {
		return s.changed
	}
	return time.Unix(int64(version), 0)
}

func (f *shiftingFile) Read(p []byte) (int, error) {
	r := bytes.NewReader([]byte(f.fs.versions[f.version]))
	_, _ = r.Seek(f.at, io.SeekStart)
	n, err := r.Read(p)
	f.at += int64(n)
	if r.Len() == 0 && f.version < len(f.fs.versions)-1 {
		f.version++
	}
	return n, err
}

func (f *shiftingFile) Seek(offset int64, _ int) (int64, error) {
	f.at = offset
	return offset, nil
}

func (f *shiftingFile) Close() error { return nil }

// A file that changes while it is read is never a part of one version and a part of another.
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
		{[]string{"one", "two", "three", "four", "five", "six"}, "", ErrChanging},
		{[]string{"one", "0123456789012345678901234567890"}, "", &TooLargeError{31, 20}},
	} {
		fsys := &shifting{MapFS: tree("resources/x/h/a=one"), versions: test.versions}
		c := scan(t, fsys, Options{})
		r, _ := c.Lookup("x://h/a")
		allocated := 0
		data, err := c.Read(r, 20, func(n int) []byte { allocated++; return make([]byte, n) })
		if tooLarge, ok := errors.AsType[*TooLargeError](test.err); ok {
			if got, ok := errors.AsType[*TooLargeError](err); !ok || *got != *tooLarge {
				t.Errorf("%q: %v, want %v", test.versions, err, test.err)
			}
			continue
		}
		if string(data) != test.want || !errors.Is(err, test.err) {
			t.Errorf("%q reads as %q, %v", test.versions, data, err)
		}
		if fsys.opened != 1 || allocated > len(test.versions) {
			t.Errorf("%q: opened %d times, %d buffers", test.versions, fsys.opened, allocated)
		}
	}
}

// A file that is being rewritten in place shows nothing of it but a time that is now.
func TestReadWhileWritten(t *testing.T) {
	for _, test := range []struct {
		versions []string
		changed  time.Duration // ago
		want     string
		err      error
	}{
		{[]string{"one", "two"}, time.Hour, "one", nil},
		{[]string{"one"}, 0, "one", nil},
		{[]string{"one", "two"}, 0, "two", nil},
		{[]string{"one", "two", "six"}, 0, "six", nil},
		{[]string{"1", "2", "3", "4", "5", "6", "7"}, 0, "", ErrChanging},
	} {
		fsys := &shifting{MapFS: tree("resources/x/h/a=one"), versions: test.versions, changed: time.Now().Add(-test.changed)}
		c := scan(t, fsys, Options{})
		r, _ := c.Lookup("x://h/a")
		data, err := c.Read(r, 20, func(n int) []byte { return make([]byte, n) })
		if string(data) != test.want || !errors.Is(err, test.err) {
			t.Errorf("%q reads as %q, %v", test.versions, data, err)
		}
	}
	fsys := &shifting{MapFS: tree("resources/x/h/a=one"), versions: []string{"one"}}
	c := scan(t, fsys, Options{})
	r, _ := c.Lookup("x://h/a")
	if _, err := c.Read(r, 20, func(int) []byte { return nil }); !errors.Is(err, ErrNoRoom) {
		t.Errorf("without room: %v", err)
	}
}
