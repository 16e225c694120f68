// Package cost tests how much processor time and memory a reader of hostile bytes takes. [Readers] and [Check] are for tests,
// [Repeated] is for fuzzing.
//
// The text consists of one token that is repeated, or of two tokens that alternate. A reader may take at most [seconds] of
// processor time and [memory] bytes for each MB of the text. A reader that recurses without a bound, that reads the whole text
// again for each line, or that multiplies its input fails. Processor time does not depend on the load of the computer.
package cost

import (
	"flag"
	"maps"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/race"
)

const (
	seconds = 8         // of processor time for each MB
	memory  = 3 << 30   // bytes that are allocated for each MB, most of which are free again at once
	fixed   = 192 << 20 // further bytes: a small page may include 1 MiB, a part of which is read again and again
	once    = 0.5       // further seconds: a loaded computer has cold caches
)

// Readers tests readers with texts of 32 KiB. Each reader reads each token, and each pair of tokens is read by one of the
// readers. If COST_BYTES is set, texts have so many bytes, and all readers read all pairs. If COST_TIME is set, the readers
// read random tokens for so long instead.
func Readers(t *testing.T, tokens []string, readers map[string]func(text string)) {
	if most, err := time.ParseDuration(os.Getenv("COST_TIME")); err == nil {
		names := slices.Sorted(maps.Keys(readers))
		some := func(most int) string {
			var b strings.Builder
			for range rand.IntN(most + 1) {
				b.WriteString(tokens[rand.IntN(len(tokens))])
			}
			return b.String()
		}
		for began := time.Now(); time.Since(began) < most && !t.Failed(); {
			name, first, text := names[rand.IntN(len(names))], some(3), some(4)+tokens[rand.IntN(len(tokens))]
			Check(t, first+strings.Repeat(text, 1+(64<<10)/len(text)), readers[name])
			if t.Failed() {
				t.Logf("by %s: %q and again and again %q", name, first, text)
			}
		}
		return
	}
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
	if race.Enabled {
		t.Skip("one goroutine computes: what it takes is measured without the race detector")
	}
	if fuzzing := flag.Lookup("test.fuzz"); fuzzing != nil && fuzzing.Value.String() != "" {
		most *= 10
	}
	bytes := uint64(fixed) + uint64(memory)/(1<<20)*uint64(len(text))
	var took float64
	var allocated uint64
	for range 3 { // the collector of garbage, or another test, may have run
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		began := processor()
		read(text)
		took = processor() - began
		runtime.ReadMemStats(&after)
		allocated = after.TotalAlloc - before.TotalAlloc
		if took <= most && allocated <= bytes {
			return
		}
	}
	t.Errorf("%d bytes %.60q…: %.2f s of processor time, at most %.2f; %d MB, at most %d", len(text), text, took, most, allocated>>20, bytes>>20)
}
