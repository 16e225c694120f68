package publishing

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

func TestWriteFile(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	must.Write(t, file, "old")
	broken := errors.New("broken")
	err := writeFile(file, func(w io.Writer) error {
		fmt.Fprint(w, strings.Repeat("new", 1<<20))
		return broken
	})
	if text, _ := os.ReadFile(file); err != broken || string(text) != "old" {
		t.Errorf("%v, file is %.10q", err, text)
	}
	if err := writeFile(dir, func(io.Writer) error { return nil }); err == nil || !strings.Contains(err.Error(), "must be the file to write") {
		t.Error(err)
	}
	if names, _ := filepath.Glob(filepath.Join(dir, ".*")); len(names) > 0 {
		t.Errorf("%q is left", names)
	}
}
