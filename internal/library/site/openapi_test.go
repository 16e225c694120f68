package site

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/cost"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/given"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

// petstore returns a description of an API, the files that it refers to, and the document that is made of it.
func petstore(t testing.TB) map[string]string {
	t.Helper()
	return given.Cases(t, "petstore.txt")[0].Files
}

func TestOpenAPIMarkdown(t *testing.T) {
	files := petstore(t)
	load := func(file string) (string, bool) { text, ok := files[file]; return text, ok }
	got, ok := OpenAPIMarkdown(files["petstore.yaml"], load)
	if diff := cmp.Diff(files["document"], got); diff != "" || !ok {
		t.Errorf("%v (-want +got):\n%s", ok, diff)
	}
	if text, ok := OpenAPIMarkdown("- a\n", load); ok {
		t.Errorf("a list is %q", text)
	}
}

func TestDescribes(t *testing.T) {
	for text, want := range map[string]bool{
		"openapi: 3.0.1\n": true, "# x\n---\nswagger: \"2.0\"\n": true, "info: {}\nopenapi: 3.1.0\n": true, "{\n  \"openapi\": \"3.0.0\",": true, `{"swagger":"2.0","info":{}}`: true, "\ufeffopenapi: '3.0'\n": true,
		"a: b\n": false, "x:\n  openapi: 3.0.0\n": false, "{\"a\": 1, \"openapi\": \"3\"}": false, "openapi: docs are great\n": false, "": false, "{}": false,
	} {
		must.Equal(t, want, DescribesAPI(text), text)
	}
}

func TestOpenAPITitle(t *testing.T) {
	for text, want := range map[string]string{
		petstore(t)["petstore.yaml"]: "Pets", "openapi: 3.0.0\ninfo:\n  version: 1\n  title: A, B's API\n": "A, B's API", "{\"openapi\":\"3.0.0\",\"info\":{\"title\":\"A, B\",": "A, B", "openapi: 3.0.0\ninfo:\n  title: 'Quoted'\n": "Quoted", "openapi: 3.0.0\n": "",
		`{"openapi": "3.0.0", "info": {"title": "\u0041 \/ B", `: "A / B", `{"openapi": "3.0.0", "info": {"title": "A \"B\"", `: `A "B"`, "openapi: 3.0.0\ninfo:\n  title: A\\b\n": `A\b`,
	} {
		must.Equal(t, want, OpenAPITitle(text), text)
	}
}

// References, aliases and files that lead to themselves or double end.
func TestHostileOpenAPI(t *testing.T) {
	bomb := "openapi: 3.0.0\ninfo: {title: x}\na0: &a0 {properties: {x: {type: string}}}\n"
	for i := range 40 {
		n := string(rune('A'+i%26)) + strings.Repeat("x", i/26+1)
		bomb += "k" + n + ": &k" + n + " {properties: {a: *a0, b: *a0, c: *a0}}\n"
	}
	wide := "openapi: 3.0.0\ncomponents:\n  schemas:\n    R: {properties: {" + strings.TrimSuffix(strings.Repeat("a: {$ref: '#/components/schemas/R'}, ", 300), ", ") + "}}\n"
	for name, text := range map[string]string{
		"a reference to itself": "openapi: 3.0.0\ninfo: {$ref: '#/info'}\npaths: {$ref: '#/paths/a/b'}\n", "a file that refers to itself": "openapi: 3.0.0\npaths: {/a: {$ref: 'x.yaml'}}\n",
		"aliases": bomb, "a schema of itself": wide, "nesting": "openapi: 3.0.0\na: " + strings.Repeat("[", 100_000), "a long name": "openapi: 3.0.0\ninfo: {title: " + strings.Repeat("x", 1<<20) + "}\n",
	} {
		cost.Check(t, strings.Repeat(" ", 1<<20), func(string) {
			if got, _ := OpenAPIMarkdown(text, func(string) (string, bool) { return "$ref: x.yaml\n", true }); len(got) > maxOut {
				t.Errorf("%s: %d bytes", name, len(got))
			}
		})
	}
}

func FuzzOpenAPI(f *testing.F) {
	f.Add(petstore(f)["petstore.yaml"])
	f.Add("swagger: '2.0'\ndefinitions: {A: &a {properties: {b: *a, c: {$ref: '#/definitions/A'}}}}\n")
	f.Fuzz(func(t *testing.T, text string) {
		got, _ := OpenAPIMarkdown(text, func(string) (string, bool) { return text, true })
		if len(got) > maxOut || strings.Contains(OpenAPITitle(text), "\n") {
			t.Errorf("%d bytes, title %q", len(got), OpenAPITitle(text))
		}
	})
}

// A text with more values than a description has is not read: each takes hundreds of bytes.
func TestManyValues(t *testing.T) {
	must.SkipUnderRace(t)
	for _, values := range []string{"[" + strings.Repeat("1,", 1<<20) + "1]", "[" + strings.Repeat("{a: b},", 400_000) + "1]", "\n" + strings.Repeat("- a\n", 800_000)} {
		started := time.Now()
		if text, ok := OpenAPIMarkdown("openapi: 3.0.0\ninfo: {title: T}\nx: "+values, nil); ok || time.Since(started) > time.Second {
			t.Errorf("%.20q: %d bytes after %v", values, len(text), time.Since(started))
		}
	}
	var b strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&b, "  /p%d: {get: {summary: s, description: d, operationId: o, responses: {\"200\": {description: ok}}}}\n", i)
	}
	if text, ok := OpenAPIMarkdown("openapi: 3.0.0\ninfo: {title: T}\npaths:\n"+b.String(), nil); !ok || !strings.Contains(text, "## GET /p19999") {
		t.Error("20,000 operations are not read")
	}
}
