package pdftext

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/pdfium"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/pdftest"
)

var engine = sync.OnceValues(func() (*pdfium.Engine, error) {
	e, _, err := pdfium.New(pdftest.CompiledFolder())
	return e, err
})

func read(t *testing.T, data []byte) (pages, notes []string, err error) {
	t.Helper()
	e := must.Get(engine())(t)
	return Read(e, data)
}

// check compares the text of the first page of a file that lacks nothing.
func check(t *testing.T, data []byte, want string) {
	t.Helper()
	pages, notes, err := read(t, data)
	if err != nil || len(notes) > 0 || len(pages) == 0 {
		t.Fatalf("%q, %q, %v", pages, notes, err)
	}
	must.Equal(t, want, pages[0])
}

// page returns a file of one page. Its fonts are Helvetica (F1), Courier (F2), and one whose letters a, b and so on have
// the texts of letters (F3).
func page(content, letters string) []byte {
	return pdftest.Pages("/Font << /F1 3 0 R /F2 4 0 R /F3 5 0 R >>", fonts(letters), content)
}

func fonts(letters string) []string {
	var b strings.Builder
	n := 1
	b.WriteString("<20> <0020>\n")
	for _, r := range letters {
		fmt.Fprintf(&b, "<%02x> <%04x>\n", 'a'+n-1, r)
		n++
	}
	return []string{
		"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
		"<< /Type /Font /Subtype /Type1 /BaseFont /Courier /Encoding /WinAnsiEncoding >>",
		"<< /Type /Font /Subtype /Type1 /BaseFont /Times-Roman /ToUnicode 6 0 R /FirstChar 32 /LastChar 123 /Widths [" + strings.Repeat("500 560 ", 46) + "] >>",
		pdftest.Stream("", fmt.Sprintf("begincmap 1 begincodespacerange <00> <ff> endcodespacerange %d beginbfchar\n%sendbfchar endcmap", n, &b)),
	}
}

func TestTheTextOfAPDF(t *testing.T) {
	pages, _, err := read(t, pdftest.New(
		"BT /F1 12 Tf 72 720 Td (Hello) Tj 40 0 Td (world) Tj 0 -14 Td [(ne) -20 (xt) -600 (line)] TJ 0 -40 Td (a paragraph) Tj ET",
		"BT /F1 12 Tf 72 720 Td (page two) Tj ET"))
	if diff := cmp.Diff([]string{"Hello world\nnext line\n\na paragraph", "page two"}, pages); diff != "" || err != nil {
		t.Error(diff, err)
	}
}

// lines returns operators that draw lines, with a distance of 14.
func lines(x, y int, texts ...string) string {
	return fmt.Sprintf("BT /F1 11 Tf %d %d Td (%s) Tj ET\n", x, y, strings.Join(texts, ") Tj 0 -14 Td ("))
}

// TestStates: what one text sets does not last for the next one.
func TestStates(t *testing.T) {
	for content, want := range map[string]string{
		"BT /F1 12 Tf ET q BT /F3 12 Tf 72 740 Td (abc) Tj ET Q BT 72 700 Td (Helvetica) Tj ET":                                                      "αβγ\n\nHelvetica",
		"q BT /F1 18 Tf 6 Tc 72 740 Td (TITLE OF IT) Tj ET Q BT /F1 11 Tf 72 700 Td (not spaced) Tj ET":                                              "TITLE OF IT\n\nnot spaced",
		"BT /F1 -12 Tf -1 0 0 -1 72 740 Tm (a negative size) Tj ET":                                                                                  "a negative size",
		"BT /F1 18 Tf 72 740 Td 6 Tc [(INSTALL) -600 (GUIDE)] TJ ET":                                                                                 "INSTALL GUIDE",
		"BT /F1 11 Tf 72 740 Td -2.2 Tw (tight words of a line) Tj ET":                                                                               "tight words of a line",
		"BT /F1 12 Tf 72 740 Td (before) Tj ET BI /W 4 /H 4 /CS /G /BPC 8 ID (<([EI(<<%(\\\x00\x01\x02\x03\nEI BT /F1 12 Tf 72 660 Td (after) Tj ET": "before\n\nafter",
	} {
		check(t, page(content, "αβγ"), want)
	}
}

// cid returns a font of East Asian characters that is not in the file.
func cid(encoding, collection string) string {
	return "<< /Type /Font /Subtype /Type0 /BaseFont /Missing /Encoding /" + encoding + " /DescendantFonts [<< /Type /Font /Subtype /CIDFontType0 /BaseFont /Missing" +
		" /CIDSystemInfo << /Registry (Adobe) /Ordering (" + collection + ") /Supplement 2 >> /FontDescriptor << /Type /FontDescriptor /FontName /Missing /Flags 4 >> >>] >>"
}

// TestFonts reads fonts whose codes mean other characters than in the usual encodings.
func TestFonts(t *testing.T) {
	for _, c := range []struct{ font, text, want string }{
		{"<< /Type /Font /Subtype /Type1 /BaseFont /Times-Roman /ToUnicode 4 0 R >>", "(text)", "text"}, // groff
		{cid("UniJIS-UCS2-H", "Japan1"), "<65e5672c>", "日本"},
		{cid("90ms-RKSJ-H", "Japan1"), "<93fa967b>", "日本"},
		{cid("UniGB-UTF16-H", "GB1"), "<4e2d6587>", "中文"},
		{cid("GBK-EUC-H", "GB1"), "<d6d0cec4>", "中文"},
		{"<< /Type /Font /Subtype /Type1 /BaseFont /Times-Roman /Encoding << /Differences [65 /eacute /fi /uni20AC] >> >>", "(ABC)", "éfi€"},
	} {
		cmap := "begincmap 1 begincodespacerange <0000> <ffff> endcodespacerange 1 beginbfrange <0020> <007e> <0020> endbfrange endcmap"
		check(t, pdftest.Pages("/Font << /F1 3 0 R >>", []string{c.font, pdftest.Stream("", cmap)}, "BT /F1 12 Tf 72 740 Td "+c.text+" Tj ET"), c.want)
	}
}

// TestLetters: presentation forms, radicals and ligatures become letters, and words that are written from right to left
// come in the order in which they are read.
func TestLetters(t *testing.T) {
	for _, c := range []struct{ letters, text, want string }{
		{"⼀⽂⽇", "(abc)", "一文日"},
		{"ﬁﬀ", "(ab)", "fiff"},
		{"םלועש", "(abcd acbe)", "שלום עולם"},
		{"ﻡﻼﺴﻟﺍ", "(abcde)", "السلام"},
		{"םלועש25", "(abcd gf acbe)", "שלום 52 עולם"}, // a number is written to the right
		{"םלועש25", "(abcd) Tj /F1 12 Tf ( two words ) Tj /F3 12 Tf (acbe)", "שלום two words עולם"},
		{"םלועש", "(d) Tj /F1 12 Tf ( is a letter of many words) Tj /F3 12 Tf ( acbe)", "ע is a letter of many words שלום"},
		{"e\u0301", "[(a) 520 (b)] TJ () ", "é"},
	} {
		check(t, page("BT /F3 12 Tf 72 740 Td "+c.text+" Tj ET", c.letters), c.want)
	}
}

// TestSplitContents: an operator and its operands can be in different content streams.
func TestSplitContents(t *testing.T) {
	data := pdftest.File("<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
		"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents [4 0 R 5 0 R] /Resources << /Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >> >>",
		pdftest.Stream("", "BT /F1 12 Tf 72 740 Td (Split operand)"), pdftest.Stream("", "Tj 0 -20 Td (whole) Tj ET"))
	check(t, data, "Split operand\nwhole")
}

// TestOverprinting: what is drawn twice, for bold letters or a shadow, counts once.
func TestOverprinting(t *testing.T) {
	draw := func(x, y float64, text string) string {
		return fmt.Sprintf("BT /F1 14 Tf %.1f %.1f Td (%s) Tj ET ", x, y, text)
	}
	content := draw(72, 700, "Whole line") + draw(72, 700, "Whole line") + draw(72, 660, "Shadow") + draw(73, 659, "Shadow")
	for i, r := range "HUND" {
		for _, shift := range []float64{0, .2, .4} {
			content += draw(72+10.1*float64(i)+shift, 620, string(r))
		}
	}
	check(t, page(content, ""), "Whole line\n\nShadow\n\nHUND")
}

// TestOrder: text is read in lines and columns, whenever it is drawn.
func TestOrder(t *testing.T) {
	left, right := make([]string, 6), make([]string, 6)
	rows, table := "", ""
	for i := range left {
		left[i], right[i] = fmt.Sprintf("Left line %d says that the pump must be", i), fmt.Sprintf("Right line %d says that the valve may be", i)
		rows += lines(60, 700-14*i, left[i]) + lines(320, 700-14*i, right[i])
		table += lines(60, 700-14*i, "--option"+strings.Repeat("-name", i)) + lines(320, 700-14*i, "What it means"+strings.Repeat(" really", 5-i))
	}
	tableText := ""
	for i := range left {
		tableText += "--option" + strings.Repeat("-name", i) + " What it means" + strings.Repeat(" really", 5-i) + "\n"
	}
	columns := strings.Join(left, "\n") + "\n\n" + strings.Join(right, "\n")
	title, last := lines(60, 740, "A title that is as wide as both columns of the page and a bit wider than that"), lines(60, 600, "A line below that is as wide as both columns of the page, which is read last of all")
	for name, c := range map[string]struct{ content, want string }{
		"lines":            {lines(72, 600, "third") + lines(72, 700, "first") + lines(72, 650, "second"), "first\n\nsecond\n\nthird"},
		"pieces of a line": {lines(72, 740, "Press the") + lines(157, 740, "button") + lines(125, 740, "green"), "Press the green button"},
		"markers":          {lines(90, 740, "first thing of the list", "second thing of the list") + lines(72, 740, "1.", "2."), "1. first thing of the list\n2. second thing of the list"},
		"columns":          {rows, columns},
		"title and end": {last + rows + title, "A title that is as wide as both columns of the page and a bit wider than that\n\n" + columns +
			"\n\nA line below that is as wide as both columns of the page, which is read last of all"},
		"short columns": {lines(60, 700, "The board looked at the", "statement and") + lines(330, 700, "agreed on the plan for", "the next months."),
			"The board looked at the\nstatement and\n\nagreed on the plan for\nthe next months."},
		"table":       {table, strings.TrimSpace(tableText)},
		"superscript": {"BT /F1 11 Tf 72 700 Td (E = mc) Tj /F1 7 Tf 4 Ts (2) Tj 0 Ts /F1 11 Tf ( is) Tj ET", "E = mc2 is"},
		"turned":      {"BT /F1 11 Tf 0 1 -1 0 300 100 Tm (turned text) Tj 0 -14 Td (second line) Tj ET", "turned text\nsecond line"},
	} {
		t.Run(name, func(t *testing.T) { check(t, page(c.content, ""), c.want) })
	}
}

// TestCells: the cells of a row of a table are read one after the other, if they have several lines and are drawn so.
func TestCells(t *testing.T) {
	content, want := "", ""
	for i := range 3 {
		content += lines(60, 700-42*i, "The name of the part", fmt.Sprintf("with number %d", i)) + lines(320, 700-42*i, "A description of what", fmt.Sprintf("the part %d does", i))
		want += fmt.Sprintf("The name of the part\nwith number %d\n\nA description of what\nthe part %[1]d does\n\n", i)
	}
	check(t, page(content, ""), strings.TrimSpace(want))
}

// TestForms: text in a form belongs to the page, and a form that draws itself ends.
func TestForms(t *testing.T) {
	for form, want := range map[string]string{
		"BT /F1 12 Tf 72 720 Td (inside) Tj ET": "before\n\ninside\n\nafter",
		"/X Do":                                 "before\n\nafter",
	} {
		data := pdftest.Pages("/Font << /F1 3 0 R >> /XObject << /X 4 0 R >>", []string{fonts("")[0], pdftest.Stream("/Type /XObject /Subtype /Form /BBox [0 0 600 800]", form)},
			"BT /F1 12 Tf 72 720 Td (before) Tj ET q 1 0 0 1 0 -300 cm /X Do Q BT /F1 12 Tf 72 300 Td (after) Tj ET")
		check(t, data, want)
	}
}

// TestFieldsAndLayers: the value of a field is text of its page, and a layer that is off is not. ActualText replaces what is drawn.
func TestFieldsAndLayers(t *testing.T) {
	content := "BT /F1 12 Tf 72 740 Td (Name:) Tj 0 -40 Td (of) Tj /Span << /ActualText (fi) >> BDC (x) Tj EMC (ce) Tj ET " +
		"/OC /L1 BDC BT /F1 12 Tf 72 660 Td (shown) Tj ET EMC /OC /L2 BDC BT /F1 12 Tf 72 620 Td (a draft) Tj ET EMC"
	data := pdftest.File("<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [6 0 R] >> /OCProperties << /OCGs [8 0 R 9 0 R] /D << /OFF [9 0 R] >> >> >>",
		"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
		"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R /Annots [6 0 R] /Resources << /Font << /F1 5 0 R >> /Properties << /L1 8 0 R /L2 9 0 R >> >> >>",
		pdftest.Stream("", content), fonts("")[0],
		"<< /Type /Annot /Subtype /Widget /FT /Tx /T (n) /V (Ada Lovelace) /F 4 /Rect [120 736 300 756] /AP << /N 7 0 R >> /DA (/F1 12 Tf) >>",
		pdftest.Stream("/Type /XObject /Subtype /Form /BBox [0 0 180 20] /Resources << /Font << /F1 5 0 R >> >>", "/Tx BMC BT /F1 12 Tf 2 4 Td (Ada Lovelace) Tj ET EMC"),
		"<< /Type /OCG /Name (Shown) >>", "<< /Type /OCG /Name (Draft) >>")
	check(t, data, "Name: Ada Lovelace\n\noffice\n\nshown")
}

func TestEncryptedFiles(t *testing.T) {
	files, _ := filepath.Glob("testdata/*.txt")
	if len(files) != 4 {
		t.Fatal(files)
	}
	for _, name := range files {
		text, _ := os.ReadFile(name)
		data, err := base64.StdEncoding.DecodeString(strings.ReplaceAll(string(text), "\n", ""))
		if err != nil {
			t.Fatal(name, err)
		}
		check(t, data, "The secret manual of the pump\nsecond line")
	}
}

func TestBrokenFiles(t *testing.T) {
	whole := pdftest.New("BT /F1 12 Tf 72 720 Td (x) Tj ET")
	for _, data := range [][]byte{
		bytes.Replace(whole, []byte("startxref\n"), []byte("startxref\n9"), 1),
		append(bytes.Clone(whole), bytes.Repeat([]byte("junk\n"), 500)...),
		append([]byte("HTTP junk\r\n\r\n"), whole...),
	} {
		check(t, data, "x")
	}
	for name, data := range map[string][]byte{
		"empty":   nil,
		"no PDF":  []byte("hello"),
		"cut":     whole[:len(whole)/2],
		"no page": pdftest.New(),
	} {
		if pages, _, err := read(t, data); err == nil {
			t.Errorf("%s: %q", name, pages)
		}
	}
}

// TestNotes: a note names the pages that lack text.
func TestNotes(t *testing.T) {
	glyphs := "<< /Type /Font /Subtype /Type0 /BaseFont /Glyphs /Encoding /Identity-H /DescendantFonts [<< /Type /Font /Subtype /CIDFontType2 /BaseFont /Glyphs" +
		" /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> /FontDescriptor << /Type /FontDescriptor /FontName /Glyphs /Flags 4 >> >>] >>"
	image := pdftest.Stream("/Type /XObject /Subtype /Image /Width 1 /Height 1 /BitsPerComponent 8 /ColorSpace /DeviceGray", "x")
	pages, notes, err := read(t, pdftest.Pages("/Font << /F1 3 0 R /V 4 0 R /G 5 0 R >> /XObject << /I 6 0 R >>", []string{fonts("")[0], cid("UniJIS-UCS2-V", "Japan1"), glyphs, image},
		"", "BT /F1 12 Tf 72 720 Td (x) Tj ET", "q 9 0 0 9 0 0 cm /I Do Q", "BT /F1 12 Tf 72 720 Td (x) Tj /V 12 Tf 72 -99 Td <65e5672c> Tj ET", "BT /G 12 Tf 72 720 Td <12345678> Tj ET"))
	want := []string{"Characters are missing, as their fonts do not say what they are, on page 5.", "Text is missing, as its fonts are not in the file, on page 4.", "There is no text, only an image, on page 3."}
	if diff := cmp.Diff(want, notes); diff != "" || err != nil || len(pages) != 5 || pages[3] != "x" {
		t.Error(diff, err, pages)
	}
	must.Equal(t, "pages 1, 3 to 5, 7", listOf([]int{1, 3, 4, 5, 7}))
}

// TestHeadings: titles of the outline are headings, with their numbers and all their lines.
func TestHeadings(t *testing.T) {
	content := "BT /F1 9 Tf 72 780 Td (How to install the pump) Tj ET BT /F1 18 Tf 72 740 Td (2) Tj 40 0 Td (How to install) Tj -40 -20 Td (the pump) Tj ET " +
		lines(72, 690, "How to install the pump is said here.", "Valves") + lines(72, 640, "end")
	data := pdftest.File("<< /Type /Catalog /Pages 2 0 R /Outlines 6 0 R >>", "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
		"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
		pdftest.Stream("", content), fonts("")[0], "<< /Type /Outlines /First 7 0 R /Last 7 0 R /Count 1 >>",
		"<< /Title (How to install the pump) /Parent 6 0 R /Dest [3 0 R /XYZ 0 760 0] /First 8 0 R /Last 8 0 R /Count 1 >>", "<< /Title (Valves) /Parent 7 0 R /Dest [3 0 R /Fit] >>")
	check(t, data, "How to install the pump\n\n\v2 How to install the pump\n\nHow to install the pump is said here.\n\n\v\vValves\n\nend")
}

func TestLeaders(t *testing.T) {
	for text, want := range map[string]string{
		"1.2 Install . . . . . . . 12\n": "1.2 Install 12\n", "Use........ 3": "Use 3", "Use … … … … 3": "Use 3", "and so on... Then": "and so on... Then", "1.2.3.4": "1.2.3.4",
	} {
		must.Equal(t, want, withoutLeaders(text), text)
	}
}

// TestCode: lines whose characters are all in monospaced fonts are code, with the indentation and the blank lines that they have
// on the page, and with the characters that the author typed.
func TestCode(t *testing.T) {
	program := "BT /F1 10 Tf 72 720 Td (if x {) Tj 12 -12 Td (say) Tj 24 0 Td (\\222it\\222....) Tj -36 -24 Td (}) Tj ET"
	code := "\tif x {\n\t  say 'it'....\n\t\n\t}"
	letters := strings.Repeat("525 ", 256)
	for font, want := range map[string]string{
		"/BaseFont /Courier": code,
		"/BaseFont /X /FirstChar 0 /LastChar 255 /Widths [" + letters + "]": strings.Replace(code, "say ", "say  ", 1),
		"/BaseFont /Helvetica": "if x {\nsay ’it’\n\n}",
	} {
		data := pdftest.Pages("/Font << /F1 3 0 R >>", []string{"<< /Type /Font /Subtype /Type1 " + font + " /Encoding /WinAnsiEncoding >>"}, program)
		check(t, data, strings.ReplaceAll(want, "say ’it’\n", "say ’it’ \n"))
	}
	check(t, page("BT /F2 10 Tf 72 720 Td (f\\(x\\)) Tj 24 -12 Td /F3 10 Tf (a) Tj /F2 10 Tf 12 0 Td (42) Tj ET", "⇒"), "\tf(x)\n\t    ⇒ 42") // a result
}
