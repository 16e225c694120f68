package templates_test

import (
	"errors"
	"fmt"

	"github.com/mcp-docs-server/mcp-docs-server/templates"
)

func Example() {
	t, err := templates.Parse("docs://{product}/{...path}{?lang}")
	if err != nil {
		fmt.Println(err)
		return
	}
	uri := t.Expand(map[string]string{
		"product": "web server",
		"path":    "guides/install.md",
	})
	fmt.Println(t)
	fmt.Println(t.Names())
	fmt.Println(uri)
	// Output:
	// docs://{product}/{+path}{?lang}
	// [product path lang]
	// docs://web%20server/guides/install.md
}

func ExampleParse_error() {
	_, err := templates.Parse("docs://user guide/{page}")
	var syntax *templates.SyntaxError
	if errors.As(err, &syntax) {
		fmt.Println(syntax.Offset, syntax.Reason)
	}
	// Output: 11 " " must be written %20
}
