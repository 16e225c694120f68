package pdfium

import (
	"bytes"
	"compress/zlib"
	"context"
	"fmt"
	"math"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/pdftest"
)

// TestFill compiles for tests of other packages.
func TestFill(t *testing.T) {
	if folder := os.Getenv(pdftest.CompiledVariable); folder != "" {
		if _, slow, err := New(folder); err != nil || slow != "" {
			t.Fatal(slow, err)
		}
	}
}

var engine = sync.OnceValues(func() (*Engine, error) {
	e, slow, err := New(pdftest.CompiledFolder())
	if slow != "" {
		err = fmt.Errorf("it is slow: %s", slow)
	}
	return e, err
})

// open opens a file.
func open(t *testing.T, file string) *Document {
	t.Helper()
	e := must.Get(engine())(t)
	d := must.Get(e.Open([]byte(file)))(t)
	t.Cleanup(d.Close)
	return d
}

// A file is the objects of a PDF file, from number 1; the first is the catalog.
type file []string

func (f file) String() string {
	text, offsets := "%PDF-1.7\n", ""
	for i, object := range f {
		offsets += fmt.Sprintf("%010d 00000 n \n", len(text))
		text += fmt.Sprintf("%d 0 obj\n%s\nendobj\n", i+1, object)
	}
	return text + fmt.Sprintf("xref\n0 %d\n0000000000 65535 f \n%strailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(f)+1, offsets, len(f)+1, len(text))
}

// stream returns the object of a stream.
func stream(dictionary, content string) string {
	return fmt.Sprintf("<< %s /Length %d >>\nstream\n%s\nendstream", dictionary, len(content), content)
}

// packed compresses a text.
func packed(text string) string {
	var b bytes.Buffer
	w := zlib.NewWriter(&b)
	fmt.Fprint(w, text)
	w.Close()
	return b.String()
}

// pageOf returns a file of one page, with more keys of the catalog and of the page, and more objects from number 7.
func pageOf(content, catalog, page string, more ...string) file {
	return append(file{
		"<< /Type /Catalog /Pages 2 0 R " + catalog + " >>",
		"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
		"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R /Resources << /Font << /F1 5 0 R /F2 6 0 R >> /Properties << /L1 7 0 R /L2 8 0 R >> >> " + page + " >>",
		stream("", content),
		"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
		"<< /Type /Font /Subtype /Type1 /BaseFont /Courier-Bold >>",
	}, more...)
}

// text returns the characters of a page.
func (p *Page) text() string {
	var b strings.Builder
	for _, c := range p.Chars {
		b.WriteRune(c.Rune)
	}
	return b.String()
}

func read(t *testing.T, f file) *Page {
	t.Helper()
	return must.Get(open(t, f.String()).Page(0))(t)
}

func TestPage(t *testing.T) {
	p := read(t, pageOf("BT /F1 12 Tf 1 0 0 1 72 700 Tm (One) Tj ET BT /F2 10 Tf 0 2 -2 0 100 400 Tm (up) Tj ET BT /F1 -10 Tf -1 0 0 -1 50 600 Tm (neg) Tj ET", "", "/Rotate 90"))
	if p.TextObjects != 3 || p.Lost != 0 || p.Images != 0 {
		t.Errorf("%+v", p)
	}
	var got []string
	for _, c := range p.Chars {
		if !c.Generated {
			got = append(got, fmt.Sprintf("%c %s %v %.0f,%.0f size %.0f angle %.0f advance %.1f object %d", c.Rune, c.Font.Name, c.Font.Cell, c.X, c.Y, c.Size, c.Angle*180/math.Pi, c.Advance, c.Object))
		}
	}
	want := []string{
		"O Helvetica 0 72,700 size 12 angle 0 advance 9.3 object 0",
		"n Helvetica 0 81,700 size 12 angle 0 advance 6.7 object 0",
		"e Helvetica 0 88,700 size 12 angle 0 advance 6.7 object 0",
		"u Courier-Bold 0.6 100,400 size 20 angle 90 advance 12.0 object 1",
		"p Courier-Bold 0.6 100,412 size 20 angle 90 advance 12.0 object 1",
	}
	must.Equal(t, want, got[:min(len(got), len(want))])
	if len(got) != 8 || !strings.Contains(got[5], "n Helvetica") || !strings.Contains(got[5], "size 10 angle 0") {
		t.Errorf("a negative size: %q", got)
	}
}

// TestLayout compares the characters with what the functions of PDFium say of each.
func TestLayout(t *testing.T) {
	d := open(t, pageOf("BT /F1 12 Tf 72 700 Td (The first environ-) Tj 0 -14 Td (ment, \\(and\\) more) Tj ET BT /F2 9 Tf .8 .6 -.6 .8 72 500 Tm (turned \\001\\377) Tj ET", "", "").String())
	p := must.Get(d.Page(0))(t)
	page := d.call("FPDF_LoadPage", d.handle, 0)
	text := d.call("FPDFText_LoadPage", page)
	if n := int(d.call("FPDFText_CountChars", text)); n != len(p.Chars) || n < 40 {
		t.Fatalf("%d characters, not %d", len(p.Chars), n)
	}
	s := d.scratch
	double := func(n uint64) float64 {
		b := d.bytes(s+8*n, 8)
		var bits uint64
		for i := range b {
			bits |= uint64(b[i]) << (8 * i)
		}
		return math.Float64frombits(bits)
	}
	generated, hyphens := 0, 0
	for i, c := range p.Chars {
		at := uint64(i)
		want := c
		want.Rune = rune(d.call("FPDFText_GetUnicode", text, at))
		want.Generated = d.call("FPDFText_IsGenerated", text, at) == 1
		want.Unmapped = d.call("FPDFText_HasUnicodeMapError", text, at) == 1
		d.call("FPDFText_GetCharOrigin", text, at, s, s+8)
		want.X, want.Y = double(0), double(1)
		d.call("FPDFText_GetCharBox", text, at, s, s+8, s+16, s+24)
		want.Box = Box{double(0), double(2), double(1), double(3)}
		d.call("FPDFText_GetLooseCharBox", text, at, s)
		want.Loose = Box{float(d.bytes(s, 4)), float(d.bytes(s+12, 4)), float(d.bytes(s+8, 4)), float(d.bytes(s+4, 4))}
		if d.call("FPDFText_GetMatrix", text, at, s) == 1 && c.Font != nil {
			want.Angle = math.Atan2(float(d.bytes(s+4, 4)), float(d.bytes(s, 4)))
		}
		must.Equal(t, c.Object >= 0, d.call("FPDFText_GetTextObject", text, at) != 0, i, " has an object")
		must.Equal(t, want, c, i)
		if c.Generated {
			generated++
		}
		if c.Rune == 2 {
			hyphens++
		}
	}
	if generated == 0 || hyphens != 1 || d.err != nil {
		t.Errorf("%d generated, %d hyphens, %v: %q", generated, hyphens, d.err, p.text())
	}
}

// TestForm reads the value of a field. The page has the fonts of its parent, which PDFium loses when it draws the value
// on the page.
func TestForm(t *testing.T) {
	for subtype, want := range map[string]string{"Widget": "Name:Ada Lovelace", "FreeText": "Name:Ada Lovelace", "Link": "Name:"} {
		f := pageOf("BT /F2 12 Tf 72 700 Td (Name:) Tj ET", "/AcroForm << /Fields [7 0 R] >>", "/Annots [7 0 R]",
			"<< /Type /Annot /Subtype /"+subtype+" /FT /Tx /T (name) /V (Ada) /Rect [120 690 300 720] /F 4 /AP << /N 8 0 R >> >>",
			stream("/Type /XObject /Subtype /Form /BBox [0 0 180 30] /Resources << /Font << /F1 5 0 R >> >>", "BT /F1 12 Tf 2 10 Td (Ada Lovelace) Tj ET"))
		resources := "/Resources << /Font << /F1 5 0 R /F2 6 0 R >> >>"
		f[1], f[2] = "<< /Type /Pages /Kids [3 0 R] /Count 1 "+resources+" >>", "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R /Annots [7 0 R] >>"
		p := read(t, f)
		if got := p.text(); got != want || p.Chars[0].Font.Name != "Courier-Bold" || p.Chars[len(p.Chars)-1].Object != p.TextObjects-1 {
			t.Errorf("%s: %q, %+v", subtype, got, p)
		}
	}
}

// TestLost counts a vertical line without its font, but neither text that is drawn twice nor a space.
func TestLost(t *testing.T) {
	f := pageOf("BT /F1 12 Tf 72 700 Td (Twice) Tj ET BT /F1 12 Tf 72 700 Td (Twice) Tj ET BT /F1 12 Tf 300 500 Td ( ) Tj ET BT /F2 12 Tf 72 600 Td <53d6> Tj ET", "", "")
	f[5] = "<< /Type /Font /Subtype /Type0 /BaseFont /HeiseiMin-W3 /Encoding /UniJIS-UCS2-V /DescendantFonts [<< /Type /Font /Subtype /CIDFontType0 /BaseFont /HeiseiMin-W3 " +
		"/CIDSystemInfo << /Registry (Adobe) /Ordering (Japan1) /Supplement 2 >> /DW 1000 /FontDescriptor << /Type /FontDescriptor /FontName /HeiseiMin-W3 /Flags 4 >> >>] >>"
	if p := read(t, f); strings.TrimSpace(p.text()) != "Twice" || p.Lost != 1 || p.TextObjects != 4 {
		t.Errorf("%q, %d lost of %d", p.text(), p.Lost, p.TextObjects)
	}
}

const (
	visible = "<< /Type /OCG /Name (Shown) >>"
	draft   = "<< /Type /OCG /Name (\\104raft \\(1\\)) >>"
	layers  = "/OC /L1 BDC BT /F1 12 Tf 72 700 Td (Visible) Tj ET EMC /OC /L2 BDC BT /F1 12 Tf 72 680 Td (Hidden) Tj ET EMC"
)

func TestLayers(t *testing.T) {
	both := "Visible\r\nHidden"
	for name, test := range map[string]struct {
		file file
		want string
	}{
		"on":           {pageOf(layers, "/OCProperties << /OCGs [7 0 R 8 0 R] /D << /ON [7 0 R 8 0 R] >> >>", "", visible, draft), both},
		"off":          {pageOf(layers, "/OCProperties << /OCGs [7 0 R 8 0 R] /D << /BaseState /ON /OFF [8 0 R] >> >>", "", visible, draft), "Visible"},
		"references":   {pageOf(layers, "/OCProperties 9 0 R", "", visible, draft, "<</D 10 0 R/OCGs[7 0 R 8 0 R]>>", "<</OFF 11 0 R>>", "[8 0 R]"), "Visible"},
		"base":         {pageOf(layers, "/OCProperties << /OCGs [7 0 R 8 0 R] /D << /BaseState/OFF /ON[7 0 R] >> >>", "", visible, draft), "Visible"},
		"equal names":  {pageOf(layers, "/OCProperties << /OCGs [7 0 R 8 0 R 9 0 R] /D << /OFF [8 0 R] >> >>", "", visible, draft, draft), both},
		"hexadecimal":  {pageOf(layers, "/OCProperties << /OCGs [7 0 R 8 0 R] /D << /OFF [8 0 R] >> >>", "", visible, "<< /Type /OCG /Name <feff 0044 0031> >>"), "Visible"},
		"no such list": {pageOf(layers, "", "", visible, draft), both},
	} {
		t.Run(name, func(t *testing.T) {
			must.Equal(t, test.want, read(t, test.file).text())
		})
	}
	// The catalog is in a compressed stream of objects.
	head := "7 0 8 31 9 79 "
	objects := head + fmt.Sprintf("%-31s%-48s%s", visible, "<< /Type /OCG /Name (Draft) >>", "<< /OCProperties << /OCGs [7 0 R 8 0 R] /D << /OFF [8 0 R] >> >> >>")
	hidden := hiddenLayers([]byte("5 0 obj\n" + stream(fmt.Sprintf("/Type /ObjStm /N 3 /First %d /Filter /FlateDecode", len(head)), packed(objects)) + "\nendobj\n"))
	if len(hidden) != 1 || !hidden["Draft"] {
		t.Errorf("compressed: %v", hidden)
	}
}

func TestOutline(t *testing.T) {
	f := pageOf("", "/Outlines 7 0 R", "",
		"<< /Type /Outlines /First 8 0 R /Last 9 0 R >>",
		"<< /Title (One) /Parent 7 0 R /Next 9 0 R /First 10 0 R /Last 10 0 R /Dest [3 0 R /XYZ 72 700 0] >>",
		"<< /Title <feff00e4> /Parent 7 0 R /Next 8 0 R >>", // a loop
		"<< /Title (Below) /Parent 8 0 R /A << /S /GoTo /D [3 0 R /Fit] >> >>")
	want := []Entry{{1, "One", 0}, {2, "Below", 0}, {1, "ä", -1}}
	d := open(t, f.String())
	if diff := cmp.Diff(want, d.Outline()); diff != "" || d.Pages() != 1 {
		t.Errorf("%d pages, -want +got:\n%s", d.Pages(), diff)
	}
}

func TestDamaged(t *testing.T) {
	e := must.Get(engine())(t)
	for _, text := range []string{"", "%PDF-1.7\n", strings.Repeat("%PDF-1.7\n1 0 obj\n", 1000)} {
		if _, err := e.Open([]byte(text)); err != ErrDamaged {
			t.Errorf("%.20q: %v", text, err)
		}
	}
}

// TestBomb reads a small file with a page of 280 MiB.
func TestBomb(t *testing.T) {
	var b bytes.Buffer
	w, _ := zlib.NewWriterLevel(&b, zlib.BestCompression)
	block := func() []byte {
		b.Reset()
		w.Write(bytes.Repeat([]byte(" "), 1<<20))
		w.Flush()
		return bytes.Clone(b.Bytes())
	}
	content := string(block()) + strings.Repeat(string(block()), 280)
	f := pageOf("", "", "")
	f[3] = stream("/Filter /FlateDecode", content)
	d := open(t, f.String())
	if p, err := d.Page(0); err == nil || !strings.Contains(err.Error(), "more than 256 MiB of memory") {
		t.Errorf("%v, %+v", err, p)
	}
	if n := d.module.Memory().Size(); n > maxMemory {
		t.Errorf("%d bytes", n)
	}
	if _, err := d.Page(0); err == nil {
		t.Error("it goes on")
	}
}

// TestNothingFromOutside checks that all functions that PDFium can call fail or do nothing.
func TestNothingFromOutside(t *testing.T) {
	d := open(t, pageOf("", "", "").String())
	e := must.Get(engine())(t)
	for _, f := range e.compiled.ImportedFunctions() {
		from, name, _ := f.Import()
		before := bytes.Clone(d.bytes(0, 1<<16))
		stack := make([]uint64, max(len(f.ParamTypes()), len(f.ResultTypes())))
		func() {
			defer func() {
				if recover() != nil && name != "proc_exit" {
					t.Errorf("%s panics", name)
				}
			}()
			stub(from, name)(context.Background(), d.module, stack)
			harmless := name == "environ_sizes_get" || name == "clock_time_get"
			switch {
			case from == "env" || harmless:
				if len(stack) > 0 && stack[0] != 0 {
					t.Errorf("%s returns %d", name, stack[0])
				}
			case from != "wasi_snapshot_preview1" || stack[0] != 8:
				t.Errorf("%s.%s returns %v", from, name, stack)
			}
			if !harmless && !bytes.Equal(before, d.bytes(0, 1<<16)) {
				t.Errorf("%s writes", name)
			}
		}()
	}
}

func TestOrigin(t *testing.T) {
	if _, err := pdftest.Module(); err != nil && strings.HasPrefix(err.Error(), "go mod download: ") {
		t.Skip(err)
	} else if err != nil {
		t.Error(err)
	}
}
