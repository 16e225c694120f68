package page

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/mcp-docs-server/mcp-docs-server/internal/httpserver/hosts"
)

// TestFiles shows files of each kind that is not Markdown or code.
func TestFiles(t *testing.T) {
	tree := fstest.MapFS{"docs/index.md": {}, "docs/part.mdx": {Data: []byte("# Part\n")}}
	for name, text := range map[string]string{
		"minified.json": `{"z":1.50e3,"a":[{"c":"<b>"},[],null]}`,
		"broken.json":   `{"a": `,
		"deep.json":     strings.Repeat("[", maxDepth+2) + strings.Repeat("]", maxDepth+2),
		"table.csv":     "a;b\n\"1;2\";<i>\n3\n",
		"rows.csv":      strings.Repeat("a,b\n", maxRows+1),
		"latin.txt":     "caf\xe9\n",
		"wide.txt":      "\xff\xfeh\x00i\x00",
		"page.mdx":      "import A from 'a'\n\n<A>\n\n*b*\n\n</A>\n",
	} {
		tree["resources/x/h/"+name] = &fstest.MapFile{Data: []byte(text)}
	}
	for i := range 9 {
		tree[fmt.Sprintf("resources/scheme%d/h/a.txt", i)] = &fstest.MapFile{Data: []byte("a")}
	}
	tree["skills/pdf/SKILL.md"] = &fstest.MapFile{Data: []byte("---\nname: pdf\ndescription: Reads portable documents\n---\n# PDF\n")}
	web := servePage(t, "", hosts.Options{}, Options{Sites: []Site{newProject(t, "test", tree)}})
	for path, want := range map[string]string{
		"/r/x/h/minified.json":      `<span class="na">&#34;z&#34;</span>: <span class="s">1.50e3</span>`,
		"/r/x/h/broken.json":        `<pre class="code" tabindex="0">`,
		"/r/x/h/deep.json":          "has more than 1 MB, 20,000 values or 100 levels, so it is not shown as a tree",
		"/r/x/h/table.csv":          "<tr><th>a</th><th>b</th></tr><tr><td>1;2</td><td>&lt;i&gt;</td></tr><tr><td>3</td></tr>",
		"/r/x/h/rows.csv":           "The first 500 rows are shown.",
		"/r/x/h/latin.txt":          "café",
		"/r/x/h/wide.txt":           "<code>hi</code>",
		"/r/x/h/page.mdx":           `<div class="prose markdown" dir="auto"><p><em>b</em></p>`,
		"/":                         `<a href="/r/scheme8/">scheme8://</a>`,
		"/docs/index":               "The document is empty",
		"/search?q=SKILL.md":        `<span class="kind">Skill</span>`,
		"/prompts":                  "is a prompt",
		"/search?q=nothing+at+all+": "Nothing was found",
	} {
		resp, body := get(t, web.URL+path)
		if resp.StatusCode != http.StatusOK || !strings.Contains(strings.ReplaceAll(body, "\n<p>", "<p>"), want) {
			t.Errorf("%s: %d, %q is missing in\n%s", path, resp.StatusCode, want, body)
		}
	}
	if resp, _ := get(t, web.URL+"/docs/part"); resp.Header.Get("Location") != "/docs/part.mdx" {
		t.Errorf("/docs/part leads to %q", resp.Header.Get("Location"))
	}
}

// TestLargeTree opens the beginning of a large tree: a browser lays out all of what is open.
func TestLargeTree(t *testing.T) {
	small, large := string(jsonTree(`[{"a": [1]}]`)), string(jsonTree("["+strings.Repeat("[1],", maxNodes/2-10)+"1]"))
	if strings.Count(small, "<details open>") != 3 || strings.Contains(small, "<details>") {
		t.Errorf("got %s", small)
	}
	if open := strings.Count(large, "<details open>"); open < 100 || open > maxOpen || strings.Count(large, "<details>") < maxNodes/2-maxOpen {
		t.Errorf("%d are open", open)
	}
}

// TestTreeBounds has JSON beyond each bound.
func TestTreeBounds(t *testing.T) {
	for _, text := range []string{
		strings.Repeat("[", maxDepth+2) + strings.Repeat("]", maxDepth+2),
		"[" + strings.Repeat("1,", maxNodes) + "1]",
		`"` + strings.Repeat("a", maxTree) + `"`,
		"[1] 2",
	} {
		if got := jsonTree(text); got != "" {
			t.Errorf("%.20s has a tree of %d bytes", text, len(got))
		}
	}
}
