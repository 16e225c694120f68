package jsondoc_test

import (
	"fmt"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/jsondoc"
)

func Example() {
	const file = "settings.json"
	value, problems := jsondoc.Parse(file, []byte(`{
  "root": "docs",
  "pagesize": 20,
  "limits": {"fileSize": "1 MB"}
}`))
	if value == nil {
		fmt.Println(problems)
		return
	}
	var root string
	pageSize, fileSize := 50, 1<<20
	o, _ := jsondoc.NewObject(file, "", value, &problems)
	o.RequiredString("root", &root)
	o.Int("pageSize", &pageSize, 1, 1000)
	o.Object("limits", func(o *jsondoc.Object) {
		o.Int("fileSize", &fileSize, 1, 1<<30)
	})
	o.Done()
	problems.Sort()
	fmt.Println(problems)
	// Output:
	// settings.json:3:3: warning: unknown field "pagesize"; did you mean "pageSize"?
	// settings.json:4:26: limits.fileSize is a string, must be a whole number from 1 to 1073741824
}
