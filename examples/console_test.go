package examples

import (
	"bytes"
	"flag"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-docs-server/mcp-docs-server/internal/cli"
)

var update = flag.Bool("update", false, "write what the commands of the manual print into its pages")

var (
	console = regexp.MustCompile("(?s)```console\n(\\$ mcp-docs-server ([^\n]*)\n)(.*?)```\n")
	times   = regexp.MustCompile(`20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ`)
	took    = regexp.MustCompile(`in [0-9.]+(s|ms|µs)`)
)

// TestConsole runs the commands of the manual that show what they print, from the root of the
// repository.
func TestConsole(t *testing.T) {
	t.Chdir("..")
	ran := 0
	for _, page := range []string{"docs/commands.md", "docs/commands/explain.md", "docs/commands/check.md"} {
		data, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		text := console.ReplaceAllStringFunc(string(data), func(block string) string {
			m := console.FindStringSubmatch(block)
			var out bytes.Buffer
			cli.Run(t.Context(), slices.Collect(strings.FieldsSeq(m[2])), cli.Streams{In: strings.NewReader(""), Out: &out, Err: &out})
			got := times.ReplaceAllString(out.String(), "2026-11-21T07:48:13Z")
			got = took.ReplaceAllString(got, "in 12ms")
			if diff := cmp.Diff(m[3], got); diff != "" && !*update {
				t.Errorf("%s: mcp-docs-server %s prints (-want +got):\n%s", page, m[2], diff)
			}
			ran++
			return "```console\n" + m[1] + got + "```\n"
		})
		if *update {
			if err := os.WriteFile(page, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	if ran == 0 {
		t.Error("no page has a command")
	}
}
