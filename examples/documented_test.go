package examples

import (
	"context"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
	"github.com/mcp-docs-server/mcp-docs-server/matcher"
	"github.com/mcp-docs-server/mcp-docs-server/templates"
)

// TestDocumented checks the cases of docs/write/resources.md, on which projects rely: from a directory
// tree and its templates.json to URIs, templates, variables and MIME types.
func TestDocumented(t *testing.T) {
	const binary = "\x00\x01\x02\xFF"
	for _, test := range []struct {
		name      string
		templates string            // templates.json; there is none if this is empty
		files     map[string]string // below resources/
		want      map[string]resource
	}{
		{
			name: "quick start",
			templates: `[{"uriTemplate": "config://schemas/{filename}", "name": "JSON Schema Resources",
				"description": "JSON schema files for configuration", "mimeType": "application/schema+json"}]`,
			files: map[string]string{"config/schemas/my-config.schema.json": "{}", "config/schemas/my-config.example.json": "{}"},
			want: map[string]resource{
				"config://schemas/my-config.schema.json":  {"config://schemas/{filename}", "filename=my-config.schema.json", "application/schema+json", false},
				"config://schemas/my-config.example.json": {"config://schemas/{filename}", "filename=my-config.example.json", "application/schema+json", false},
			},
		},
		{
			name:      "one variable",
			templates: `[{"uriTemplate": "config://schemas/{filename}", "name": "Configuration Schemas"}]`,
			files:     map[string]string{"config/schemas/my-config.schema.json": "{}"},
			want: map[string]resource{
				"config://schemas/my-config.schema.json": {"config://schemas/{filename}", "filename=my-config.schema.json", "application/json", false},
			},
		},
		{
			name:      "several variables",
			templates: `[{"uriTemplate": "api://{version}/schemas/{category}/{name}.json", "name": "API Schemas"}]`,
			files:     map[string]string{"api/v1/schemas/users/list.json": "{}"},
			want: map[string]resource{
				"api://v1/schemas/users/list.json": {"api://{version}/schemas/{category}/{name}.json", "version=v1, category=users, name=list", "application/json", false},
			},
		},
		{
			name:      "a variable over several segments",
			templates: `[{"uriTemplate": "docs://{version}/{...paths}", "name": "Documentation Resources"}]`,
			files:     map[string]string{"docs/v2/guides/getting-started/intro.md": "# Intro\n", "docs/v2/index.md": "# Index\n"},
			want: map[string]resource{
				"docs://v2/guides/getting-started/intro.md": {"docs://{version}/{+paths}", "version=v2, paths=guides/getting-started/intro.md", "text/markdown", false},
				"docs://v2/index.md":                        {"docs://{version}/{+paths}", "version=v2, paths=index.md", "text/markdown", false},
			},
		},
		{
			name: "the server's own schemas",
			templates: `[{"uriTemplate": "config://schemas/{filename}", "name": "JSON Schema Resources",
				"description": "JSON schema files for mcp-docs-server configuration", "mimeType": "application/schema+json"}]`,
			files: map[string]string{"config/schemas/mcp-docs-server.schema.json": "{}", "config/schemas/mcp-docs-server.example.json": "{}"},
			want: map[string]resource{
				"config://schemas/mcp-docs-server.schema.json":  {"config://schemas/{filename}", "filename=mcp-docs-server.schema.json", "application/schema+json", false},
				"config://schemas/mcp-docs-server.example.json": {"config://schemas/{filename}", "filename=mcp-docs-server.example.json", "application/schema+json", false},
			},
		},
		{
			name: "any type of file, with no templates",
			files: map[string]string{
				"any/h/a.txt": "a", "any/h/a.json": "{}", "any/h/a.yaml": "a: 1", "any/h/a.yml": "a: 1", "any/h/a.csv": "a,b",
				"any/h/a.srt": "1\n", "any/h/a.vtt": "WEBVTT\n", "any/h/a.svg": "<svg/>",
				"any/h/a.png": "\x89PNG\r\n\x1a\n", "any/h/a.jpg": "\xff\xd8\xff", "any/h/a.gif": "GIF89a\x00", "any/h/a.bin": binary, "any/h/a.dat": binary,
				"any/h/text": "no extension", "any/h/bytes": binary,
			},
			want: map[string]resource{
				"any://h/a.txt": {MIME: "text/plain"}, "any://h/a.json": {MIME: "application/json"},
				"any://h/a.yaml": {MIME: "text/yaml"}, "any://h/a.yml": {MIME: "text/yaml"}, "any://h/a.csv": {MIME: "text/csv"},
				"any://h/a.srt": {MIME: "application/x-subrip"}, "any://h/a.vtt": {MIME: "text/vtt"}, "any://h/a.svg": {MIME: "image/svg+xml"},
				"any://h/a.png": {MIME: "image/png", Blob: true}, "any://h/a.jpg": {MIME: "image/jpeg", Blob: true}, "any://h/a.gif": {MIME: "image/gif", Blob: true},
				"any://h/a.bin": {MIME: "application/octet-stream", Blob: true}, "any://h/a.dat": {MIME: "application/octet-stream", Blob: true},
				"any://h/text": {MIME: "text/plain"}, "any://h/bytes": {MIME: "application/octet-stream", Blob: true},
			},
		},
		{
			name:      "the MIME type of the template comes first",
			templates: `[{"uriTemplate": "any://{h}/{f}", "name": "n", "mimeType": "text/x-special"}]`,
			files:     map[string]string{"any/h/a.json": "{}", "any/h/bytes": binary},
			want: map[string]resource{
				"any://h/a.json": {"any://{h}/{f}", "h=h, f=a.json", "text/x-special", false},
				"any://h/bytes":  {"any://{h}/{f}", "h=h, f=bytes", "text/x-special", true},
			},
		},
		{
			name: "a fixed extension wins over a variable",
			templates: `[{"uriTemplate": "youtube://{videoId}/{file}", "name": "general"},
				{"uriTemplate": "youtube://{videoId}/{language}.srt", "name": "subtitles"}]`,
			files: map[string]string{"youtube/dQw4w9WgXcQ/en.srt": "1\n", "youtube/dQw4w9WgXcQ/info.json": "{}"},
			want: map[string]resource{
				"youtube://dQw4w9WgXcQ/en.srt":    {"youtube://{videoId}/{language}.srt", "videoId=dQw4w9WgXcQ, language=en", "application/x-subrip", false},
				"youtube://dQw4w9WgXcQ/info.json": {"youtube://{videoId}/{file}", "videoId=dQw4w9WgXcQ, file=info.json", "application/json", false},
			},
		},
		{
			name: "in any order",
			templates: `[{"uriTemplate": "youtube://{videoId}/{language}.srt", "name": "subtitles"},
				{"uriTemplate": "youtube://{videoId}/{file}", "name": "general"}]`,
			files: map[string]string{"youtube/dQw4w9WgXcQ/en.srt": "1\n"},
			want: map[string]resource{
				"youtube://dQw4w9WgXcQ/en.srt": {"youtube://{videoId}/{language}.srt", "videoId=dQw4w9WgXcQ, language=en", "application/x-subrip", false},
			},
		},
		{
			name: "fewer variables win",
			templates: `[{"uriTemplate": "x://h/{a}.{b}c", "name": "two"}, {"uriTemplate": "x://h/{name}.c", "name": "one"},
				{"uriTemplate": "x://{host}/{file}", "name": "two, no literal"}, {"uriTemplate": "x://h/{file}", "name": "one, a literal"}]`,
			files: map[string]string{"x/h/a.bc": "", "x/h/a.c": "", "x/h/a": "", "x/other/a": ""},
			want: map[string]resource{
				"x://h/a.bc":  {"x://h/{a}.{b}c", "a=a, b=b", "text/plain", false},
				"x://h/a.c":   {"x://h/{name}.c", "name=a", "text/x-c", false},
				"x://h/a":     {"x://h/{file}", "file=a", "text/plain", false},
				"x://other/a": {"x://{host}/{file}", "host=other, file=a", "text/plain", false},
			},
		},
		{
			name:      "with as many literals, fewer variables win",
			templates: `[{"uriTemplate": "x://h/{a}b{c}c", "name": "two"}, {"uriTemplate": "x://h/{a}bc", "name": "one"}]`,
			files:     map[string]string{"x/h/abbc": ""},
			want:      map[string]resource{"x://h/abbc": {"x://h/{a}bc", "a=ab", "text/plain", false}},
		},
		{
			name:      "the first wins where nothing else decides",
			templates: `[{"uriTemplate": "x://{host}/a{rest}", "name": "first"}, {"uriTemplate": "x://{host}/{rest}b", "name": "second"}]`,
			files:     map[string]string{"x/h/a-b": ""},
			want:      map[string]resource{"x://h/a-b": {"x://{host}/a{rest}", "host=h, rest=-b", "text/plain", false}},
		},
		{
			name: "several segments lose",
			templates: `[{"uriTemplate": "x://h/{+path}", "name": "all"}, {"uriTemplate": "x://h/{dir}/{file}", "name": "two"},
				{"uriTemplate": "x://h/d/{file}", "name": "literal"}, {"uriTemplate": "x://h/d/{name}.md", "name": "partly literal"}]`,
			files: map[string]string{"x/h/a.md": "", "x/h/e/a.md": "", "x/h/d/a.txt": "", "x/h/d/a.md": "", "x/h/d/e/a.md": ""},
			want: map[string]resource{
				"x://h/a.md":     {"x://h/{+path}", "path=a.md", "text/markdown", false},
				"x://h/e/a.md":   {"x://h/{dir}/{file}", "dir=e, file=a.md", "text/markdown", false},
				"x://h/d/a.txt":  {"x://h/d/{file}", "file=a.txt", "text/plain", false},
				"x://h/d/a.md":   {"x://h/d/{name}.md", "name=a", "text/markdown", false},
				"x://h/d/e/a.md": {"x://h/{+path}", "path=d/e/a.md", "text/markdown", false},
			},
		},
		{
			name:      "earlier variables take as much as they can",
			templates: `[{"uriTemplate": "x://h/{name}-{version}.tgz", "name": "packages"}]`,
			files:     map[string]string{"x/h/a-b-1.0.tgz": "", "x/h/a.tgz": ""},
			want: map[string]resource{
				"x://h/a-b-1.0.tgz": {"x://h/{name}-{version}.tgz", "name=a-b, version=1.0", "application/gzip", false},
				"x://h/a.tgz":       {MIME: "application/gzip"},
			},
		},
		{
			name:      "more literal characters win",
			templates: `[{"uriTemplate": "x://h/{name}c", "name": "one"}, {"uriTemplate": "x://h/{a}.{b}c", "name": "two"}]`,
			files:     map[string]string{"x/h/a.bc": ""},
			want:      map[string]resource{"x://h/a.bc": {"x://h/{a}.{b}c", "a=a, b=b", "text/plain", false}},
		},
		{
			name:      "names outside ASCII",
			templates: `[{"uriTemplate": "docs://{folder}/caf%C3%A9.md", "name": "n"}]`,
			files:     map[string]string{"docs/été/café.md": "# Café\n", "docs/guide/100% done.md": "# Done\n"},
			want: map[string]resource{
				"docs://%C3%A9t%C3%A9/caf%C3%A9.md": {"docs://{folder}/caf%C3%A9.md", "folder=été", "text/markdown", false},
				"docs://guide/100%25%20done.md":     {MIME: "text/markdown"},
			},
		},
		{
			name: "lists and dots",
			templates: `[{"uriTemplate": "x://h/{name,version}", "name": "a"}, {"uriTemplate": "x://h/readme{.ext}", "name": "b"},
				{"uriTemplate": "docs://guide{/path*}", "name": "c"}, {"uriTemplate": "docs://guide/{page}{?lang}", "name": "d"}]`,
			files: map[string]string{"x/h/tool,1.0": "", "x/h/readme.txt": "", "docs/guide/a": "", "docs/guide/a.d/b": ""},
			want: map[string]resource{
				"x://h/tool,1.0":     {"x://h/{name,version}", "name=tool, version=1.0", "text/plain", false},
				"x://h/readme.txt":   {"x://h/readme{.ext}", "ext=txt", "text/plain", false},
				"docs://guide/a":     {"docs://guide/{page}{?lang}", "page=a", "text/plain", false},
				"docs://guide/a.d/b": {"docs://guide{/path*}", "path=a.d/b", "text/plain", false},
			},
		},
		{
			name:      "operators",
			templates: `[{"uriTemplate": "x://h{/a,b}{.ext}{?q}", "name": "n"}, {"uriTemplate": "y://h{/path*}{#section}", "name": "m"}]`,
			files:     map[string]string{"x/h/one/two.txt": "", "y/h/one/two.txt": ""},
			want: map[string]resource{
				"x://h/one/two.txt": {"x://h{/a,b}{.ext}{?q}", "a=one, b=two, ext=txt", "text/plain", false},
				"y://h/one/two.txt": {"y://h{/path*}{#section}", "path=one/two.txt", "text/plain", false},
			},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			project := fstest.MapFS{}
			for name, data := range test.files {
				project[loader.Resources+"/"+name] = &fstest.MapFile{Data: []byte(data)}
			}
			var index *matcher.Index
			if test.templates != "" {
				project[loader.TemplatesFile] = &fstest.MapFile{Data: []byte(test.templates)}
				entries, problems := templates.Decode(loader.TemplatesFile, []byte(test.templates))
				must.Do(t, problems.Err())
				index, _ = matcher.New(loader.TemplatesFile, entries)
			}
			catalog := must.Get(loader.Scan(context.Background(), project, loader.Options{Templates: index}))(t)
			if diff := cmp.Diff(test.want, describe(t, project, catalog)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
