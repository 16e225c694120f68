package pdftext

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/testpdf"
)

func TestTheTextOfAPDF(t *testing.T) {
	pages, _, err := Read(testpdf.New(
		"BT /F1 12 Tf 72 720 Td (Hello) Tj 40 0 Td (world) Tj 0 -14 Td [(ne) -20 (xt) -600 (line)] TJ 0 -40 Td (a paragraph) Tj ET",
		"BT /F1 12 Tf 72 720 Td (page two) Tj ET"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"Hello world\nnext line\n\na paragraph", "page two"}, pages); diff != "" {
		t.Error(diff)
	}
}

func TestGlyphNames(t *testing.T) {
	for name, want := range map[string]string{
		"A": "A", "eacute": "é", "fi": "ﬁ", "f_i": "fi", "quoteright": "’", "Omega": "Ω", "a.alt": "a", "uni20AC": "€", "u1F600": "😀", "uniD800": "", ".notdef": "", "g12": "", "": "",
	} {
		if got := glyph(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// TestFontsWithMaps reads a page whose font has a ToUnicode map and names of glyphs.
func TestFontsWithMaps(t *testing.T) {
	for name, c := range map[string]struct{ font, want string }{
		"names":       {"/Encoding << /Differences [65 /eacute 66 /f_i /uni20AC] >>", "éfi€D"},
		"Mac":         {"/Encoding /MacRomanEncoding", "ABCD"},
		"map":         {"/ToUnicode 6 0 R", "xyz€"},
		"map, broken": {"/ToUnicode 5 0 R /Encoding << /Differences [65 /one] >>", "1BCD"},
	} {
		t.Run(name, func(t *testing.T) {
			data := string(testpdf.New("BT /F1 12 Tf 72 720 Td (ABCD) Tj ET"))
			data = strings.Replace(data, "/Encoding /WinAnsiEncoding", c.font, 1)
			cmap := "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /X def 1 begincodespacerange <00> <FF> endcodespacerange\n" +
				"1 beginbfchar <44> <20AC> endbfchar 1 beginbfrange <41> <43> <0078> endbfrange endcmap end end"
			at := strings.Index(data, "xref\n")
			object := fmt.Sprintf("6 0 obj\n<< /Length %d >>\nstream\n%s\nendstream\nendobj\n", len(cmap), cmap)
			data = rebuilt(data[:at] + object)
			pages, _, err := Read([]byte(data))
			if err != nil || len(pages) != 1 || pages[0] != c.want {
				t.Errorf("%q, %v; want %q", pages, err, c.want)
			}
		})
	}
}

// rebuilt appends a cross-reference table to a PDF.
func rebuilt(body string) string {
	var table strings.Builder
	n := 0
	for {
		n++
		at := strings.Index(body, fmt.Sprintf("\n%d 0 obj", n))
		if at < 0 {
			break
		}
		fmt.Fprintf(&table, "%010d 00000 n \n", at+1)
	}
	return fmt.Sprintf("%sxref\n0 %d\n0000000000 65535 f \n%strailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", body, n, &table, n, len(body))
}

// TestNotes: a note reports characters that cannot be decoded, with their pages.
func TestNotes(t *testing.T) {
	text := "BT /F1 12 Tf 72 720 Td (ABCD) Tj ET"
	data := string(testpdf.New("", text, text, "/I Do", text))
	for font, want := range map[string]string{
		"/Encoding /WinAnsiEncoding": "There is no text, only an image, on page 4.",
		"/Encoding << /Differences [65 /g1 /g2 /g3] >>": "Characters are missing, as their fonts do not say what they are, on pages 2 to 3, 5. " +
			"There is no text, only an image, on page 4.",
	} {
		changed := strings.Replace(data, "/Encoding /WinAnsiEncoding", font, 1)
		_, notes, err := Read([]byte(rebuilt(changed[:strings.Index(changed, "xref\n")])))
		if got := strings.Join(notes, " "); err != nil || got != want {
			t.Errorf("%s: %q, %v; want %q", font, got, err, want)
		}
	}
	if got := listOf([]int{1, 3, 4, 5, 7}); got != "pages 1, 3 to 5, 7" {
		t.Error(got)
	}
}

// TestMapsOfFonts reads ToUnicode maps of Apache FOP and other programs.
func TestMapsOfFonts(t *testing.T) {
	data := strings.Replace(string(testpdf.New("BT /F1 12 Tf 72 720 Td <000100020003000400050006> Tj ET")), "/Subtype /Type1", "/Subtype /Type0", 1)
	data = strings.Replace(data, "/Encoding /WinAnsiEncoding", "/ToUnicode 6 0 R", 1)
	cmap := "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CIDSystemInfo 3 dict dup begin /Registry (Adobe) def end def\n" +
		"1 begincodespacerange <0000> <FFFF> endcodespacerange 2 beginbfchar <0001> <0041> <0002><00660069> endbfchar\n" +
		"2 beginbfrange <0003> <0004> <0062> <0005> <0006> [<D83D DE00> <0064>] endbfrange endcmap end end"
	object := fmt.Sprintf("6 0 obj\n<< /Length %d >>\nstream\n%s\nendstream\nendobj\n", len(cmap), cmap)
	pages, notes, err := Read([]byte(rebuilt(data[:strings.Index(data, "xref\n")] + object)))
	if err != nil || len(notes) != 0 || len(pages) != 1 || pages[0] != "Afibc😀d" {
		t.Errorf("%q, %q, %v", pages, notes, err)
	}
}

// TestEncodings: without a ToUnicode map, other parts of a font give the texts of its codes.
func TestEncodings(t *testing.T) {
	program := "%!PS-AdobeFont-1.0: CMSY10\n/Encoding 256 array\n0 1 255 {1 index exch /.notdef put} for\ndup 65 /lessequal put\ndup 66 /parenleftBig put\ndup 67 /arrowdblright put\ndup 68 /summationdisplay put\nreadonly def\ncurrentfile eexec dup 65 /A put"
	cmap := "1 begincodespacerange <00> <FF> endcodespacerange 1 beginbfchar <41> <0061> endbfchar"
	for font, want := range map[string]string{
		"/Subtype /Type1 /BaseFont /CMSY10 /FontDescriptor << /FontFile 6 0 R >>":                                      "≤(⇒∑",
		"/Subtype /Type1 /BaseFont /CMSY10 /FontDescriptor << /FontFile 6 0 R >> /Encoding << /Differences [66 /B] >>": "≤B⇒∑",
		"/Subtype /Type1 /BaseFont /CMSY10 /FontDescriptor << /FontFile 6 0 R >> /ToUnicode 7 0 R":                     "a(⇒∑",
		"/Subtype /Type1 /BaseFont /Times-Roman /Encoding << /Differences [66 /fi] >>":                                 "AfiCD",
		"/Subtype /Type3 /Encoding << /Differences [65 /a65 /x66 /C /g1] >>":                                           "ABC",
		"/Subtype /Type1 /BaseFont /Symbol":                                                                            "ΑΒΧΔ",
		"/Subtype /Type1 /BaseFont /Times":                                                                             "ABCD",
		"/Subtype /TrueType /BaseFont /Any":                                                                            "ABCD",
	} {
		data := string(testpdf.New("BT /F1 12 Tf 72 720 Td (ABCD) Tj ET"))
		data = strings.Replace(data, "/Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding", font, 1)
		data = data[:strings.Index(data, "xref\n")]
		for i, stream := range []string{program, cmap} {
			data += fmt.Sprintf("%d 0 obj\n<< /Length %d >>\nstream\n%s\nendstream\nendobj\n", 6+i, len(stream), stream)
		}
		pages, notes, err := Read([]byte(rebuilt(data)))
		if err != nil || (len(notes) != 0) != strings.Contains(font, "/g1") || len(pages) != 1 || pages[0] != want {
			t.Errorf("%s: %q, %q, %v; want %q", font, pages, notes, err, want)
		}
	}
	if standard := standardTexts(); standard[0xae] != "ﬁ" || standard[0xe1] != "Æ" || standard[0xfb] != "ß" || standard[0xb0] != "" || symbolTexts()[0xfe] != "⎭" || symbolTexts()[0xe5] != "∑" {
		t.Error("the tables of encodings are shifted")
	}
}

// TestUsualWidths: if the font is not in the file, its usual widths show the gaps between words.
func TestUsualWidths(t *testing.T) {
	data := string(testpdf.New("BT /F1 10 Tf 72 720 Td (will) Tj 18 0 Td (fit) Tj 8.9 0 Td (any) Tj ET"))
	from := strings.Index(data, "/BaseFont")
	data = data[:from] + "/BaseFont /Times-Roman" + data[from+strings.Index(data[from:], "]")+1:]
	pages, _, err := Read([]byte(rebuilt(data[:strings.Index(data, "xref\n")])))
	if err != nil || pages[0] != "will fitany" {
		t.Errorf("%q, %v", pages, err)
	}
}

// TestSpacingOfCharacters: Ghostscript writes gaps between words as character spacing, and reverses it with
// numbers.
func TestSpacingOfCharacters(t *testing.T) {
	pages, _, err := Read(testpdf.New("BT /F1 10 Tf 72 720 Td (vo) Tj 10 0 Td (ke) Tj 2.5 Tc 10 0 Td [(di)250(nt)] TJ 0 Tc 25 0 Td (his) Tj ET"))
	if err != nil || pages[0] != "voked in this" {
		t.Errorf("%q, %v", pages, err)
	}
}

// TestForms: text in a form belongs to the page, and a form that draws itself ends.
func TestForms(t *testing.T) {
	data := string(testpdf.New("BT /F1 12 Tf 72 720 Td (before) Tj ET q 1 0 0 1 0 -300 cm /X Do Q BT /F1 12 Tf 72 300 Td (after) Tj ET"))
	data = strings.Replace(data, "/Resources << ", "/Resources << /XObject << /X 6 0 R >> ", 1)
	for form, want := range map[string]string{
		"BT /F1 12 Tf 72 720 Td (inside) Tj ET":         "before\n\ninside\n\nafter",
		"Q Q BT /F1 12 Tf 72 720 Td (inside) Tj ET q q": "before\n\ninside\n\nafter",
		"/X Do": "before\n\nafter",
	} {
		object := fmt.Sprintf("6 0 obj\n<< /Subtype /Form /Length %d >>\nstream\n%s\nendstream\nendobj\n", len(form), form)
		pages, notes, err := Read([]byte(rebuilt(data[:strings.Index(data, "xref\n")] + object)))
		if err != nil || len(pages) != 1 || pages[0] != want || (len(notes) > 0) != (form == "/X Do") {
			t.Errorf("%s: %q, %q, %v", form, pages, notes, err)
		}
	}
}

func TestLeaders(t *testing.T) {
	for text, want := range map[string]string{
		"1.2 Install . . . . . . . 12\n": "1.2 Install 12\n", "Use........ 3": "Use 3", "Use … … … … 3": "Use 3", "and so on... Then": "and so on... Then", "1.2.3.4": "1.2.3.4",
	} {
		if got := withoutLeaders(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestFilesThatCannotBeRead(t *testing.T) {
	whole := testpdf.New("BT /F1 12 Tf 72 720 Td (x) Tj ET")
	for name, data := range map[string][]byte{
		"empty":   nil,
		"no PDF":  []byte("hello"),
		"cut":     whole[:len(whole)/2],
		"no page": testpdf.New(),
		"many":    bytes.ReplaceAll(whole, []byte("/Count 1"), []byte("/Count 999999999")),
	} {
		t.Run(name, func(t *testing.T) {
			if pages, _, err := Read(data); err == nil {
				t.Errorf("%q", pages)
			}
		})
	}
}

// TestCode: lines whose characters are all in monospaced fonts are code, with the indentation and the blank lines that they have
// on the page, and with the characters that the author typed.
func TestCode(t *testing.T) {
	program := "BT /F1 10 Tf 72 720 Td (if x {) Tj 12 -12 Td (say) Tj 24 0 Td (\\222it\\222....) Tj -36 -24 Td (}) Tj ET"
	code := "\tif x {\n\t  say 'it'....\n\t\n\t}"
	prose := "if x {\nsay ’it’ \n\n}"
	letters := strings.Repeat("525 ", 256)
	for font, want := range map[string]string{
		"/BaseFont /Courier": code,
		"/BaseFont /X /FirstChar 0 /Widths [" + letters + "]": strings.Replace(code, "say ", "say  ", 1),
		"/BaseFont /X": prose,
		"/BaseFont /X /FirstChar 48 /Widths [" + letters[:40] + "]": prose, // digits
	} {
		data := string(testpdf.New(program))
		from, to := strings.Index(data, "/BaseFont"), strings.Index(data, " >>\nendobj\n4 0")
		data = data[:from] + font + " /Encoding /WinAnsiEncoding" + data[to:]
		pages, _, err := Read([]byte(rebuilt(data[:strings.Index(data, "xref\n")])))
		if err != nil || pages[0] != want {
			t.Errorf("%s: %q, %v; want %q", font, pages, err, want)
		}
	}
}

// TestCodeOfCompositeFonts: the widths of the glyphs say whether a font is monospaced, and how far apart words are.
func TestCodeOfCompositeFonts(t *testing.T) {
	cmap := "1 begincodespacerange <0000> <FFFF> endcodespacerange 2 beginbfrange <0001> <001A> <0061> <001B> <0034> <0041> endbfrange"
	for widths, want := range map[string]string{
		"/DW 600":                   "\tab  c",
		"/W [1 [600 600] 3 52 600]": "\tab  c",
		"/W [1 [600 700] 3 52 600]": "ab c",
		"":                          "ab c",
		"/FontDescriptor << /Flags 1 >> /W [1 [600 600 600]]": "\tab  c",
	} {
		data := string(testpdf.New("BT /F1 10 Tf 72 720 Td <00010002> Tj 24 0 Td <0003> Tj ET"))
		from, to := strings.Index(data, "/Subtype"), strings.Index(data, "]")
		data = data[:from] + "/Subtype /Type0 /Encoding /Identity-H /ToUnicode 6 0 R /DescendantFonts [<< " + widths + " >>]" + data[to+1:]
		object := fmt.Sprintf("6 0 obj\n<< /Length %d >>\nstream\n%s\nendstream\nendobj\n", len(cmap), cmap)
		pages, _, err := Read([]byte(rebuilt(data[:strings.Index(data, "xref\n")] + object)))
		if err != nil || pages[0] != want {
			t.Errorf("%q: %q, %v; want %q", widths, pages, err, want)
		}
	}
}
