package examples

import (
	"cmp"
	"encoding/json"
	"net/url"
	"path"
	"strconv"
	"strings"
	"testing"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/given"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
	"github.com/mcp-docs-server/mcp-docs-server/matcher"
	"github.com/mcp-docs-server/mcp-docs-server/templates"
)

// TestDocumented checks the cases of docs/write/resources.md, on which projects rely: from a directory
// tree and its templates.json to URIs, templates, variables and MIME types.
func TestDocumented(t *testing.T) {
	heads := map[string]string{".png": "\x89PNG\r\n\x1a\n", ".jpg": "\xff\xd8\xff", ".gif": "GIF89a\x00"}
	for _, test := range []struct {
		name      string
		templates string   // each with its MIME type, if it has one, between two blanks
		want      []string // the URI of each file; the number of its template with the variables; and the MIME type, with "blob" if it is not text
	}{
		{"quick start", "config://schemas/{filename} application/schema+json", []string{
			"config://schemas/my-config.schema.json; #1 filename=my-config.schema.json; application/schema+json",
			"config://schemas/my-config.example.json; #1 filename=my-config.example.json; application/schema+json",
		}},
		{"one variable", "config://schemas/{filename}", []string{
			"config://schemas/my-config.schema.json; #1 filename=my-config.schema.json; application/json",
		}},
		{"several variables", "api://{version}/schemas/{category}/{name}.json", []string{
			"api://v1/schemas/users/list.json; #1 version=v1, category=users, name=list; application/json",
		}},
		{"a variable over several segments", "docs://{version}/{...paths}", []string{
			"docs://v2/guides/getting-started/intro.md; #1 version=v2, paths=guides/getting-started/intro.md; text/markdown",
			"docs://v2/index.md; #1 version=v2, paths=index.md; text/markdown",
		}},
		{"any type of file, with no templates", "", []string{
			"any://h/a.txt; ; text/plain", "any://h/a.json; ; application/json", "any://h/a.yaml; ; text/yaml", "any://h/a.yml; ; text/yaml",
			"any://h/a.csv; ; text/csv", "any://h/a.srt; ; application/x-subrip", "any://h/a.vtt; ; text/vtt", "any://h/a.svg; ; image/svg+xml",
			"any://h/a.png; ; image/png blob", "any://h/a.jpg; ; image/jpeg blob", "any://h/a.gif; ; image/gif blob",
			"any://h/a.bin; ; application/octet-stream blob", "any://h/a.dat; ; application/octet-stream blob", "any://h/text; ; text/plain",
			"any://h/bytes; ; application/octet-stream blob",
		}},
		{"the MIME type of the template comes first", "any://{h}/{f} text/x-special", []string{
			"any://h/a.json; #1 h=h, f=a.json; text/x-special",
			"any://h/bytes; #1 h=h, f=bytes; text/x-special blob",
		}},
		{"a fixed extension wins over a variable", "youtube://{videoId}/{file}  youtube://{videoId}/{language}.srt", []string{
			"youtube://dQw4w9WgXcQ/en.srt; #2 videoId=dQw4w9WgXcQ, language=en; application/x-subrip",
			"youtube://dQw4w9WgXcQ/info.json; #1 videoId=dQw4w9WgXcQ, file=info.json; application/json",
		}},
		{"in any order", "youtube://{videoId}/{language}.srt  youtube://{videoId}/{file}", []string{
			"youtube://dQw4w9WgXcQ/en.srt; #1 videoId=dQw4w9WgXcQ, language=en; application/x-subrip",
		}},
		{"fewer variables win", "x://h/{a}.{b}c  x://h/{name}.c  x://{host}/{file}  x://h/{file}", []string{
			"x://h/a.bc; #1 a=a, b=b; text/plain",
			"x://h/a.c; #2 name=a; text/x-c",
			"x://h/a; #4 file=a; text/plain",
			"x://other/a; #3 host=other, file=a; text/plain",
		}},
		{"with as many literals, fewer variables win", "x://h/{a}b{c}c  x://h/{a}bc", []string{
			"x://h/abbc; #2 a=ab; text/plain",
		}},
		{"the first wins where nothing else decides", "x://{host}/a{rest}  x://{host}/{rest}b", []string{
			"x://h/a-b; #1 host=h, rest=-b; text/plain",
		}},
		{"several segments lose", "x://h/{+path}  x://h/{dir}/{file}  x://h/d/{file}  x://h/d/{name}.md", []string{
			"x://h/a.md; #1 path=a.md; text/markdown",
			"x://h/e/a.md; #2 dir=e, file=a.md; text/markdown",
			"x://h/d/a.txt; #3 file=a.txt; text/plain",
			"x://h/d/a.md; #4 name=a; text/markdown",
			"x://h/d/e/a.md; #1 path=d/e/a.md; text/markdown",
		}},
		{"earlier variables take as much as they can", "x://h/{name}-{version}.tgz", []string{
			"x://h/a-b-1.0.tgz; #1 name=a-b, version=1.0; application/gzip",
			"x://h/a.tgz; ; application/gzip",
		}},
		{"more literal characters win", "x://h/{name}c  x://h/{a}.{b}c", []string{
			"x://h/a.bc; #2 a=a, b=b; text/plain",
		}},
		{"names outside ASCII", "docs://{folder}/caf%C3%A9.md", []string{
			"docs://%C3%A9t%C3%A9/caf%C3%A9.md; #1 folder=été; text/markdown",
			"docs://guide/100%25%20done.md; ; text/markdown",
		}},
		{"lists and dots", "x://h/{name,version}  x://h/readme{.ext}  docs://guide{/path*}  docs://guide/{page}{?lang}", []string{
			"x://h/tool,1.0; #1 name=tool, version=1.0; text/plain",
			"x://h/readme.txt; #2 ext=txt; text/plain",
			"docs://guide/a; #4 page=a; text/plain",
			"docs://guide/a.d/b; #3 path=a.d/b; text/plain",
		}},
		{"operators", "x://h{/a,b}{.ext}{?q}  y://h{/path*}{#section}", []string{
			"x://h/one/two.txt; #1 a=one, b=two, ext=txt; text/plain",
			"y://h/one/two.txt; #2 path=one/two.txt; text/plain",
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			files := map[string]string{}
			var definitions []templates.Definition
			for _, text := range strings.FieldsFunc(strings.ReplaceAll(test.templates, "  ", "\n"), func(r rune) bool { return r == '\n' }) {
				template, mime, _ := strings.Cut(text, " ")
				definitions = append(definitions, templates.Definition{URITemplate: template, Name: template, MIMEType: mime})
			}
			if definitions != nil {
				files[loader.TemplatesFile] = string(must.Get(json.Marshal(definitions))(t))
			}
			want := map[string]resource{}
			for _, line := range test.want {
				part := strings.Split(line, "; ")
				mime, blob := strings.CutSuffix(part[2], " blob")
				r := resource{MIME: mime, Blob: blob}
				if number, variables, ok := strings.Cut(part[1], " "); ok {
					template := definitions[must.Get(strconv.Atoi(number[1:]))(t)-1].URITemplate
					r.Template, r.Variables = strings.Replace(template, "{...", "{+", 1), variables
				}
				want[part[0]] = r
				name := loader.Resources + "/" + strings.Replace(must.Get(url.PathUnescape(part[0]))(t), "://", "/", 1)
				if files[name] = heads[path.Ext(name)]; blob && files[name] == "" {
					files[name] = "\x00\x01\x02\xFF"
				}
			}
			project := given.Texts(files)
			entries, problems := templates.Decode(loader.TemplatesFile, []byte(cmp.Or(files[loader.TemplatesFile], "[]")))
			must.Do(t, problems.Err())
			index, _ := matcher.New(loader.TemplatesFile, entries)
			catalog := must.Get(loader.Scan(t.Context(), project, loader.Options{Templates: index}))(t)
			must.Equal(t, want, describe(t, project, catalog))
		})
	}
}
