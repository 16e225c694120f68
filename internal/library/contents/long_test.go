package contents

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/given"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/jsonwire"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// Files that are too large to be held are written whole, wherever chunks split their characters.
func TestLongFiles(t *testing.T) {
	tree := fstest.MapFS{}
	want := map[string][]byte{}
	add := func(name string, data []byte) {
		tree["resources/x/h/"+name] = &fstest.MapFile{Data: data}
		want["x://h/"+name] = data
	}
	for shift := range 4 {
		text := strings.Repeat("-", shift) + strings.Repeat("€𝄞\"\n", (whole+chunkSize)/9)
		add(fmt.Sprintf("text-%d.txt", shift), []byte(text))
		add(fmt.Sprintf("blob-%d.bin", shift), append(bytes.Repeat([]byte{0, 0xff, 0xfe}, whole/3+1), make([]byte, shift)...))
	}
	add("cut.txt", []byte(strings.Repeat("a", whole+1)+"\xe2\x82"))                   // ends inside a character: a blob
	add("late.txt", []byte(strings.Repeat("a", whole+1)+"\x00"))                      // NUL at the end: a blob
	add("even.txt", []byte(strings.Repeat("a", whole/chunkSize*chunkSize+chunkSize))) // ends with a chunk
	f := start(t, tree)
	for uri, data := range want {
		c := f.must(uri)[0]
		switch {
		case c.Text == nil:
			if !bytes.Equal(c.Blob, data) {
				t.Errorf("%s differs as a blob", uri)
			}
		case c.text() != string(data) || strings.HasPrefix(uri, "x://h/blob") || uri == "x://h/cut.txt" || uri == "x://h/late.txt":
			t.Errorf("%s differs as a text", uri)
		}
	}
	f.idle()
}

func TestLongSkill(t *testing.T) {
	data := []byte("\xff\xfe" + strings.Repeat("a\x00", whole))
	f := start(t, fstest.MapFS{"skills/a/SKILL.md": {}, "skills/a/utf16.txt": {Data: data}})
	if c := f.must("skill://a/utf16.txt")[0]; c.Text != nil || !bytes.Equal(c.Blob, data) {
		t.Error("UTF-16 of a skill is not a blob of its bytes")
	}
	f.idle()
}

func TestLongFolderAndLimits(t *testing.T) {
	half := strings.Repeat("a", whole/2+1)
	f := start(t, given.Resources("x/h/a="+half, "x/h/b="+half+"\x00"))
	if items := f.must("x://h"); len(items) != 2 || items[0].text() != half {
		t.Error("a folder of more than is held differs")
	}
	small := large
	small.FrameBytes = whole + whole/10
	f.SetLimits(small)
	_, err := f.read("x://h")
	if frame, ok := errors.AsType[*FrameError](err); !ok || frame.Limit != small.FrameBytes {
		t.Error(err)
	}
	small.ReadBytes = whole
	f.SetLimits(small)
	_, err = f.read("x://h")
	if tooLarge, ok := errors.AsType[*loader.TooLargeError](err); !ok || tooLarge.Limit != whole {
		t.Error(err)
	}
	f.idle()
}

// If a long file changes between its two readings, the answer fails: no frame has parts of both
// versions.
func TestLongFileChanges(t *testing.T) {
	old, new := strings.Repeat("a", 2*whole), strings.Repeat("b", 2*whole)
	for name, next := range map[string]string{"other": new, "shorter": new[1:], "longer": new + "b", "cut": old[1:], "empty": ""} {
		t.Run(name, func(t *testing.T) {
			tree := &watched{MapFS: given.Resources("x/h/a=" + old)}
			tree.open = func(_ string, times int) error {
				if times == 2 {
					tree.MapFS["resources/x/h/a"] = &fstest.MapFile{Data: []byte(next)}
				}
				return nil
			}
			f := start(t, tree)
			if _, err := f.read("x://h/a"); !errors.Is(err, errLongChanged) {
				t.Errorf("%v", err)
			}
			f.idle()
		})
	}
}

// Bytes that are appended to a long file while it is sent are ignored.
func TestLongFileGrows(t *testing.T) {
	old := strings.Repeat("a\n", 2*whole)
	tree := &watched{MapFS: given.Resources("x/h/a=" + old)}
	tree.open = func(_ string, times int) error {
		if times == 2 {
			tree.MapFS["resources/x/h/a"] = &fstest.MapFile{Data: []byte(old + "more\n")}
		}
		return nil
	}
	f := start(t, tree)
	if got := f.must("x://h/a")[0].text(); got != old {
		t.Error("the answer is not the file as it was")
	}
}

// If the second reading hangs, it is given up.
func TestLongFileHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tree := &watched{MapFS: given.Resources("x/h/a=" + strings.Repeat("a", 2*whole))}
		release := make(chan struct{})
		tree.open = func(_ string, times int) error {
			if times == 2 {
				<-release
			}
			return nil
		}
		f := start(t, tree)
		began := time.Now()
		if _, err := f.read("x://h/a"); !errors.Is(err, ErrSlow) {
			t.Error(err)
		}
		if took := time.Since(began); took != diskTime {
			t.Errorf("it ends after %v", took)
		}
		synctest.Wait()
		must.Equal(t, Usage{Hanging: 1}, f.memory.Usage(), "in use while it hangs")
		close(release)
		synctest.Wait()
		f.idle()
	})
}

// If the client is gone, the rest of a long file is not read.
func TestLongFileForNobody(t *testing.T) {
	f := start(t, given.Resources("x/h/a="+strings.Repeat("a", 100*chunkSize)))
	c := must.Get(f.open(t.Context(), "x://h/a"))(t)
	gone := &goneWriter{}
	if err := c.WriteJSON(jsonwire.NewWriter(gone)); !errors.Is(err, errGone) || gone.writes != 1 {
		t.Errorf("%v after %d writes", err, gone.writes)
	}
	c.Release()
	f.idle()
}

var errGone = errors.New("the client is gone")

type goneWriter struct{ writes int }

func (w *goneWriter) Write([]byte) (int, error) {
	w.writes++
	return 0, errGone
}
