package secretfile

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestRead(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "key")
	for _, test := range []struct {
		mode os.FileMode
		warn bool
	}{{0o600, false}, {0o640, false}, {0o644, true}, {0o602, true}} {
		if err := os.WriteFile(name, []byte("secret"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(name, test.mode); err != nil {
			t.Fatal(err)
		}
		var log bytes.Buffer
		text, err := Read(name, slog.New(slog.NewTextHandler(&log, nil)))
		if warned := strings.Contains(log.String(), "every user"); err != nil || string(text) != "secret" || warned != test.warn && runtime.GOOS != "windows" {
			t.Errorf("%o: %q, %v, log %s", test.mode, text, err, &log)
		}
	}
	large := filepath.Join(dir, "large")
	if err := os.WriteFile(large, make([]byte, MaxSize+1), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{filepath.Join(dir, "none"): "does not exist", dir: "is not a regular file", large: "has more than 1 MiB"} {
		if _, err := Read(name, slog.New(slog.DiscardHandler)); err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), name+": ") {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
}
