package matcher_test

import (
	"fmt"

	"github.com/mcp-docs-server/mcp-docs-server/matcher"
	"github.com/mcp-docs-server/mcp-docs-server/templates"
)

func Example() {
	entries, problems := templates.Decode("templates.json", []byte(`[
  {"uriTemplate": "youtube://{videoId}/{file}", "name": "Video files"},
  {"uriTemplate": "youtube://{videoId}/{language}.srt", "name": "Subtitles"}
]`))
	if err := problems.Err(); err != nil {
		fmt.Println(err)
		return
	}
	index, _ := matcher.New("templates.json", entries)
	for _, uri := range []string{"youtube://dQw4w9WgXcQ/en.srt", "youtube://dQw4w9WgXcQ/info.json", "youtube://dQw4w9WgXcQ"} {
		m, ok := index.Match(uri)
		if !ok {
			fmt.Println("no template:", uri)
			continue
		}
		fmt.Print(m.Template)
		for _, v := range m.Variables {
			fmt.Printf(" %s=%s", v.Name, v.Value)
		}
		fmt.Println()
	}
	// Output:
	// youtube://{videoId}/{language}.srt videoId=dQw4w9WgXcQ language=en
	// youtube://{videoId}/{file} videoId=dQw4w9WgXcQ file=info.json
	// no template: youtube://dQw4w9WgXcQ
}

func ExamplePattern_Expand() {
	t, err := templates.Parse("docs://{version}/{...paths}")
	if err != nil {
		fmt.Println(err)
		return
	}
	p, err := matcher.Compile(t)
	if err != nil {
		fmt.Println(err)
		return
	}
	variables, ok := p.Match("docs://v2/guides/50% faster.md") // decoded
	if !ok {
		fmt.Println("no match")
		return
	}
	fmt.Println(variables[1].Value)
	fmt.Println(p.Expand(variables))
	// Output:
	// guides/50% faster.md
	// docs://v2/guides/50%25%20faster.md
}

func ExampleIndex_Decide() {
	entries, _ := templates.Decode("templates.json", []byte(`[
  {"uriTemplate": "docs://{+path}", "name": "All"},
  {"uriTemplate": "docs://{version}/{page}.md", "name": "Pages"},
  {"uriTemplate": "docs://{version}/{file}", "name": "Files"}
]`))
	index, _ := matcher.New("templates.json", entries)
	candidates := index.Candidates("docs://v2/setup.md") // decoded
	fmt.Println(entries[candidates[0]].Name)
	for _, loser := range candidates[1:] {
		d, _ := index.Decide(candidates[0], loser)
		fmt.Printf("not %s: %s has %s\n", entries[loser].Name, entries[d.Winner].Name, d.Rule)
	}
	// Output:
	// Pages
	// not Files: Pages has more segments with both literals and variables
	// not All: Pages has no variable that spans segments
}
