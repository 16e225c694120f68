package pdftext

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestMain is also the child of the tests.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == "child" {
		if err := Main(os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	if len(os.Args) == 2 && os.Args[1] == "endless" {
		for {
			fmt.Println(strings.Repeat("text ", 10_000))
		}
	}
	if len(os.Args) == 2 && os.Args[1] == "greedy" {
		go watchMemory(64 << 20)
		all := make([][]byte, 1000)
		for i := range all {
			all[i] = bytes.Repeat([]byte{1}, 1<<20)
			time.Sleep(time.Millisecond)
		}
		fmt.Println(len(bytes.Join(all, nil)))
	}
	os.Exit(m.Run())
}

func child(mode string) func(context.Context) *exec.Cmd {
	return func(ctx context.Context) *exec.Cmd { return exec.CommandContext(ctx, os.Args[0], mode) }
}

// document makes a PDF of pages, each of which is a content stream.
func document(pages ...string) []byte {
	var b bytes.Buffer
	var offsets []int
	object := func(format string, args ...any) {
		offsets = append(offsets, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", len(offsets), fmt.Sprintf(format, args...))
	}
	b.WriteString("%PDF-1.4\n")
	var kids []string
	for i := range pages {
		kids = append(kids, fmt.Sprintf("%d 0 R", 4+2*i))
	}
	object("<< /Type /Catalog /Pages 2 0 R >>")
	object("<< /Type /Pages /Kids [%s] /Count %d >>", strings.Join(kids, " "), len(pages))
	widths := strings.Repeat("500 ", 256)
	object("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding /FirstChar 0 /LastChar 255 /Widths [%s] >>", widths)
	for i, content := range pages {
		object("<< /Type /Page /Parent 2 0 R /Resources << /Font << /F1 3 0 R >> >> /Contents %d 0 R >>", 5+2*i)
		object("<< /Length %d >>\nstream\n%s\nendstream", len(content), content)
	}
	start := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(offsets)+1)
	for _, at := range offsets {
		fmt.Fprintf(&b, "%010d 00000 n \n", at)
	}
	fmt.Fprintf(&b, "trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(offsets)+1, start)
	return b.Bytes()
}

func TestTheTextOfAPDF(t *testing.T) {
	pages, err := Text(t.Context(), child("child"), document(
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
		"map, broken": {"/ToUnicode 5 0 R /Encoding << /Differences [65 /one] >>", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // with the race detector, a child takes a second to end
			data := string(document("BT /F1 12 Tf 72 720 Td (ABCD) Tj ET"))
			data = strings.Replace(data, "/Encoding /WinAnsiEncoding", c.font, 1)
			cmap := "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /X def 1 begincodespacerange <00> <FF> endcodespacerange\n" +
				"1 beginbfchar <44> <20AC> endbfchar 1 beginbfrange <41> <43> <0078> endbfrange endcmap end end"
			at := strings.Index(data, "xref\n")
			object := fmt.Sprintf("6 0 obj\n<< /Length %d >>\nstream\n%s\nendstream\nendobj\n", len(cmap), cmap)
			data = rebuilt(data[:at] + object)
			pages, err := Text(t.Context(), child("child"), []byte(data))
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

func TestFilesThatCannotBeRead(t *testing.T) {
	whole := document("BT /F1 12 Tf 72 720 Td (x) Tj ET")
	for name, data := range map[string][]byte{
		"empty":   nil,
		"no PDF":  []byte("hello"),
		"cut":     whole[:len(whole)/2],
		"no page": document(),
		"a loop":  bytes.ReplaceAll(whole, []byte("/Kids [4 0 R]"), []byte("/Kids [2 0 R]")),
		"many":    bytes.ReplaceAll(whole, []byte("/Count 1"), []byte("/Count 999999999")),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			pages, err := text(t.Context(), child("child"), data, 2*time.Second) // the loop has no end
			if err == nil || !strings.Contains(err.Error(), "PDF") {
				t.Errorf("%q, %v", pages, err)
			}
		})
	}
}

func TestTheChildIsBounded(t *testing.T) {
	if _, err := Text(t.Context(), child("endless"), nil); err == nil || !strings.Contains(err.Error(), "more than 8 MiB") {
		t.Errorf("too much text: %v", err)
	}
	if _, err := Text(t.Context(), child("greedy"), nil); err == nil || !strings.Contains(err.Error(), "more than 64 MiB of memory") {
		t.Errorf("too much memory: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Text(ctx, child("endless"), nil); err != context.Canceled {
		t.Errorf("cancelled: %v", err)
	}
	none := func(ctx context.Context) *exec.Cmd { return exec.CommandContext(ctx, "/nonexistent/program") }
	if _, err := Text(t.Context(), none, nil); err == nil || !strings.Contains(err.Error(), "no process") {
		t.Errorf("no program: %v", err)
	}
}
