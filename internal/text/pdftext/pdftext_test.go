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

// TestFontsThatSayWhatTheirCodesAre reads a page whose font has a map and names of glyphs.
func TestFontsThatSayWhatTheirCodesAre(t *testing.T) {
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

// rebuilt puts the table of its objects behind a PDF.
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

// TestNotes: what cannot be decoded is said, with the pages.
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

// TestMapsOfFonts reads ToUnicode maps as Apache FOP and others write them.
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
