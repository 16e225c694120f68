// Package cost tests how much processor time and memory a reader of hostile bytes takes. [Readers] and [Check] are for tests,
// [Repeated] is for fuzzing.
//
// The text consists of a few tokens that are repeated. A reader may take at most [seconds] of
// processor time and [memory] bytes for each MB of the text. A reader that recurses without a bound, that reads the whole text
// again for each line, or that multiplies its input fails. Processor time does not depend on the load of the computer.
package cost

import (
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"regexp/syntax"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

const (
	seconds = 8 // of processor time for each MB
	// bytes that are allocated for each MB, most of which are free again at once
	memory = 3 << 30
	// further bytes: a small page may include 1 MiB, a part of which is read again and again
	fixed = 192 << 20
	once  = 0.5 // further seconds: a loaded computer has cold caches
)

// Readers tests readers with texts of 32 KiB. Each reader reads each token, and each pair of tokens is read by one of the
// readers. If COST_BYTES is set, texts have so many bytes, and all readers read all pairs.
//
// The readers also read texts of one to three tokens that are repeated, perhaps after another token. These tokens include the
// literals of a pattern in the Go files of dirs. There are [patterns] such texts, always the same, or as many random ones as
// COST_PATTERNS says.
func Readers(t *testing.T, tokens []string, readers map[string]func(text string), dirs ...string) {
	if must.RaceEnabled {
		t.Skip("one goroutine computes: what it takes is measured without the race detector")
	}
	t.Run("patterns", func(t *testing.T) { repeated(t, append(literals(t, dirs...), tokens), readers) })
	size, err := strconv.Atoi(os.Getenv("COST_BYTES"))
	all := err == nil
	if !all {
		size = 32 << 10
	}
	for turn, name := range slices.Sorted(maps.Keys(readers)) {
		t.Run(name, func(t *testing.T) {
			for i, a := range tokens {
				for j, b := range tokens {
					if i == j {
						b = ""
					} else if !all && (i*len(tokens)+j)%len(readers) != turn {
						continue
					}
					Check(t, strings.Repeat(a+b, 1+size/len(a+b)), readers[name])
				}
			}
		})
	}
}

// patterns is how many texts of several tokens are tested, in a few seconds. The long form tests tens of thousands.
const patterns = 300

// repeated tests readers with texts of repeated tokens: 2 and 8 KiB, and up to 512 KiB as long as the time rises.
func repeated(t *testing.T, groups [][]string, readers map[string]func(text string)) {
	random, n := rand.New(rand.NewPCG(1, 2)), patterns
	if most, err := strconv.Atoi(os.Getenv("COST_PATTERNS")); err == nil {
		random, n = rand.New(rand.NewPCG(rand.Uint64(), 2)), most
	}
	names := slices.Sorted(maps.Keys(readers))
	one := func(tokens []string) string { return tokens[random.IntN(len(tokens))] }
	some := func(tokens []string, n int) (text string) {
		for range n {
			if random.IntN(5) == 0 {
				tokens = groups[random.IntN(len(groups))]
			}
			text += one(tokens)
		}
		return text
	}
	found := make(map[string]bool) // readers with a fault
	for i := range n {
		name, tokens := names[i%len(names)], groups[random.IntN(len(groups))]
		first, part := some(tokens, random.IntN(2)), some(tokens, 1+random.IntN(3))
		if found[name] {
			continue
		}
		text := func(size int) string { return first + strings.Repeat(part, 1+size/len(part)) }
		if !rises(text, 8<<10, readers[name]) {
			continue
		}
		found[name] = !t.Run(name, func(t *testing.T) {
			for size := 32 << 10; size <= 1<<20 && !t.Failed(); size *= 4 {
				Check(t, text(size), readers[name])
				if size < 1<<19 && !rises(text, size, readers[name]) {
					return
				}
			}
			if t.Failed() {
				t.Logf("%q and again and again %q", first, part)
			}
		})
	}
}

// rises reports whether a reader takes much more time for a text than for a quarter of it, or much time or memory for each of its
// bytes. Only such a text may take too long when it is longer.
func rises(text func(size int) string, size int, read func(string)) bool {
	part := float64(size) / (1 << 20)
	for range 2 { // the collector of garbage, or another test, may have run
		whole, bytes := measured(text(size), read)
		if float64(bytes) >= memory*part || whole >= seconds*part {
			continue
		}
		if whole < 0.004 {
			return false
		}
		if quarter, _ := measured(text(size/4), read); whole < 6*quarter {
			return false
		}
	}
	return true
}

// literals returns the literals of each pattern in the Go files of folders, and the short constants of each file: readers look for
// them.
func literals(t *testing.T, dirs ...string) (groups [][]string) {
	t.Helper()
	var walk func(r *syntax.Regexp) []string
	walk = func(r *syntax.Regexp) (found []string) {
		switch {
		case r.Op == syntax.OpLiteral:
			found = append(found, string(r.Rune))
		case r.Op == syntax.OpCharClass && len(r.Rune) <= 8:
			for i := 0; i < len(r.Rune); i += 2 {
				found = append(found, string(r.Rune[i]))
			}
		}
		for _, sub := range r.Sub {
			found = append(found, walk(sub)...)
		}
		return found
	}
	for _, dir := range dirs {
		files, _ := filepath.Glob(filepath.Join(dir, "*.go"))
		for _, name := range files {
			file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
			if err != nil || strings.HasSuffix(name, "_test.go") {
				continue
			}
			var short []string
			ast.Inspect(file, func(n ast.Node) bool {
				literal, ok := n.(*ast.BasicLit)
				if _, imported := n.(*ast.ImportSpec); !ok || literal.Kind != token.STRING {
					return !imported
				}
				text, _ := strconv.Unquote(literal.Value)
				if r, err := syntax.Parse(text, syntax.Perl); err == nil && regexp.QuoteMeta(text) != text {
					if found := walk(r); found != nil {
						groups = append(groups, found)
					}
				}
				if text != "" && len(text) <= 12 {
					short = append(short, text)
				}
				return true
			})
			if short != nil {
				groups = append(groups, short)
			}
		}
		if files == nil {
			t.Errorf("no Go files in %s", dir)
		}
	}
	return groups
}

// Repeated tests a reader with a text that is repeated after another one: 64 KiB in all. It is for fuzzing, in which code is
// slower, because it counts what is reached.
func Repeated(t *testing.T, first, text string, read func(text string)) {
	if text == "" || len(first) > 1000 || len(text) > 1000 {
		t.Skip()
	}
	Check(t, first+strings.Repeat(text, 1+(64<<10)/len(text)), read)
}

// Check tests a reader with one text.
func Check(t *testing.T, text string, read func(text string)) {
	t.Helper()
	most := once + float64(seconds)*float64(len(text))/(1<<20)
	if must.RaceEnabled {
		t.Skip("one goroutine computes: what it takes is measured without the race detector")
	}
	if fuzzing := flag.Lookup("test.fuzz"); fuzzing != nil && fuzzing.Value.String() != "" {
		most *= 10
	}
	bytes := uint64(fixed) + uint64(memory)/(1<<20)*uint64(len(text))
	var took float64
	var allocated uint64
	for range 3 { // the collector of garbage, or another test, may have run
		if took, allocated = measured(text, read); took <= most && allocated <= bytes {
			return
		}
	}
	t.Errorf("%d bytes %.60q…: %.2f s of processor time, at most %.2f; %d MB, at most %d", len(text), text, took, most, allocated>>20, bytes>>20)
}

// measured returns the seconds of processor time and the bytes of memory that a reader takes for a text.
func measured(text string, read func(string)) (took float64, allocated uint64) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	began := processor()
	read(text)
	took = processor() - began
	runtime.ReadMemStats(&after)
	return took, after.TotalAlloc - before.TotalAlloc
}
