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
	// Output: 11 a space must be written %20
}

func ExampleDecode() {
	entries, problems := templates.Decode("templates.json", []byte(`[
  {"uriTemplate": "docs://{page}", "name": "Pages"},
  {"uriTemplate": "docs://{page", "name": "More pages", "titel": "More"}
]`))
	for _, e := range entries {
		fmt.Println(e.Index, e.Name, e.Template)
	}
	fmt.Println(problems)
	// Output:
	// 1 Pages docs://{page}
	// templates.json:3:27: entry 2 ("More pages"): uriTemplate "docs://{page": this { has no closing }; a { itself must be written %7B
	// templates.json:3:57: warning: entry 2 ("More pages"): unknown field "titel"; did you mean "title"?
}
