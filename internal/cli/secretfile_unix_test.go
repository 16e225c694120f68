//go:build unix

package cli

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A secret is read from a regular file only: a device would be read until memory ends, and a pipe would wait.
func TestSecretFiles(t *testing.T) {
	dir := makeProject(t, goodConfig, "docs/a.md=# A")
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{"/dev/zero", pipe} {
		for _, options := range [][]string{{"--session-key-file=" + file}, {"--token-file=" + file}, {"--store-file=" + file}, {"--tls-cert=" + file, "--tls-key=" + file}} {
			args := append([]string{"serve", dir, "--http=127.0.0.1:0"}, options...)
			if code, _, errs := run(t, nil, args...); code != 1 || !strings.Contains(errs, file+": is not a regular file") {
				t.Errorf("%q: code %d, errors %q", options, code, errs)
			}
		}
	}
}
