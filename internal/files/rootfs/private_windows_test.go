package rootfs

import (
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/windows"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

func TestMakeIsPrivate(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "above", "private")
	f, _, err := Make(dir)
	must.Do(t, err)
	defer f.Close()
	security := must.Get(windows.GetNamedSecurityInfo(dir, windows.SE_FILE_OBJECT, windows.DACL_SECURITY_INFORMATION))(t)
	// Everyone, authenticated users, and all users.
	list := security.String()
	for _, others := range []string{";WD)", ";AU)", ";BU)"} {
		if !strings.HasPrefix(list, "D:") || strings.Contains(list, others) {
			t.Errorf("the access list is %s", list)
		}
	}
}
