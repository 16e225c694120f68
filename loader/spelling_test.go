package loader

import (
	"testing"
	"testing/fstest"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

// A name with composed characters finds a file whose name has them decomposed, as macOS writes them, and the other way round.
func TestComposedNames(t *testing.T) {
	const composed, decomposed = "caf\u00e9", "cafe\u0301"
	c := must.Get(Scan(t.Context(), fstest.MapFS{
		"resources/x/" + decomposed + "/" + decomposed + ".md": {Data: []byte("d")},
		"resources/x/h/" + composed + ".md":                    {Data: []byte("c")},
		"resources/x/h/" + decomposed + ".md":                  {Data: []byte("d"), ModTime: time.Date(2400, 1, 1, 0, 0, 0, 0, time.UTC)},
		"resources/x/h/" + composed + "2.md":                   {Data: []byte("2")},
	}, Options{}))(t)
	for uri, want := range map[string]string{
		"x://" + composed + "/" + composed + ".md": "resources/x/" + decomposed + "/" + decomposed + ".md", "x://caf%C3%A9/cafe%CC%81.md": "resources/x/" + decomposed + "/" + decomposed + ".md",
		"x://h/" + composed + ".md": "resources/x/h/" + composed + ".md", "x://h/" + decomposed + ".md": "resources/x/h/" + decomposed + ".md", "x://h/" + decomposed + "2.md": "resources/x/h/" + composed + "2.md",
	} {
		if r, ok := c.Lookup(uri); !ok || r.Path() != want {
			t.Errorf("%s is found: %v", uri, ok)
		}
	}
	if r, ok := c.Lookup("x://h/" + decomposed + ".md"); !ok || r.ModTime().Year() < 2262 {
		t.Errorf("a time after 2262 is %v", r.ModTime())
	}
}
