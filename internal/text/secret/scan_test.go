package secret

import (
	"bytes"
	"io"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

// The finder finds the same marks as a search for each mark, however the data is divided into parts.
func TestFinder(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	text := func(n int) []byte {
		b := make([]byte, n)
		for i := range b {
			b[i] = "abAB\x00-"[random.IntN(6)]
		}
		return b
	}
	total := 0
	for range 500 {
		var marks [][]byte
		for range 1 + random.IntN(6) {
			marks = append(marks, text(3+random.IntN(3)))
		}
		data := text(100)
		var want, got [][2]int
		for i, mark := range marks {
			for offset := range len(data) - len(mark) + 1 {
				if bytes.EqualFold(data[offset:offset+len(mark)], mark) {
					want = append(want, [2]int{i, offset})
				}
			}
		}
		f := newFinder(marks)
		for from := 0; from < len(data); {
			end := min(len(data), from+1+random.IntN(20))
			f.run(data, from, end, func(mark, offset int) { got = append(got, [2]int{mark, offset}) })
			from = end
		}
		for _, hits := range [][][2]int{want, got} {
			slices.SortFunc(hits, func(a, b [2]int) int { return slices.Compare(a[:], b[:]) })
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("%q in %q: -want +got:\n%s", marks, data, diff)
		}
		total += len(want)
	}
	if total < 500 {
		t.Errorf("only %d marks were there to find", total)
	}
	if n := len(loadRules().marks); n > 255 {
		t.Errorf("%d marks are more than a finder holds", n)
	}
	for _, m := range loadRules().marks {
		if len(m.text) < 3 || max(m.rule.before, m.rule.after) > reach {
			t.Errorf("%q cannot be found, or its rule wants more than is held", m.text)
		}
	}
}

// A secret is found even if it is divided between the parts in which a file is read.
func TestSecretAcrossParts(t *testing.T) {
	long, _ := privateKeys(t)
	lines := bytes.Repeat([]byte("text of a line\n"), (2*chunk+4*reach)/15)
	for _, secret := range []string{"npm_" + word(36), long} {
		for _, border := range []int{chunk, chunk + reach, chunk + 2*reach, 2 * chunk, 2*chunk + 2*reach} {
			for _, before := range []int{-1, 0, 1, 4, len(secret) / 2, len(secret) - 1, len(secret), len(secret) + 1} {
				data := bytes.Clone(lines)
				copy(data[border-before:], "\n"+secret+"\n")
				want := 2 + bytes.Count(data[:border-before], []byte("\n"))
				for _, r := range []io.Reader{bytes.NewReader(data), iotest.HalfReader(bytes.NewReader(data))} {
					got, err := Scan(t.Context(), r)
					if err != nil || len(got) != 1 || got[0].Line != want {
						t.Fatalf("%.20q, %d before %d: %v, %v, want line %d", secret, before, border, got, err, want)
					}
				}
			}
		}
	}
}
