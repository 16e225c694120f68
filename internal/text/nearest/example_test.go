package nearest_test

import (
	"fmt"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/nearest"
)

func ExampleOne() {
	if name, ok := nearest.One("pagesize", []string{"name", "pageSize", "poll"}); ok {
		fmt.Printf("did you mean %q?\n", name)
	}
	// Output: did you mean "pageSize"?
}
