package pdfium

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

// TestInterpreted forbids the process to make code, as MemoryDenyWriteExecute of systemd does.
func TestInterpreted(t *testing.T) {
	const variable = "MCP_TEST_NO_CODE"
	if folder := os.Getenv(variable); folder != "" {
		if err := unix.Prctl(unix.PR_SET_MDWE, unix.PR_MDWE_REFUSE_EXEC_GAIN, 0, 0, 0); err != nil {
			t.Skip(err)
		}
		must.Equal(t, "interpreted: the system does not let a program make code", loaded(t, folder))
		return
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestInterpreted$", "-test.v")
	cmd.Env = append(os.Environ(), variable+"="+t.TempDir())
	if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "PASS") {
		t.Errorf("%v: %s", err, out)
	} else if strings.Contains(string(out), "SKIP") {
		t.Skip("this system cannot forbid it")
	}
}
