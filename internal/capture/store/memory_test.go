package store

import (
	"bytes"
	"crypto/rand"
	"errors"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

// Contents do not change, whether or not they are packed. Only packed contents need a buffer.
func TestPack(t *testing.T) {
	random := make([]byte, 2*minPacked)
	_, _ = rand.Read(random)
	for _, test := range []struct {
		data   []byte
		packed bool
	}{
		{nil, false}, {[]byte{}, false}, {[]byte("short"), false}, {random, false},
		{bytes.Repeat([]byte("<p>text</p>\n"), minPacked), true}, {make([]byte, minPacked), true},
	} {
		p := pack(test.data)
		got, err := p.unpack(func(n int) []byte { return make([]byte, n+7) })
		if err != nil || !bytes.Equal(got, test.data) || (p.size >= 0) != test.packed || (got == nil) != (test.data == nil) {
			t.Errorf("%d bytes, packed %v: %d bytes, %v", len(test.data), p.size >= 0, len(got), err)
		}
		if _, err := p.unpack(func(int) []byte { return nil }); errors.Is(err, ErrNoBuffer) != test.packed {
			t.Errorf("%d bytes without a buffer: %v", len(test.data), err)
		}
	}
}

// A store full of pages takes less memory than the pages have bytes.
func TestMemoryOfPages(t *testing.T) {
	heap := func() int64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.GC() // the first run keeps the contents of pools
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	before := heap()
	var all []*Capture
	total := 0
	for i := range 200 {
		var page strings.Builder
		for j := range 500 {
			page.WriteString("<p class=\"paragraph\">Sentence " + strconv.Itoa(i*j*7919) + " of the page.</p>\n")
		}
		total += page.Len()
		all = append(all, new(Capture))
		must.Do(t, memory{}.write(t.Context(), all[i], nil, Contents{Raw: []byte(page.String())}))
	}
	if taken := heap() - before; taken > int64(total)/2 {
		t.Errorf("%d bytes of pages take %d", total, taken)
	}
	runtime.KeepAlive(all)
}
