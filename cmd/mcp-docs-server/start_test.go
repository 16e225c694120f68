package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

// asProgram is an environment variable. If it is set, the test runs as the program; "stuck" runs [stuck].
const asProgram = "MCP_DOCS_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	switch os.Getenv(asProgram) {
	case "":
	case "stuck":
		os.Exit(stuck())
	default:
		main()
	}
	os.Exit(m.Run())
}

// stuck is a program whose work does not end when its context does.
func stuck() int {
	return interruptible(func(ctx context.Context) int {
		fmt.Println("ready")
		<-ctx.Done()
		fmt.Println("cancelled")
		select {}
	})
}

// TestStartIsCheap limits the initialization of packages before main, because every client waits for
// it at each start of serve. The test measures allocated bytes instead of time, because they are the
// same in each run: 1 MB takes about 3 ms. A package above the limit should initialize at first use.
//
// With the race detector, package prometheus allocates a random number of bytes, because sync.Pool
// drops values at random. It is left out, as is go-cmp, which only the test has.
func TestStartIsCheap(t *testing.T) {
	const (
		mostOfOne = 300_000   // bytes; goldmark/extension, the largest, has 264,000
		mostOfAll = 1_910_000 // bytes; capture takes 500,000 of them, see docs/design.md, and uritemplate 42,000
	)
	program, err := os.Executable()
	must.Do(t, err)
	cmd := exec.Command(program, "version")
	cmd.Args[0] = "mcp-docs-server" // not a test, in which expressions are compiled at once
	cmd.Env = append(os.Environ(), asProgram+"=1", "GODEBUG=inittrace=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	type cost struct {
		name  string
		bytes int
	}
	var costs []cost
	sum := 0
	for line := range strings.Lines(string(out)) {
		// init internal/bytealg @0.008 ms, 0 ms clock, 0 bytes, 0 allocs
		words := strings.Fields(line)
		if len(words) < 10 || words[0] != "init" || words[1] == "github.com/prometheus/client_golang/prometheus" || words[1] == "github.com/google/go-cmp/cmp" {
			continue
		}
		n, err := strconv.Atoi(words[7])
		if err != nil {
			t.Fatalf("%v in %q", err, line)
		}
		costs = append(costs, cost{words[1], n})
		sum += n
	}
	slices.SortFunc(costs, func(a, b cost) int { return cmp.Compare(b.bytes, a.bytes) })
	if len(costs) < 50 {
		t.Fatalf("the trace names %d packages:\n%s", len(costs), out)
	}
	for _, c := range costs {
		if c.bytes > mostOfOne {
			t.Errorf("%s takes %d bytes when the program starts, at most %d are allowed", c.name, c.bytes, mostOfOne)
		}
	}
	if sum > mostOfAll {
		t.Errorf("packages take %d bytes when the program starts, at most %d are allowed; most take %v", sum, mostOfAll, costs[:10])
	}
	t.Logf("%d bytes in %d packages", sum, len(costs))
}
