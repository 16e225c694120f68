package contents

import (
	"encoding/binary"
	"strings"
	"testing"
	"testing/fstest"
	"unicode/utf16"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol/view"
)

// wide returns a text in UTF-16 with a byte order mark.
func wide(text string) []byte {
	b := []byte{0xFF, 0xFE}
	for _, unit := range utf16.Encode([]rune(text)) {
		b = binary.LittleEndian.AppendUint16(b, unit)
	}
	return b
}

// The text of a file in UTF-16 is counted in addition to the file: it can take half as much again.
func TestTextOfUTF16IsCounted(t *testing.T) {
	text := strings.Repeat("漢字𝄞 and more\n", 50_000)
	data := wide(text)
	f := start(t, fstest.MapFS{"resources/x/h/a.txt": {Data: data}, "resources/x/h/plain.txt": {Data: []byte(text)}})
	// Less than the size of a file and its text together.
	f.SetLimits(Limits{ReadBytes: int64(len(data)), FrameBytes: 1 << 30})
	for _, kind := range []string{"file", "other"} {
		var read *Contents
		var err error
		if kind == "file" {
			read, err = f.ReadWhole(t.Context(), f.catalog, "x://h/a.txt", f.find("x://h/a.txt")[0])
		} else {
			read, err = f.ReadOther(t.Context(), "x://o", &view.Resource{URI: "x://o", Name: "o.txt", MIMEType: "text/plain", Size: -1, Read: view.Bytes(data)}, true)
		}
		if err != nil {
			t.Fatalf("%s: %v", kind, err)
		}
		if got := read.Files[0].Text(); strings.TrimPrefix(got, "\ufeff") != text {
			t.Errorf("%s: the text has %d bytes, want %d", kind, len(got), len(text))
		}
		if held, need := f.memory.Usage().Bytes, int64(len(data)+len(text)); held < need || held > need+2*itemCost+3 {
			t.Errorf("%s: %d bytes are accounted for, %d are held", kind, held, need)
		}
		read.Release()
		f.idle()
	}
	f.SetLimits(large)
	read := must.Get(f.ReadWhole(t.Context(), f.catalog, "x://h/plain.txt", f.find("x://h/plain.txt")[0]))(t)
	if held, need := f.memory.Usage().Bytes, int64(len(text)); held > need+itemCost {
		t.Errorf("of UTF-8, %d bytes are accounted for, %d are held", held, need)
	}
	read.Release()
	f.idle()
}
