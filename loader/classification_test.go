package loader

import (
	"testing"
	"testing/fstest"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/matcher"
	"github.com/mcp-docs-server/mcp-docs-server/templates"
)

func TestClassification(t *testing.T) {
	entries, _ := templates.Decode(TemplatesFile, []byte(`[{"uriTemplate": "x://typed/{name}", "name": "t", "mimeType": "text/x-own"}]`))
	index, _ := matcher.New(TemplatesFile, entries)
	png := "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"
	for _, test := range []struct {
		name, data string
		mime       string
		origin     Origin
		form       Form
		rule       FormRule
		known      string
	}{
		{"typed/a.ico", "letters", "text/x-own", FromTemplate, Blob, IsBinary, "image/vnd.microsoft.icon"},
		{"typed/a", "text", "text/x-own", FromTemplate, UTF8, IsUTF8, "text/plain"},
		{"h/a.md", "text", "text/markdown", FromExtension, UTF8, IsUTF8, "text/markdown"},
		{"h/a.md", "caf\xe9", "text/markdown", FromExtension, Blob, IsOther, "text/markdown"},
		{"h/a.md", "\xff\xfea\x00", "text/markdown", FromExtension, UTF16, IsUTF16, "text/markdown"},
		{"h/a.md", "", "text/markdown", FromExtension, UTF8, IsEmpty, "text/markdown"},
		{"h/Makefile", "all:", "text/x-makefile", FromName, UTF8, IsUTF8, "text/x-makefile"},
		{"h/picture", png, "image/png", FromContent, Blob, IsBinary, "image/png"},
		{"h/words", "some words", "text/plain", FromDefault, UTF8, IsUTF8, "text/plain"},
		{"h/bytes", "\x00\x01\x02", "application/octet-stream", FromDefault, Blob, IsOther, "application/octet-stream"},
		{"h/nothing", "", "text/plain", FromDefault, UTF8, IsEmpty, "text/plain"},
	} {
		c, err := Scan(t.Context(), fstest.MapFS{"resources/x/" + test.name: {Data: []byte(test.data)}}, Options{Templates: index})
		must.Do(t, err)
		r, ok := c.Lookup("x://" + test.name)
		if !ok {
			t.Fatalf("%s is not there", test.name)
		}
		want := Classification{test.mime, test.origin, test.form, test.rule, test.known}
		if got := c.Classify(r, []byte(test.data)); got != want {
			t.Errorf("%s %q: %+v, want %+v", test.name, test.data, got, want)
		}
		if mime, origin := c.MIMEOrigin(r); mime != test.mime || origin != test.origin {
			t.Errorf("%s %q is listed as %s %s, want %s %s", test.name, test.data, mime, origin, test.mime, test.origin)
		}
		content, _, err := c.Content(r, 1000)
		if err != nil || content.MIME != want.MIME || content.IsText != want.Text() {
			t.Errorf("%s %q is read as %+v, %v", test.name, test.data, content, err)
		}
		if test.form == UTF16 {
			continue // ClassifyHead is never called for it
		}
		if got := c.ClassifyHead(r, []byte(test.data), test.form == UTF8); got != want {
			t.Errorf("%s %q by its head: %+v, want %+v", test.name, test.data, got, want)
		}
	}
}
