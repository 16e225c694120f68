package project

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// A client waits for the instructions before anything else. The first entry of a folder shows that it
// has files.
func TestInstructionsReadNoLargeFolder(t *testing.T) {
	allocations := func(files int) float64 {
		dir := makeProject(t, "resources/s/h/deep/f.md=x")
		for i := range files {
			if err := os.WriteFile(filepath.Join(dir, "resources/s/h/deep", fmt.Sprint(i)), nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		p := open(t, dir)
		var got string
		n := testing.AllocsPerRun(1, func() { got = p.instructions(&p.Settings, false) })
		name := p.Settings.Config.Name
		if want := "The documentation and files of \"" + name + "\". Consult the tool search" + name + " first for anything about it: it searches and reads them.\nResources: s://. The tools list_resources and read_resource read them for clients that support only tools.\n"; got != want {
			t.Errorf("%q, want %q", got, want)
		}
		return n
	}
	// The system returns at most 8 KiB of further names at once.
	if few, many := allocations(20), allocations(2000); many > few+100 {
		t.Errorf("%v allocations for a folder of 2,000 files, %v for one of 20", many, few)
	}
}
