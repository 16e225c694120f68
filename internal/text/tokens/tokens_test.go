package tokens

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestEstimate compares the estimates of texts with their counts in o200k_base.
func TestEstimate(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("testdata", "counts.json"))
	if err != nil {
		t.Fatal(err)
	}
	var counts map[string]int
	if err := json.Unmarshal(data, &counts); err != nil {
		t.Fatal(err)
	}
	files, err := os.ReadDir("testdata")
	if err != nil {
		t.Fatal(err)
	}
	if len(files) != len(counts)+1 {
		t.Errorf("testdata has %d texts, but %d counts", len(files)-1, len(counts))
	}
	estimated, counted := 0, 0
	for name, count := range counts {
		text, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		estimate := Estimate(string(text))
		off := float64(estimate)/float64(count) - 1
		t.Logf("%s: %d tokens, estimated %d (%+.1f %%)", name, count, estimate, 100*off)
		if math.Abs(off) > 0.15 {
			t.Errorf("%s: %d tokens are estimated as %d (%+.1f %%)", name, count, estimate, 100*off)
		}
		estimated, counted = estimated+estimate, counted+count
	}
	if off := float64(estimated)/float64(counted) - 1; math.Abs(off) > 0.05 {
		t.Errorf("all texts: %d tokens are estimated as %d", counted, estimated)
	}
}

func TestWords(t *testing.T) {
	for text, want := range map[string]tally{
		"":                 {},
		"readFile":         {words: 2},
		"HTTPServer":       {words: 2, capitals: 2},
		"JSON":             {words: 1, capitals: 2},
		"a 12345":          {words: 1, numbers: 2},
		"internationalise": {words: 1, middle: 6, late: 4},
		"==>":              {marks: 1, sameMarks: 1, moreMarks: 1},
		"a\n\n  b":         {words: 2, lines: 1, indents: 1},
		"été":              {words: 1, accented: 2, foreign: 2},
		"日本の한국ไทย😀–\xff\x00": {ideographs: 2, kana: 1, hangul: 2, otherLetters: 3, pictures: 1, signs: 1, strays: 2},
	} {
		if got := count(text); got != want {
			t.Errorf("%q: got %v, want %v", text, got, want)
		}
	}
}

// FuzzEstimate checks that the estimates of the lines of a text add up to at least the estimate of
// the text.
func FuzzEstimate(f *testing.F) {
	f.Add("readFile\n  12345\n\n== é")
	f.Add("日本\r\n\xff\n\n\n\n\n\n\n\n\n\n")
	f.Fuzz(func(t *testing.T, text string) {
		whole, lines := Estimate(text), 0
		for line := range strings.Lines(text) {
			lines += Estimate(line)
		}
		if whole < 0 || whole > 4*len(text) || lines < whole {
			t.Errorf("%q takes %d tokens, its lines take %d", text, whole, lines)
		}
	})
}

// BenchmarkEstimate measures what estimating a document of 1 MB costs.
func BenchmarkEstimate(b *testing.B) {
	data, err := os.ReadFile(filepath.Join("testdata", "reference.md"))
	if err != nil {
		b.Fatal(err)
	}
	text := strings.Repeat(string(data), 1<<20/len(data))
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		Estimate(text)
	}
}
