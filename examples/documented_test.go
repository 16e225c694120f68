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
	for _, c := range given.Cases(t, "documented.txt") {
		t.Run(c.Name, func(t *testing.T) {
			files := map[string]string{}
			var definitions []templates.Definition
			for text := range strings.SplitSeq(strings.TrimSpace(c.Files["templates"]), "\n") {
				if template, mime, _ := strings.Cut(text, " "); template != "" {
					definitions = append(definitions, templates.Definition{URITemplate: template, Name: template, MIMEType: mime})
				}
			}
			if definitions != nil {
				files[loader.TemplatesFile] = string(must.Get(json.Marshal(definitions))(t))
			}
			want := map[string]resource{}
			for line := range strings.SplitSeq(c.Text, "\n") {
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
