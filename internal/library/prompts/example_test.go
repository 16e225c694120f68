package prompts_test

import (
	"context"
	"fmt"
	"testing/fstest"

	"github.com/mcp-docs-server/mcp-docs-server/internal/library/prompts"
)

func Example() {
	project := fstest.MapFS{
		"prompts/review.md": {Data: []byte(`---
title: Review a change
args:
  language: {enum: [English, German], default: English}
  module:
---
Review the module {{module}}. Answer in {{language}}.

[The rules](docs://acme/rules/{{module}}.md)

Begin with what matters most.
`)},
		"prompts/typo.md": {Data: []byte("Explain {{topic}}.\n")},
	}
	set, err := prompts.Scan(context.Background(), project, prompts.Folder, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(set.Problems())
	review, _ := set.Get("review")
	if _, err := review.Render(map[string]string{"language": "Germen"}, nil); err != nil {
		fmt.Println(err)
	}
	blocks, _ := review.Render(map[string]string{"module": "net core"}, nil)
	for _, b := range blocks {
		fmt.Printf("%q %q\n", b.Text, b.URI)
	}
	// Output:
	// prompts/typo.md:1:9: the placeholder {{topic}} has no argument in the front matter; two braces that are text are written \{{
	// argument "language" is "Germen", must be one of "English", "German"; did you mean "German"?; argument "module" is required
	// "Review the module net core. Answer in English." ""
	// "[The rules](docs://acme/rules/net core.md)" "docs://acme/rules/net%20core.md"
	// "Begin with what matters most." ""
}
