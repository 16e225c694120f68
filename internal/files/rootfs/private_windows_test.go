package rootfs

import (
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/windows"
)

func TestMakeIsPrivate(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "above", "private")
	f, _, err := Make(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	security, err := windows.GetNamedSecurityInfo(dir, windows.SE_FILE_OBJECT, windows.DACL_SECURITY_INFORMATION)
	if err != nil {
		t.Fatal(err)
	}
	// Everyone, authenticated users, and all users.
	list := security.String()
	for _, others := range []string{";WD)", ";AU)", ";BU)"} {
		if !strings.HasPrefix(list, "D:") || strings.Contains(list, others) {
			t.Errorf("the access list is %s", list)
		}
	}
}
