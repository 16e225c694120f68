package tokens

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

// TestEstimate compares the estimates of texts with their counts in o200k_base.
func TestEstimate(t *testing.T) {
	data := must.Get(os.ReadFile(filepath.Join("testdata", "counts.json")))(t)
	var counts map[string]int
	must.Do(t, json.Unmarshal(data, &counts))
	files := must.Get(os.ReadDir("testdata"))(t)
	if len(files) != len(counts)+1 {
		t.Errorf("testdata has %d texts, but %d counts", len(files)-1, len(counts))
	}
	estimated, counted := 0, 0
	for name, count := range counts {
		text := must.Get(os.ReadFile(filepath.Join("testdata", name)))(t)
		estimate := Estimate(string(text))
		off := float64(estimate)/float64(count) - 1
		t.Logf("%s: %d tokens, estimated %d (%+.1f %%)", name, count, estimate, 100*off)
		if off < -0.1 || off > 1.0/3 {
			t.Errorf("%s: %d tokens are estimated as %d (%+.1f %%)", name, count, estimate, 100*off)
		}
		estimated, counted = estimated+estimate, counted+count
	}
	if off := float64(estimated)/float64(counted) - 1; math.Abs(off) > 0.1 {
		t.Errorf("all texts: %d tokens are estimated as %d", counted, estimated)
	}
}
