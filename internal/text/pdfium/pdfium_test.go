package pdfium

import ("testing";"os";"path/filepath";"time")

func TestTry(t *testing.T) {
	start := time.Now()
	e, err := New(filepath.Join(os.TempDir(), "pdfa", "cache"))
	if err != nil { t.Fatal(err) }
	t.Log("new", time.Since(start))
	for _, f := range filepath.SplitList(os.Getenv("PDFS")) {
		b, err := os.ReadFile(f)
		if err != nil { t.Fatal(err) }
		start = time.Now()
		d, err := e.Open(b)
		if err != nil { t.Error(f, err); continue }
		n, chars := d.Pages(), 0
		var first string
		for i := range n {
			p, err := d.Page(i)
			if err != nil { t.Error(err); break }
			chars += len(p.Chars)
			if i == 0 { for _, c := range p.Chars[:min(60, len(p.Chars))] { first += string(c.Rune) }
				if len(p.Chars)>3 { t.Logf("%+v %+v", p.Chars[3], p.Chars[3].Font)} }
		}
		t.Log(f, n, chars, time.Since(start), d.Title(), len(d.Outline()), d.m.Memory().Size(), first)
		d.Close()
	}
}
