package auth

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

func TestRead(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "key")
	for _, test := range []struct {
		mode os.FileMode
		warn bool
	}{{0o600, false}, {0o640, false}, {0o644, true}, {0o602, true}} {
		must.Write(t, name, "secret")
		must.Do(t, os.Chmod(name, test.mode))
		var log bytes.Buffer
		text, err := ReadFile(name, slog.New(slog.NewTextHandler(&log, nil)))
		if warned := strings.Contains(log.String(), "every user"); err != nil || string(text) != "secret" || warned != test.warn && runtime.GOOS != "windows" {
			t.Errorf("%o: %q, %v, log %s", test.mode, text, err, &log)
		}
	}
	large := filepath.Join(dir, "large")
	must.Write(t, large, string(make([]byte, MaxFile+1)))
	for name, want := range map[string]string{filepath.Join(dir, "none"): "does not exist", dir: "is not a regular file", large: "has more than 1 MiB"} {
		if _, err := ReadFile(name, slog.New(slog.DiscardHandler)); err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), name+": ") {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
}
