package site

import (
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/mcp-docs-server/mcp-docs-server/internal/library/docsfs"
)

// denied is a project of which one file may not be read.
type denied struct {
	fstest.MapFS
	file string
}

func (d denied) Open(name string) (fs.File, error) {
	if name == d.file {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrPermission}
	}
	return d.MapFS.Open(name)
}

// A page that may not be read is not served, and the reason is the true one.
func TestDeniedPage(t *testing.T) {
	s, err := Find(t.Context(), docsfs.Of(denied{tree(map[string]string{"mkdocs.yml": "", "docs/a.md": "# A\n", "docs/b.md": "# B\n"}), "docs/b.md"}), Options{}, nil, nil)
	if err != nil || len(s.Pages(true)) != 1 || len(s.Hidden()) != 1 {
		t.Fatalf("%v, %v, %v", err, s.Pages(true), s.Hidden())
	}
	if p := s.Hidden()[0]; p.Err == nil || !strings.Contains(p.Hidden, "permission denied") {
		t.Errorf("%q, %v", p.Hidden, p.Err)
	}
}
