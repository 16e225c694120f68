package site

import (
	"fmt"
	"os"
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
		row := fmt.Sprintf("| %s | `%s` | `%s` | %s | %s | %s |", g.Name, strings.Join(g.Markers, "` `"), strings.Join(g.extensions(), "` `"), said(g.Order != nil), said(len(g.Includes) > 0), g.Lacks)
		if !strings.Contains(string(data), "\n"+row) {
			t.Errorf("docs/start/repositories.md lacks the row\n%s", row)
		}
	}
}
