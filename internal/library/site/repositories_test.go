package site

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

// TestTable compares the table in docs/start/repositories.md with the generators.
func TestTable(t *testing.T) {
	data, err := os.ReadFile("../../../docs/start/repositories.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range generators {
		said := func(yes bool) string {
			if yes {
				return "yes"
			}
			return "no"
		}
		var reported []string
		for _, key := range slices.Sorted(maps.Keys(g.Unread)) {
			name := "`" + strings.ReplaceAll(strings.TrimPrefix(key, "?"), " ", ".") + "`"
			if key[0] == '?' {
				name += `\*`
			}
			reported = append(reported, name)
		}
		row := fmt.Sprintf("| %s | `%s` | `%s` | %s | %s | %s |", g.Name, strings.Join(g.Markers, "` `"), strings.Join(g.Extensions, "` `"), said(g.Order != nil), g.Lacks, strings.Join(reported, ", "))
		if row = strings.ReplaceAll(row, "|  |", "| |"); !strings.Contains(string(data), "\n"+row) {
			t.Errorf("docs/start/repositories.md lacks the row\n%s", row)
		}
	}
}
